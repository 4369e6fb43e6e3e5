// Corrections to message passing for loops of two and of three rows.
//
// The factor of a reached row is a mixture of two products with shares X and Y; it correlates risk
// factors i and j by s = X Y tilt_i tilt_j. A loop through several rows adds the product of their
// correlations to log Phi; a path through other rows correlates two risk factors of a row and
// changes its slope.
#include "coupled_bethe.hpp"

#include <algorithm>

namespace hickam::coupled {
namespace {

constexpr std::size_t MOST_PATHS = 400000;  // beyond, three rows are left out
constexpr int ROUNDS = 3;                   // of the messages' response

}  // namespace

Meetings::Meetings(const Coupled &p, const Groups &of_row) {
    const Groups of_risk = group(p.edge_risk, p.edges, p.risks);
    std::vector<int> number(p.risks, -1);
    std::vector<std::vector<Link>> linked(p.risks);  // pairs that meet in a reached row
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
        if (!met[pair]) {  // only listened to: a doubt
            path_start.push_back(static_cast<int>(paths.size()));
            continue;
        }
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
    count_threesomes(p, of_row);
}

Loops::Loops(const Coupled &p, const Graph &g, const Meetings &m)
    : slope(p.rows), doubt_slope(p.rows), meetings(m), tilt(p.edges), around(p.edges),
      pull(p.edges), strength(p.edges), loud(g.edges.size()), wiggle(g.edges.size()),
      push(g.edges.size()), field(g.edges.size()), answer(g.edges.size()), risk_field(p.risks),
      own_field(p.risks), spread(p.risks), row_back(p.rows), in_off(p.rows), inverse(p.rows),
      mixing(p.rows), square(p.rows), total(m.pairs), indirect(m.pairs),
      joint(m.sets), near(p.risks) {}

void Loops::correct(const Lattice &lattice, const Graph &g, const Messages<V> &m) {
    const Coupled &p = lattice.problem;
    const V zero = fill(0.0), one = fill(1.0);
    std::fill(square.begin(), square.end(), zero);
    std::fill(around.begin(), around.end(), zero);
    std::fill(pull.begin(), pull.end(), zero);
    std::fill(own_field.begin(), own_field.end(), zero);
    std::fill(total.begin(), total.end(), zero);
    std::fill(slope.begin(), slope.end(), zero);
    std::fill(doubt_slope.begin(), doubt_slope.end(), zero);
    for (std::size_t k = 0; k < p.rows; ++k) {
        const V silent = m.b[k] * m.stay_off[k];
        inverse[k] = ratio<V>(one, m.a[k] + silent);
        mixing[k] = m.a[k] * silent * inverse[k] * inverse[k];
    }
    tilt_edges(p, g, m);
    for (const Meeting &at : meetings.speaking)
        total[at.pair] += mixing[at.row] * tilt[at.first] * tilt[at.second];
    for (int pair = 0; pair < meetings.pairs; ++pair) {
        V sum = zero;
        for (int i = meetings.path_start[pair]; i < meetings.path_start[pair + 1]; ++i)
            sum += total[meetings.paths[i].first] * total[meetings.paths[i].second];
        indirect[pair] = sum;
    }
    leave_rows_once();
    gather();
    weigh_doubts(p);
    scale(lattice, m);
    respond(lattice, g, m);
}

void Loops::tilt_edges(const Coupled &p, const Graph &g, const Messages<V> &m) {
    const V one = fill(1.0);
    for (std::size_t j = 0; j < p.risks; ++j)
        spread[j] = ratio<V>(one, root(m.belief[j] * (one - m.belief[j])));
    for (std::size_t i = 0; i < g.edges.size(); ++i) {
        const int e = g.edges[i];
        const V h = m.heard[i];
        loud[i] = ratio<V>(fill(p.edge_acts[e]), m.quiet[i]);
        wiggle[i] = h * (one - h);
        tilt[e] = wiggle[i] * loud[i] * spread[p.edge_risk[e]];
        strength[e] = loud[i];
        square[p.edge_row[e]] += tilt[e] * tilt[e];
    }
    for (std::size_t e = 0; e < p.edges; ++e) {
        if (p.reached[p.edge_row[e]]) continue;
        const V h = m.belief[p.edge_risk[e]], acts = fill(p.edge_acts[e]);
        strength[e] = ratio<V>(acts, one - h * acts);
        tilt[e] = h * (one - h) * strength[e] * spread[p.edge_risk[e]];
        square[p.edge_row[e]] += tilt[e] * tilt[e];
    }
}

// From slopes in the mixing to slopes in a_k, at fixed messages.
void Loops::scale(const Lattice &lattice, const Messages<V> &m) {
    for (std::size_t k = 0; k < lattice.problem.rows; ++k) {
        const V a = m.a[k], b = m.b[k], off = m.stay_off[k], silent = b * off;
        const V cube = inverse[k] * inverse[k] * inverse[k];
        const V bend = off * ((b - a) * (a + silent) - fill(2.0) * a * b * (fill(1.0) - off)) * cube;
        in_off[k] = slope[k] * a * silent * (silent - a) * cube;
        slope[k] *= bend;
        doubt_slope[k] *= bend;
    }
}

// What a_k does to the loops by moving the messages: the chain rule backwards through them.
// `push` is the slope in a message's log odds, `field` in the log of a row's answer.
void Loops::respond(const Lattice &lattice, const Graph &g, const Messages<V> &m) {
    const Coupled &p = lattice.problem;
    const V one = fill(1.0), two = fill(2.0), zero = fill(0.0);
    const std::size_t edges = g.edges.size();
    std::fill(risk_field.begin(), risk_field.end(), zero);
    std::fill(field.begin(), field.end(), zero);
    for (std::size_t i = 0; i < edges; ++i) {
        const int e = g.edges[i];
        const std::size_t k = p.edge_row[e], j = p.edge_risk[e];
        const V by_tilt = pull[e] * tilt[e];
        push[i] = by_tilt * (one - two * m.heard[i]) + (by_tilt + in_off[k]) * loud[i] * wiggle[i];
        own_field[j] -= by_tilt * (fill(0.5) - m.belief[j]);
        const V rest = m.b[k] * m.others[i], on = m.a[k] + rest * fill(p.edge_fails[e]);
        answer[i] = ratio<V>(m.others[i] * fill(p.edge_acts[e]), on * (m.a[k] + rest));
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (std::size_t i = 0; i < edges; ++i) own_field[p.edge_risk[g.edges[i]]] += push[i];
        std::fill(row_back.begin(), row_back.end(), zero);
        for (std::size_t i = 0; i < edges; ++i) {
            const int e = g.edges[i];
            const std::size_t k = p.edge_row[e];
            const V now = own_field[p.edge_risk[e]] - push[i];
            field[i] += now;
            push[i] = -now * m.a[k] * m.b[k] * answer[i];
            row_back[k] += push[i];
        }
        for (std::size_t i = 0; i < edges; ++i)
            push[i] = (push[i] - row_back[p.edge_row[g.edges[i]]]) * loud[i] * wiggle[i];
        for (std::size_t j = 0; j < p.risks; ++j) {
            risk_field[j] += own_field[j];
            own_field[j] = zero;
        }
    }
    for (std::size_t i = 0; i < edges; ++i) {
        const std::size_t k = p.edge_row[g.edges[i]];
        slope[k] += field[i] * (m.a[k] + m.b[k]) * answer[i];
    }
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t k = p.edge_row[e];
        if (p.reached[k]) continue;
        slope[k] += risk_field[p.edge_risk[e]] * m.stay_off[k] * strength[e] / lattice.o<V>(k);
    }
}

// A path must not use the same row twice.
void Loops::leave_rows_once() {
    for (const Meeting &at : meetings.speaking) {
        const V e = tilt[at.first], f = tilt[at.second], mix = mixing[at.row];
        if (meetings.complete) indirect[at.pair] -= mix * mix * e * f * (square[at.row] - e * e - f * f);
        around[at.first] += f * total[at.pair];
        around[at.second] += e * total[at.pair];
    }
}

void Loops::gather() {
    V two = fill(0.0), three = fill(0.0);
    for (const V &sum : total) two += sum * sum;
    squares = two;
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
        slope[at.row] += e * f * rest;
        pull[at.first] += mix * f * rest;
        pull[at.second] += mix * e * rest;
    }
    for (const Meeting &at : meetings.listening)
        slope[at.row] += tilt[at.first] * tilt[at.second] * (total[at.pair] + indirect[at.pair]);
    all = two * fill(0.5) + three * fill(1.0 / 3.0);
    longest = magnitude(three) * fill(1.0 / 3.0);
}

}  // namespace hickam::coupled
