// Unevaluated sums of doubles: about 32 digits (Two) and 64 digits (Four).
// Compile with -ffp-contract=off: every operation must be rounded once.
#pragma once
#include "exact_product.hpp"

namespace hickam {

inline double two_sum(double a, double b, double &error) {
    const double sum = a + b, part = sum - a;
    error = (a - (sum - part)) + (b - part);
    return sum;
}

inline double quick_two_sum(double a, double b, double &error) {  // |a| >= |b|
    const double sum = a + b;
    error = b - (sum - a);
    return sum;
}

inline double two_product(double a, double b, double &error) {
    const double product = a * b;
    error = product_error(a, b, product);
    return product;
}

struct Two {
    double high = 0.0, low = 0.0;
    Two() = default;
    Two(double value) : high(value) {}
    Two(double high, double low) : high(high), low(low) {}
    explicit operator double() const { return high; }
    Two operator-() const { return {-high, -low}; }
};

inline Two operator+(const Two &a, const Two &b) {
    double e, f;
    double s = two_sum(a.high, b.high, e);
    double t = two_sum(a.low, b.low, f);
    e += t;
    s = quick_two_sum(s, e, e);
    e += f;
    s = quick_two_sum(s, e, e);
    return {s, e};
}

inline Two operator*(const Two &a, const Two &b) {
    double e;
    double p = two_product(a.high, b.high, e);
    e += a.high * b.low + a.low * b.high;
    p = quick_two_sum(p, e, e);
    return {p, e};
}

inline Two operator-(const Two &a, const Two &b) { return a + (-b); }

inline Two operator/(const Two &a, const Two &b) {
    const double first = a.high / b.high;
    Two rest = a - b * Two(first);
    const double second = rest.high / b.high;
    rest = rest - b * Two(second);
    double e;
    const double sum = quick_two_sum(first, second, e);
    return Two(sum, e) + Two(rest.high / b.high);
}

// Four components, after the published algorithms for quad-double arithmetic.
struct Four {
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    Four() = default;
    Four(double value) : part{value, 0.0, 0.0, 0.0} {}
    explicit operator double() const { return part[0] + part[1]; }
    Four operator-() const {
        Four result;
        for (int i = 0; i < 4; ++i) result.part[i] = -part[i];
        return result;
    }
};

inline Four renormalised(double a, double b, double c, double d, double e) {
    double s0, s1, s2, s3;
    s0 = quick_two_sum(d, e, e);
    s0 = quick_two_sum(c, s0, d);
    s0 = quick_two_sum(b, s0, c);
    a = quick_two_sum(a, s0, b);
    // now a, b, c, d, e with rounding pushed down; squeeze out zeros once
    s0 = quick_two_sum(a, b, s1);
    s1 = quick_two_sum(s1, c, s2);
    s2 = quick_two_sum(s2, d, s3);
    s3 += e;
    Four result;
    s0 = quick_two_sum(s0, s1, s1);
    s1 = quick_two_sum(s1, s2, s2);
    s2 = quick_two_sum(s2, s3, s3);
    result.part[0] = s0;
    result.part[1] = s1;
    result.part[2] = s2;
    result.part[3] = s3;
    return result;
}

inline void three_sum(double &a, double &b, double &c) {
    double t1, t2, t3;
    t1 = two_sum(a, b, t2);
    a = two_sum(c, t1, t3);
    b = two_sum(t2, t3, c);
}

inline Four operator+(const Four &x, const Four &y) {
    double s0, s1, s2, s3, t0, t1, t2, t3;
    s0 = two_sum(x.part[0], y.part[0], t0);
    s1 = two_sum(x.part[1], y.part[1], t1);
    s2 = two_sum(x.part[2], y.part[2], t2);
    s3 = two_sum(x.part[3], y.part[3], t3);
    s1 = two_sum(s1, t0, t0);
    three_sum(s2, t0, t1);
    double a = s3, b = t0, c = t2;
    three_sum(a, b, c);
    s3 = a;
    t0 = b;
    t0 = t0 + t1 + t3 + c;
    return renormalised(s0, s1, s2, s3, t0);
}

inline Four operator-(const Four &x, const Four &y) { return x + (-y); }

inline Four operator*(const Four &x, const Four &y) {
    const double *a = x.part, *b = y.part;
    double q00, q01, q10, q02, q11, q20;
    const double p00 = two_product(a[0], b[0], q00);
    double p01 = two_product(a[0], b[1], q01), p10 = two_product(a[1], b[0], q10);
    double p02 = two_product(a[0], b[2], q02), p11 = two_product(a[1], b[1], q11),
           p20 = two_product(a[2], b[0], q20);
    // order eps: q00, p01, p10
    three_sum(p01, p10, q00);
    // order eps^2: p10, q01, q10, p02, p11, p20
    three_sum(p10, q01, q10);
    three_sum(p02, p11, p20);
    double t0, t1;
    double s0 = two_sum(p10, p02, t0);
    double s1 = two_sum(q01, p11, t1);
    s1 = two_sum(s1, t0, t0);
    double s2 = q10 + p20 + t0 + t1;
    // order eps^3
    s1 += a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0] + q00 + q02 + q11 + q20;
    return renormalised(p00, p01, s0, s1, s2);
}

inline Four operator/(const Four &a, const Four &b) {
    double quotient[5];
    Four rest = a;
    for (int i = 0; i < 5; ++i) {
        quotient[i] = rest.part[0] / b.part[0];
        if (i < 4) rest = rest - b * Four(quotient[i]);
    }
    return renormalised(quotient[0], quotient[1], quotient[2], quotient[3], quotient[4]);
}

inline double magnitude(double x) { return x < 0.0 ? -x : x; }
inline double magnitude(const Two &x) { return x.high < 0.0 ? -x.high : x.high; }
inline double magnitude(const Four &x) { return x.part[0] < 0.0 ? -x.part[0] : x.part[0]; }

}  // namespace hickam
