// Shared by the kernels for problems whose risk factors are settled.
#pragma once
#include <chrono>
#include <cstddef>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace hickam {

namespace nb = nanobind;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const long long, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The dense problem as Python hands it over; rows are diseases, columns present findings.
struct Settled {
    std::size_t rows, columns;
    const double *off, *on;        // [row] weight of D = 0 and of D = 1
    const double *acts, *fails;    // [row, column]
    const double *leak, *leak_fails;  // [column]
};

struct Answer {
    double log_evidence;
    std::vector<double> posterior;            // [row]
    std::vector<double> disabled, sustained;  // [row, column]
    std::vector<double> unexplained;          // [column]
    bool expired = false;
};

// A NumPy array that owns the vector's memory.
template <typename... Shape> nb::object owned(std::vector<double> &&values, Shape... shape) {
    auto *kept = new std::vector<double>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<double> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), {std::size_t(shape)...}, owner));
}

class Stopwatch {
  public:
    explicit Stopwatch(double seconds) : start(clock::now()), bound(seconds) {}
    double elapsed() const {
        return std::chrono::duration<double>(clock::now() - start).count();
    }
    double limit() const { return bound; }
    bool expired() const { return bound > 0.0 && elapsed() > bound; }

  private:
    using clock = std::chrono::steady_clock;
    clock::time_point start;
    double bound;  // 0: none
};

// Connected components of rows and columns; a row without columns is in none (-1).
struct Components {
    std::size_t count;
    std::vector<int> of_row, of_column;
};
Components components(const Settled &, const std::vector<char> &column_used);

Answer cover(const Settled &, const Stopwatch &);

}  // namespace hickam
