// The arrays that pass between Python and the kernels, and what is demanded of them: behind the seam
// no index and no shape is checked again. A demand that is not met is a ValueError.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
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

[[noreturn]] inline void refuse(const std::string &what) { throw std::invalid_argument(what); }

inline void need_at_most(const char *what, std::size_t count, std::size_t most) {
    if (count > most)
        refuse(std::to_string(count) + " " + what + ", but at most " + std::to_string(most) +
               " can be handled");
}

template <typename A>
void need_shape(const char *name, const A &array, std::initializer_list<std::size_t> shape) {
    std::size_t axis = 0;
    for (const std::size_t size : shape) {
        if (array.shape(axis) != size)
            refuse(std::string(name) + " has " + std::to_string(array.shape(axis)) +
                   " entries along axis " + std::to_string(axis) + ", but " +
                   std::to_string(size) + " are needed");
        ++axis;
    }
}

// Every index at least 0 and below `end`; in ascending order if so wanted.
inline void need_indices(const char *name, const long long *indices, std::size_t count,
                         std::size_t end, bool ascending = false) {
    for (std::size_t i = 0; i < count; ++i) {
        if (static_cast<unsigned long long>(indices[i]) >= end)
            refuse(std::string(name) + "[" + std::to_string(i) + "] is " +
                   std::to_string(indices[i]) + ", but must be at least 0 and below " +
                   std::to_string(end));
        if (ascending && i && indices[i] < indices[i - 1])
            refuse(std::string(name) + " must be sorted, but entry " + std::to_string(i) +
                   " is less than the one before it");
    }
}
inline void need_indices(const char *name, const Indices &indices, std::size_t end,
                         bool ascending = false) {
    need_indices(name, indices.data(), indices.shape(0), end, ascending);
}

}  // namespace hickam
