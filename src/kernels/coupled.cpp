// Kernels for problems with unobserved risk factors that couple diseases.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_coupled(nb::module_ &) {}
