// The order in which the frontier visits the rows: what is connected, and little open at a time.
#include "coupled_frontier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hickam::coupled {
namespace {

constexpr int TRIES = 8;
constexpr int WIDEST = 40;  // beyond, no table is ever affordable

using Words = std::vector<std::uint64_t>;

int count_bits(const Words &words) {
    int total = 0;
    for (std::uint64_t word : words) total += __builtin_popcountll(word);
    return total;
}

class Union {
  public:
    explicit Union(std::size_t size) : parent(size) { std::iota(parent.begin(), parent.end(), 0); }
    int root(int x) {
        while (parent[x] != x) x = parent[x] = parent[parent[x]];
        return x;
    }
    void join(int x, int y) { parent[root(x)] = root(y); }

  private:
    std::vector<int> parent;
};

// Rows with the same shared risk factors are visited one after the other.
struct RowGroup {
    Words risks;
    std::vector<int> members, rows;
    double work = 0.0;  // per cell
};

struct Order {
    std::vector<int> groups;
    double operations = INFINITY;
};

double work_of(int links) { return 4.0 * links + 6.0; }

// A greedy order: each time the group that leaves least open; ties by chance.
Order greedy(const std::vector<RowGroup> &groups, std::size_t risks, double findings, int attempt,
             double most_operations) {
    Order order;
    order.operations = 0.0;
    std::vector<int> left(risks, 0);
    for (const RowGroup &g : groups)
        for (int j : g.members) ++left[j];
    std::vector<char> done(groups.size(), 0);
    Words open((risks + 63) / 64, 0);
    std::uint64_t random = 0x9e3779b97f4a7c15ull * (attempt + 1);
    int width = 0;
    for (std::size_t step = 0; step < groups.size(); ++step) {
        int best = -1;
        std::uint64_t best_key = ~0ull;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (done[g]) continue;
            int fresh = 0, closing = 0;
            for (std::size_t w = 0; w < open.size(); ++w)
                fresh += __builtin_popcountll(groups[g].risks[w] & ~open[w]);
            for (int j : groups[g].members) closing += left[j] == 1;
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            const std::uint64_t peak = std::uint64_t(fresh), after = std::uint64_t(fresh - closing + 4096);
            const std::uint64_t key = (fresh == 0 ? 0 : attempt % 2 ? peak << 40 | after << 20 : after << 40 | peak << 20) |
                                      (random & 0xfffff);
            if (key < best_key) best_key = key, best = int(g);
        }
        const RowGroup &g = groups[best];
        done[best] = 1;
        for (std::size_t w = 0; w < open.size(); ++w) open[w] |= g.risks[w];
        width = count_bits(open);
        if (width > WIDEST) return {};
        order.groups.push_back(best);
        order.operations += std::ldexp(g.work, width) * findings;
        if (order.operations > most_operations) return {};
        for (int j : g.members)
            if (--left[j] == 0) open[j / 64] &= ~(1ull << (j % 64));
    }
    return order;
}

// The steps of one component in a chosen order of rows.
void lay_out(const Coupled &p, const FrontierPlan &plan, FrontierPart &part,
             const std::vector<int> &rows) {
    std::vector<int> left(p.risks, 0);
    for (int k : rows)
        for (int e : plan.edges_of_row[k]) left[p.edge_risk[e]] += plan.shared[p.edge_risk[e]];
    std::vector<int> open;
    for (int k : rows) {
        FrontierStep step;
        step.row = k;
        for (int s : part.columns) step.links += p.acts[k * p.columns + s] > 0.0;
        for (int e : plan.edges_of_row[k]) {
            const int j = int(p.edge_risk[e]);
            if (plan.shared[j] && std::find(open.begin(), open.end(), j) == open.end()) {
                open.push_back(j);
                step.opens.push_back(j);
            }
        }
        step.open = open;
        for (int e : plan.edges_of_row[k]) left[p.edge_risk[e]] -= plan.shared[p.edge_risk[e]];
        for (int b = int(open.size()); b-- > 0;)
            if (left[open[b]] == 0) {
                step.closes.push_back(b);
                open.erase(open.begin() + b);
            }
        const double cells = std::ldexp(1.0, int(step.open.size() + part.columns.size()));
        part.width = std::max(part.width, int(step.open.size()));
        part.cells += cells;
        part.largest = std::max(part.largest, cells);
        part.operations += cells * work_of(step.links);
        part.steps.push_back(std::move(step));
    }
}

// When each listener hears what, and the extra work of carrying its tilted table.
void listen(const Coupled &p, const FrontierPlan &plan, FrontierPart &part,
            const std::vector<std::vector<int>> &listeners_of_risk) {
    std::vector<int> first(p.risks, -1), last(p.risks, -1);
    for (std::size_t t = 0; t < part.steps.size(); ++t) {
        for (int e : plan.edges_of_row[part.steps[t].row]) {
            const std::size_t j = p.edge_risk[e];
            if (first[j] < 0) first[j] = int(t);
            last[j] = int(t);
        }
    }
    std::vector<std::pair<int, int>> heard;  // listener, edge
    for (std::size_t j = 0; j < p.risks; ++j)
        if (first[j] >= 0)
            for (int e : listeners_of_risk[j]) heard.push_back({int(p.edge_row[e]), e});
    std::sort(heard.begin(), heard.end());
    for (std::size_t i = 0; i < heard.size();) {
        Listening one{heard[i].first, {}, 0, int(part.steps.size())};
        for (; i < heard.size() && heard[i].first == one.row; ++i) {
            const std::size_t e = heard[i].second;
            const int j = int(p.edge_risk[e]);
            one.voices.push_back({j, p.edge_fails[e], first[j], last[j]});
            one.begin = std::max(one.begin, first[j]);
            one.end = std::min(one.end, last[j]);
        }
        if (one.end >= one.begin) one.end = one.begin;
        for (int t = one.begin; t > one.end; --t)
            part.operations += std::ldexp(1.5 * part.steps[t].links + 2.0,
                                          int(part.steps[t].open.size() + part.columns.size()));
        part.listening.push_back(std::move(one));
    }
}

}  // namespace

FrontierPlan plan_frontier(const Coupled &p, double most_operations) {
    FrontierPlan plan;
    plan.edges_of_row.resize(p.rows);
    plan.shared.assign(p.risks, 0);
    std::vector<int> touched(p.risks, 0);
    std::vector<std::vector<int>> listeners_of_risk(p.risks);
    for (std::size_t e = 0; e < p.edges; ++e) {
        const int j = int(p.edge_risk[e]);
        plan.edges_of_row[p.edge_row[e]].push_back(int(e));
        if (p.reached[p.edge_row[e]]) ++touched[j];
        else listeners_of_risk[j].push_back(int(e));
    }
    for (std::size_t j = 0; j < p.risks; ++j) plan.shared[j] = touched[j] > 1;
    plan.in_lattice.resize(p.columns);
    for (std::size_t s = 0; s < p.columns; ++s) plan.in_lattice[s] = p.leak_fails[s] > 0.0;

    // nodes: rows, then columns, then risk factors
    Union together(p.rows + p.columns + p.risks);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        for (std::size_t s = 0; s < p.columns; ++s)
            if (plan.in_lattice[s] && p.acts[k * p.columns + s] > 0.0)
                together.join(int(k), int(p.rows + s));
        for (int e : plan.edges_of_row[k])
            if (plan.shared[p.edge_risk[e]])
                together.join(int(k), int(p.rows + p.columns + p.edge_risk[e]));
    }
    std::vector<int> part_of(p.rows + p.columns + p.risks, -1);
    std::vector<std::vector<int>> rows_of;
    const auto part_at = [&](int node) {
        int &label = part_of[together.root(node)];
        if (label < 0) {
            label = int(plan.parts.size());
            plan.parts.emplace_back();
            rows_of.emplace_back();
        }
        return label;
    };
    for (std::size_t k = 0; k < p.rows; ++k)
        if (p.reached[k]) rows_of[part_at(int(k))].push_back(int(k));
    for (std::size_t s = 0; s < p.columns; ++s)
        if (plan.in_lattice[s]) plan.parts[part_at(int(p.rows + s))].columns.push_back(int(s));

    for (std::size_t c = 0; c < plan.parts.size(); ++c) {
        FrontierPart &part = plan.parts[c];
        std::vector<RowGroup> groups;
        std::vector<std::pair<Words, int>> keyed;
        for (int k : rows_of[c]) {
            Words risks((p.risks + 63) / 64, 0);
            for (int e : plan.edges_of_row[k]) {
                const int j = int(p.edge_risk[e]);
                if (plan.shared[j]) risks[j / 64] |= 1ull << (j % 64);
            }
            keyed.push_back({std::move(risks), k});
        }
        std::sort(keyed.begin(), keyed.end());
        for (auto &[risks, k] : keyed) {
            if (groups.empty() || groups.back().risks != risks) {
                groups.push_back({risks, {}, {}, 0.0});
                for (std::size_t j = 0; j < p.risks; ++j)
                    if (risks[j / 64] >> (j % 64) & 1) groups.back().members.push_back(int(j));
            }
            groups.back().rows.push_back(k);
            int links = 0;
            for (int s : part.columns) links += p.acts[k * p.columns + s] > 0.0;
            groups.back().work += work_of(links);
        }
        const double findings = std::ldexp(1.0, int(part.columns.size()));
        Order best;
        const int tries = groups.size() <= 2 ? 1 : TRIES;
        for (int attempt = 0; attempt < tries; ++attempt) {
            Order order = greedy(groups, p.risks, findings, attempt,
                                 std::min(most_operations - plan.operations, best.operations));
            if (order.operations < best.operations) best = std::move(order);
        }
        if (best.operations == INFINITY) return plan;
        std::vector<int> rows;
        for (int g : best.groups)
            rows.insert(rows.end(), groups[g].rows.begin(), groups[g].rows.end());
        lay_out(p, plan, part, rows);
        listen(p, plan, part, listeners_of_risk);
        plan.operations += part.operations;
        plan.width = std::max(plan.width, part.width);
        const double kept = std::min(part.cells, 2.0 * std::sqrt(part.cells * part.largest));
        plan.bytes = std::max(
            plan.bytes, 8.0 * (kept + (4.0 + double(part.listening.size())) * part.largest));
        if (plan.operations > most_operations) return plan;
    }
    plan.fits = true;
    return plan;
}

}  // namespace hickam::coupled
