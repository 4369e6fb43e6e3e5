// Tables over bits, as the frontier and the expansion carry them: [risk factors, findings], the
// findings' bits lowest.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace hickam::coupled {

using Table = std::vector<double>;

constexpr double LOW = 0x1p-60, HIGH = 0x1p60;  // a table's largest entry is kept within

// A new bit: the lower half is first * table, the upper half second * table.
inline void split(Table &table, int bit, double first, double second, Table &spare) {
    const std::size_t half = std::size_t(1) << bit;
    spare.resize(2 * table.size());
    for (std::size_t base = 0; base < table.size(); base += half) {
        const double *from = table.data() + base;
        double *low = spare.data() + 2 * base, *high = low + half;
        for (std::size_t i = 0; i < half; ++i) {
            low[i] = first * from[i];
            high[i] = second * from[i];
        }
    }
    table.swap(spare);
}

// One bit less: first * lower half + second * upper half.
inline void fold(Table &table, int bit, double first, double second) {
    const std::size_t half = std::size_t(1) << bit;
    for (std::size_t base = 0; base < table.size(); base += 2 * half) {
        const double *low = table.data() + base, *high = low + half;
        double *to = table.data() + base / 2;
        for (std::size_t i = 0; i < half; ++i) to[i] = first * low[i] + second * high[i];
    }
    table.resize(table.size() / 2);
}

// Brings the largest entry near 1 if it is far from it; the exponent that was divided out.
inline int rescale(Table &table) {
    double most = 0.0;
#pragma omp simd reduction(max : most)
    for (std::size_t i = 0; i < table.size(); ++i) most = std::max(most, std::abs(table[i]));
    if (!(most > 0.0) || (most > LOW && most < HIGH)) return 0;
    int exponent;
    std::frexp(most, &exponent);
    const double by = std::ldexp(1.0, -exponent);
    for (double &value : table) value *= by;
    return exponent;
}

}  // namespace hickam::coupled
