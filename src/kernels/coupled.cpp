// Kernels for problems with unobserved risk factors that couple diseases, as Python sees them.
#include "coupled.hpp"
#include "seam.hpp"

#include <stdexcept>

using namespace hickam;
using namespace hickam::coupled;

namespace {

Coupled take(const Vector &on, const Vector &off, const Vector &weight_on, const Vector &weight_off,
             const Flags &reached, const Matrix &acts, const Matrix &fails, const Vector &leak,
             const Vector &leak_fails, const Vector &risk_prior, const Indices &edge_risk,
             const Indices &edge_row, const Vector &edge_acts, const Vector &edge_fails) {
    const std::size_t rows = on.shape(0), columns = leak.shape(0), edges = edge_risk.shape(0);
    if (off.shape(0) != rows || weight_on.shape(0) != rows || weight_off.shape(0) != rows ||
        reached.shape(0) != rows || acts.shape(0) != rows || fails.shape(0) != rows ||
        acts.shape(1) != columns || fails.shape(1) != columns || leak_fails.shape(0) != columns ||
        edge_row.shape(0) != edges || edge_acts.shape(0) != edges ||
        edge_fails.shape(0) != edges || columns > 30)
        throw std::invalid_argument("the tables of a problem do not fit together");
    return {rows,          columns,          risk_prior.shape(0), edges,
            on.data(),     off.data(),       weight_on.data(),    weight_off.data(),
            reached.data(), acts.data(),     fails.data(),        leak.data(),
            leak_fails.data(), risk_prior.data(), edge_risk.data(), edge_row.data(),
            edge_acts.data(), edge_fails.data()};
}

nb::object give(Outcome &&out, const Coupled &p) {
    if (out.answer.expired) return nb::none();
    return nb::make_tuple(
        nb::make_tuple(out.answer.log_evidence, owned(std::move(out.answer.posterior), p.rows),
                       owned(std::move(out.answer.disabled), p.rows, p.columns),
                       owned(std::move(out.answer.sustained), p.rows, p.columns),
                       owned(std::move(out.answer.unexplained), p.columns)),
        out.condition, out.rounding, out.change, out.residual);
}

}  // namespace

// The arrays of a problem, in the order in which Python passes them.
#define PROBLEM                                                                                   \
    const Vector &on, const Vector &off, const Vector &weight_on, const Vector &weight_off,       \
        const Flags &reached, const Matrix &acts, const Matrix &fails, const Vector &leak,        \
        const Vector &leak_fails, const Vector &risk_prior, const Indices &edge_risk,             \
        const Indices &edge_row, const Vector &edge_acts, const Vector &edge_fails
#define TAKEN                                                                                     \
    take(on, off, weight_on, weight_off, reached, acts, fails, leak, leak_fails, risk_prior,      \
         edge_risk, edge_row, edge_acts, edge_fails)

void bind_coupled(nb::module_ &module) {
    module.def(
        "bethe",
        [](PROBLEM, double goal, double seconds) {
            const Coupled problem = TAKEN;
            Outcome out;
            {
                nb::gil_scoped_release free;
                out = bethe(problem, goal, Stopwatch(seconds));
            }
            return give(std::move(out), problem);
        },
        "Tables, condition number, rounding error, loop correction and residual by message\n"
        "passing with a rounding error of at most `goal` where possible, or None when the\n"
        "seconds (0: any) ran out.");
    module.def(
        "elimination_cells",
        [](PROBLEM, double most_cells) {
            const Coupled problem = TAKEN;
            nb::gil_scoped_release free;
            return plan_elimination(problem, most_cells).cells;
        },
        "Table cells per subset that elimination needs; counting stops above `most_cells`.");
    module.def(
        "eliminate",
        [](PROBLEM, double most_cells, double goal, double seconds) -> nb::object {
            const Coupled problem = TAKEN;
            Outcome out;
            bool fits;
            {
                nb::gil_scoped_release free;
                const Plan plan = plan_elimination(problem, most_cells);
                fits = plan.cells <= most_cells;
                if (fits) out = eliminate(problem, plan, goal, Stopwatch(seconds));
            }
            if (!fits) return nb::none();
            return give(std::move(out), problem);
        },
        "The exact outcome by elimination, or None when it needs more cells per subset than\n"
        "allowed or the seconds (0: any) ran out.");
    module.def(
        "preview",
        [](PROBLEM, const Matrix &asked_acts, const Matrix &asked_fails, const Vector &asked_leak,
           const Vector &asked_leak_fails, double goal) {
            const Coupled problem = TAKEN;
            const std::size_t count = asked_leak.shape(0), rows = problem.rows;
            if (asked_acts.shape(0) != rows || asked_acts.shape(1) != count ||
                asked_fails.shape(0) != rows || asked_fails.shape(1) != count ||
                asked_leak_fails.shape(0) != count)
                throw std::invalid_argument("the tables of the asked findings do not fit");
            const Asked asked{count, asked_acts.data(), asked_fails.data(), asked_leak.data(),
                              asked_leak_fails.data()};
            Previews found;
            {
                nb::gil_scoped_release free;
                found = preview(problem, asked, goal);
            }
            return nb::make_tuple(owned(std::move(found.chance), count),
                                  owned(std::move(found.now), std::size_t(3), rows),
                                  owned(std::move(found.if_present), count, std::size_t(3), rows),
                                  owned(std::move(found.if_absent), count, std::size_t(3), rows),
                                  found.rounding);
        },
        "Chance, scores now, scores if present and if absent [asked, measure, row], and rounding\n"
        "error for findings that may be asked, by message passing without loop corrections.");
}
