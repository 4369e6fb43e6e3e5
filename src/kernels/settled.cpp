// Kernels for problems whose risk factors are settled, as Python sees them.
#include "seam.hpp"
#include "settled.hpp"
#include "settled_lattice.hpp"
#include "settled_sampling.hpp"

using namespace hickam;
using namespace hickam::settled;

namespace {

Settled take(const Vector &off, const Vector &on, const Matrix &acts, const Matrix &fails,
             const Vector &leak, const Vector &leak_fails) {
    const std::size_t rows = off.shape(0), columns = leak.shape(0);
    need_shape("on", on, {rows});
    need_shape("acts", acts, {rows, columns});
    need_shape("fails", fails, {rows, columns});
    need_shape("leak_fails", leak_fails, {columns});
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

// [batch, entry] one field of every batch
nb::object stacked(const Samples &samples, std::vector<double> Batch::*field) {
    std::vector<double> all;
    for (const Batch &batch : samples.batches)
        all.insert(all.end(), (batch.*field).begin(), (batch.*field).end());
    const std::size_t count = samples.batches.size();
    const std::size_t entries = count ? all.size() / count : 0;
    return owned(std::move(all), count, entries);
}

nb::object mean(const Samples &samples, std::vector<double> Batch::*field) {
    std::vector<double> sum(samples.links);
    for (const Batch &batch : samples.batches)
        for (std::size_t i = 0; i < samples.links; ++i)
            sum[i] += (batch.*field)[i] / double(samples.batches.size());
    const std::size_t entries = sum.size();
    return owned(std::move(sum), entries);
}

nb::dict give(const Samples &samples) {
    nb::dict found;
    std::vector<double> steps;
    for (const Batch &batch : samples.batches) steps.push_back(batch.steps);
    const std::size_t count = steps.size();
    found["steps"] = owned(std::move(steps), count);
    found["heats"] = samples.heats;
    found["changes"] = samples.changes;
    std::vector<double> log_weights(samples.log_weights), middles, means;
    for (const BridgeMeans &bridge : samples.bridges) {
        middles.push_back(bridge.middle);
        for (std::size_t c = 0; c < log_weights.size(); ++c) {
            means.push_back(bridge.colder[c]);
            means.push_back(bridge.hotter[c]);
        }
    }
    const std::size_t chains = log_weights.size(), bridges = middles.size();
    for (double &log_weight : log_weights) log_weight += samples.log_scale;
    found["log_weights"] = owned(std::move(log_weights), chains);
    found["middles"] = owned(std::move(middles), bridges);
    found["bridges"] = owned(std::move(means), bridges, chains, 2);
    nb::list kept;
    for (const Kept &chain : samples.kept)
        kept.append(nb::make_tuple(owned(std::vector<long long>(chain.start)),
                                   owned(std::vector<long long>(chain.rows))));
    found["kept"] = kept;
    found["indicator"] = stacked(samples, &Batch::indicator);
    found["slot"] = stacked(samples, &Batch::slot);
    found["present"] = stacked(samples, &Batch::present);
    found["picked"] = stacked(samples, &Batch::picked);
    found["set_scores"] = stacked(samples, &Batch::set_scores);
    found["slot_scores"] = stacked(samples, &Batch::slot_scores);
    found["unexplained"] = stacked(samples, &Batch::unexplained);
    found["set_sustained"] = mean(samples, &Batch::set_sustained);
    found["set_disabled"] = mean(samples, &Batch::set_disabled);
    found["slot_sustained"] = mean(samples, &Batch::slot_sustained);
    found["slot_disabled"] = mean(samples, &Batch::slot_disabled);
    return found;
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
    module.def(
        "lattice",
        [](const Vector &off, const Vector &on, const Matrix &acts, const Matrix &fails,
           const Vector &leak, const Vector &leak_fails, int parts, double seconds) -> nb::object {
            const Settled problem = take(off, on, acts, fails, leak, leak_fails);
            need_at_most("present findings", problem.columns, MOST_BITS);
            if (parts != 1 && parts != 2 && parts != 4)
                refuse("numbers are made of 1, 2 or 4 doubles, not of " + std::to_string(parts));
            LatticeAnswer found;
            {
                nb::gil_scoped_release free;
                found = lattice(problem, parts, Stopwatch(seconds));
            }
            const double condition = found.condition;
            nb::object tables = give(std::move(found.answer), problem.rows, problem.columns);
            return tables.is_none() ? tables : nb::make_tuple(tables, condition);
        },
        "The tables of one component by inclusion-exclusion, and the condition number of the sum; "
        "None when the seconds (0: any) ran out. Numbers are sums of 1, 2 or 4 doubles.");
    module.def(
        "sample",
        [](const Vector &off, const Vector &on, const Vector &weight_off, const Vector &weight_on,
           const Matrix &acts, const Matrix &fails, const Vector &leak, const Vector &leak_fails,
           const Vector &risk_prior, const Indices &edge_risk, const Indices &edge_row,
           const Vector &edge_acts, const Vector &edge_fails, int chains, int batches,
           long long steps, unsigned long long seed, int workers, double seconds) {
            const std::size_t rows = off.shape(0), edges = edge_risk.shape(0);
            need_shape("weight_off", weight_off, {rows});
            need_shape("weight_on", weight_on, {rows});
            need_indices("edge_risk", edge_risk, risk_prior.shape(0), true);
            need_shape("edge_row", edge_row, {edges});
            need_indices("edge_row", edge_row, rows);
            need_shape("edge_acts", edge_acts, {edges});
            need_shape("edge_fails", edge_fails, {edges});
            if (chains < 1 || batches < 1 || steps < 1 || workers < 1)
                refuse("chains, batches, steps and workers must all be at least 1");
            Coupled problem{take(off, on, acts, fails, leak, leak_fails),
                            weight_off.data(),
                            weight_on.data(),
                            risk_prior.shape(0),
                            edge_risk.shape(0),
                            risk_prior.data(),
                            edge_risk.data(),
                            edge_row.data(),
                            edge_acts.data(),
                            edge_fails.data(),
                            {},
                            {}};
            problem.row_start.assign(problem.settled.rows + 1, 0);
            for (std::size_t e = 0; e < problem.edges; ++e)
                ++problem.row_start[problem.edge_row[e] + 1];
            for (std::size_t k = 0; k < problem.settled.rows; ++k)
                problem.row_start[k + 1] += problem.row_start[k];
            problem.row_edges.resize(problem.edges);
            std::vector<int> next(problem.row_start.begin(), problem.row_start.end());
            for (std::size_t e = 0; e < problem.edges; ++e)
                problem.row_edges[next[problem.edge_row[e]]++] = int(e);
            Samples samples;
            {
                nb::gil_scoped_release free;
                samples = sample(problem, chains, batches, steps, seed, workers,
                                 Stopwatch(seconds));
            }
            return give(samples);
        },
        "Batch means of slot Gibbs over independent chains; the rows of links are in row order.");
    module.def(
        "bare_loop",
        [](std::size_t size, long long sweeps) {
            if (size == 0) refuse("the arrays must not be empty");
            nb::gil_scoped_release free;
            std::vector<double> from(size, 1.0), to(size, 0.5);
            for (long long sweep = 0; sweep < sweeps; ++sweep) {
                const double factor = 1e-9 * double(sweep % 7);
#pragma omp simd
                for (std::size_t i = 0; i < size; ++i) to[i] += factor * from[i];
                asm volatile("" : : "r"(to.data()) : "memory");
            }
            return to[0];
        },
        "Plain multiply-adds over two arrays: what the machine can do, for benchmarks.");
}
