// What rounding takes away from a product. Compile with -ffp-contract=off.
#pragma once
#include <cmath>

namespace hickam {

#if defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMA)
inline double product_error(double a, double b, double p) { return std::fma(a, b, -p); }
#else
// Without the instruction std::fma is a slow call: halves of 26 bits multiply exactly (Dekker).
template <class T> inline __attribute__((always_inline)) T dekker_error(T a, T b, T p) {
    const T up = T{} + 0x1p27 + 1.0;
    const T a_big = up * a - (up * a - a), b_big = up * b - (up * b - b);
    const T a_small = a - a_big, b_small = b - b_big, product = a * b;
    const T error = a_small * b_small -
                    (((product - a_big * b_big) - a_small * b_big) - a_big * b_small);
    return (product - p) + error;
}
// a * b - p without rounding in between, for p near the product.
inline double product_error(double a, double b, double p) { return dekker_error(a, b, p); }
#endif

}  // namespace hickam
