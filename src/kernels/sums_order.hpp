// In which order the variables of a product of tables are summed out, and what that costs.
#pragma once
#include <cstddef>
#include <vector>

namespace hickam::sums {

using Scope = std::vector<int>;

struct Order {
    std::vector<int> variable;   // [step]
    std::vector<int> step;       // [variable]
    std::vector<Scope> cliques;  // [step] the scope of the step, in the order of elimination
    double cells = 0.0;          // numbers held in all cliques together
    double widest = 1.0;         // numbers in the largest clique
};

// The cheaper of two greedy rules, smallest clique and fewest fill-ins; the second is only tried
// where it may save more than it takes. Ties go to the lower variable.
Order cheapest_order(const std::vector<Scope> &scopes, const std::vector<std::size_t> &sizes);

}  // namespace hickam::sums
