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

// Groups the items that have one; -1: none.
Groups gather(const std::vector<int> &of, std::size_t groups) {
    Groups found;
    found.start.assign(groups + 1, 0);
    for (int g : of)
        if (g >= 0) ++found.start[g + 1];
    for (std::size_t g = 0; g < groups; ++g) found.start[g + 1] += found.start[g];
    found.item.resize(found.start[groups]);
    std::vector<int> next(found.start.begin(), found.start.end() - 1);
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of[i] >= 0) found.item[next[of[i]]++] = int(i);
    return found;
}

}  // namespace

EliminationPlan::EliminationPlan(const Coupled &p)
    : label(p.risks, -1), scope(p.rows, 0), edges(group(p.edge_row, p.edges, p.rows)) {
    risk_of.reserve(p.risks);
    for (std::size_t e = 0; e < p.edges; ++e) {
        if (!p.reached[p.edge_row[e]] || label[p.edge_risk[e]] >= 0) continue;
        label[p.edge_risk[e]] = int(risk_of.size());
        risk_of.push_back(int(p.edge_risk[e]));
    }
    if (risk_of.size() > MOST_RISKS) return;
    const auto scopes = order(p);
    for (std::uint64_t one : scopes)
        if (__builtin_popcountll(one) > WIDEST) return;
    for (std::size_t e = 0; e < p.edges; ++e)
        if (label[p.edge_risk[e]] >= 0) scope[p.edge_row[e]] |= 1ull << label[p.edge_risk[e]];
    const auto before = [&](int x, int y) { return label[p.edge_risk[x]] < label[p.edge_risk[y]]; };
    for (std::size_t k = 0; k < p.rows; ++k) {
        // a risk factor that acts twice on a row, or that only listeners hear: no reduced problem
        if (edges.start[k + 1] - edges.start[k] != __builtin_popcountll(scope[k])) return;
        std::sort(edges.item.begin() + edges.start[k], edges.item.begin() + edges.start[k + 1],
                  before);
    }
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
        for (int e : members(edges, k)) all |= 1ull << label[p.edge_risk[e]];
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
    std::vector<int> sorted, home(p.rows, -1);
    for (std::size_t k = 0; k < p.rows; ++k)
        if (p.reached[k]) sorted.push_back(int(k));
    const auto last = [&](int k) { return scope[k] ? highest(scope[k]) : -1; };
    std::sort(sorted.begin(), sorted.end(), [&](int x, int y) {
        if (last(x) != last(y)) return last(x) > last(y);
        const int a = __builtin_popcountll(scope[x]), b = __builtin_popcountll(scope[y]);
        return a != b ? a < b : scope[x] != scope[y] ? scope[x] < scope[y] : x < y;
    });
    node_of.assign(count, -1);
    nodes.reserve(sorted.size() + count + 1);
    auto next = sorted.begin();
    for (int at = int(count) - 1; at >= -1; --at) {  // the whole product last
        const std::uint64_t whole = at < 0 ? 0 : scopes[at];
        const std::size_t first = nodes.size();
        const auto begin = next;
        for (; next != sorted.end() && last(*next) == at; ++next) {
            if (scope[*next] == whole) continue;
            if (nodes.size() == first || nodes.back().scope != scope[*next])
                nodes.push_back({scope[*next], -1, -1});
            home[*next] = int(nodes.size()) - 1;
        }
        const int here = int(nodes.size());
        nodes.push_back({whole, at, -1});
        for (auto k = begin; k != next; ++k)
            if (home[*k] < 0) home[*k] = here;
        for (int n = int(first); n < here; ++n) {  // into the smallest that holds it
            int best = here;
            for (int m = int(first); m < here; ++m) {
                const bool holds = m != n && !(nodes[n].scope & ~nodes[m].scope);
                if (holds && nodes[m].cells() < nodes[best].cells()) best = m;
            }
            nodes[n].up = best;
        }
        if (at >= 0) node_of[at] = here;
    }
    std::vector<int> above;
    for (Node &node : nodes) {
        if (node.risk >= 0)
            node.up = node.given() ? node_of[highest(node.given())] : int(nodes.size()) - 1;
        above.push_back(node.up);
    }
    rows = gather(home, nodes.size());
    children = gather(above, nodes.size());
}

// Every listener to the smallest table that holds its risk factors, or on its way if there is none.
void EliminationPlan::listen(const Coupled &p) {
    std::vector<int> by_size(nodes.size()), home(p.rows, -1), first_echo(risk_of.size(), -1);
    for (std::size_t n = 0; n < nodes.size(); ++n) by_size[n] = int(n);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](int x, int y) { return nodes[x].cells() < nodes[y].cells(); });
    std::vector<std::uint64_t> beyond;
    for (int n : by_size) beyond.push_back(~nodes[n].scope);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        std::size_t i = 0;
        while (i < beyond.size() && (scope[k] & beyond[i])) ++i;
        if (i < beyond.size()) home[k] = by_size[i];
        else find_way(p, k, first_echo);
    }
    listeners = gather(home, nodes.size());
}

void EliminationPlan::find_way(const Coupled &p, std::size_t row, std::vector<int> &first_echo) {
    Way way{int(row), int(stages.size()), 0};
    std::uint64_t left = scope[row];  // risk factors not met yet
    std::vector<Source> carried;      // to the nodes above theirs
    while (true) {
        int at = left ? node_of[highest(left)] : int(nodes.size());
        for (const Source &one : carried) at = std::min(at, nodes[one.node].up);
        const Node &node = nodes[at];
        const auto rest = std::stable_partition(
            carried.begin(), carried.end(),
            [&](const Source &one) { return nodes[one.node].up != at; });
        const auto come = carried.end() - rest;
        const bool last = rest == carried.begin() && !(left & ~node.scope);
        const std::uint64_t met = last ? left : left & (1ull << node.risk);
        left &= ~met;
        if (!last && come == 0) {
            int &echo = first_echo[node.risk];
            if (echo < 0) echoes.push_back({at, -1, -1}), echo = int(echoes.size()) - 1;
            carried.push_back({at, echo, voice(p, row, node.risk)});
            continue;
        }
        if (!last && come == 1 && !met && rest->echo >= 0) {
            *rest = {at, echo_above(rest->echo, at), rest->edge};
            continue;
        }
        const int begin = int(sources.size());
        sources.insert(sources.end(), rest, carried.end());
        carried.erase(rest, carried.end());
        stages.push_back({at, begin, int(sources.size()), met});
        if (last) break;
        carried.push_back({at, -1, -1});
    }
    way.end = int(stages.size());
    ways.push_back(way);
}

int EliminationPlan::echo_above(int below, int node) {
    if (echoes[below].above < 0) {
        echoes[below].above = int(echoes.size());
        echoes.push_back({node, below, -1});
    }
    return echoes[below].above;
}

// The edge by which a risk factor acts on a row.
int EliminationPlan::voice(const Coupled &p, std::size_t row, int number) const {
    for (int e : members(edges, row))
        if (label[p.edge_risk[e]] == number) return e;
    return -1;
}

void EliminationPlan::price(const Coupled &p) {
    double factors = 0.0, on_the_way = 0.0, passed_on = 0.0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        cells += double(nodes[n].cells());
        factors += double((rows.start[n + 1] - rows.start[n]) * nodes[n].cells());
    }
    for (const Stage &stage : stages) on_the_way += double(nodes[stage.node].cells());
    for (const Echo &echo : echoes)
        if (echo.below >= 0) passed_on += double(nodes[echo.node].cells());
    const double subsets = std::max(std::ldexp(1.0, int(p.columns)), double(LANES));
    operations =
        subsets * (THERE_AND_BACK * (cells + factors) + ON_THE_WAY * (on_the_way + passed_on));
    bytes = CELL_BYTES * (cells + 0.1 * passed_on);
}

}  // namespace hickam::coupled
