// Which sets of risk factors an expansion carries, and when.
#include "coupled_expansion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace hickam::coupled {
namespace {

constexpr int MEMBERS = 64;          // risk factors that are ever in a set
constexpr std::size_t CROWD = 20000;  // sets at a time
constexpr int WIDEST = 30;           // findings that are open at a time
// Beyond this deviations are no larger: otherwise a larger set would matter more than a smaller one.
constexpr double LARGEST = 0.95;
constexpr double SMALLEST = 1e-12;  // deviation
constexpr int HALVINGS = 8;        // to find the least product that is carried
// Operations of a moved row, per row and edge; the share of all that may go into moves, and the most.
constexpr double MOVE = 10.0, MOVING = 0.2, MOST_MOVES = 20000.0;
constexpr double TOLD = 30.0;  // what a row tells a risk factor is within this and its inverse

// Calls work(set, count so far) for each set whose deviations' product is not below the least.
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

Turn::Pair pair(double chance, double off, double on) {
    return {(1.0 - chance) * off + chance * on, std::sqrt(chance * (1.0 - chance)) * (on - off),
            chance * off + (1.0 - chance) * on};
}

double bounded(double told) { return std::clamp(told, 1.0 / TOLD, TOLD); }

}  // namespace

Expansion::Expansion(const Coupled &problem, std::vector<int> order,
                     const std::vector<double> &told, const std::vector<double> &posterior,
                     const ExpansionLimits &limits)
    : p(problem), tilted(p.risks), member_of(p.risks, -1), edges_of(p.rows) {
    for (std::size_t s = 0; s < p.columns; ++s)
        if (!(p.leak_fails[s] > 0.0)) return;  // certain without any disease: not for an expansion
    for (std::size_t e = 0; e < p.edges; ++e) edges_of[p.edge_row[e]].push_back(int(e));
    tilt(told);
    const std::vector<double> square = squares(order, posterior);
    open_findings(order);
    deviate(square);
    const double most = limits.operations, worth = std::min(price(limits.finest, most), most);
    const double moves = std::min(MOST_MOVES, MOVING * worth / (MOVE * double(p.rows + p.edges)));
    improve(order, p, edges_of, square, (long long)moves);
    open_findings(order);
    deviate(square);
    for (const Visit &visit : visits)
        if (visit.findings > WIDEST) return;
    double least = limits.finest;
    if (price(least, most) > most) {
        double low = std::log(limits.finest), high = std::log(limits.coarsest);
        if (price(limits.coarsest, most) > most) return;
        for (int turn = 0; turn < HALVINGS; ++turn) {
            const double middle = 0.5 * (low + high);
            (price(std::exp(middle), most) > most ? low : high) = middle;
        }
        least = std::exp(high);
    }
    operations = price(least, INFINITY);
    choose(least, told);
    deviating.clear();
    fits = true;
}

// Every row is divided by what it tells, and that is given to the risk factors before.
void Expansion::tilt(const std::vector<double> &told) {
    std::vector<double> log_told(p.risks, 0.0);
    for (std::size_t e = 0; e < p.edges; ++e)
        if (p.reached[p.edge_row[e]]) log_told[p.edge_risk[e]] += std::log(bounded(told[e]));
    for (std::size_t j = 0; j < p.risks; ++j) {
        const double prior = p.risk_prior[j], on = prior * std::exp(log_told[j]);
        tilted[j] = on / (1.0 - prior + on);
        log_shared += std::log(1.0 - prior + on);
    }
}

void Expansion::open_findings(const std::vector<int> &order) {
    std::vector<int> last(p.columns, -1), open;
    visits.clear(), lone.clear();
    for (std::size_t t = 0; t < order.size(); ++t)
        for (std::size_t s = 0; s < p.columns; ++s)
            if (p.acts[order[t] * p.columns + s] > 0.0) last[s] = int(t);
    for (std::size_t s = 0; s < p.columns; ++s)
        if (last[s] < 0) lone.push_back(int(s));
    for (std::size_t t = 0; t < order.size(); ++t) {
        Visit visit;
        visit.row = order[t];
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

// [edge] By how much the state of a risk factor changes the chance of a row, relative to what that is.
std::vector<double> Expansion::squares(const std::vector<int> &order,
                                       const std::vector<double> &posterior) const {
    std::vector<double> square(p.edges, 0.0);
    for (int k : order) {
        double off = p.off[k];
        for (int e : edges_of[k]) off *= 1.0 - tilted[p.edge_risk[e]] * p.edge_acts[e];
        const double m = std::clamp(posterior[k], 0.0, 1.0), on = 1.0 - off;
        for (int e : edges_of[k]) {
            const double chance = tilted[p.edge_risk[e]], own = 1.0 - chance * p.edge_acts[e];
            const double change = own > 0.0 ? off / own * p.edge_acts[e] : on;
            if (on > 0.0) square[e] += m * std::pow(change / on, 2);
            if (off > 0.0) square[e] += (1.0 - m) * std::pow(change / off, 2);
            square[e] *= chance * (1.0 - chance);
        }
    }
    return square;
}

// A risk factor deviates together with others by what rows before have said of it, as far as rows
// to come will ask: the geometric mean of both.
void Expansion::deviate(const std::vector<double> &square) {
    std::vector<double> all(p.risks, 0.0), past(p.risks, 0.0);
    deviating.clear();
    for (std::size_t e = 0; e < p.edges; ++e) all[p.edge_risk[e]] += square[e];
    std::vector<int> strongest(p.risks);
    std::iota(strongest.begin(), strongest.end(), 0);
    std::stable_sort(strongest.begin(), strongest.end(), [&](int a, int b) { return all[a] > all[b]; });
    for (int i = 0; i < std::min(MEMBERS, int(p.risks)); ++i) member_of[strongest[i]] = i;
    std::vector<int> left(p.risks, 0);
    for (const Visit &visit : visits)
        for (int e : edges_of[visit.row]) ++left[p.edge_risk[e]];
    std::vector<std::pair<double, int>> sizes;
    for (const Visit &visit : visits) {
        for (int e : edges_of[visit.row]) {
            past[p.edge_risk[e]] += square[e];
            --left[p.edge_risk[e]];
        }
        if (edges_of[visit.row].empty() && !deviating.empty()) {
            deviating.push_back(deviating.back());
            continue;
        }
        sizes.clear();
        for (std::size_t j = 0; j < p.risks; ++j) {
            if (!left[j] || member_of[j] < 0) continue;
            const double size = std::sqrt(past[j] * std::max(all[j] - past[j], 0.0));
            if (size >= SMALLEST) sizes.push_back({std::min(size, LARGEST), member_of[j]});
        }
        std::sort(sizes.begin(), sizes.end(), [](const auto &a, const auto &b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        Deviating now;
        for (const auto &[size, member] : sizes) now.member.push_back(member), now.size.push_back(size);
        deviating.push_back(std::move(now));
    }
}

double Expansion::work_of(const Visit &visit, std::size_t sets) const {
    return double(sets) * expansion_work(std::ldexp(1.0, visit.findings), visit.links.size(),
                                         edges_of[visit.row].size());
}

double Expansion::price(double least, double most_operations) const {
    double found = 0.0;
    std::size_t before = 1, after = 1;
    for (std::size_t t = 0; t < visits.size(); ++t, before = after) {
        if (!edges_of[visits[t].row].empty()) after = count_sets(deviating[t].size, least, CROWD);
        if (after > CROWD) return INFINITY;
        found += work_of(visits[t], std::max(before, after));
        if (found > most_operations) return INFINITY;
    }
    return found;
}

void Expansion::choose(double least, const std::vector<double> &told) {
    std::vector<std::size_t> first(p.risks, visits.size()), last(p.risks, 0);  // visits
    for (std::size_t t = 0; t < visits.size(); ++t)
        for (int e : edges_of[visits[t].row]) {
            first[p.edge_risk[e]] = std::min(first[p.edge_risk[e]], t);
            last[p.edge_risk[e]] = t;
        }
    std::vector<Set> now{0};
    std::unordered_map<Set, int> place;
    for (std::size_t t = 0; t < visits.size(); ++t) {
        Visit &visit = visits[t];
        visit.before = now.size();
        if (edges_of[visit.row].empty()) {
            visit.work = now.size();
            continue;
        }
        place.clear();
        for (std::size_t i = 0; i < now.size(); ++i) place[now[i]] = int(i);
        std::vector<Set> next;
        each_set(deviating[t].member, deviating[t].size, least, [&](Set set) {
            const auto [at, fresh] = place.insert({set, int(now.size())});
            if (fresh) now.push_back(set);
            next.push_back(set);
            visit.after.push_back(at->second);
        });
        visit.work = now.size();
        most_sets = std::max(most_sets, visit.work);
        // What a risk factor that closes has to say is heard first, before others open.
        std::vector<int> edges = edges_of[visit.row];
        std::stable_sort(edges.begin(), edges.end(), [&](int a, int b) {
            const auto rank = [&](int e) {
                const std::size_t j = p.edge_risk[e];
                return last[j] == t ? 0 : first[j] == t ? 2 : 1;
            };
            return rank(a) < rank(b);
        });
        for (int e : edges) {
            const double chance = tilted[p.edge_risk[e]], one = 1.0 / bounded(told[e]);
            Turn turn{pair(chance, 1.0, one), pair(chance, 1.0, one * p.edge_fails[e]), {}, {}, {}};
            const int member = member_of[p.edge_risk[e]];
            const Set bit = member < 0 ? 0 : 1ull << member;
            for (std::size_t i = 0; i < now.size(); ++i) {
                if (bit && now[i] & bit) continue;
                const auto other = bit ? place.find(now[i] | bit) : place.end();
                if (other == place.end()) {
                    turn.alone.push_back(int(i));
                    continue;
                }
                turn.low.push_back(int(i));
                turn.high.push_back(other->second);
            }
            turned += double(now.size());
            visit.turns.push_back(std::move(turn));
        }
        now = std::move(next);
    }
}

}  // namespace hickam::coupled
