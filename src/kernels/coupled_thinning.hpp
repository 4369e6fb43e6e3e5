// Which links between diseases and findings the frontier can afford.
//
// A finding is open from the first row with a link to it that is kept to the last. Rows whose links
// matter are put in an order in which little is open; every other row goes where most of what it may
// cause is open anyway; then findings stay open longer, for the links that matter most, as far as the
// operations go. What is left outside is cut.
#pragma once
#include "answer.hpp"

#include <cstddef>
#include <vector>

namespace hickam::coupled {

struct Thinning {
    std::vector<char> kept;   // [row, column]
    std::vector<int> order;   // in which the rows are visited
    double lost = 0.0;        // importance of the links that are cut
    double operations = 0.0;  // of the frontier, as predicted here
};

// [row, column] importance: above 0 where there is a link.
Thinning thin_links(const double *importance, std::size_t rows, std::size_t columns,
                    double most_operations, const Stopwatch &);

}  // namespace hickam::coupled
