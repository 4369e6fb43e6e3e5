// Kernels for problems with unobserved risk factors that couple diseases, as Python sees them.
#include "coupled_drawing.hpp"
#include "coupled_elimination.hpp"
#include "coupled_explanations.hpp"
#include "coupled_frontier.hpp"
#include "coupled_thinning.hpp"
#include "seam.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

using namespace hickam;
using namespace hickam::coupled;

namespace {

constexpr const char *MIXTURE = "hickam mixture", *DRAWING = "hickam drawing";

// A drawing, and the mixture that it needs.
struct OpenDrawing {
    nb::capsule of;
    std::unique_ptr<Drawing> drawing;
};

constexpr std::size_t MOST_COLUMNS = 30;  // sets of columns are 32 bits wide
constexpr double MOST_WORK = 0x1p48;      // of a frontier, so that every table can be indexed

Coupled take(const Vector &on, const Vector &off, const Vector &weight_on, const Vector &weight_off,
             const Flags &reached, const Matrix &acts, const Matrix &fails, const Vector &leak,
             const Vector &leak_fails, const Vector &risk_prior, const Indices &edge_risk,
             const Indices &edge_row, const Vector &edge_acts, const Vector &edge_fails) {
    const std::size_t rows = on.shape(0), columns = leak.shape(0), edges = edge_risk.shape(0);
    const std::size_t risks = risk_prior.shape(0);
    need_shape("off", off, {rows});
    need_shape("weight_on", weight_on, {rows});
    need_shape("weight_off", weight_off, {rows});
    need_shape("reached", reached, {rows});
    need_shape("acts", acts, {rows, columns});
    need_shape("fails", fails, {rows, columns});
    need_shape("leak_fails", leak_fails, {columns});
    need_shape("edge_row", edge_row, {edges});
    need_shape("edge_acts", edge_acts, {edges});
    need_shape("edge_fails", edge_fails, {edges});
    need_indices("edge_risk", edge_risk, risks, true);
    need_indices("edge_row", edge_row, rows);
    return {rows,          columns,          risks,               edges,
            on.data(),     off.data(),       weight_on.data(),    weight_off.data(),
            reached.data(), acts.data(),     fails.data(),        leak.data(),
            leak_fails.data(), risk_prior.data(), edge_risk.data(), edge_row.data(),
            edge_acts.data(), edge_fails.data()};
}

// weight_on, acts, fails, leak and leak_fails before links were cut, and the order of the rows.
using UncutArrays = std::tuple<Vector, Matrix, Matrix, Vector, Vector, Indices>;

Uncut take_uncut(const UncutArrays &given, const Coupled &p, std::vector<int> &rank) {
    const auto &[weight_on, acts, fails, leak, leak_fails, order] = given;
    need_shape("weight_on", weight_on, {p.rows});
    need_shape("acts", acts, {p.rows, p.columns});
    need_shape("fails", fails, {p.rows, p.columns});
    need_shape("leak", leak, {p.columns});
    need_shape("leak_fails", leak_fails, {p.columns});
    need_shape("order", order, {p.rows});
    need_indices("order", order, p.rows);
    rank.assign(p.rows, 0);
    for (std::size_t t = 0; t < p.rows; ++t) rank[order.data()[t]] = int(t);
    return {weight_on.data(), acts.data(), fails.data(), leak.data(), leak_fails.data(), rank.data()};
}

// Sums of scores as [score, 8] numbers.
nb::object tallies(const std::vector<Tally> &given) {
    std::vector<double> flat;
    for (const Tally &one : given) {
        flat.insert(flat.end(), {one.x, one.dx});
        flat.insert(flat.end(), one.squares, one.squares + 6);
    }
    return owned(std::move(flat), given.size(), 8);
}

nb::object give(Outcome &&out, const Coupled &p) {
    if (out.answer.expired) return nb::none();
    return nb::make_tuple(
        nb::make_tuple(out.answer.log_evidence, owned(std::move(out.answer.posterior), p.rows),
                       owned(std::move(out.answer.disabled), p.rows, p.columns),
                       owned(std::move(out.answer.sustained), p.rows, p.columns),
                       owned(std::move(out.answer.unexplained), p.columns)),
        out.condition, out.rounding, out.residual,
        nb::make_tuple(out.doubt, out.doubt_unexplained, out.doubt_evidence, out.correction, out.unfounded,
                       out.entangled, out.near_rare));
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
        "frontier",
        [](PROBLEM, double most_operations, double most_bytes, double seconds) -> nb::object {
            const Coupled problem = TAKEN;
            most_operations = std::min(most_operations, MOST_WORK);
            most_bytes = std::min(most_bytes, MOST_WORK);
            const Stopwatch watch(seconds);
            Outcome out;
            FrontierPlan plan;
            {
                nb::gil_scoped_release free;
                plan = plan_frontier(problem, {most_operations, most_bytes});
                if (plan.fits) out = frontier(problem, plan, watch);
            }
            const nb::object price =
                nb::make_tuple(plan.operations, plan.bytes, plan.width, plan.fits);
            if (!plan.fits) return nb::make_tuple(nb::none(), price);
            return nb::make_tuple(give(std::move(out), problem), price);
        },
        "The outcome by the frontier, None where it takes more than the operations, bytes or seconds\n"
        "(0: any) allowed; and its price: operations, bytes, bits of the widest table, whether it fits.");
    module.def(
        "cured",
        [](PROBLEM, const Flags &cured_rows, double most_operations, double most_bytes,
           double seconds) -> nb::object {
            const Coupled problem = TAKEN;
            need_shape("cured_rows", cured_rows, {problem.rows});
            most_bytes = std::min(most_bytes, MOST_WORK);
            FrontierLimits limits{std::min(most_operations / ONE_WAY, MOST_WORK), most_bytes};
            limits.times = ONE_WAY;
            limits.last = cured_rows.data();
            const Stopwatch watch(seconds);
            Cured found;
            FrontierPlan plan;
            {
                nb::gil_scoped_release free;
                plan = plan_frontier(problem, limits);
                if (plan.fits) found = cured(problem, plan, watch);
            }
            if (!plan.fits || found.expired) return nb::make_tuple(nb::none(), 0.0);
            return nb::make_tuple(owned(std::move(found.removed), problem.columns), found.rounding);
        },
        "[column] P(every active cause is among some rows | evidence) by the frontier, None where it\n"
        "takes more than the operations, bytes or seconds (0: any) allowed; and its rounding error.");
    module.def(
        "elimination",
        [](PROBLEM, double goal, double most_operations, double most_bytes,
           double seconds) {
            const Coupled problem = TAKEN;
            const Stopwatch watch(seconds);
            std::optional<Outcome> out;
            double cells = 0.0;
            if (problem.columns <= MOST_COLUMNS) {
                nb::gil_scoped_release free;
                const EliminationPlan plan(problem);
                cells = plan.cells;
                if (plan.bytes <= most_bytes)
                    out = eliminate(problem, plan, goal, most_operations, watch);
            }
            return nb::make_tuple(out ? give(std::move(*out), problem) : nb::none(), cells);
        },
        "The outcome by summing out risk factors on every subset of the findings, None where it\n"
        "takes more than the operations, bytes or seconds (0: any) allowed or would have a larger\n"
        "rounding error than `goal`; and the cells of its tables (0: there are too many to say).");
    module.def(
        "explanations",
        [](PROBLEM, double most_operations, double most_bytes, double seconds) {
            const Coupled problem = TAKEN;
            const Stopwatch watch(seconds);
            const ExplanationsPrice price = price_explanations(problem);
            const bool fits = price.operations <= most_operations && price.bytes <= most_bytes;
            Outcome out;
            if (fits) {
                nb::gil_scoped_release free;
                out = explanations(problem, watch);
            }
            const bool told = fits && out.rounding < INFINITY;
            return nb::make_tuple(told ? give(std::move(out), problem) : nb::none(),
                                  price.operations);
        },
        "The outcome by every set of diseases, None where it takes more than the operations, bytes or\n"
        "seconds (0: any) allowed or the evidence is too unlikely; and the operations (infinite: there\n"
        "are too many sets).");
    module.def(
        "strongest",
        [](PROBLEM, const Vector &importance, double most_operations, double seconds) {
            const Coupled problem = TAKEN;
            need_shape("importance", importance, {problem.edges});
            most_operations = std::min(most_operations, MOST_WORK);
            std::vector<char> keep;
            {
                nb::gil_scoped_release free;
                keep = strongest(problem, importance.data(), most_operations, Stopwatch(seconds));
            }
            return nb::bytes(keep.data(), keep.size());
        },
        "[edge] 1 for the most important edges that the exact frontier takes within so many\n"
        "operations; fewer after so many seconds (0: any).");
    module.def(
        "mixture",
        [](PROBLEM, double most_operations, double most_bytes, double seconds,
           const std::optional<UncutArrays> &uncut) -> nb::object {
            const Coupled problem = TAKEN;
            most_operations = std::min(most_operations, MOST_WORK);
            most_bytes = std::min(most_bytes, MOST_WORK);
            std::unique_ptr<Mixture> made;
            std::vector<int> rank;
            std::optional<Uncut> before;
            if (uncut) before = take_uncut(*uncut, problem, rank);
            {
                nb::gil_scoped_release free;
                made = std::make_unique<Mixture>(problem, most_operations, most_bytes,
                                                 Stopwatch(seconds), before ? &*before : nullptr);
            }
            if (!made->fits()) return nb::none();
            const Mixture &mixture = *made;
            const nb::object mean = give(Outcome(mixture.mean), problem);
            return nb::make_tuple(
                nb::capsule(made.release(), MIXTURE,
                            [](void *kept) noexcept { delete static_cast<Mixture *>(kept); }),
                mean, mixture.kept, mixture.complete, mixture.operations);
        },
        "The problem with the couplings that the operations and bytes allow, to draw from: its own\n"
        "outcome (as of `frontier`), how many they are, whether that outcome is exact and its\n"
        "operations; or None where not even none fit, or the seconds (0: any) ran out.");
    module.def(
        "thin",
        [](const Matrix &importance, double most_operations, double seconds) {
            const std::size_t rows = importance.shape(0), columns = importance.shape(1);
            Thinning found;
            {
                nb::gil_scoped_release free;
                found = thin_links(importance.data(), rows, columns, most_operations,
                                   Stopwatch(seconds));
            }
            std::vector<long long> order(found.order.begin(), found.order.end());
            return nb::make_tuple(nb::bytes(found.kept.data(), found.kept.size()),
                                  owned(std::move(order)));
        },
        "[row, column] 1 for the links that the frontier takes within so many operations, by their\n"
        "importance (0: no link), and the order of the rows; as they are after so many seconds (0: any).");
    module.def(
        "expand",
        [](const nb::capsule &kept, double most_operations, double finest, double coarsest,
           double most_bytes, double seconds) -> nb::object {
            if (!kept.name() || std::strcmp(kept.name(), MIXTURE)) refuse("not a mixture");
            Mixture &mixture = *static_cast<Mixture *>(kept.data());
            bool made;
            {
                nb::gil_scoped_release free;
                made = mixture.expand({std::min(most_operations, MOST_WORK),
                                       std::min(most_bytes, MOST_WORK), finest, coarsest},
                                      Stopwatch(seconds));
            }
            if (!made) return nb::none();
            Outcome out;
            out.answer = mixture.expanded;
            out.rounding = mixture.expansion->rounding;
            return nb::make_tuple(give(std::move(out), mixture.shape()),
                                  mixture.expansion->operations, mixture.expansion->turned,
                                  mixture.expansion->complete, mixture.expansion->least,
                                  mixture.expansion->unsaid);
        },
        "Expands the risk factors of a mixture's problem in their deviations: the outcome, its\n"
        "operations, sets of risk factors that an explanation turns, whether all sets are carried, so\n"
        "that the outcome is exact, the least product of deviations that is carried, and the most that a\n"
        "risk factor deviates that is in no set. Carries the sets whose deviations' product is at least\n"
        "`finest`; None, and the one before is kept, where the operations do not allow to carry those\n"
        "above `coarsest`, the bytes are too few, or the seconds (0: any) ran out.");
    module.def(
        "drawing",
        [](const nb::capsule &kept, std::uint64_t seed, bool keep, double seconds) {
            if (!kept.name() || std::strcmp(kept.name(), MIXTURE)) refuse("not a mixture");
            const Mixture &mixture = *static_cast<const Mixture *>(kept.data());
            auto made = std::make_unique<OpenDrawing>();
            made->of = kept;
            {
                nb::gil_scoped_release free;
                made->drawing = std::make_unique<Drawing>(mixture, seed, keep, Stopwatch(seconds));
            }
            return nb::capsule(made.release(), DRAWING, [](void *given) noexcept {
                delete static_cast<OpenDrawing *>(given);
            });
        },
        "Explanations to be drawn from a mixture, the same for the same seed, within the seconds (0:\n"
        "any); they may be kept.");
    module.def(
        "draw",
        [](const nb::capsule &kept, long long count, double goal, long long fewest, double seconds,
           double most_operations) {
            if (!kept.name() || std::strcmp(kept.name(), DRAWING)) refuse("not a drawing");
            if (count < 1) refuse("at least one draw is needed");
            Drawing &drawing = *static_cast<OpenDrawing *>(kept.data())->drawing;
            const Mixture &mixture = drawing.mixture;
            Draws draws;
            {
                nb::gil_scoped_release free;
                draws = drawing.draw(count, goal, fewest, most_operations, Stopwatch(seconds));
            }
            const std::size_t rows = mixture.shape().rows, columns = mixture.shape().columns;
            nb::dict found;
            found["count"] = draws.count;
            found["counts"] = draws.counts;
            found["all"] = tallies({draws.all});
            found["heaviest"] = draws.heaviest;
            found["mixed"] = draws.mixed;
            found["rows"] = tallies(draws.rows);
            found["unexplained"] = tallies(draws.unexplained);
            found["disabled"] = owned(std::move(draws.disabled), rows, columns);
            found["disabled_excess"] = owned(std::move(draws.disabled_excess), rows, columns);
            found["sustained"] = owned(std::move(draws.sustained), rows, columns);
            found["sustained_excess"] = owned(std::move(draws.sustained_excess), rows, columns);
            found["listened"] = draws.listened;
            found["listened2"] = draws.listened2;
            found["listener"] = owned(std::move(draws.listener));
            found["listener1"] = owned(std::move(draws.listener1));
            found["listener2"] = owned(std::move(draws.listener2));
            found["missed"] = draws.missed;
            found["missed_row"] = owned(std::move(draws.missed_row), rows, 3);
            found["missed_square"] = owned(std::move(draws.missed_square), rows, 3);
            found["looked"] = draws.looked;
            found["kept_rows"] = owned(std::move(draws.kept_rows));
            found["kept_start"] = owned(std::move(draws.kept_start));
            found["kept_weight"] = owned(std::move(draws.kept_weight));
            found["expired"] = draws.expired;
            found["too_wide"] = draws.too_wide;
            return found;
        },
        "Sums over so many explanations, those drawn before among them, and the explanations themselves\n"
        "if they are kept. After the fewest, no more are drawn once the leading scores are known to the\n"
        "goal (0: none) or weighing them has taken so many operations.");
    module.def(
        "bethe",
        [](PROBLEM, double goal, double seconds) {
            const Coupled problem = TAKEN;
            need_at_most("present findings", problem.columns, MOST_COLUMNS);
            Outcome out;
            {
                nb::gil_scoped_release free;
                out = bethe(problem, goal, Stopwatch(seconds));
            }
            return give(std::move(out), problem);
        },
        "Tables, condition number, rounding error, residual and doubts by message\n"
        "passing with a rounding error of at most `goal` where possible, or None when the\n"
        "seconds (0: any) ran out.");
}
