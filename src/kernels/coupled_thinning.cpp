#include "coupled_thinning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace hickam::coupled {
namespace {

// Shares of the operations that the links in the first order may take, orders that are tried for
// each number of them and in the end, and rounds in which rows move and findings stay open longer.
constexpr double BEGIN[] = {0.02, 0.1, 0.3};
constexpr int BRIEF = 3, TRIES = 24, ROUNDS = 3;
constexpr double WIDEST = 40.0;  // findings open at once, beyond which nothing is compared

double work_of(double links) { return 4.0 * links + 6.0; }

class Search {
  public:
    Search(const double *importance, std::size_t rows, std::size_t columns)
        : importance(importance), rows(rows), columns(columns), links(rows) {
        for (std::size_t k = 0; k < rows; ++k)
            for (std::size_t s = 0; s < columns; ++s)
                if (importance[k * columns + s] > 0.0) {
                    links[k].push_back(int(s));
                    values.push_back(importance[k * columns + s]);
                }
        std::sort(values.begin(), values.end(), std::greater<>());
    }

    std::size_t count() const { return values.size(); }

    Thinning best(double most_operations, const Stopwatch &watch) {
        Thinning found;
        found.lost = INFINITY;
        for (double begin : BEGIN) {
            if (watch.expired() && found.lost < INFINITY) break;
            start(begin * most_operations);
            for (int round = 0; round < ROUNDS; ++round) {
                settle();
                prolong(most_operations);
            }
            settle();
            Thinning one = told();
            if (one.lost < found.lost) found = std::move(one);
        }
        return found;
    }

  private:
    const double *importance;
    const std::size_t rows, columns;
    std::vector<std::vector<int>> links;  // [row]
    std::vector<double> values;           // of all links, the largest first
    std::vector<int> slot;                // [row] when it is visited
    std::vector<int> first, last;         // [column] slots between which it is open

    double value(std::size_t k, int s) const { return importance[k * columns + std::size_t(s)]; }
    bool inside(std::size_t k, int s) const { return slot[k] >= first[s] && slot[k] <= last[s]; }

    // An order for as many of the most important links as take so many operations.
    void start(double most) {
        std::size_t least = 0, above = values.size() + 1;
        while (least + 1 < above) {
            const std::size_t middle = (least + above) / 2;
            if (arrange(middle, BRIEF, most) <= most) least = middle;
            else above = middle;
        }
        arrange(least, TRIES, most);
    }

    // Puts the rows in the best order found for the so many most important links; its operations.
    double arrange(std::size_t count, int tries, double enough) {
        const double bar = count == 0 ? INFINITY : values[count - 1];
        std::vector<std::vector<int>> kept(rows), causes(columns);
        for (std::size_t k = 0; k < rows; ++k)
            for (int s : links[k])
                if (value(k, s) >= bar) kept[k].push_back(s), causes[s].push_back(int(k));
        double best = INFINITY;
        std::vector<int> order;
        for (int attempt = 0; attempt < tries; ++attempt) {
            std::vector<int> one;
            const double price = greedy(kept, causes, attempt, best, one);
            if (price < best) best = price, order = std::move(one);
            if (tries == BRIEF && best <= enough) break;
        }
        if (order.empty()) return INFINITY;
        slot.assign(rows, 0);
        for (std::size_t t = 0; t < rows; ++t) slot[order[t]] = int(t);
        first.assign(columns, int(rows));
        last.assign(columns, -1);
        for (std::size_t k = 0; k < rows; ++k)
            for (int s : kept[k]) {
                first[s] = std::min(first[s], slot[k]);
                last[s] = std::max(last[s], slot[k]);
            }
        return best;
    }

    // Each time the row that opens least and closes most; ties by chance.
    double greedy(const std::vector<std::vector<int>> &kept, const std::vector<std::vector<int>> &causes,
                  int attempt, double most, std::vector<int> &order) const {
        const double entry = attempt % 3 == 0 ? 1.0 : attempt % 3 == 1 ? 0.25 : 0.02;
        const double whim = attempt < 3 ? 1e-3 : 1.0;
        std::vector<int> left(columns), enter(rows), leave(rows, 0);
        std::vector<char> open(columns, 0), done(rows, 0);
        for (std::size_t k = 0; k < rows; ++k) enter[k] = int(kept[k].size());
        for (std::size_t s = 0; s < columns; ++s) {
            left[s] = int(causes[s].size());
            if (left[s] == 1) ++leave[causes[s][0]];
        }
        std::uint64_t random = 0x9e3779b97f4a7c15ull * std::uint64_t(attempt + 1);
        std::vector<int> waiting(rows);
        std::iota(waiting.begin(), waiting.end(), 0);
        double price = 0.0;
        int width = 0;
        while (!waiting.empty()) {
            std::size_t best = 0;
            double least = INFINITY;
            for (std::size_t i = 0; i < waiting.size(); ++i) {
                const int k = waiting[i];
                random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                const double tie = whim * double(random >> 40) * 0x1p-24;
                const double cost = tie + (enter[k] == 0 ? -1e3 - leave[k]
                                                         : (1.0 + entry) * enter[k] - leave[k]);
                if (cost < least) least = cost, best = i;
            }
            const int k = waiting[best];
            waiting[best] = waiting.back();
            waiting.pop_back();
            done[k] = 1;
            order.push_back(k);
            for (int s : kept[k])
                if (!open[s]) {
                    open[s] = 1, ++width;
                    for (int other : causes[s]) --enter[other];
                }
            price += work_of(double(kept[k].size())) * std::exp2(std::min<double>(width, WIDEST));
            if (price > most) return INFINITY;
            for (int s : kept[k]) {
                if (--left[s] == 0) --width;
                if (left[s] != 1) continue;
                for (int other : causes[s])
                    if (!done[other]) ++leave[other];
            }
        }
        return price;
    }

    // Puts every row where most of what it may cause is open, and lets findings be open no longer than
    // they are asked for.
    void settle() {
        std::vector<double> gain(rows + 1);
        for (std::size_t k = 0; k < rows; ++k) {
            if (links[k].empty()) continue;
            std::fill(gain.begin(), gain.end(), 0.0);
            for (int s : links[k]) {
                if (first[s] > last[s]) continue;
                gain[first[s]] += value(k, s);
                gain[last[s] + 1] -= value(k, s);
            }
            std::partial_sum(gain.begin(), gain.end(), gain.begin());
            const auto best = std::max_element(gain.begin(), gain.end() - 1);
            if (gain[slot[k]] < *best * (1.0 - 1e-9)) slot[k] = int(best - gain.begin());
        }
        std::vector<int> from(columns, int(rows)), to(columns, -1);
        for (std::size_t k = 0; k < rows; ++k)
            for (int s : links[k])
                if (inside(k, s)) {
                    from[s] = std::min(from[s], slot[k]);
                    to[s] = std::max(to[s], slot[k]);
                }
        first = std::move(from);
        last = std::move(to);
    }

    // [slot] operations while no finding is open, and how many are open.
    void measure(std::vector<double> &work, std::vector<int> &open) const {
        work.assign(rows, 0.0);
        open.assign(rows, 0);
        for (std::size_t k = 0; k < rows; ++k) {
            double count = 0.0;
            for (int s : links[k]) count += inside(k, s);
            work[slot[k]] += work_of(count);
        }
        for (std::size_t s = 0; s < columns; ++s)
            for (int t = first[s]; t <= last[s]; ++t) ++open[t];
    }

    // Lets findings be open for the most important links that are cut, while that can be afforded.
    void prolong(double most) {
        struct Outside {
            double value;
            int row, column;
        };
        std::vector<Outside> outside;
        for (std::size_t k = 0; k < rows; ++k)
            for (int s : links[k])
                if (!inside(k, s)) outside.push_back({value(k, s), int(k), s});
        std::sort(outside.begin(), outside.end(), [](const Outside &a, const Outside &b) {
            return a.value != b.value ? a.value > b.value
                                      : a.row != b.row ? a.row < b.row : a.column < b.column;
        });
        std::vector<double> work;
        std::vector<int> open;
        measure(work, open);
        double now = 0.0;
        for (std::size_t t = 0; t < rows; ++t) now += work[t] * std::exp2(double(open[t]));
        for (const Outside &one : outside) {
            const int s = one.column, t = slot[one.row];
            if (inside(one.row, s)) continue;
            const bool none = first[s] > last[s];
            const int from = none ? t : std::min(first[s], t), to = none ? t : std::max(last[s], t);
            double more = 0.0;
            for (int u = from; u <= to && now + more <= most; ++u)
                if (none || u < first[s] || u > last[s])
                    more += (work[u] + 4.0) * std::exp2(double(open[u]));
            if (now + more > most) continue;
            now += more;
            for (int u = from; u <= to; ++u)
                if (none || u < first[s] || u > last[s]) ++open[u];
            first[s] = from, last[s] = to;
        }
    }

    Thinning told() const {
        Thinning found;
        found.kept.assign(rows * columns, 0);
        for (std::size_t k = 0; k < rows; ++k)
            for (int s : links[k])
                if (inside(k, s)) found.kept[k * columns + std::size_t(s)] = 1;
                else found.lost += value(k, s);
        found.order.resize(rows);
        std::iota(found.order.begin(), found.order.end(), 0);
        std::stable_sort(found.order.begin(), found.order.end(),
                         [&](int a, int b) { return slot[a] < slot[b]; });
        std::vector<double> work;
        std::vector<int> open;
        measure(work, open);
        for (std::size_t t = 0; t < rows; ++t)
            found.operations += work[t] * std::exp2(double(open[t]));
        return found;
    }
};

}  // namespace

Thinning thin_links(const double *importance, std::size_t rows, std::size_t columns,
                    double most_operations, const Stopwatch &watch) {
    return Search(importance, rows, columns).best(most_operations, watch);
}

}  // namespace hickam::coupled
