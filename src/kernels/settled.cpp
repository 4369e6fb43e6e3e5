// Kernels for problems whose risk factors are settled, as Python sees them.
#include "settled.hpp"

#include <stdexcept>

using namespace hickam;

namespace {

Settled take(const Vector &off, const Vector &on, const Matrix &acts, const Matrix &fails,
             const Vector &leak, const Vector &leak_fails) {
    const std::size_t rows = off.shape(0), columns = leak.shape(0);
    if (on.shape(0) != rows || acts.shape(0) != rows || fails.shape(0) != rows ||
        acts.shape(1) != columns || fails.shape(1) != columns || leak_fails.shape(0) != columns)
        throw std::invalid_argument("the tables of a problem do not fit together");
    return {rows,        columns,      off.data(),  on.data(),
            acts.data(), fails.data(), leak.data(), leak_fails.data()};
}

nb::object give(Answer &&answer, std::size_t rows, std::size_t columns) {
    if (answer.expired) return nb::none();
    return nb::make_tuple(
        answer.log_evidence, owned(std::move(answer.posterior), rows),
        owned(std::move(answer.disabled), rows, columns),
        owned(std::move(answer.sustained), rows, columns),
        owned(std::move(answer.unexplained), columns));
}

}  // namespace

void bind_settled(nb::module_ &module) {
    module.def(
        "cover",
        [](const Vector &off, const Vector &on, const Matrix &acts, const Matrix &fails,
           const Vector &leak, const Vector &leak_fails, double seconds) {
            const Settled problem = take(off, on, acts, fails, leak, leak_fails);
            Answer answer;
            {
                nb::gil_scoped_release free;
                answer = cover(problem, Stopwatch(seconds));
            }
            return give(std::move(answer), problem.rows, problem.columns);
        },
        "The tables of a settled problem by COVER, or None when the seconds (0: any) ran out.");
}
