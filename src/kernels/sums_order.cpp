#include "sums_order.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <utility>

namespace hickam::sums {
namespace {

constexpr double WORTH_A_SECOND_TRY = 100'000.0;  // cells

using Price = std::pair<double, double>;

Scope without(const Scope &from, const Scope &what) {
    Scope left;
    std::set_difference(from.begin(), from.end(), what.begin(), what.end(),
                        std::back_inserter(left));
    return left;
}

Scope joined(const Scope &one, const Scope &other) {
    Scope all;
    std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(all));
    return all;
}

void drop(Scope &from, int variable) {
    const auto at = std::lower_bound(from.begin(), from.end(), variable);
    if (at != from.end() && *at == variable) from.erase(at);
}

// The variables that meet in a table, and those that will once others are summed out.
class Meetings {
  public:
    Meetings(const std::vector<Scope> &scopes, const std::vector<std::size_t> &sizes)
        : sizes(sizes), near(sizes.size()), spaces(sizes.size()) {
        for (const Scope &scope : scopes)
            for (const int variable : scope)
                near[variable].insert(near[variable].end(), scope.begin(), scope.end());
        for (std::size_t variable = 0; variable < near.size(); ++variable) {
            Scope &around = near[variable];
            std::sort(around.begin(), around.end());
            around.erase(std::unique(around.begin(), around.end()), around.end());
            drop(around, int(variable));
            spaces[variable] = double(sizes[variable]) * product(around);
        }
    }

    const Scope &around(int variable) const { return near[variable]; }
    double space(int variable) const { return spaces[variable]; }
    double fill(int variable) const {
        double missing = 0.0;
        for (const int other : near[variable])
            missing += double(without(near[variable], near[other]).size()) - 1.0;
        return missing;
    }

    // Sums a variable out: those around it meet from now on.
    Scope remove(int variable) {
        const Scope around = std::move(near[variable]);
        near[variable].clear();
        for (const int other : around) {
            drop(near[other], variable);
            Scope fresh = without(around, near[other]);
            drop(fresh, other);
            spaces[other] /= double(sizes[variable]);
            if (fresh.empty()) continue;
            spaces[other] *= product(fresh);
            near[other] = joined(near[other], fresh);
        }
        return around;
    }

  private:
    double product(const Scope &scope) const {
        double cells = 1.0;
        for (const int variable : scope) cells *= double(sizes[variable]);
        return cells;
    }

    const std::vector<std::size_t> &sizes;
    std::vector<Scope> near;
    std::vector<double> spaces;  // numbers in the clique of each variable, kept up to date
};

Order greedy(const std::vector<Scope> &scopes, const std::vector<std::size_t> &sizes,
             bool by_fill) {
    Meetings meetings(scopes, sizes);
    const auto price_of = [&](int variable) {
        return by_fill ? Price{meetings.fill(variable), meetings.space(variable)}
                       : Price{meetings.space(variable), 0.0};
    };
    using Offer = std::pair<Price, int>;
    std::priority_queue<Offer, std::vector<Offer>, std::greater<Offer>> waiting;
    std::vector<Price> left(sizes.size());
    std::vector<bool> gone(sizes.size(), false);
    for (std::size_t variable = 0; variable < sizes.size(); ++variable) {
        left[variable] = price_of(int(variable));
        waiting.emplace(left[variable], int(variable));
    }
    Order order;
    order.step.assign(sizes.size(), 0);
    while (!waiting.empty()) {
        const auto [price, best] = waiting.top();
        waiting.pop();
        if (gone[best] || left[best] != price) continue;  // it has another price by now, or is gone
        gone[best] = true;
        const double space = meetings.space(best);
        order.cells += space;
        order.widest = std::max(order.widest, space);
        order.step[best] = int(order.variable.size());
        order.variable.push_back(best);
        Scope around = meetings.remove(best);
        Scope touched = around;
        if (by_fill)
            for (const int variable : around) touched = joined(touched, meetings.around(variable));
        for (const int variable : touched) {
            const Price now = price_of(variable);
            if (now == left[variable]) continue;
            left[variable] = now;
            waiting.emplace(now, variable);
        }
        around.insert(around.begin(), best);
        order.cliques.push_back(std::move(around));
    }
    for (Scope &clique : order.cliques)
        std::sort(clique.begin(), clique.end(),
                  [&](int one, int other) { return order.step[one] < order.step[other]; });
    return order;
}

}  // namespace

Order cheapest_order(const std::vector<Scope> &scopes, const std::vector<std::size_t> &sizes) {
    Order small = greedy(scopes, sizes, false);
    if (small.cells <= WORTH_A_SECOND_TRY) return small;
    Order few = greedy(scopes, sizes, true);
    return few.cells < small.cells ? few : small;
}

}  // namespace hickam::sums
