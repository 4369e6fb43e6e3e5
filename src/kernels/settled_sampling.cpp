// Slot Gibbs over independent ladders of chains: the run, from a pilot to the batch means.
#include "settled_ladder.hpp"
#include "together.hpp"

#include <functional>

namespace hickam::settled {
namespace {

constexpr int PILOT_STAGES = 8;
// Of the time, by when the chains have started and their explanations are compared.
constexpr double STARTED = 0.3, COMPARED = 0.4;
// Of a chain's time to start, by when it has taken in what is known beside the present findings, and
// when it has cooled.
constexpr double TAKEN_IN = 0.3, COOLED = 0.7;
constexpr double STAGE_SURPRISE = 5.0, MOST_STAGES = 24.0;  // nats that a stage may take in

// The rows with a present finding, the likeliest first, by a short run that considers all of them.
std::vector<int> likeliest(const Coupled &problem, std::uint64_t seed, long long steps,
                           const Stopwatch &watch, double until) {
    const Settled &p = problem.settled;
    std::vector<int> order;
    for (std::size_t k = 0; k < p.rows; ++k)
        for (std::size_t s = 0; s < p.columns; ++s)
            if (p.acts[k * p.columns + s] > 0.0) {
                order.push_back(int(k));
                break;
            }
    if (order.size() <= 2 * LIKELY) return order;
    const Plan plan(problem, order, order.size());
    std::vector<double> weight(p.rows, 0.0);
    for (const double heat : {1.0, 0.85, 1.0, 0.7}) {
        const Level level(plan, heat);
        Chain chain(plan, level, ++seed);
        const auto late = [&] { return watch.elapsed() > until; };
        for (int stage = 0; stage <= PILOT_STAGES; ++stage) {
            chain.require(double(stage) / PILOT_STAGES);
            for (long long i = 0; i <= steps / 8 / PILOT_STAGES; ++i) {
                chain.step(nullptr);
                if (i % 16 == 15 && late()) break;
            }
        }
        Batch batch(p, plan.column.size(), plan.row_of_slot.size());
        for (long long i = 0; i < steps / 8; ++i) {
            chain.step(&batch);
            if (i % 16 == 15 && late()) break;
        }
        batch.finish(plan.slot_of_row, plan.start, plan.block_of_row);
        for (int k : order) weight[k] += heat * batch.slot[k];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weight[a] > weight[b]; });
    return order;
}

// Runs every chain, several at a time; each may work until its share of the time left is used.
void for_each_chain(int chains, int workers, const Stopwatch &watch, double end,
                    const std::function<void(int, double)> &work) {
    together(workers, [&](int first) {
        for (int c = first; c < chains; c += workers) {
            const int left = (chains - c + workers - 1) / workers;
            const double now = watch.elapsed();
            work(c, now + std::max(0.0, end - now) / left);
        }
    });
}

// One bridge from all chains: about the log ratio of evidence, and what corrects it by chain.
BridgeMeans bridge(const std::vector<Ladder> &ladders, std::size_t at) {
    BridgeMeans found;
    double count = 0.0;
    for (const Ladder &ladder : ladders)
        for (const auto *ratios : {&ladder.bridges[at].colder, &ladder.bridges[at].hotter})
            for (double ratio : *ratios) {
                found.middle += ratio;
                count += 1.0;
            }
    found.middle /= std::max(1.0, count);
    for (int round = 0; round < 12; ++round) {
        double colder = 0.0, hotter = 0.0;
        found.colder.clear();
        found.hotter.clear();
        for (const Ladder &ladder : ladders) {
            colder += found.colder.emplace_back(ladder.bridges[at].mean_colder(found.middle));
            hotter += found.hotter.emplace_back(ladder.bridges[at].mean_hotter(found.middle));
        }
        const double move = std::log(std::max(hotter, 1e-300) / std::max(colder, 1e-300));
        if (round == 11 || std::abs(move) < 1e-3) break;
        found.middle += std::clamp(move, -20.0, 20.0);
    }
    return found;
}

}  // namespace

Samples sample(const Coupled &problem, int chains, int batches, long long steps,
               std::uint64_t seed, int workers, const Stopwatch &watch) {
    const double end = watch.limit() > 0.0 ? watch.limit() : INFINITY;
    const auto order =
        likeliest(problem, seed, std::max(100LL, steps * chains / 200), watch, 0.1 * end);
    const Plan plan(problem, order, order.size() <= 2 * LIKELY ? order.size() : LIKELY);
    const auto levels = ladder_of(plan);
    const long long cycles = std::max<long long>(batches, steps / CYCLE);
    const long long burn_in = std::max(2LL, cycles / 16);
    double surprise = 0.0;
    for (double leak : levels.back().leak) surprise -= std::log(leak);
    const int stages = int(std::clamp(surprise / STAGE_SURPRISE, 3.0, MOST_STAGES));
    const long long each = std::max(1LL, cycles / 8 / (stages + (long long)levels.size()));

    Samples samples;
    samples.heats = levels.size();
    samples.links = plan.column.size();
    samples.batches.resize(std::size_t(chains) * batches);
    samples.kept.resize(chains);
    samples.log_weights.resize(chains);
    std::vector<Ladder> ladders;
    for (int c = 0; c < chains; ++c)
        ladders.emplace_back(plan, levels, seed * 1000003ULL + std::uint64_t(c) + 1);

    // half of the chains go on from where the findings led them, half from greedy explanations
    auto known = greedy_explanations(plan, levels[0], chains / 2);
    const std::size_t greedy = known.size();
    known.resize(greedy + 4 * std::size_t(chains));
    for_each_chain(chains, workers, watch, STARTED * end, [&](int c, double until) {
        Ladder &ladder = ladders[c];
        State *seen = known.data() + greedy + 4 * c;
        const double began = watch.elapsed();
        samples.log_weights[c] = ladder.take_in_weights(watch, began + TAKEN_IN * (until - began));
        ladder.cool(stages, each, watch, began + COOLED * (until - began));
        seen[0] = ladder.state();
        if (c % 2) ladder.place(known[c / 2]);
        for (long long i = 0; i < burn_in && (i == 0 || watch.elapsed() < until); ++i) {
            ladder.cycle(nullptr, nullptr, watch, until);
            if (2 * i == burn_in) seen[1] = ladder.state();
        }
        if (seen[1].inside.empty()) seen[1] = ladder.state();
        seen[2] = ladder.state();
        seen[3] = ladder.warmer_state();
    });
    const auto changes = Differences(plan).among(known, watch, COMPARED * end);
    for_each_chain(chains, workers, watch, end, [&](int c, double until) {
        const double began = watch.elapsed();
        for (int b = 0; b < batches; ++b) {
            Batch &batch = samples.batches[std::size_t(c) * batches + b];
            batch = Batch(problem.settled, plan.column.size(), plan.row_of_slot.size());
            const double stop = began + (until - began) * (b + 1) / batches;
            for (long long i = 0; i < std::max(1LL, (cycles - cycles / 8 - burn_in) / batches); ++i) {
                ladders[c].cycle(&batch, &changes, watch, stop);
                samples.kept[c].keep(ladders[c].state().set);
                if (watch.elapsed() > stop) break;
            }
            batch.finish(plan.slot_of_row, plan.start, plan.block_of_row);
        }
    });
    // the sum of all log_nothing differences: targets of levels leave their own out
    samples.log_scale = levels[0].log_nothing - levels.back().log_nothing;
    for (std::size_t at = 0; at < ladders[0].bridges.size(); ++at)
        samples.bridges.push_back(bridge(ladders, at));
    samples.changes = changes.size();
    return samples;
}

}  // namespace hickam::settled
