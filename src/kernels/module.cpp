// The compiled kernels of Hickam, one bind function per file. Each kernel has a NumPy twin.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_settled(nb::module_ &module);
void bind_reduce(nb::module_ &module);
void bind_coupled(nb::module_ &module);

NB_MODULE(_kernels, module) {
    nb::set_leak_warnings(false);  // prepared networks stay cached until the process ends
    bind_settled(module);
    bind_reduce(module);
    bind_coupled(module);
}
