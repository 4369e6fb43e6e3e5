// The compiled kernels of Hickam, one bind function per file. Each kernel has a NumPy twin.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_settled(nb::module_ &module);
void bind_reduce(nb::module_ &module);
void bind_coupled(nb::module_ &module);
void bind_cases(nb::module_ &module);
void bind_learning(nb::module_ &module);
void bind_sums(nb::module_ &module);

namespace {

// Whether this processor can run the build for AVX2: the options of CMakeLists.txt, one by one.
bool has_avx2() {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

}  // namespace

NB_MODULE(HICKAM_MODULE, module) {
    nb::set_leak_warnings(false);  // prepared networks stay cached until the process ends
    module.attr("has_avx2") = has_avx2();
    bind_settled(module);
    bind_reduce(module);
    bind_coupled(module);
    bind_cases(module);
    bind_learning(module);
    bind_sums(module);
}
