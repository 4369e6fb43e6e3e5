// Corrections to message passing for loops of two and of three rows.
//
// The factor of a reached row is a mixture of two products with shares X and Y; it correlates risk
// factors i and j by s = X Y tilt_i tilt_j. A loop through several rows adds the product of their
// correlations to log Phi; a path through other rows correlates two risk factors of a row and
// changes its slope.
#include "coupled_bethe.hpp"


namespace hickam::coupled {
namespace {

constexpr std::size_t MOST_RINGS = 133333;  // beyond, three rows are left out
constexpr int ROUNDS = 3;                   // of the messages' response

}  // namespace

Meetings::Meetings(const Coupled &p, const Groups &of_row) : of_row(of_row) {
    number_pairs(p);
    find_rings(p);
    count_threesomes(p);
}

void Meetings::number_pairs(const Coupled &p) {
    start.assign(p.rows + 1, 0);
    std::vector<int> place(p.edges);
    for (std::size_t k = 0; k < p.rows; ++k) {
        const int size = of_row.start[k + 1] - of_row.start[k];
        start[k + 1] = start[k] + size * (size - 1) / 2;
        for (int x = of_row.start[k]; x < of_row.start[k + 1]; ++x) place[of_row.item[x]] = x;
    }
    pair.resize(start[p.rows]);
    std::vector<int> number(p.risks, -1);
    std::size_t e = 0;
    for (std::size_t j = 0; j < p.risks; ++j) {
        const int before = pairs;
        for (; e < p.edges && p.edge_risk[e] == static_cast<long long>(j); ++e) {
            const std::size_t k = p.edge_row[e];
            const int x = place[e], from = x - of_row.start[k];
            const int size = of_row.start[k + 1] - of_row.start[k];
            int at = start[k] + from * (2 * size - from - 1) / 2;
            for (int y = x + 1; y < of_row.start[k + 1]; ++y, ++at) {
                const int other = static_cast<int>(p.edge_risk[of_row.item[y]]);
                if (number[other] < 0) {
                    number[other] = pairs++;
                    one.push_back(static_cast<int>(j)), two.push_back(other);
                    met.push_back(false);
                }
                pair[at] = number[other];
                met[pair[at]] |= p.reached[k];
            }
        }
        for (int i = before; i < pairs; ++i) number[two[i]] = -1;
    }
}

// The pairs are sorted by their first risk factor, which is the smaller one.
void Meetings::find_rings(const Coupled &p) {
    std::vector<int> from(p.risks + 1, 0), with(p.risks, -1);
    for (int i = 0; i < pairs; ++i) ++from[one[i] + 1];
    for (std::size_t j = 0; j < p.risks; ++j) from[j + 1] += from[j];
    ring_start.reserve(pairs + 1);
    ring_start.push_back(0);
    for (std::size_t j = 0; j < p.risks; ++j) {
        for (int i = from[j]; i < from[j + 1]; ++i)
            if (met[i]) with[two[i]] = i;
        for (int i = from[j]; i < from[j + 1]; ++i) {
            const int end = met[i] ? from[two[i] + 1] : 0;  // only listened to: a doubt
            for (int l = met[i] ? from[two[i]] : 0; l < end; ++l)
                if (met[l] && with[two[l]] >= 0) rings.push_back({l, with[two[l]]});
            ring_start.push_back(static_cast<int>(rings.size()));
        }
        for (int i = from[j]; i < from[j + 1]; ++i) with[two[i]] = -1;
        if (rings.size() > MOST_RINGS) {
            rings.clear();
            ring_start.assign(pairs + 1, 0);
            complete = false;
            return;
        }
    }
}

Loops::Loops(const Coupled &p, const Graph &g, const Meetings &m)
    : slope(p.rows), doubt_slope(p.rows), swing(g.edges.size()), turn(g.edges.size()),
      answer(g.edges.size()), meetings(m), place(p.edges), tilt(p.edges), around(p.edges),
      pull(p.edges), strength(p.edges), push(g.edges.size()), field(g.edges.size()),
      risk_field(p.risks), own_field(p.risks), spread(p.risks), row_back(p.rows), in_off(p.rows),
      inverse(p.rows), mixing(p.rows), square(p.rows), total(m.pairs), indirect(m.pairs),
      joint(m.sets), near(p.risks) {
    for (std::size_t x = 0; x < p.edges; ++x) place[m.of_row.item[x]] = static_cast<int>(x);
}

void Loops::correct(const Lattice &lattice, const Graph &g, const Messages<V> &m) {
    const Coupled &p = lattice.problem;
    const V zero = fill(0.0), one = fill(1.0);
    for (V &sum : total) sum = zero;
    for (std::size_t k = 0; k < p.rows; ++k) {
        const V silent = m.b[k] * m.stay_off[k];
        inverse[k] = ratio<V>(one, m.a[k] + silent);
        mixing[k] = m.a[k] * silent * inverse[k] * inverse[k];
    }
    tilt_edges(p, g, m);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        const int *pair = meetings.pair.data() + meetings.start[k];
        const int end = meetings.of_row.start[k + 1];
        for (int x = meetings.of_row.start[k]; x < end; ++x) {
            const V mixed = mixing[k] * tilt[x];
            for (int y = x + 1; y < end; ++y) total[*pair++] += mixed * tilt[y];
        }
    }
    go_around();
    leave_rows_once(p);
    gather(p);
    weigh_doubts(p);
    scale(lattice, m);
    respond(lattice, g, m);
}

void Loops::tilt_edges(const Coupled &p, const Graph &g, const Messages<V> &m) {
    const V one = fill(1.0);
    for (std::size_t j = 0; j < p.risks; ++j)
        spread[j] = ratio<V>(one, root(m.belief[j] * (one - m.belief[j])));
    for (std::size_t i = 0; i < g.edges.size(); ++i) {
        const int e = g.edges[i], x = place[e];
        const V h = m.heard[i];
        strength[x] = ratio<V>(fill(p.edge_acts[e]), m.quiet[i]);
        swing[i] = h * (one - h) * strength[x];
        tilt[x] = swing[i] * spread[p.edge_risk[e]];
    }
    for (std::size_t k = 0; k < p.rows; ++k) {
        V sum = fill(0.0);
        for (int x = meetings.of_row.start[k]; x < meetings.of_row.start[k + 1]; ++x) {
            if (!p.reached[k]) {
                const int e = meetings.of_row.item[x];
                const V h = m.belief[p.edge_risk[e]], acts = fill(p.edge_acts[e]);
                strength[x] = ratio<V>(acts, one - h * acts);
                tilt[x] = h * (one - h) * strength[x] * spread[p.edge_risk[e]];
            }
            sum += tilt[x] * tilt[x];
            around[x] = pull[x] = fill(0.0);
        }
        square[k] = sum;
    }
}

// Paths of two pairs, on their three sides each ring.
void Loops::go_around() {
    for (V &sum : indirect) sum = fill(0.0);
    for (int pair = 0; pair < meetings.pairs; ++pair) {
        V sum = fill(0.0);
        const V side = total[pair];
        for (int i = meetings.ring_start[pair]; i < meetings.ring_start[pair + 1]; ++i) {
            const auto [second, third] = meetings.rings[i];
            sum += total[second] * total[third];
            indirect[second] += side * total[third];
            indirect[third] += side * total[second];
        }
        indirect[pair] += sum;
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
    const std::vector<int> &start = g.by_risk.start;
    for (std::size_t j = 0; j < p.risks; ++j) {
        V sum = zero;
        for (int i = start[j]; i < start[j + 1]; ++i) {
            const int e = g.edges[i], x = place[e], k = g.row[i];
            const V by_tilt = pull[x] * tilt[x];
            push[i] = by_tilt * (one - two * m.heard[i]) + (by_tilt + in_off[k]) * swing[i];
            sum += push[i] - by_tilt * (fill(0.5) - m.belief[j]);
            const V rest = m.b[k] * m.others[i], on = m.a[k] + rest * fill(p.edge_fails[e]);
            answer[i] = ratio<V>(m.others[i] * fill(p.edge_acts[e]), on * (m.a[k] + rest));
            turn[i] = m.a[k] * m.b[k] * answer[i];
            field[i] = zero;
        }
        own_field[j] = sum;
        risk_field[j] = zero;
    }
    for (int round = 0;; ++round) {
        for (V &sum : row_back) sum = zero;
        for (std::size_t j = 0; j < p.risks; ++j) {
            risk_field[j] += own_field[j];
            for (int i = start[j]; i < start[j + 1]; ++i) {
                const V now = own_field[j] - push[i];
                field[i] += now;
                push[i] = now * turn[i];
                row_back[g.row[i]] += push[i];
            }
        }
        if (round + 1 == ROUNDS) break;
        for (std::size_t j = 0; j < p.risks; ++j) {
            V sum = zero;
            for (int i = start[j]; i < start[j + 1]; ++i) {
                push[i] = (row_back[g.row[i]] - push[i]) * swing[i];
                sum += push[i];
            }
            own_field[j] = sum;
        }
    }
    for (std::size_t i = 0; i < g.edges.size(); ++i) {
        slope[g.row[i]] += field[i] * lattice.o<V>(g.row[i]) * answer[i];
    }
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        V sum = zero;
        for (int x = meetings.of_row.start[k]; x < meetings.of_row.start[k + 1]; ++x)
            sum += risk_field[p.edge_risk[meetings.of_row.item[x]]] * strength[x];
        slope[k] += sum * m.stay_off[k] / lattice.o<V>(k);
    }
}

// A path must not use the same row twice.
void Loops::leave_rows_once(const Coupled &p) {
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        const int *pair = meetings.pair.data() + meetings.start[k];
        const int end = meetings.of_row.start[k + 1];
        const V twice = meetings.complete ? mixing[k] * mixing[k] : fill(0.0);
        for (int x = meetings.of_row.start[k]; x < end; ++x) {
            const V e = tilt[x], left = square[k] - e * e, mixed = twice * e;
            V sum = around[x];
            for (int y = x + 1; y < end; ++y, ++pair) {
                const V f = tilt[y], between = total[*pair];
                indirect[*pair] -= mixed * f * (left - f * f);
                sum += f * between;
                around[y] += e * between;
            }
            around[x] = sum;
        }
    }
}

void Loops::gather(const Coupled &p) {
    V two = fill(0.0), three = fill(0.0);
    for (std::size_t k = 0; k < p.rows; ++k) {
        const int *pair = meetings.pair.data() + meetings.start[k];
        const int end = meetings.of_row.start[k + 1];
        const V mix = mixing[k];
        V whole = fill(0.0);
        for (int x = meetings.of_row.start[k]; x < end; ++x) {
            const V e = tilt[x];
            if (!p.reached[k]) {
                for (int y = x + 1; y < end; ++y, ++pair)
                    whole += e * tilt[y] * (total[*pair] + indirect[*pair]);
                continue;
            }
            const V left = square[k] - e * e, mixed = mix * e;
            V sum = pull[x];
            for (int y = x + 1; y < end; ++y, ++pair) {
                const V f = tilt[y], between = total[*pair];
                const V own = mixed * f, direct = between - own;
                V path = fill(0.0);  // through two other rows
                if (meetings.complete)
                    path = indirect[*pair] + fill(2.0) * mix * own * (left - f * f) -
                           mix * (e * (around[y] - e * between) + f * (around[x] - f * between));
                two += own * direct;
                three += own * path;
                const V rest = direct + path;
                sum += f * rest;
                pull[y] += e * rest;
            }
            whole += fill(0.5) * e * sum;
            pull[x] = mix * sum;
        }
        slope[k] = whole;
    }
    all = two * fill(0.5) + three * fill(1.0 / 3.0);
    longest = magnitude(three) * fill(1.0 / 3.0);
}

}  // namespace hickam::coupled
