// Vectors of float64 and of double-double numbers (an unevaluated sum hi + lo, 106 bits).
// Every operation must be rounded once: compile with -ffp-contract=off.
#pragma once
#include "exact_product.hpp"

#include <cstdint>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace hickam {

// As many lanes as a register holds.
#ifdef __AVX__
constexpr int LANE_BITS = 2;
#else
constexpr int LANE_BITS = 1;
#endif
constexpr int LANES = 1 << LANE_BITS;
typedef double V __attribute__((vector_size(8 * LANES)));
typedef std::int64_t Mask __attribute__((vector_size(8 * LANES)));

inline V fill(double x) { return x - V{}; }  // subtracting 0 leaves even -0 as it is
inline V lanes_of(V x) { return x; }

inline V product_error(V a, V b, V p) {
#if defined(__AVX2__) && defined(__FMA__)
    return (V)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#elif defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMA)
    V e;
    for (int i = 0; i < LANES; ++i) e[i] = product_error(a[i], b[i], p[i]);
    return e;
#else
    return dekker_error(a, b, p);
#endif
}

// A double-double scalar, for tables that do not depend on the subset of findings.
struct Num {
    double hi = 0.0, lo = 0.0;
};

inline Num two_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}
inline Num operator*(Num a, Num b) {
    const double p = a.hi * b.hi;
    const double e = product_error(a.hi, b.hi, p) + (a.hi * b.lo + a.lo * b.hi);
    const double s = p + e;
    return {s, e - (s - p)};
}
inline Num operator+(Num a, Num b) {
    Num s = two_sum(a.hi, b.hi);
    const Num t = two_sum(a.lo, b.lo);
    s.lo += t.hi;
    double h = s.hi + s.lo;
    s = {h, s.lo - (h - s.hi)};
    s.lo += t.lo;
    h = s.hi + s.lo;
    return {h, s.lo - (h - s.hi)};
}
inline Num operator-(Num a, Num b) { return a + Num{-b.hi, -b.lo}; }

// 1 - x, exactly, from whichever of x and its complement holds more digits.
inline Num complement(double x, double rest) { return x < 0.5 ? two_sum(1.0, -x) : Num{rest, 0.0}; }

// a b + c, of vectors of float64 rounded once where the processor can.
inline V multiply_add(V a, V b, V c) {
#if defined(__AVX2__) && defined(__FMA__)
    return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

struct DD {
    V hi, lo;
};

inline DD quick(V a, V b) {  // |a| >= |b|
    const V s = a + b;
    return {s, b - (s - a)};
}
inline DD two_sum(V a, V b) {
    const V s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}
// A product whose two parts may overlap by the roundings of a chain of such products; any other
// operation puts them in order again.
inline V loosely(V a, V b) { return a * b; }
inline DD loosely(DD a, DD b) {
    const V p = a.hi * b.hi, e = product_error(a.hi, b.hi, p);
    return {p, multiply_add(a.hi, b.lo, multiply_add(a.lo, b.hi, e))};
}
inline DD operator*(DD a, DD b) {
    const DD p = loosely(a, b);
    return quick(p.hi, p.lo);
}
inline DD operator+(DD a, DD b) {  // error relative to |a| + |b|
    const DD s = two_sum(a.hi, b.hi);
    return quick(s.hi, s.lo + (a.lo + b.lo));
}
inline DD operator-(DD a) { return {-a.hi, -a.lo}; }
inline DD operator-(DD a, DD b) { return a + (-b); }
inline DD operator/(DD a, DD b) {
    const V inverse = fill(1.0) / b.hi, q = a.hi * inverse;
    const V rest = (a.lo - q * b.lo) - product_error(q, b.hi, a.hi);
    return quick(q, rest * inverse);
}
inline DD &operator*=(DD &a, DD b) { return a = a * b; }

// 1 - x for x from 0 to 1, as loose as x.
inline V rest_of_one(V x) { return fill(1.0) - x; }
inline DD rest_of_one(DD x) {
    const V s = fill(1.0) - x.hi;
    return {s, ((fill(1.0) - s) - x.hi) - x.lo};
}
inline DD &operator+=(DD &a, DD b) { return a = a + b; }

inline DD multiply_add(DD a, DD b, DD c) { return a * b + c; }

inline V lanes_of(DD x) { return x.hi; }
inline DD exact(V x) { return {x, fill(0.0)}; }
inline DD exact(DD x) { return x; }

template <class T> T lift(Num x);
template <> inline V lift<V>(Num x) { return fill(x.hi); }
template <> inline DD lift<DD>(Num x) { return {fill(x.hi), fill(x.lo)}; }
template <class T> T narrow(DD x);
template <> inline V narrow<V>(DD x) { return x.hi; }
template <> inline DD narrow<DD>(DD x) { return x; }

inline V where(Mask m, V x, V otherwise) { return m ? x : otherwise; }
inline DD where(Mask m, DD x, DD otherwise) {
    return {where(m, x.hi, otherwise.hi), where(m, x.lo, otherwise.lo)};
}

inline V difference(V a, V b) { return a - b; }
inline V difference(DD a, DD b) { return (a.hi - b.hi) + (a.lo - b.lo); }

// a / b, and 0 where b is 0 (a branch that cannot happen).
template <class T> inline __attribute__((always_inline)) T ratio(T a, T b) {
    const Mask dead = lanes_of(b) == fill(0.0);
    const T zero = lift<T>({0.0, 0.0}), one = lift<T>({1.0, 0.0});
    return where(dead, zero, a / where(dead, one, b));
}

inline V magnitude(V x) { return x < fill(0.0) ? -x : x; }

}  // namespace hickam
