// Message passing between risk factors and diseases on every subset of the findings, with loop
// corrections. The messages are brought to their fixed point in float64; a few sweeps in
// double-double then remove the rounding that the alternating sums would amplify.
#include "coupled_bethe.hpp"

#include <algorithm>
#include <limits>

namespace hickam::coupled {
namespace {

constexpr int MOST_SWEEPS = 60;       // in float64
constexpr int MOST_FINE_SWEEPS = 8;   // in double-double
constexpr double CONVERGED = 1e-15;
constexpr double LEAST_SHRINK = 1e-2;  // of the error of the messages in one sweep
constexpr double EPSILON = 0x1p-53, FINE_EPSILON = 0x1p-102;
constexpr double UNITS = 8.0;       // of rounding, in a message at its fixed point in float64
constexpr double LOOSEST = 1e-12;   // what may be left in a message
constexpr double AMPLIFIED = 30.0;  // what is left in the messages, beside the condition number

}  // namespace

Graph::Graph(const Coupled &p) : acts(p.edges), fails(p.edges), prior_off(p.risks) {
    std::vector<long long> row, risk;
    for (std::size_t e = 0; e < p.edges; ++e) {
        fails[e] = complement(p.edge_acts[e], p.edge_fails[e]);
        acts[e] = complement(p.edge_fails[e], p.edge_acts[e]);
        if (!p.reached[p.edge_row[e]]) continue;
        edges.push_back(static_cast<int>(e));
        row.push_back(p.edge_row[e]);
        risk.push_back(p.edge_risk[e]);
    }
    by_row = group(row.data(), row.size(), p.rows);
    by_risk = group(risk.data(), risk.size(), p.risks);
    listening = group(p.edge_row, p.edges, p.rows);
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

template <class T> void Messages<T>::ask_rows(const Lattice &lattice, const Graph &g) {
    const T one = lift<T>({1.0, 0.0});
    for (std::size_t k = 0; k < a.size(); ++k) {
        T product = lattice.off<T>(k);
        const int begin = g.by_row.start[k], end = g.by_row.start[k + 1];
        for (int i = begin; i < end; ++i) {
            const int e = g.by_row.item[i];
            before[e] = product;
            quiet[e] = one - heard[e] * lift<T>(g.acts[g.edges[e]]);
            product *= quiet[e];
        }
        stay_off[k] = product;
        T after = one;
        for (int i = end - 1; i >= begin; --i) {
            const int e = g.by_row.item[i];
            others[e] = before[e] * after;
            const T silent = b[k] * others[e];
            told[e] = ratio(T(a[k] + silent * lift<T>(g.fails[g.edges[e]])), T(a[k] + silent));
            if (i > begin) after *= quiet[e];
        }
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
            product *= told[i];
        }
        T after = one;
        for (int i = end - 1; i >= begin; --i) {
            const T on = before[i] * after;
            const T fresh = ratio(on, T(off + on));
            const V change = magnitude(difference(fresh, heard[i])) * fill(g.acts[g.edges[i]].hi);
            largest = where(change > largest, change, largest);
            heard[i] = fresh;
            if (i > begin) after *= told[i];
        }
    }
    double most = 0.0;
    for (int lane = 0; lane < LANES; ++lane) most = std::max(most, largest[lane]);
    return most;
}

template <class T> void Messages<T>::finish(const Lattice &lattice, const Graph &g) {
    const Coupled &p = lattice.problem;
    const T one = lift<T>({1.0, 0.0});
    T overlap = one;
    phi = one;
    for (std::size_t i = 0; i < g.edges.size(); ++i)
        overlap *= one - heard[i] * (one - told[i]);
    for (std::size_t j = 0; j < p.risks; ++j) {
        T on = lift<T>({p.risk_prior[j], 0.0});
        for (int i = g.by_risk.start[j]; i < g.by_risk.start[j + 1]; ++i) on *= told[i];
        const T whole = lift<T>(g.prior_off[j]) + on;
        belief[j] = ratio(on, whole);
        phi *= whole;
    }
    phi = ratio(phi, overlap);
    for (std::size_t k = 0; k < p.rows; ++k) {
        T on = lift<T>(complement(p.off[k], p.on[k]));  // added up: 1 - off would lose a rare one
        if (p.reached[k]) {
            for (int i = g.by_row.start[k]; i < g.by_row.start[k + 1]; ++i) {
                const int e = g.by_row.item[i];
                on += (one - on) * heard[e] * lift<T>(g.acts[g.edges[e]]);
            }
            const T factor = a[k] + b[k] * stay_off[k];
            phi *= factor;
            slope[k] = ratio(on, factor);
            continue;
        }
        T product = lattice.off<T>(k);  // a listening row: a = o, its factor is constant
        for (int i = g.listening.start[k]; i < g.listening.start[k + 1]; ++i) {
            const int e = g.listening.item[i];
            const T acted = belief[p.edge_risk[e]] * lift<T>(g.acts[e]);
            product *= one - acted;
            on += (one - on) * acted;
        }
        stay_off[k] = product;
        slope[k] = on / lattice.o<T>(k);
        phi *= lattice.o<T>(k);
    }
}

template struct Messages<V>;
template struct Messages<DD>;

namespace {

V more_than_one(V log) {
    for (int lane = 0; lane < LANES; ++lane) log[lane] = std::expm1(log[lane]);
    return log;
}

template <class T>
Outcome run(const Lattice &lattice, const Graph &g, const Meetings &meetings, double close,
            const Stopwatch &watch) {
    constexpr bool fine = sizeof(T) > sizeof(V);
    const Coupled &p = lattice.problem;
    Sums sums(lattice, true);
    Messages<V> coarse(p, g);
    Messages<T> exactly(p, g);
    Loops loops(p, g, meetings);
    std::vector<T> slope(p.rows);
    std::vector<Sums::More> more(p.rows);
    for (std::size_t i = 0; i < g.edges.size(); ++i)
        coarse.heard[i] = fill(p.risk_prior[p.edge_risk[g.edges[i]]]);
    double residual = 0.0, left = 0.0, shrink = LEAST_SHRINK;
    for (std::uint64_t block = 0; block < lattice.blocks(); ++block) {
        if (watch.expired()) {
            Outcome late;
            late.answer.expired = true;
            return late;
        }
        coarse.start(lattice, block);
        double change = 1.0;
        for (int sweep = 0; sweep < MOST_SWEEPS && change > CONVERGED; ++sweep) {
            const double before = change;
            coarse.ask_rows(lattice, g);
            change = coarse.ask_risks(lattice, g);
            if (sweep && change > 1e3 * CONVERGED) shrink = std::max(shrink, change / before);
            if (sweep && change * shrink <= close) break;  // what is left after this sweep
        }
        residual = std::max(residual, change);
        coarse.ask_rows(lattice, g);
        coarse.finish(lattice, g);
        loops.correct(lattice, g, coarse);
        const Messages<T> *messages;
        if constexpr (fine) {
            exactly.start(lattice, block);
            for (std::size_t i = 0; i < g.edges.size(); ++i) exactly.heard[i] = exact(coarse.heard[i]);
            change = std::max(change, UNITS * EPSILON);
            for (int sweep = 0; sweep < MOST_FINE_SWEEPS && change * shrink > close; ++sweep) {
                exactly.ask_rows(lattice, g);
                change = exactly.ask_risks(lattice, g);
            }
            exactly.ask_rows(lattice, g);
            exactly.finish(lattice, g);
            messages = &exactly;
        } else {
            messages = &coarse;
        }
        left = std::max(left, change * shrink);
        const T phi = messages->phi;
        const V whole = lanes_of(phi), one = fill(1.0);
        const V grow = more_than_one(loops.all);
        for (std::size_t k = 0; k < p.rows; ++k) {
            slope[k] = phi * messages->slope[k];
            const V base = lanes_of(slope[k]);
            more[k].all = base * grow + whole * (one + grow) * loops.slope[k];
            more[k].doubt = base * loops.doubt + whole * loops.doubt_slope[k];
        }
        sums.add<T>(block, phi, slope.data(), {whole * grow, whole * loops.doubt}, more.data());
    }
    const double units = AMPLIFIED * left / lattice.roundings();
    Outcome out = sums.conclude((fine ? FINE_EPSILON : EPSILON) + units);
    out.residual = residual;
    return out;
}

// The strongest link of the weaker of two reached rows that share two risk factors: if both are
// strong, a rare risk factor couples them in every order.
double entanglement(const Coupled &p, const Meetings &meetings) {
    std::vector<double> strongest(meetings.pairs, 0.0);
    double found = 0.0;
    for (const Meeting &at : meetings.speaking) {
        const double acts = std::max(p.edge_acts[at.first], p.edge_acts[at.second]);
        found = std::max(found, std::min(acts, strongest[at.pair]));
        strongest[at.pair] = std::max(strongest[at.pair], acts);
    }
    return found;
}

}  // namespace

Outcome bethe(const Coupled &problem, double goal, const Stopwatch &watch) {
    const Graph graph(problem);
    const Meetings meetings(problem, graph.listening);
    // Where not all of what is left out can be counted, nothing of it may be believed.
    const bool counted = meetings.complete && meetings.counted;
    const double entangled = counted ? entanglement(problem, meetings) : 1.0;
    const Lattice lattice(problem);
    const double likely = lattice.likely_condition();
    // What is left in the messages is amplified like rounding.
    const double close = std::clamp(0.1 * goal / (AMPLIFIED * likely), FINE_EPSILON, LOOSEST);
    Outcome out;
    out.rounding = std::numeric_limits<double>::infinity();
    if (!(lattice.roundings() * likely * EPSILON > goal))
        out = run<V>(lattice, graph, meetings, close, watch);
    if (!out.answer.expired && !(out.rounding <= goal))
        out = run<DD>(lattice, graph, meetings, close, watch);
    out.entangled = entangled;
    return out;
}

}  // namespace hickam::coupled
