// Message passing between risk factors and diseases on every subset of the findings, with loop
// corrections. The messages are brought to their fixed point in float64; one sweep in double-double
// then tells the rounding in them, which the alternating sums would amplify.
#include "coupled_bethe.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hickam::coupled {
namespace {

constexpr int MOST_SWEEPS = 60;       // in float64
constexpr int MOST_TURNS = 60;        // of what is left in them
constexpr double CONVERGED = 1e-15;
constexpr double LEAST_SHRINK = 1e-2;  // of the error of the messages in one sweep
constexpr double EPSILON = 0x1p-53, FINE_EPSILON = 0x1p-102;
constexpr double LOOSEST = 1e-12;   // what may be left in a message
constexpr double RARE = 4e-4;       // prior of a risk factor
constexpr double AMPLIFIED = 30.0;  // what is left in the messages, beside the condition number

}  // namespace

Graph::Graph(const Coupled &p) : acts(p.edges), fails(p.edges), on(p.rows), prior_off(p.risks) {
    std::vector<long long> rows, risk;
    for (std::size_t e = 0; e < p.edges; ++e) {
        fails[e] = complement(p.edge_acts[e], p.edge_fails[e]);
        acts[e] = complement(p.edge_fails[e], p.edge_acts[e]);
        if (!p.reached[p.edge_row[e]]) continue;
        edges.push_back(static_cast<int>(e));
        row.push_back(static_cast<int>(p.edge_row[e]));
        rows.push_back(p.edge_row[e]);
        risk.push_back(p.edge_risk[e]);
    }
    by_row = group(rows.data(), rows.size(), p.rows);
    by_risk = group(risk.data(), risk.size(), p.risks);
    listening = group(p.edge_row, p.edges, p.rows);
    for (std::size_t k = 0; k < p.rows; ++k) on[k] = complement(p.off[k], p.on[k]);
    for (std::size_t j = 0; j < p.risks; ++j) prior_off[j] = two_sum(1.0, -p.risk_prior[j]);
}

template <class T>
Messages<T>::Messages(const Coupled &p, const Graph &g)
    : a(p.rows), b(p.rows), heard(g.edges.size()), told(g.edges.size()), before(g.edges.size()),
      quiet(g.edges.size()), others(g.edges.size()), stay_off(p.rows), slope(p.rows), belief(p.risks) {}

template <class T> void Messages<T>::start(const Lattice &lattice, std::uint64_t block) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        a[k] = lattice.a<T>(k, block);
        b[k] = lattice.o<T>(k) - a[k];
    }
}

template <>
template <> void Messages<V>::start(const Messages<DD> &finer) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = finer.a[k].hi, b[k] = finer.b[k].hi;
}

template <class T>
template <bool last> void Messages<T>::ask_rows(const Lattice &lattice, const Graph &g) {
    const T one = lift<T>({1.0, 0.0});
    if (last) phi = one;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const int begin = g.by_row.start[k], end = g.by_row.start[k + 1];
        if (begin == end && !(last && lattice.problem.reached[k])) continue;
        T product = lattice.off<T>(k);
        T on = lift<T>(g.on[k]);  // added up: 1 - off would lose a rare one
        for (int i = begin; i < end; ++i) {
            const int e = g.by_row.item[i];
            const T acted = loosely(heard[e], lift<T>(g.acts[g.edges[e]]));
            before[e] = product;
            if (last) on += loosely(product, acted);
            quiet[e] = rest_of_one(acted);
            product = loosely(product, quiet[e]);
        }
        T inverse = one, rows = one;
        if (last) {
            stay_off[k] = product;
            rows = a[k] + b[k] * product;
            inverse = ratio(one, rows);
            slope[k] = on * inverse;
        }
        T after = one;
        for (int i = end - 1; i >= begin; --i) {
            const int e = g.by_row.item[i];
            others[e] = loosely(before[e], after);
            const T silent = loosely(b[k], others[e]), off = a[k] + silent;
            told[e] = ratio(T(a[k] + loosely(silent, lift<T>(g.fails[g.edges[e]]))), off);
            // What an edge counts twice, 1 - heard + heard told, is the row's factor over `off`.
            if (last) rows = loosely(rows, loosely(off, inverse));
            if (i > begin) after = loosely(after, quiet[e]);
        }
        if (last) phi *= rows;
    }
}

template <class T> double Messages<T>::ask_risks(const Lattice &lattice, const Graph &g) {
    const Coupled &p = lattice.problem;
    const T one = lift<T>({1.0, 0.0});
    V largest = fill(0.0);
    for (std::size_t j = 0; j < p.risks; ++j) {
        T product = lift<T>({p.risk_prior[j], 0.0});
        const T off = lift<T>(g.prior_off[j]);
        const int begin = g.by_risk.start[j], end = g.by_risk.start[j + 1];
        for (int i = begin; i < end; ++i) {
            before[i] = product;
            product = loosely(product, told[i]);
        }
        T after = one;
        for (int i = end - 1; i >= begin; --i) {
            const T on = loosely(before[i], after);
            const T fresh = ratio(on, T(off + on));
            const V change = magnitude(difference(fresh, heard[i])) * fill(g.acts[g.edges[i]].hi);
            largest = where(change > largest, change, largest);
            heard[i] = fresh;
            if (i > begin) after = loosely(after, told[i]);
        }
    }
    double most = 0.0;
    for (int lane = 0; lane < LANES; ++lane) most = std::max(most, largest[lane]);
    return most;
}

template <class T> void Messages<T>::believe(const Lattice &lattice, const Graph &g) {
    const Coupled &p = lattice.problem;
    for (std::size_t j = 0; j < p.risks; ++j) {
        T on = lift<T>({p.risk_prior[j], 0.0});
        for (int i = g.by_risk.start[j]; i < g.by_risk.start[j + 1]; ++i) on = loosely(on, told[i]);
        const T whole = lift<T>(g.prior_off[j]) + on;
        belief[j] = ratio(on, whole);
        phi *= whole;
    }
}

template <class T> void Messages<T>::listen(const Lattice &lattice, const Graph &g) {
    const Coupled &p = lattice.problem;
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        T product = lattice.off<T>(k);  // a listening row: a = o, its factor is constant
        T on = lift<T>(g.on[k]);
        for (int i = g.listening.start[k]; i < g.listening.start[k + 1]; ++i) {
            const int e = g.listening.item[i];
            const T acted = loosely(belief[p.edge_risk[e]], lift<T>(g.acts[e]));
            on += loosely(product, acted);
            product = loosely(product, rest_of_one(acted));
        }
        stay_off[k] = product;
        slope[k] = on / lattice.o<T>(k);
        phi *= lattice.o<T>(k);
    }
}

template struct Messages<V>;
template struct Messages<DD>;

Remainder::Remainder(const Coupled &p, const Graph &g)
    : first(g.edges.size()), now(g.edges.size()), told(g.edges.size()), row(p.rows), risk(p.risks) {}

double Remainder::add(const Lattice &lattice, const Graph &g, const Loops &loops,
                      const Messages<V> &coarse, Messages<DD> &fine, double close) {
    const Coupled &p = lattice.problem;
    const V zero = fill(0.0), one = fill(1.0);
    const auto most = [](V size) {
        double most = 0.0;
        for (int lane = 0; lane < LANES; ++lane) most = std::max(most, size[lane]);
        return most;
    };
    fine.ask_risks(lattice, g);
    V largest = zero;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const V h = coarse.heard[i];
        first[i] = now[i] = ratio<V>(difference(fine.heard[i], exact(h)), h * (one - h));
        largest = where(magnitude(now[i]) > largest, magnitude(now[i]), largest);
    }
    const double moved = most(largest);
    double change = moved;
    for (int round = 0; round < MOST_TURNS && (!round || change > close); ++round) {
        for (V &sum : row) sum = zero;
        for (std::size_t i = 0; i < first.size(); ++i) row[g.row[i]] += loops.swing[i] * now[i];
        largest = zero;
        for (std::size_t j = 0; j < p.risks; ++j) {
            V sum = zero;
            for (int i = g.by_risk.start[j]; i < g.by_risk.start[j + 1]; ++i) {
                told[i] = loops.turn[i] * (row[g.row[i]] - loops.swing[i] * now[i]);
                sum += told[i];
            }
            risk[j] = sum;
            for (int i = g.by_risk.start[j]; i < g.by_risk.start[j + 1]; ++i) {
                const V next = first[i] + (sum - told[i]), size = magnitude(next - now[i]);
                largest = where(size > largest, size, largest);
                now[i] = next;
            }
        }
        change = most(largest);
    }
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        const V off = coarse.stay_off[k];
        const V inverse = ratio<V>(one, coarse.a[k] + coarse.b[k] * off);
        fine.slope[k] += exact(row[k] * off * lattice.o<V>(k) * inverse * inverse);
    }
    for (std::size_t j = 0; j < p.risks; ++j)
        fine.belief[j] += exact(risk[j] * coarse.belief[j] * (one - coarse.belief[j]));
    return change + moved * moved;
}

namespace {

V more_than_one(V log) {
    for (int lane = 0; lane < LANES; ++lane) log[lane] = std::expm1(log[lane]);
    return log;
}

struct Fine {
    Fine(const Coupled &p, const Graph &g) : messages(p, g), remainder(p, g) {}
    Messages<DD> messages;
    Remainder remainder;
};

template <class T>
Outcome run(const Lattice &lattice, const Graph &g, const Meetings &meetings, double close,
            const Stopwatch &watch) {
    constexpr bool in_fine = sizeof(T) > sizeof(V);
    const Coupled &p = lattice.problem;
    Sums sums(lattice, true);
    Messages<V> coarse(p, g);
    std::optional<Fine> fine;
    if (in_fine) fine.emplace(p, g);
    Loops loops(p, g, meetings);
    std::vector<T> slope(p.rows);
    std::vector<Sums::More> more(p.rows);
    for (std::size_t i = 0; i < g.edges.size(); ++i)
        coarse.heard[i] = fill(p.risk_prior[p.edge_risk[g.edges[i]]]);
    const double enough = in_fine ? std::min(close, CONVERGED) : close;  // the loops hear no better
    double residual = 0.0, left = 0.0, shrink = LEAST_SHRINK;
    for (std::uint64_t block = 0; block < lattice.blocks(); ++block) {
        if (watch.expired()) {
            Outcome late;
            late.answer.expired = true;
            return late;
        }
        if constexpr (in_fine) {
            fine->messages.start(lattice, block);
            coarse.start(fine->messages);
        } else {
            coarse.start(lattice, block);
        }
        double change = 1.0;
        for (int sweep = 0; sweep < MOST_SWEEPS && change > CONVERGED; ++sweep) {
            const double before = change;
            coarse.ask_rows<false>(lattice, g);
            change = coarse.ask_risks(lattice, g);
            if (sweep && change > 1e3 * CONVERGED) shrink = std::max(shrink, change / before);
            if (sweep && change * shrink <= enough) break;  // what is left after this sweep
        }
        residual = std::max(residual, change);
        coarse.ask_rows<true>(lattice, g);
        coarse.believe(lattice, g);
        coarse.listen(lattice, g);
        loops.correct(lattice, g, coarse);
        const Messages<T> *messages;
        if constexpr (in_fine) {
            Messages<DD> &exactly = fine->messages;
            for (std::size_t i = 0; i < g.edges.size(); ++i) exactly.heard[i] = exact(coarse.heard[i]);
            exactly.ask_rows<true>(lattice, g);
            exactly.believe(lattice, g);
            left = std::max(left, fine->remainder.add(lattice, g, loops, coarse, exactly, close));
            exactly.listen(lattice, g);
            messages = &exactly;
        } else {
            left = std::max(left, change * shrink);
            messages = &coarse;
        }
        const T phi = messages->phi;
        const V whole = lanes_of(phi), one = fill(1.0);
        const V grow = more_than_one(loops.all);
        for (std::size_t k = 0; k < p.rows; ++k) {
            slope[k] = phi * messages->slope[k];
            const V base = lanes_of(slope[k]);
            more[k].all = base * grow + whole * (one + grow) * loops.slope[k];
            more[k].doubt = base * loops.doubt + whole * loops.doubt_slope[k];
        }
        sums.add<T>(block, phi, messages->a.data(), slope.data(), {whole * grow, whole * loops.doubt},
                    more.data());
    }
    const double units = AMPLIFIED * left / lattice.roundings();
    Outcome out = sums.conclude((in_fine ? FINE_EPSILON : EPSILON) + units);
    out.residual = residual;
    return out;
}

// [row] Whether a rare risk factor acts on it that another reached row hears as well.
std::vector<char> hears_rare(const Coupled &p) {
    std::vector<int> heard(p.risks, 0);  // by so many reached rows
    for (std::size_t e = 0; e < p.edges; ++e) heard[p.edge_risk[e]] += p.reached[p.edge_row[e]];
    std::vector<char> found(p.rows, 0);
    for (std::size_t e = 0; e < p.edges; ++e) {
        const double prior = p.risk_prior[p.edge_risk[e]];
        if (heard[p.edge_risk[e]] > 1 && prior > 0.0 && prior < RARE) found[p.edge_row[e]] = 1;
    }
    return found;
}

// The strongest link of the weaker of two reached rows that share two risk factors: if both are
// strong, a rare risk factor couples them in every order.
Entangled entanglement(const Coupled &p, const Meetings &meetings) {
    const std::vector<char> rare = hears_rare(p);
    std::vector<double> strongest(meetings.pairs, 0.0), strongest_rare(meetings.pairs, 0.0);
    Entangled found{0.0, 0.0};
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        const Groups &of_row = meetings.of_row;
        const int *pair = meetings.pair.data() + meetings.start[k];
        const int end = of_row.start[k + 1];
        for (int x = of_row.start[k]; x < end; ++x)
            for (int y = x + 1; y < end; ++y, ++pair) {
                const double acts = std::max(p.edge_acts[of_row.item[x]], p.edge_acts[of_row.item[y]]);
                double &all = strongest[*pair], &near_rare = strongest_rare[*pair];
                found.most = std::max(found.most, std::min(acts, all));
                found.near_rare =
                    std::max(found.near_rare, std::min(acts, rare[k] ? all : near_rare));
                all = std::max(all, acts);
                if (rare[k]) near_rare = std::max(near_rare, acts);
            }
    }
    return found;
}

}  // namespace

Outcome bethe(const Coupled &problem, double goal, const Stopwatch &watch,
              const Entangled &allowed) {
    const Graph graph(problem);
    const Meetings meetings(problem, graph.listening);
    // Where not all of what is left out can be counted, nothing of it may be believed.
    const bool counted = meetings.complete && meetings.counted;
    const Entangled entangled = counted ? entanglement(problem, meetings) : Entangled{1.0, 1.0};
    Outcome out;
    out.rounding = std::numeric_limits<double>::infinity();
    if (entangled.most > allowed.most || entangled.near_rare > allowed.near_rare) return out;
    const Lattice lattice(problem);
    const double likely = lattice.likely_condition();
    // What is left in the messages is amplified like rounding.
    const double close = std::clamp(0.1 * goal / (AMPLIFIED * likely), FINE_EPSILON, LOOSEST);
    if (!(lattice.roundings() * likely * EPSILON > goal))
        out = run<V>(lattice, graph, meetings, close, watch);
    if (!out.answer.expired && !(out.rounding <= goal))
        out = run<DD>(lattice, graph, meetings, close, watch);
    out.entangled = entangled.most;
    out.near_rare = entangled.near_rare;
    return out;
}

}  // namespace hickam::coupled
