// Shared by the kernels for problems whose risk factors are settled.
#pragma once
#include "answer.hpp"

namespace hickam::settled {

constexpr std::size_t MOST_BITS = 30;  // findings that one lattice of subsets may have

// The dense problem as Python hands it over; rows are diseases, columns present findings.
struct Settled {
    std::size_t rows, columns;
    const double *off, *on;        // [row] weight of D = 0 and of D = 1
    const double *acts, *fails;    // [row, column]
    const double *leak, *leak_fails;  // [column]
};

// Connected components of rows and columns; a row without columns is in none (-1).
struct Components {
    std::size_t count;
    std::vector<int> of_row, of_column;
};
Components components(const Settled &, const std::vector<char> &column_used);

Answer cover(const Settled &, const Stopwatch &);

}  // namespace hickam::settled
