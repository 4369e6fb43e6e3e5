// Corrections to message passing for loops of two and of three rows.
//
// The factor of a reached row is a mixture of two products with shares X and Y; it correlates risk
// factors i and j by s = X Y tilt_i tilt_j. A loop through several rows adds the product of their
// correlations to log Phi; a path through other rows correlates two risk factors of a row and
// changes its slope.
#include "coupled_bethe.hpp"

#include <algorithm>

namespace hickam {
namespace {

constexpr std::size_t MOST_PATHS = 400000;  // beyond, three rows are left out
constexpr int ROUNDS = 3;                   // of the messages' response

V root(V x) {
    for (int lane = 0; lane < LANES; ++lane) x[lane] = std::sqrt(std::max(x[lane], 0.0));
    return x;
}

}  // namespace

Meetings::Meetings(const Coupled &p, const Groups &of_row) {
    const Groups of_risk = group(p.edge_risk, p.edges, p.risks);
    std::vector<int> number(p.risks, -1);
    std::vector<std::vector<Link>> linked(p.risks);  // pairs that meet in a reached row
    std::vector<int> one, two;                       // the risk factors of each pair
    for (std::size_t j = 0; j < p.risks; ++j) {
        const auto visit = [&](const auto &each) {
            for (int i = of_risk.start[j]; i < of_risk.start[j + 1]; ++i) {
                const int e = of_risk.item[i], k = static_cast<int>(p.edge_row[e]);
                for (int l = of_row.start[k]; l < of_row.start[k + 1]; ++l) {
                    const int f = of_row.item[l], other = static_cast<int>(p.edge_risk[f]);
                    if (other > static_cast<int>(j)) each(e, f, k, other);
                }
            }
        };
        std::vector<int> touched;
        visit([&](int e, int f, int k, int other) {
            if (number[other] < 0) {
                number[other] = pairs++;
                touched.push_back(other);
                one.push_back(static_cast<int>(j)), two.push_back(other);
                met.push_back(false);
            }
            met[number[other]] = met[number[other]] || p.reached[k];
            (p.reached[k] ? speaking : listening).push_back({e, f, number[other], k});
        });
        for (int other : touched) {
            if (met[number[other]]) {
                linked[j].push_back({other, number[other]});
                linked[other].push_back({static_cast<int>(j), number[other]});
            }
            number[other] = -1;
        }
    }
    for (auto &links : linked)
        std::sort(links.begin(), links.end(),
                  [](const Link &x, const Link &y) { return x.risk < y.risk; });
    path_start.push_back(0);
    for (int pair = 0; pair < pairs; ++pair) {
        auto x = linked[one[pair]].begin(), y = linked[two[pair]].begin();
        const auto x_end = linked[one[pair]].end(), y_end = linked[two[pair]].end();
        while (x != x_end && y != y_end) {
            if (x->risk < y->risk) ++x;
            else if (y->risk < x->risk) ++y;
            else paths.push_back({x->pair, y->pair}), ++x, ++y;
        }
        path_start.push_back(static_cast<int>(paths.size()));
        if (paths.size() > MOST_PATHS) {
            paths.clear();
            path_start.assign(pairs + 1, 0);
            complete = false;
            break;
        }
    }
}

Loops::Loops(const Coupled &p, const Graph &g, const Meetings &m)
    : slope(p.rows), shorter_slope(p.rows), meetings(m), tilt(p.edges), around(p.edges),
      pull(p.edges), push(g.edges.size()), field(g.edges.size()), back(g.edges.size()),
      risk_field(p.risks), own_field(p.risks), spread(p.risks), row_back(p.rows),
      in_mixing(p.rows), mixing(p.rows), square(p.rows), total(m.pairs), indirect(m.pairs) {}

void Loops::correct(const Lattice &lattice, const Graph &g, const Messages<V> &m) {
    const Coupled &p = lattice.problem;
    tilt_edges(p, g, m);
    const V zero = fill(0.0);
    std::fill(square.begin(), square.end(), zero);
    std::fill(around.begin(), around.end(), zero);
    std::fill(pull.begin(), pull.end(), zero);
    std::fill(own_field.begin(), own_field.end(), zero);
    std::fill(total.begin(), total.end(), zero);
    std::fill(slope.begin(), slope.end(), zero);
    std::fill(shorter_slope.begin(), shorter_slope.end(), zero);
    for (std::size_t k = 0; k < p.rows; ++k) {
        const V factor = m.a[k] + m.b[k] * m.stay_off[k];
        mixing[k] = ratio<V>(m.a[k] * m.b[k] * m.stay_off[k], factor * factor);
    }
    for (int e : g.edges) square[p.edge_row[e]] += tilt[e] * tilt[e];
    for (const Meeting &at : meetings.speaking)
        total[at.pair] += mixing[at.row] * tilt[at.first] * tilt[at.second];
    for (int pair = 0; pair < meetings.pairs; ++pair) {
        V sum = zero;
        for (int i = meetings.path_start[pair]; i < meetings.path_start[pair + 1]; ++i)
            sum += total[meetings.paths[i].first] * total[meetings.paths[i].second];
        indirect[pair] = sum;
    }
    if (meetings.complete) leave_rows_once();
    gather();
    scale(lattice, m);
    respond(lattice, g, m);
}

// From slopes in the mixing to slopes in a_k, at fixed messages.
void Loops::scale(const Lattice &lattice, const Messages<V> &m) {
    for (std::size_t k = 0; k < lattice.problem.rows; ++k) {
        const V a = m.a[k], b = m.b[k], off = m.stay_off[k], factor = a + b * off;
        const V bend = off * ((b - a) * factor - fill(2.0) * a * b * (fill(1.0) - off));
        in_mixing[k] = slope[k];
        slope[k] *= ratio<V>(bend, factor * factor * factor);
        shorter_slope[k] *= ratio<V>(bend, factor * factor * factor);
    }
}

// What a_k does to the loops by moving the messages: the chain rule backwards through them.
void Loops::respond(const Lattice &lattice, const Graph &g, const Messages<V> &m) {
    const Coupled &p = lattice.problem;
    const V one = fill(1.0), zero = fill(0.0);
    const std::size_t edges = g.edges.size();
    std::fill(risk_field.begin(), risk_field.end(), zero);
    std::fill(field.begin(), field.end(), zero);
    for (std::size_t i = 0; i < edges; ++i) {
        const int e = g.edges[i];
        const std::size_t k = p.edge_row[e];
        const V h = m.heard[i], acts = fill(p.edge_acts[e]), mu = m.belief[p.edge_risk[e]];
        const V a = m.a[k], silent = m.b[k] * m.stay_off[k], factor = a + silent;
        const V by_tilt = pull[e] * tilt[e];
        const V through_mixing = in_mixing[k] * ratio<V>(a * silent * (silent - a), factor * factor * factor);
        push[i] = by_tilt * (ratio<V>(one, h) - ratio<V>(one, one - h) + ratio<V>(acts, m.quiet[i])) +
                  through_mixing * ratio<V>(acts, m.quiet[i]);
        own_field[p.edge_risk[e]] -= by_tilt * (fill(0.5) - mu);
        const V fails = fill(p.edge_fails[e]), rest = m.b[k] * m.others[i];
        back[i] = ratio<V>(rest * fails, a + rest * fails) - ratio<V>(rest, a + rest);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (std::size_t i = 0; i < edges; ++i)
            own_field[p.edge_risk[g.edges[i]]] += push[i] * m.heard[i] * (one - m.heard[i]);
        std::fill(row_back.begin(), row_back.end(), zero);
        for (std::size_t i = 0; i < edges; ++i) {
            const int e = g.edges[i];
            const V now = own_field[p.edge_risk[e]] - push[i] * m.heard[i] * (one - m.heard[i]);
            field[i] += now;
            push[i] = now * back[i];
            row_back[p.edge_row[e]] += push[i];
        }
        for (std::size_t i = 0; i < edges; ++i) {
            const int e = g.edges[i];
            push[i] = (push[i] - row_back[p.edge_row[e]]) * ratio<V>(fill(p.edge_acts[e]), m.quiet[i]);
        }
        for (std::size_t j = 0; j < p.risks; ++j) {
            risk_field[j] += own_field[j];
            own_field[j] = zero;
        }
    }
    for (std::size_t i = 0; i < edges; ++i) {
        const int e = g.edges[i];
        const std::size_t k = p.edge_row[e];
        const V q = m.others[i], low = q * fill(p.edge_fails[e]), a = m.a[k], b = m.b[k];
        slope[k] += field[i] * (ratio<V>(one - low, a + b * low) - ratio<V>(one - q, a + b * q));
    }
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t k = p.edge_row[e], j = p.edge_risk[e];
        if (p.reached[k]) continue;
        const V acts = fill(p.edge_acts[e]);
        const V q = ratio<V>(m.stay_off[k], one - m.belief[j] * acts);
        slope[k] += risk_field[j] * q * acts / lattice.o<V>(k);
    }
}

void Loops::tilt_edges(const Coupled &p, const Graph &g, const Messages<V> &m) {
    const V one = fill(1.0);
    for (std::size_t j = 0; j < p.risks; ++j)
        spread[j] = root(m.belief[j] * (one - m.belief[j]));
    const auto tilt_of = [&](int e, V heard) {
        const V acts = fill(p.edge_acts[e]);
        const V shift = heard * acts * (one - heard);
        return ratio<V>(shift, (one - heard * acts) * spread[p.edge_risk[e]]);
    };
    for (std::size_t e = 0; e < p.edges; ++e)
        if (!p.reached[p.edge_row[e]])
            tilt[e] = tilt_of(static_cast<int>(e), m.belief[p.edge_risk[e]]);
    for (std::size_t i = 0; i < g.edges.size(); ++i) tilt[g.edges[i]] = tilt_of(g.edges[i], m.heard[i]);
}

// A path must not use the same row twice.
void Loops::leave_rows_once() {
    for (const Meeting &at : meetings.speaking) {
        const V e = tilt[at.first], f = tilt[at.second], mix = mixing[at.row];
        indirect[at.pair] -= mix * mix * e * f * (square[at.row] - e * e - f * f);
        around[at.first] += f * total[at.pair];
        around[at.second] += e * total[at.pair];
    }
}

void Loops::gather() {
    V two = fill(0.0), three = fill(0.0);
    for (const V &sum : total) two += sum * sum;
    for (const Meeting &at : meetings.speaking) {
        const V e = tilt[at.first], f = tilt[at.second], mix = mixing[at.row], sum = total[at.pair];
        const V own = mix * e * f;
        two -= own * own;
        V path = fill(0.0);  // through two other rows
        if (meetings.complete)
            path = indirect[at.pair] + fill(2.0) * mix * own * (square[at.row] - e * e - f * f) -
                   mix * (e * (around[at.second] - e * sum) + f * (around[at.first] - f * sum));
        three += own * path;
        const V rest = sum - own + path;
        shorter_slope[at.row] += e * f * (sum - own);
        slope[at.row] += e * f * rest;
        pull[at.first] += mix * f * rest;
        pull[at.second] += mix * e * rest;
    }
    for (const Meeting &at : meetings.listening) {
        const V both = tilt[at.first] * tilt[at.second];
        shorter_slope[at.row] += both * total[at.pair];
        slope[at.row] += both * (total[at.pair] + indirect[at.pair]);
    }
    shorter = two * fill(0.5);
    all = shorter + three * fill(1.0 / 3.0);
}

}  // namespace hickam
