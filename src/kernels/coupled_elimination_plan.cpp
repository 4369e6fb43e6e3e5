// In which order risk factors are summed out, and the tables that this takes.
#include "coupled_elimination.hpp"

#include <algorithm>

namespace hickam::coupled {
namespace {

constexpr int MOST_RISKS = 64;      // a set of them is one word
constexpr int WIDEST = 20;          // risk factors of one table
constexpr double THERE_AND_BACK = 6.0, ON_THE_WAY = 2.0;  // operations per cell
constexpr double CELL_BYTES = 32.0 * LANES * 10.0;  // in double-double

int highest(std::uint64_t set) { return 63 - __builtin_clzll(set); }

}  // namespace

EliminationPlan::EliminationPlan(const Coupled &p) : label(p.risks, -1), edges(p.rows) {
    for (std::size_t e = 0; e < p.edges; ++e) {
        edges[p.edge_row[e]].push_back(int(e));
        if (!p.reached[p.edge_row[e]] || label[p.edge_risk[e]] >= 0) continue;
        label[p.edge_risk[e]] = int(risk_of.size());
        risk_of.push_back(int(p.edge_risk[e]));
    }
    if (risk_of.size() > MOST_RISKS) return;
    const auto scopes = order(p);
    for (std::uint64_t one : scopes)
        if (__builtin_popcountll(one) > WIDEST) return;
    scope.assign(p.rows, 0);
    for (std::size_t k = 0; k < p.rows; ++k)
        for (int e : edges[k])
            if (label[p.edge_risk[e]] >= 0) scope[k] |= 1ull << label[p.edge_risk[e]];
    write(p, scopes);
    listen(p);
    price(p);
    possible = true;
}

// Each time the risk factor that makes the fewest others meet. Relabels them, and gives the scope
// of the table in which each is summed out.
std::vector<std::uint64_t> EliminationPlan::order(const Coupled &p) {
    const std::size_t count = risk_of.size();
    std::vector<std::uint64_t> meets(count, 0);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        std::uint64_t all = 0;
        for (int e : edges[k]) all |= 1ull << label[p.edge_risk[e]];
        for (std::uint64_t left = all; left; left &= left - 1)
            meets[__builtin_ctzll(left)] |= all;
    }
    for (std::size_t v = 0; v < count; ++v) meets[v] &= ~(1ull << v);
    const auto fresh = [&](std::size_t v) {  // pairs that would meet
        int pairs = 0;
        for (std::uint64_t left = meets[v]; left; left &= left - 1) {
            const int u = __builtin_ctzll(left);
            pairs += __builtin_popcountll(meets[v] & ~meets[u] & ~(1ull << u));
        }
        return 64 * pairs + __builtin_popcountll(meets[v]);
    };
    std::vector<int> price(count), place(count);
    for (std::size_t v = 0; v < count; ++v) price[v] = fresh(v);
    std::uint64_t left = count == 64 ? ~0ull : (1ull << count) - 1;
    std::vector<std::uint64_t> found(count);  // [place] in the old labels
    for (std::size_t step = count; step-- > 0;) {
        int best = -1;
        for (std::uint64_t rest = left; rest; rest &= rest - 1) {
            const int v = __builtin_ctzll(rest);
            if (best < 0 || price[v] < price[best]) best = v;
        }
        place[best] = int(step);
        left &= ~(1ull << best);
        const std::uint64_t around = meets[best];
        found[step] = around | 1ull << best;
        std::uint64_t stale = around;
        for (std::uint64_t rest = around; rest; rest &= rest - 1) {
            const int u = __builtin_ctzll(rest);
            meets[u] = (meets[u] | around) & ~(1ull << best | 1ull << u);
            stale |= meets[u];
        }
        for (std::uint64_t rest = stale & left; rest; rest &= rest - 1)
            price[__builtin_ctzll(rest)] = fresh(__builtin_ctzll(rest));
    }
    for (std::uint64_t &one : found) {
        std::uint64_t renamed = 0;
        for (; one; one &= one - 1) renamed |= 1ull << place[__builtin_ctzll(one)];
        one = renamed;
    }
    const std::vector<int> before = risk_of;
    for (std::size_t v = 0; v < count; ++v) {
        risk_of[place[v]] = before[v];
        label[before[v]] = place[v];
    }
    return found;
}

// The tables: for every risk factor those of the rows that it is the first of to be summed out, the
// smaller ones inside the larger, then its own.
void EliminationPlan::write(const Coupled &p, const std::vector<std::uint64_t> &scopes) {
    const std::size_t count = scopes.size();
    std::vector<std::vector<int>> rows_of(count + 1), heard(count + 1);
    for (std::size_t k = 0; k < p.rows; ++k)
        if (p.reached[k]) rows_of[scope[k] ? highest(scope[k]) : count].push_back(int(k));
    node_of.assign(count, -1);
    const auto hang = [&](std::size_t first, int child) {  // into the smallest that holds it
        int best = -1;
        for (std::size_t n = first; n < nodes.size(); ++n) {
            const bool holds = !(nodes[child].scope & ~nodes[n].scope) && int(n) != child;
            if (holds && (best < 0 || nodes[n].cells() < nodes[best].cells())) best = int(n);
        }
        nodes[child].up = best;
        nodes[best].children.push_back(child);
    };
    for (std::size_t step = count + 1; step-- > 0;) {
        const std::size_t at = step ? step - 1 : count;  // the whole product last
        auto &rows = rows_of[at];
        const std::uint64_t whole = at < count ? scopes[at] : 0;
        std::sort(rows.begin(), rows.end(), [&](int x, int y) {
            const int a = __builtin_popcountll(scope[x]), b = __builtin_popcountll(scope[y]);
            return a != b ? a < b : scope[x] != scope[y] ? scope[x] < scope[y] : x < y;
        });
        const std::size_t first = nodes.size();
        Node own;
        own.scope = whole;
        own.risk = at < count ? int(at) : -1;
        for (int k : rows) {
            if (scope[k] == whole) {
                own.rows.push_back(k);
                continue;
            }
            if (nodes.size() == first || nodes.back().scope != scope[k]) {
                nodes.emplace_back();
                nodes.back().scope = scope[k];
            }
            nodes.back().rows.push_back(k);
        }
        const std::size_t here = nodes.size();
        nodes.push_back(std::move(own));
        for (std::size_t n = first; n < here; ++n) hang(first, int(n));
        for (int child : heard[at]) {
            nodes[child].up = int(here);
            nodes[here].children.push_back(child);
        }
        if (at == count) break;
        node_of[at] = int(here);
        const std::uint64_t rest = whole & ~(1ull << at);
        heard[rest ? highest(rest) : count].push_back(int(here));
    }
}

void EliminationPlan::listen(const Coupled &p) {
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        const int first = scope[k] ? node_of[highest(scope[k])] : int(nodes.size()) - 1;
        if (!(scope[k] & ~nodes[first].scope)) {
            nodes[first].listeners.push_back(int(k));
            continue;
        }
        Way way{int(k), {}};
        std::uint64_t left = scope[k];  // risk factors not met yet
        std::vector<int> carried;       // nodes to which something is passed up
        while (true) {
            int node = left ? node_of[highest(left)] : int(nodes.size());
            for (int one : carried) node = std::min(node, one);
            carried.erase(std::remove(carried.begin(), carried.end(), node), carried.end());
            way.nodes.push_back(node);
            if (!(left & ~nodes[node].scope) && carried.empty()) break;
            left &= ~(1ull << nodes[node].risk);
            carried.push_back(nodes[node].up);
        }
        ways.push_back(std::move(way));
    }
}

void EliminationPlan::price(const Coupled &p) {
    double factors = 0.0, on_the_way = 0.0;
    for (const Node &node : nodes) {
        cells += double(node.cells());
        factors += double(node.rows.size() * node.cells());
    }
    for (const Way &way : ways)
        for (int node : way.nodes) on_the_way += double(nodes[node].cells());
    const double subsets = std::max(std::ldexp(1.0, int(p.columns)), double(LANES));
    operations = subsets * (THERE_AND_BACK * (cells + factors) + ON_THE_WAY * on_the_way);
    bytes = CELL_BYTES * cells;
}

}  // namespace hickam::coupled
