// Tables over a few variables, and how they are multiplied and summed.
#pragma once
#include "sums_order.hpp"

#include <cstddef>
#include <vector>

namespace hickam::sums {

// A table that somebody else holds: one axis a variable of the scope, the last one fastest.
struct Table {
    const Scope *scope;
    const double *numbers;
};

// The axes of a table seen from those of a clique: neighbours that are walked alike are one axis.
struct Axes {
    std::vector<std::size_t> length, stride;
};

inline Axes seen_from(const Scope &clique, const Scope &scope,
                      const std::vector<std::size_t> &sizes) {
    Axes axes;
    std::vector<std::size_t> stride(clique.size(), 0);
    std::size_t step = 1;
    for (std::size_t axis = scope.size(); axis-- > 0;) {
        for (std::size_t place = 0; place < clique.size(); ++place)
            if (clique[place] == scope[axis]) stride[place] = step;
        step *= sizes[scope[axis]];
    }
    for (std::size_t place = 0; place < clique.size(); ++place) {
        const std::size_t length = sizes[clique[place]];
        if (!axes.length.empty() && axes.stride.back() == stride[place] * length) {
            axes.length.back() *= length;
            axes.stride.back() = stride[place];
        } else {
            axes.length.push_back(length);
            axes.stride.push_back(stride[place]);
        }
    }
    if (axes.length.empty()) axes = {{1}, {0}};
    return axes;
}

// Calls visit(first cell of the clique, first cell of the table, length, stride) for every run
// along the last axis.
template <typename Visit> void walk(const Axes &axes, Visit visit) {
    const std::size_t outer = axes.length.size() - 1;
    const std::size_t length = axes.length[outer], stride = axes.stride[outer];
    std::vector<std::size_t> at(outer, 0);
    std::size_t here = 0, there = 0;
    while (true) {
        visit(here, there, length, stride);
        here += length;
        std::size_t axis = outer;
        for (; axis-- > 0;) {
            there += axes.stride[axis];
            if (++at[axis] < axes.length[axis]) break;
            there -= axes.stride[axis] * axes.length[axis];
            at[axis] = 0;
        }
        if (axis == std::size_t(-1)) return;
    }
}

inline std::size_t cells_of(const Scope &scope, const std::vector<std::size_t> &sizes) {
    std::size_t cells = 1;
    for (const int variable : scope) cells *= sizes[variable];
    return cells;
}

// The product of the tables over the clique.
inline std::vector<double> multiplied(const std::vector<Table> &tables, const Scope &clique,
                                      const std::vector<std::size_t> &sizes) {
    std::vector<double> product(cells_of(clique, sizes), 1.0);
    for (const Table &table : tables)
        walk(seen_from(clique, *table.scope, sizes),
             [&](std::size_t here, std::size_t there, std::size_t length, std::size_t stride) {
                 double *out = product.data() + here;
                 const double *in = table.numbers + there;
                 if (stride == 1) {
#pragma omp simd
                     for (std::size_t i = 0; i < length; ++i) out[i] *= in[i];
                 } else {
                     for (std::size_t i = 0; i < length; ++i) out[i] *= in[i * stride];
                 }
             });
    return product;
}

// A table over the clique summed to what is left of it.
inline std::vector<double> summed_to(const Scope &left, const std::vector<double> &table,
                                     const Scope &clique,
                                     const std::vector<std::size_t> &sizes) {
    std::vector<double> sum(cells_of(left, sizes), 0.0);
    walk(seen_from(clique, left, sizes),
         [&](std::size_t here, std::size_t there, std::size_t length, std::size_t stride) {
             const double *in = table.data() + here;
             double *out = sum.data() + there;
             if (stride == 1) {
#pragma omp simd
                 for (std::size_t i = 0; i < length; ++i) out[i] += in[i];
             } else {
                 for (std::size_t i = 0; i < length; ++i) out[i * stride] += in[i];
             }
         });
    return sum;
}

}  // namespace hickam::sums
