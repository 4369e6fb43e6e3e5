// The order in which the frontier visits the rows: what is connected, and little open at a time.
#include "coupled_frontier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hickam::coupled {
namespace {

constexpr int FEW_TRIES = 8;
constexpr double TRY = 30.0;  // operations that looking for an order may cost, per pair of groups
// Operations that looking at a moved group costs, per group; the share of the price that may go into
// moves, and the most of them; by how much a move may cost more at first, and how far an order may be
// above the limit before it is improved.
constexpr double MOVE = 20.0, AT_MOST = 0.15, MOST_MOVES = 60000.0, HEAT = 0.02, SLACK = 4.0;
constexpr int WIDEST = 30;                // bits; beyond, no table is ever affordable

using Words = std::vector<std::uint64_t>;

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

double work_of(double links) { return 4.0 * links + 6.0; }

// Rows with the same findings and open risk factors are visited one after the other.
struct RowGroup {
    Words key;
    std::vector<int> nodes, rows;  // nodes: columns, then risk factors
    double work = 0.0;             // per cell
};

struct Order {
    std::vector<int> groups;
    double operations = INFINITY;
};

class Search {
  public:
    // `tail`: the last group given stays the last.
    Search(std::vector<RowGroup> given, std::size_t nodes, bool tail)
        : groups(std::move(given)), groups_of(nodes), movable(groups.size() - tail) {
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (int node : groups[g].nodes) groups_of[node].push_back(int(g));
    }

    Order best(double most_operations, int most_tries, double times, const int *rank) const {
        Order found;
        if (groups.size() <= 2) return greedy(0, most_operations);
        if (rank) found = ranked(rank);
        if (found.operations > SLACK * most_operations) found = {};
        const double price_of_try = TRY * double(groups.size() * groups.size());
        for (int attempt = 0; attempt < most_tries; ++attempt) {
            if (attempt >= FEW_TRIES && found.operations == INFINITY) break;
            if (attempt >= FEW_TRIES && times * found.operations < price_of_try * attempt) break;
            Order order = greedy(attempt, std::min(SLACK * most_operations, found.operations));
            if (order.operations < found.operations) found = std::move(order);
        }
        if (found.operations < INFINITY) improve(found, times * std::min(found.operations, most_operations));
        return found.operations > most_operations ? Order() : found;
    }

    const std::vector<RowGroup> groups;

  private:
    std::vector<std::vector<int>> groups_of;  // [node]
    const std::size_t movable;

    // Operations if the groups are visited in this order.
    double price(const std::vector<int> &order, std::vector<int> &first, std::vector<int> &last,
                 std::vector<int> &change) const {
        std::fill(first.begin(), first.end(), -1);
        std::fill(change.begin(), change.end(), 0);
        for (std::size_t t = 0; t < order.size(); ++t)
            for (int node : groups[order[t]].nodes) {
                if (first[node] < 0) first[node] = int(t);
                last[node] = int(t);
            }
        for (std::size_t node = 0; node < first.size(); ++node)
            if (first[node] >= 0) ++change[first[node]], --change[last[node] + 1];
        double sum = 0.0;
        int open = 0;
        for (std::size_t t = 0; t < order.size(); ++t) {
            open += change[t];
            sum += std::ldexp(groups[order[t]].work, open);
        }
        return sum;
    }

    // Groups are moved to other places, at first also where that costs a little more; for a share of
    // the operations that this is worth.
    void improve(Order &found, double worth) const {
        const std::size_t count = movable;
        const double move = MOVE * double(groups.size());
        const double moves = std::min(MOST_MOVES, AT_MOST * worth / move);
        std::vector<int> first(groups_of.size()), last(groups_of.size()), change(groups.size() + 1);
        std::vector<int> order = found.groups;
        double now = found.operations;
        std::uint64_t random = 0x9e3779b97f4a7c15ull;
        const auto draw = [&] {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            return double(random >> 11) * 0x1p-53;
        };
        for (double done = 0.0; done < moves; done += 1.0) {
            const std::size_t from = std::size_t(draw() * double(count));
            const double far = draw(), by = (draw() < 0.5 ? -far : far) * draw() * draw() * double(count);
            const std::size_t to = std::size_t(std::clamp(double(from) + by, 0.0, double(count - 1)));
            const auto turn = [&](std::size_t a, std::size_t b) {
                const auto at = order.begin();
                if (a < b) std::rotate(at + a, at + a + 1, at + b + 1);
                else std::rotate(at + b, at + a, at + a + 1);
            };
            turn(from, to);
            const double then = price(order, first, last, change);
            const double heat = HEAT * (1.0 - done / moves);
            if (then <= now || std::log(then / now) < -heat * std::log(draw())) {
                now = then;
                if (now < found.operations) found.operations = now, found.groups = order;
            } else {
                turn(to, from);
            }
        }
    }

    // The groups by the places of their first rows.
    Order ranked(const int *rank) const {
        Order order;
        std::vector<int> place(groups.size());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const auto &rows = groups[g].rows;
            place[g] = rank[*std::min_element(
                rows.begin(), rows.end(), [&](int a, int b) { return rank[a] < rank[b]; })];
        }
        order.groups.resize(groups.size());
        std::iota(order.groups.begin(), order.groups.end(), 0);
        std::stable_sort(order.groups.begin(), order.groups.begin() + std::ptrdiff_t(movable),
                         [&](int a, int b) { return place[a] < place[b]; });
        std::vector<int> first(groups_of.size()), last(groups_of.size()), change(groups.size() + 1);
        order.operations = price(order.groups, first, last, change);
        return order;
    }

    // Each time the group that leaves least open; ties by chance.
    Order greedy(int attempt, double most_operations) const {
        Order order;
        order.operations = 0.0;
        const double entry_price = attempt % 2 ? 1.0 : attempt % 4 ? 0.25 : 0.02;
        const double whim = attempt < FEW_TRIES || attempt % 2 ? 1e-3 : 1.0;
        std::vector<int> left(groups_of.size());
        std::vector<char> open(groups_of.size(), 0), done(groups.size(), 0);
        std::vector<double> enter(groups.size(), 0.0), leave(groups.size(), 0.0);
        for (std::size_t g = 0; g < groups.size(); ++g)
            enter[g] = double(groups[g].nodes.size());
        for (std::size_t node = 0; node < groups_of.size(); ++node) {
            left[node] = int(groups_of[node].size());
            if (left[node] == 1) leave[groups_of[node][0]] += 1.0;
        }
        std::vector<int> remaining(movable);
        std::iota(remaining.begin(), remaining.end(), 0);
        std::uint64_t random = 0x9e3779b97f4a7c15ull * std::uint64_t(attempt + 1);
        int now_open = 0;
        while (order.groups.size() < groups.size()) {
            if (remaining.empty()) remaining.push_back(int(movable));
            std::size_t best = 0;
            double least = INFINITY;
            for (std::size_t i = 0; i < remaining.size(); ++i) {
                const int g = remaining[i];
                random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                const double tie = whim * double(random >> 40) * 0x1p-24;
                const double price =
                    (enter[g] < 1e-9 ? -1e3 - leave[g] : enter[g] - leave[g] + entry_price * enter[g]) +
                    tie;
                if (price < least) least = price, best = i;
            }
            const int chosen = remaining[best];
            remaining[best] = remaining.back();
            remaining.pop_back();
            const RowGroup &g = groups[chosen];
            done[chosen] = 1;
            for (int node : g.nodes) {
                if (open[node]) continue;
                open[node] = 1;
                ++now_open;
                for (int other : groups_of[node]) enter[other] -= 1.0;
            }
            if (now_open > WIDEST) return {};
            order.groups.push_back(chosen);
            order.operations += std::ldexp(g.work, now_open);
            if (order.operations > most_operations) return {};
            for (int node : g.nodes) {
                --left[node];
                if (left[node] == 0) --now_open;
                if (left[node] != 1) continue;
                for (int other : groups_of[node])
                    if (!done[other]) leave[other] += 1.0;
            }
        }
        return order;
    }
};

// Writes the steps of one component for a chosen order of its rows.
class Writer {
  public:
    Writer(const Coupled &p, FrontierPlan &plan, Part &part, const std::vector<int> &rows,
           const std::vector<std::vector<int>> &listeners_of_risk)
        : p(p), plan(plan), part(part), rows(rows), listeners_of_risk(listeners_of_risk),
          first(p.risks, -1), last(p.risks, -1), first_finding(p.columns, -1),
          last_finding(p.columns, -1) {}

    // `tail`: the first of the rows that are visited last; all they need is open from there on.
    void write(std::size_t tail) {
        part.tail = tail;
        find_lives();
        listen();
        for (std::size_t t = 0; t < rows.size(); ++t) write_step(int(t));
    }

  private:
    const Coupled &p;
    FrontierPlan &plan;
    Part &part;
    const std::vector<int> &rows;
    const std::vector<std::vector<int>> &listeners_of_risk;
    std::vector<int> first, last;                  // [risk] steps of rows it acts on
    std::vector<int> first_finding, last_finding;  // [column]
    std::vector<int> findings, bits;               // now open

    void find_lives() {
        for (std::size_t t = 0; t < rows.size(); ++t) {
            const std::size_t k = rows[t];
            for (int e : plan.edges_of_row[k]) {
                const std::size_t j = p.edge_risk[e];
                if (first[j] < 0) first[j] = int(t);
                last[j] = int(t);
            }
            for (std::size_t s = 0; s < p.columns; ++s)
                if (plan.in_lattice[s] && p.acts[k * p.columns + s] > 0.0) {
                    if (first_finding[s] < 0) first_finding[s] = int(t);
                    last_finding[s] = int(t);
                }
        }
        const int begin = int(part.tail), end = int(rows.size()) - 1;
        const auto keep_open = [&](int &opens, int &closes) {
            if (closes < begin) return;
            opens = std::min(opens, begin);
            closes = end;
        };
        for (std::size_t j = 0; j < p.risks; ++j) keep_open(first[j], last[j]);
        for (std::size_t s = 0; s < p.columns; ++s) keep_open(first_finding[s], last_finding[s]);
    }

    // When each listener hears what, and the extra work of carrying its tilted table.
    void listen() {
        std::vector<std::pair<int, int>> heard;  // listener, edge
        for (std::size_t j = 0; j < p.risks; ++j)
            if (first[j] >= 0)
                for (int e : listeners_of_risk[j]) heard.push_back({int(p.edge_row[e]), e});
        std::sort(heard.begin(), heard.end());
        for (std::size_t i = 0; i < heard.size();) {
            Listening one{heard[i].first, {}, 0, int(rows.size())};
            for (; i < heard.size() && heard[i].first == one.row; ++i) {
                const std::size_t e = heard[i].second;
                const int j = int(p.edge_risk[e]);
                one.voices.push_back({j, p.edge_fails[e], first[j], last[j]});
                one.begin = std::max(one.begin, first[j]);
                one.end = std::min(one.end, last[j]);
            }
            if (one.end >= one.begin) one.end = one.begin;
            part.listening.push_back(std::move(one));
        }
    }

    void write_step(int t) {
        Step step;
        const std::size_t k = rows[t];
        step.row = int(k);
        for (std::size_t s = 0; s < p.columns; ++s) {
            step.links += plan.in_lattice[s] && p.acts[k * p.columns + s] > 0.0;
            if (first_finding[s] != t) continue;
            step.before.push_back({Event::open_finding, int(findings.size()), int(s)});
            findings.push_back(int(s));
        }
        for (std::size_t j = 0; j < p.risks; ++j) {
            if (!plan.open[j] || first[j] != t) continue;
            step.before.push_back({Event::open_risk, int(findings.size() + bits.size()), int(j)});
            bits.push_back(int(j));
        }
        step.findings = findings;
        step.risks = bits;
        for (std::size_t b = bits.size(); b-- > 0;)
            if (last[bits[b]] <= t) {
                step.after.push_back({Event::close_risk, int(findings.size() + b), bits[b]});
                bits.erase(bits.begin() + b);
            }
        for (std::size_t b = findings.size(); b-- > 0;)
            if (last_finding[findings[b]] <= t) {
                step.after.push_back({Event::close_finding, int(b), findings[b]});
                findings.erase(findings.begin() + b);
            }
        const double cells = step.cells();
        plan.width = std::max(plan.width, int(step.findings.size() + step.risks.size()));
        part.cells += cells;
        part.largest = std::max(part.largest, cells);
        part.operations += cells * work_of(step.links);
        part.steps.push_back(std::move(step));
        for (const Listening &one : part.listening)
            if (t <= one.begin && t > one.end) part.operations += cells * (1.5 * part.steps.back().links + 2.0);
    }

};

// Rows and findings of each component; connected by findings and by open risk factors.
struct Components {
    std::vector<std::vector<int>> rows, columns;
};

Components connect(const Coupled &p, const FrontierPlan &plan) {
    Union together(p.rows + p.columns + p.risks);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        for (std::size_t s = 0; s < p.columns; ++s)
            if (plan.in_lattice[s] && p.acts[k * p.columns + s] > 0.0)
                together.join(int(k), int(p.rows + s));
        for (int e : plan.edges_of_row[k])
            if (plan.open[p.edge_risk[e]])
                together.join(int(k), int(p.rows + p.columns + p.edge_risk[e]));
    }
    Components found;
    std::vector<int> label(p.rows + p.columns + p.risks, -1);
    const auto part_at = [&](int node) {
        int &mark = label[together.root(node)];
        if (mark < 0) {
            mark = int(found.rows.size());
            found.rows.emplace_back();
            found.columns.emplace_back();
        }
        return mark;
    };
    for (std::size_t k = 0; k < p.rows; ++k)
        if (p.reached[k]) found.rows[part_at(int(k))].push_back(int(k));
    for (std::size_t s = 0; s < p.columns; ++s)
        if (plan.in_lattice[s]) found.columns[part_at(int(p.rows + s))].push_back(int(s));
    return found;
}

std::vector<RowGroup> group_rows(const Coupled &p, const FrontierPlan &plan,
                                 const std::vector<int> &rows, const std::vector<int> &columns) {
    const std::size_t words = (p.columns + p.risks + 63) / 64;
    std::vector<std::pair<Words, int>> keyed;
    for (int k : rows) {
        Words key(words, 0);
        const auto mark = [&](std::size_t bit) { key[bit / 64] |= 1ull << (bit % 64); };
        for (int s : columns)
            if (p.acts[std::size_t(k) * p.columns + s] > 0.0) mark(s);
        for (int e : plan.edges_of_row[k])
            if (plan.open[p.edge_risk[e]]) mark(p.columns + p.edge_risk[e]);
        keyed.push_back({std::move(key), k});
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<RowGroup> groups;
    for (auto &[key, k] : keyed) {
        if (groups.empty() || groups.back().key != key) {
            groups.push_back({key, {}, {}, 0.0});
            for (std::size_t w = 0; w < words; ++w)
                for (std::uint64_t left = key[w]; left; left &= left - 1)
                    groups.back().nodes.push_back(int(64 * w) + __builtin_ctzll(left));
        }
        RowGroup &g = groups.back();
        g.rows.push_back(k);
        g.work += work_of(double(std::count_if(g.nodes.begin(), g.nodes.end(),
                                               [&](int node) { return node < int(p.columns); })));
    }
    return groups;
}

// Several groups as one, visited one after the other with all that they need open.
RowGroup merged(const std::vector<RowGroup> &groups) {
    RowGroup all;
    for (const RowGroup &g : groups) {
        all.nodes.insert(all.nodes.end(), g.nodes.begin(), g.nodes.end());
        all.rows.insert(all.rows.end(), g.rows.begin(), g.rows.end());
        all.work += g.work;
    }
    std::sort(all.nodes.begin(), all.nodes.end());
    all.nodes.erase(std::unique(all.nodes.begin(), all.nodes.end()), all.nodes.end());
    return all;
}

}  // namespace

FrontierPlan plan_frontier(const Coupled &p, const FrontierLimits &limits) {
    FrontierPlan plan;
    plan.edges_of_row.resize(p.rows);
    std::vector<int> reach(p.risks, 0);
    std::vector<std::vector<int>> listeners_of_risk(p.risks);
    for (std::size_t e = 0; e < p.edges; ++e) {
        const int j = int(p.edge_risk[e]);
        plan.edges_of_row[p.edge_row[e]].push_back(int(e));
        if (p.reached[p.edge_row[e]]) ++reach[j];
        else listeners_of_risk[j].push_back(int(e));
    }
    plan.heard.assign(p.risks, 0);
    plan.open.assign(p.risks, 0);
    for (std::size_t j = 0; j < p.risks; ++j) {
        plan.heard[j] = reach[j] > 0;
        plan.open[j] = reach[j] > 1;
    }
    plan.in_lattice.resize(p.columns);
    for (std::size_t s = 0; s < p.columns; ++s) plan.in_lattice[s] = p.leak_fails[s] > 0.0;

    const Components components = connect(p, plan);
    for (std::size_t c = 0; c < components.rows.size(); ++c) {
        Part part;
        if (components.rows[c].empty()) {
            part.lone = components.columns[c];
            plan.parts.push_back(std::move(part));
            continue;
        }
        std::vector<int> early, tail;
        for (int k : components.rows[c]) (limits.last && limits.last[k] ? tail : early).push_back(k);
        if (limits.last && tail.empty()) continue;
        std::vector<RowGroup> groups = group_rows(p, plan, early, components.columns[c]);
        if (!tail.empty()) groups.push_back(merged(group_rows(p, plan, tail, components.columns[c])));
        const Search search(std::move(groups), p.columns + p.risks, !tail.empty());
        const Order order = search.best(limits.operations - plan.operations, limits.tries, limits.times, limits.rank);
        if (order.operations == INFINITY) {
            plan.operations = INFINITY;
            return plan;
        }
        if (limits.only_price) {
            plan.operations += order.operations;
            continue;
        }
        std::vector<int> rows;
        for (int g : order.groups)
            rows.insert(rows.end(), search.groups[g].rows.begin(), search.groups[g].rows.end());
        Writer(p, plan, part, rows, listeners_of_risk).write(early.size());
        plan.operations += part.operations;
        const double kept = std::min(part.cells, 2.0 * std::sqrt(part.cells * part.largest));
        plan.bytes = std::max(
            plan.bytes, 8.0 * (kept + (6.0 + double(part.listening.size())) * part.largest));
        plan.parts.push_back(std::move(part));
        if (plan.operations > limits.operations) return plan;
    }
    plan.fits = plan.bytes <= limits.bytes;
    return plan;
}

std::vector<char> strongest(const Coupled &p, const double *importance, double most_operations,
                            const Stopwatch &watch) {
    std::vector<int> order(p.edges);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return importance[a] > importance[b]; });
    std::vector<char> keep(p.edges, 0);
    std::vector<long long> risk, row;
    std::vector<double> acts, fails;
    std::size_t least = 0, most = p.edges, count = p.edges;  // all of them first
    while (least + p.edges / 32 < most && !watch.expired()) {
        std::fill(keep.begin(), keep.end(), 0);
        for (std::size_t i = 0; i < count; ++i) keep[order[i]] = 1;
        risk.clear(), row.clear(), acts.clear(), fails.clear();
        for (std::size_t e = 0; e < p.edges; ++e) {
            if (!keep[e]) continue;
            risk.push_back(p.edge_risk[e]);
            row.push_back(p.edge_row[e]);
            acts.push_back(p.edge_acts[e]);
            fails.push_back(p.edge_fails[e]);
        }
        Coupled part = p;
        part.edges = count;
        part.edge_risk = risk.data();
        part.edge_row = row.data();
        part.edge_acts = acts.data();
        part.edge_fails = fails.data();
        if (plan_frontier(part, {most_operations, INFINITY, 1, true}).fits) least = count;
        else most = count - 1;
        count = (least + most + 1) / 2;
    }
    std::fill(keep.begin(), keep.end(), 0);
    for (std::size_t i = 0; i < least; ++i) keep[order[i]] = 1;
    return keep;
}

}  // namespace hickam::coupled
