// The arrays that pass between Python and the kernels.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace hickam {

namespace nb = nanobind;
template <typename T, int dimensions>
using Array = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using Vector = Array<double, 1>;
using Matrix = Array<double, 2>;
using Indices = Array<long long, 1>;
using Flags = Array<bool, 1>;

// A NumPy array that owns the vector's memory.
template <typename T, typename... Shape>
nb::object owned(std::vector<T> &&values, Shape... shape) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {std::size_t(shape)...}, owner));
}

// The same with the vector's own length.
template <typename T> nb::object owned(std::vector<T> &&values) {
    const std::size_t size = values.size();
    return owned(std::move(values), size);
}

}  // namespace hickam
