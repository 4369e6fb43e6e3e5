// Kernels for problems whose risk factors are settled.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_settled(nb::module_ &) {}
