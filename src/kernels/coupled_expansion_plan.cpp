// Which sets of risk factors an expansion carries, and when.
#include "coupled_expansion_slots.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hickam::coupled {
namespace {

constexpr std::size_t CROWD = 20000;  // sets at a time
constexpr double SLACK = 1.3;         // memory over what it is without sets that are only passing
constexpr int WIDEST = 30;           // findings that are open at a time
constexpr double UNITS = 64.0;     // roundings of a row or edge
constexpr int HALVINGS = 8;        // to find the least product that is carried
// New orders that are tried first; operations of a moved row, the share of all that may go into moves of a
// new order and of one that was moved before, and the most. A new order is for finer expansions to come.
constexpr int TRIES = 4;
constexpr double MOVE = 1000.0, MOVING = 0.15, MOVING_ON = 0.05, MOST_MOVES = 20000.0, FINER = 1.0 / 16.0;
// Of a row that only listens: what it costs beside a row that speaks where it is seated, and what it asks
// for so faintly that this does not matter for its seat.
constexpr double HEARING = 4.0, FAINT = 1e-3;
constexpr std::size_t NEAR = 8192;  // doubles of a family that are at hand at a time
constexpr int SHORTEST = 3;        // bits of the cells of a set that lie together
// Operations of a set in a weighed explanation, and rows that are on for certain, over their posterior.
constexpr double LANES = 8.0;

// Calls work(set) for each set whose deviations' product is not below the least.
template <typename Work>
void each_set(const std::vector<int> &member, const std::vector<double> &size, double least,
              const Work &work, std::size_t from = 0, std::uint64_t set = 0, double product = 1.0) {
    work(set);
    for (std::size_t i = from; i < member.size(); ++i) {
        if (product * size[i] < least) return;
        each_set(member, size, least, work, i + 1, set | 1ull << member[i], product * size[i]);
    }
}

std::size_t count_sets(const std::vector<double> &size, double least, std::size_t most,
                       std::size_t from = 0, double product = 1.0) {
    std::size_t found = 1;
    for (std::size_t i = from; i < size.size() && found <= most; ++i) {
        if (product * size[i] < least) break;
        found += count_sets(size, least, most, i + 1, product * size[i]);
    }
    return found;
}

// The widest cubes of which a whole family is at hand.
settled::Pass at_hand(const Visit &visit) {
    std::vector<int> all(visit.links.size());
    std::iota(all.begin(), all.end(), 0);
    int run = visit.findings;
    for (; run > SHORTEST; --run) {
        int bits = run;
        for (const auto &link : visit.links) bits += link.bit >= run;
        if (visit.family.size() << bits <= NEAR) break;
    }
    return settled::make_pass(visit.findings, run, visit.links.data(), all);
}

}  // namespace

Expansion::Expansion(const Coupled &problem, std::vector<int> order, bool arranged,
                     const std::vector<double> &told, const std::vector<double> &posterior,
                     const ExpansionLimits &limits)
    : p(problem), most_bytes(limits.bytes), tilted(p.risks), member_of(p.risks, -1),
      edges_of(p.rows), steady(p.rows, 0) {
    for (std::size_t s = 0; s < p.columns; ++s)
        if (!(p.leak_fails[s] > 0.0)) return;  // certain without any disease: not for an expansion
    for (std::size_t e = 0; e < p.edges; ++e) edges_of[p.edge_row[e]].push_back(int(e));
    judge(order, told);
    const std::vector<double> square = squares(told, posterior);
    open_findings(order);
    deviate(square, drifting(told));
    const double most = limits.operations;
    const double worth = price(arranged ? limits.finest : FINER * limits.finest, most).operations;
    const double moves = (arranged ? MOVING_ON : MOVING) * std::min(worth, most) / MOVE;
    arrange(order, p, edges_of, square, steady, arranged ? 0 : TRIES,
            (long long)std::min(moves, MOST_MOVES));
    order_of_speakers = order;
    open_findings(order);
    seat_listeners(order, square);
    open_findings(order);
    Drifts drifts = drifting(told);
    deviate(square, drifts);
    for (const Visit &visit : visits)
        if (visit.findings > WIDEST) return;
    least = limits.finest;
    if (!price(least, most).within(limits)) {
        double low = std::log(limits.finest), high = std::log(limits.coarsest);
        if (!price(limits.coarsest, most).within(limits)) return;
        for (int turn = 0; turn < HALVINGS; ++turn) {
            const double middle = 0.5 * (low + high);
            (price(std::exp(middle), most).within(limits) ? high : low) = middle;
        }
        least = std::exp(high);
    }
    operations = price(least, INFINITY).operations;
    settle(drifts, told);
    choose(told, posterior, drifts);
    during.clear(), after.clear();
    fits = true;
}

void Expansion::open_findings(const std::vector<int> &order) {
    std::vector<int> last(p.columns, -1), open;
    visits.clear(), lone.clear();
    span.assign(p.risks, {order.size(), 0});
    for (std::size_t t = 0; t < order.size(); ++t) {
        for (std::size_t s = 0; s < p.columns; ++s)
            if (p.acts[order[t] * p.columns + s] > 0.0) last[s] = int(t);
        for (int e : edges_of[order[t]]) {
            auto &[first, end] = span[p.edge_risk[e]];
            first = std::min(first, t), end = t;
        }
    }
    for (std::size_t s = 0; s < p.columns; ++s)
        if (last[s] < 0) lone.push_back(int(s));
    for (std::size_t t = 0; t < order.size(); ++t) {
        Visit visit;
        visit.row = order[t];
        visit.listens = !p.reached[order[t]];
        const std::size_t at = std::size_t(order[t]) * p.columns;
        for (std::size_t s = 0; s < p.columns; ++s)
            if (p.acts[at + s] > 0.0 && !std::count(open.begin(), open.end(), int(s))) {
                visit.opens.push_back(int(s));
                open.push_back(int(s));
            }
        visit.findings = int(open.size());
        for (std::size_t b = 0; b < open.size(); ++b)
            if (p.acts[at + open[b]] > 0.0)
                visit.links.push_back(
                    {int(b), p.acts[at + open[b]], p.fails[at + open[b]], 1.0, at + open[b]});
        for (std::size_t b = open.size(); b-- > 0;)
            if (last[open[b]] <= int(t)) {
                visit.closes.push_back(int(b));
                open.erase(open.begin() + std::ptrdiff_t(b));
            }
        visits.push_back(std::move(visit));
    }
}

// Where the risk factors of a row that only listens are open anyway, and few findings with them.
void Expansion::seat_listeners(std::vector<int> &order, const std::vector<double> &square) {
    const std::size_t count = visits.size();
    std::vector<double> before(count + 1, 1.0), cells(count + 1, 0.0), said(p.risks, 0.0);
    for (std::size_t t = 0; t < count; ++t) {
        before[t] = std::ldexp(1.0, visits[t].findings - int(visits[t].opens.size()));
        cells[t + 1] = cells[t] + double(visits[t].cells());
        for (int e : edges_of[visits[t].row]) said[p.edge_risk[e]] += square[e];
    }
    std::vector<std::vector<int>> seated(count + 1);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k] || edges_of[k].empty()) continue;
        std::size_t best = count;
        double least_cost = INFINITY;
        for (std::size_t t = 0; t <= count; ++t) {
            double cost = HEARING * before[t];
            for (int e : edges_of[k]) {
                const std::size_t j = p.edge_risk[e];
                const auto [first, last] = span[j];
                if (first > last || std::sqrt(square[e] * said[j]) < FAINT) continue;
                if (t <= first) cost += cells[first] - cells[t];
                else if (t > last) cost += cells[t] - cells[last + 1];
            }
            if (cost < least_cost) best = t, least_cost = cost;
        }
        seated[best].push_back(int(k));
    }
    std::vector<int> all;
    for (std::size_t t = 0; t <= count; ++t) {
        all.insert(all.end(), seated[t].begin(), seated[t].end());
        if (t < count) all.push_back(order[t]);
    }
    order = std::move(all);
}

Expansion::Price Expansion::price(double finest, double most_operations) const {
    constexpr Price TOO_MUCH{INFINITY, INFINITY};
    ExpansionMemory memory;
    double found = 0.0;
    std::size_t sets = 1;
    for (std::size_t t = 0; t < visits.size(); ++t) {
        const Visit &visit = visits[t];
        const std::size_t before = sets, edges = edges_of[visit.row].size();
        if (edges) sets = count_sets(after[t].size, finest, CROWD);
        if (sets > CROWD) return TOO_MUCH;
        const double family = edges ? double(count_sets(during[t].size, finest, CROWD)) : double(sets);
        const ExpansionWork work{double(visit.cells()), visit.links.size(), edges,
                                 visit.opens.size() + visit.closes.size(), bool(steady[visit.row])};
        const double slots = double(std::max(before, sets));
        found += work.of(family, slots);
        if (found > most_operations) return TOO_MUCH;
        const double cells = SLACK * double(visit.cells()), both = std::max(slots, family);
        memory.add(cells * (family + (visit.opens.empty() ? 0.0 : both)), cells * both);
    }
    return {found, memory.bytes()};
}

void Expansion::choose(const std::vector<double> &told, const std::vector<double> &posterior,
                       const Drifts &drifts) {
    Slots slots;
    std::vector<Set> family;
    const auto pairs = [&](int risk, Partners &sets) {
        const Set bit = member_of[risk] < 0 ? 0 : 1ull << member_of[risk];
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (!slots.in_use(i) || (bit && slots.set(i) & bit)) continue;
            const int other = bit ? slots.find(slots.set(i) | bit) : -1;
            if (other < 0) sets.alone.push_back(int(i));
            else sets.low.push_back(int(i)), sets.high.push_back(other);
        }
    };
    for (std::size_t t = 0; t < visits.size(); ++t) {
        Visit &visit = visits[t];
        const int k = visit.row;
        const auto &edges = edges_of[k];
        visit.came = slots.size();
        if (t)
            for (const auto &[risk, log] : drifts[t - 1]) {  // before sets that it speaks to are left out
                Shift shift{factor(tilted[risk], 1.0, std::exp(-log)), {}};
                pairs(risk, shift.sets);
                turned += double(slots.count());
                visit.shifts.push_back(std::move(shift));
            }
        if (t) visit.kept = slots.drop(after[t - 1], least);
        visit.before = slots.size();
        Set closing = 0;
        for (int e : edges) {
            const std::size_t j = p.edge_risk[e];
            if (member_of[j] >= 0 && span[j].second == t) closing |= 1ull << member_of[j];
        }
        const auto begin = [&](Set set) {
            if (slots.find(set) >= 0) return true;
            if (set & closing) return false;  // nothing is there, and nobody will ask
            visit.fresh.push_back(slots.add(set));
            return true;
        };
        family.clear();
        const double wanted = least;
        each_set(during[t].member, during[t].size, wanted,
                 [&](Set set) { if (begin(set)) family.push_back(set); });
        if (!steady[k])
            each_set(after[t].member, after[t].size, least, begin);
        visit.slots = slots.size();
        most_slots = std::max(most_slots, visit.slots);
        int open = 0, open_after = 0;
        for (std::size_t j = 0; j < p.risks; ++j) {
            const bool here = span[j].first <= t && t <= span[j].second &&
                              span[j].first < span[j].second && tilted[j] > 0.0 && tilted[j] < 1.0;
            open += here;
            open_after += here && t < span[j].second;
        }
        std::size_t missing = 0;  // sets that are only about to close have nothing in them
        each_set(during[t].member, during[t].size, wanted,
                 [&](Set set) { missing += slots.find(set) < 0; });
        complete = complete && double(family.size() + missing) >= std::ldexp(1.0, open) &&
                   double(count_sets(after[t].size, least, CROWD)) >= std::ldexp(1.0, open_after);
        visit.unit = p.off[k] > 0.0 ? p.off[k] : 1.0;
        visit.stay = p.off[k] > 0.0 ? 1.0 : 0.0;
        const double norm = p.weight_off[k] > 0.0 ? p.weight_off[k] : 1.0;
        visit.weight_off = p.weight_off[k] > 0.0 ? 1.0 : 0.0;
        visit.weight_on = p.weight_on[k] / norm;
        if (visit.listens) visit.unit = 1.0, visit.stay = p.off[k];
        hear(visit, told, family, slots);
        if (!steady[k])
            for (int e : visit_edges(visit)) {
                const int risk = int(p.edge_risk[e]);
                Shift shift{factor(tilted[risk], 1.0, p.edge_fails[e] / bounded(told[e])), {}};
                pairs(risk, shift.sets);
                turned += double(slots.count());
                visit.spread.push_back(std::move(shift));
            }
        if (visit.listens) continue;
        const double often = std::min(1.0, LANES * posterior[k]) / LANES;
        turned += often * double(visit.slots + 2 * family.size() * edges.size());
    }
}

// The risk factors of a visit's row: what one that closes has to say is heard first, before others open.
std::vector<int> Expansion::visit_edges(const Visit &visit) const {
    const std::size_t t = std::size_t(&visit - visits.data());
    std::vector<int> edges = edges_of[visit.row];
    std::stable_sort(edges.begin(), edges.end(), [&](int a, int b) {
        const auto rank = [&](int e) {
            const auto [first, last] = span[p.edge_risk[e]];
            return last == t ? 0 : first == t ? 2 : 1;
        };
        return rank(a) < rank(b);
    });
    return edges;
}

// What the row of a visit hears, on its family.
void Expansion::hear(Visit &visit, const std::vector<double> &told, const std::vector<Set> &family,
                     Slots &slots) const {
    std::vector<int> number(slots.size(), -1);  // [slot] in the family
    for (std::size_t i = 0; i < family.size(); ++i) {
        visit.family.push_back(slots.find(family[i]));
        number[visit.family.back()] = int(i);
    }
    for (int e : visit_edges(visit)) {
        const std::size_t j = p.edge_risk[e];
        const double chance = tilted[j];
        const double tells = steady[visit.row] ? p.edge_fails[e] : bounded(told[e]);
        const double one = visit.listens ? 1.0 : 1.0 / tells;
        Turn turn{factor(chance, 1.0, one), factor(chance, 1.0, one * p.edge_fails[e]), {}};
        const Set bit = member_of[j] < 0 ? 0 : 1ull << member_of[j];
        for (std::size_t i = 0; i < family.size(); ++i) {
            if (bit && family[i] & bit) continue;
            const int slot = bit ? slots.find(family[i] | bit) : -1;
            if (slot < 0 || number[slot] < 0) turn.sets.alone.push_back(int(i));
            else turn.sets.low.push_back(int(i)), turn.sets.high.push_back(number[slot]);
        }
        visit.turns.push_back(std::move(turn));
    }
    visit.pass = at_hand(visit);
}

// A row's chance of being on is the difference of two numbers near one, which differ by what its own
// risk factors do: it is known the worse the less it is, and the evidence as far as it rests on the row.
void Expansion::bound_rounding(const Answer &answer) {
    constexpr double UNIT = UNITS * 0x1p-53;
    double evidence = UNIT * double(visits.size() + p.edges), own = 0.0;
    for (const Visit &visit : visits) {
        if (visit.turns.empty()) continue;
        const double unit = UNIT * double(1 + edges_of[visit.row].size());
        double on = p.on[visit.row], off = p.off[visit.row];
        for (int e : edges_of[visit.row]) {
            const double push = tilted[p.edge_risk[e]] * p.edge_acts[e];
            on += off * push;
            off *= 1.0 - push;
        }
        const double share = std::clamp(answer.posterior[visit.row], 0.0, 1.0);
        if (!(on > 0.0) || !(share > 0.0)) continue;
        evidence += unit / on * share;
        own = std::max(own, unit / on * std::min(1.0, share / 1e-3));
    }
    rounding = 2.0 * evidence + own;
}

}  // namespace hickam::coupled
