// Butterflies over one bit of a lattice, and the cubes of the lattice that one pass goes through.
#pragma once
#include "quad.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace hickam::settled {

template <int a, int b, int c, int d> Quad shuffled(Quad v) { return Quad{v[a], v[b], v[c], v[d]}; }

constexpr int CUBE_BITS = 12;  // a cube and its companions stay in the first-level cache
constexpr int RUN_BITS = 4;    // shortest contiguous run that is worth copying
// Below this λ, Y without a mechanism is recomputed instead of divided by λ.
constexpr double SMALL_FAILS = 1.0 / 64.0;

struct Mechanism {
    int bit;
    double acts;  // times the tilt of its finding
    double fails;
    double tilt;
    std::size_t cell;  // in the [row, column] tables
};

// ---- butterflies over one bit of a cube

inline void produce(double *cube, std::size_t size, int bit, double acts, double fails) {
    if (bit == 0 && size >= 4) {
        const Quad keep = {fails, 1.0, fails, 1.0}, add = {0.0, acts, 0.0, acts};
        for (std::size_t i = 0; i < size; i += 4) {
            Quad v = *reinterpret_cast<Quad *>(cube + i);
            *reinterpret_cast<Quad *>(cube + i) =
                v * keep + shuffled<0, 0, 2, 2>(v) * add;
        }
        return;
    }
    if (bit == 1) {
        const Quad keep = {fails, fails, 1.0, 1.0}, add = {0.0, 0.0, acts, acts};
        for (std::size_t i = 0; i < size; i += 4) {
            Quad v = *reinterpret_cast<Quad *>(cube + i);
            *reinterpret_cast<Quad *>(cube + i) =
                v * keep + shuffled<0, 1, 0, 1>(v) * add;
        }
        return;
    }
    const std::size_t half = std::size_t(1) << bit;
    for (std::size_t base = 0; base < size; base += 2 * half) {
        double *low = cube + base, *high = low + half;
#pragma omp simd
        for (std::size_t i = 0; i < half; ++i) {
            high[i] += acts * low[i];
            low[i] *= fails;
        }
    }
}

inline void complete(double *cube, std::size_t size, int bit, double acts, double fails) {
    if (bit == 0 && size >= 4) {
        const Quad keep = {fails, 1.0, fails, 1.0}, add = {acts, 0.0, acts, 0.0};
        for (std::size_t i = 0; i < size; i += 4) {
            Quad v = *reinterpret_cast<Quad *>(cube + i);
            *reinterpret_cast<Quad *>(cube + i) =
                v * keep + shuffled<1, 1, 3, 3>(v) * add;
        }
        return;
    }
    if (bit == 1) {
        const Quad keep = {fails, fails, 1.0, 1.0}, add = {acts, acts, 0.0, 0.0};
        for (std::size_t i = 0; i < size; i += 4) {
            Quad v = *reinterpret_cast<Quad *>(cube + i);
            *reinterpret_cast<Quad *>(cube + i) =
                v * keep + shuffled<2, 3, 2, 3>(v) * add;
        }
        return;
    }
    const std::size_t half = std::size_t(1) << bit;
    for (std::size_t base = 0; base < size; base += 2 * half) {
        double *low = cube + base;
        const double *high = low + half;
#pragma omp simd
        for (std::size_t i = 0; i < half; ++i) low[i] = fails * low[i] + acts * high[i];
    }
}

inline double dot(const double *f, const double *y, std::size_t size) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < size; ++i) sum += f[i] * y[i];
    return sum;
}

// stay += sum over T without the bit of f[T] y[T], gain += the same of f[T] y[T with the bit]
inline void split(const double *f, const double *y, std::size_t size, int bit, double &stay,
           double &gain) {
    double s00 = 0.0, s01 = 0.0;
    const std::size_t half = std::size_t(1) << bit;
    if (half < 4 && size >= 4) {
        Quad q00 = {0, 0, 0, 0}, q01 = {0, 0, 0, 0};
        for (std::size_t i = 0; i < size; i += 4) {
            const Quad a = *reinterpret_cast<const Quad *>(f + i);
            const Quad b = *reinterpret_cast<const Quad *>(y + i);
            q00 += a * b;
            q01 += a * (bit == 0 ? shuffled<1, 1, 3, 3>(b) : shuffled<2, 3, 2, 3>(b));
        }
        s00 = bit == 0 ? q00[0] + q00[2] : q00[0] + q00[1];
        s01 = bit == 0 ? q01[0] + q01[2] : q01[0] + q01[1];
    } else {
        for (std::size_t base = 0; base < size; base += 2 * half) {
            const double *a = f + base, *b = y + base, *c = b + half;
#pragma omp simd reduction(+ : s00, s01)
            for (std::size_t i = 0; i < half; ++i) {
                s00 += a[i] * b[i];
                s01 += a[i] * c[i];
            }
        }
    }
    stay += s00;
    gain += s01;
}

// ---- cubes: the low bits of the lattice and the higher bits that a pass touches

struct Pass {
    int run_bits = 0;                  // contiguous low bits
    std::vector<std::size_t> offsets;  // of the runs of one cube
    std::size_t outer = 0;             // the bits that a cube keeps fixed
    std::vector<int> mechanism;        // positions in the row's list
    std::vector<int> bit;              // their bits inside the cube
    std::size_t cube() const { return offsets.size() << run_bits; }
};

inline Pass make_pass(int bits, int run_bits, const Mechanism *causes, const std::vector<int> &chosen) {
    Pass pass;
    pass.run_bits = run_bits;
    pass.offsets = {0};
    std::size_t touched = (std::size_t(1) << run_bits) - 1;
    int next = run_bits;
    pass.mechanism.reserve(chosen.size());
    pass.bit.reserve(chosen.size());
    for (int c : chosen) {
        const int bit = causes[c].bit;
        pass.mechanism.push_back(c);
        if (bit < run_bits) {
            pass.bit.push_back(bit);
            continue;
        }
        pass.bit.push_back(next++);
        touched |= std::size_t(1) << bit;
        const std::size_t count = pass.offsets.size();
        for (std::size_t i = 0; i < count; ++i)
            pass.offsets.push_back(pass.offsets[i] | (std::size_t(1) << bit));
    }
    pass.outer = ((std::size_t(1) << bits) - 1) & ~touched;
    return pass;
}

// The passes that together apply all mechanisms of one row (sorted by bit).
inline std::vector<Pass> plan(int bits, const Mechanism *causes, int count) {
    std::vector<int> all(count);
    for (int c = 0; c < count; ++c) all[c] = c;
    std::vector<Pass> passes;
    if (bits <= CUBE_BITS) {
        passes.push_back(make_pass(bits, bits, causes, all));
        return passes;
    }
    for (int run = CUBE_BITS; run >= RUN_BITS; --run) {
        int above = 0;
        for (int c = 0; c < count; ++c) above += causes[c].bit >= run;
        if (run + above <= CUBE_BITS) {
            passes.push_back(make_pass(bits, run, causes, all));
            return passes;
        }
    }
    std::vector<int> low, high;
    for (int c : all) (causes[c].bit < CUBE_BITS ? low : high).push_back(c);
    const std::size_t width = CUBE_BITS - RUN_BITS;
    for (std::size_t i = 0; i < high.size(); i += width)
        passes.push_back(make_pass(
            bits, RUN_BITS, causes,
            {high.begin() + i, high.begin() + std::min(high.size(), i + width)}));
    passes.push_back(make_pass(bits, CUBE_BITS, causes, low));
    return passes;
}

template <typename Work> void each_cube(const Pass &pass, const Work &work) {
    std::size_t at = 0;
    do {
        work(at);
        at = (at - pass.outer) & pass.outer;
    } while (at != 0);
}

inline void gather(const Pass &pass, const double *table, std::size_t at, double *cube) {
    const std::size_t run = std::size_t(1) << pass.run_bits;
    for (std::size_t i = 0; i < pass.offsets.size(); ++i)
        std::memcpy(cube + i * run, table + at + pass.offsets[i], run * sizeof(double));
}

inline void scatter(const Pass &pass, const double *cube, std::size_t at, double *table) {
    const std::size_t run = std::size_t(1) << pass.run_bits;
    for (std::size_t i = 0; i < pass.offsets.size(); ++i)
        std::memcpy(table + at + pass.offsets[i], cube + i * run, run * sizeof(double));
}

// table = off * base + on * cube over one cube; table may be base
inline void mix(const Pass &pass, const double *base, const double *cube, std::size_t at, double off,
         double on, double *table) {
    const std::size_t run = std::size_t(1) << pass.run_bits;
    for (std::size_t i = 0; i < pass.offsets.size(); ++i) {
        const double *b = base + at + pass.offsets[i], *c = cube + i * run;
        double *t = table + at + pass.offsets[i];
#pragma omp simd
        for (std::size_t j = 0; j < run; ++j) t[j] = off * b[j] + on * c[j];
    }
}

}  // namespace hickam::settled
