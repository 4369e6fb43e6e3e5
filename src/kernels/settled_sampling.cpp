// Slot Gibbs over independent ladders of chains: the run, from a pilot to the batch means.
#include "settled_tally.hpp"

#include <thread>

namespace hickam::settled {
namespace {

// The posterior's chain and hotter ones that hand it new explanations.
class Ladder {
  public:
    Ladder(const Plan &plan, std::uint64_t seed, const std::vector<double> &heats) : random(~seed) {
        for (std::size_t level = 0; level < heats.size(); ++level)
            chains.emplace_back(plan, seed * 64 + level, heats[level]);
    }
    void warm_up(long long steps, std::vector<double> &chance, const Stopwatch &watch,
                 double until) {
        std::vector<double> ignored(chance.size());
        for (std::size_t level = 1; level < chains.size(); ++level)
            chains[level].warm_up(std::max(10LL, steps / (long long)(chains.size() - 1)), ignored,
                                  watch, until);
        chains[0].warm_up(steps, chance, watch, until);
        for (int i = 0; i < 16; ++i) cycle(nullptr);
    }
    // CYCLE steps at the posterior, half as many shared by the hotter chains, then exchanges
    void cycle(Batch *batch) {
        for (int i = 0; i < CYCLE; ++i) {
            chains[0].step(batch);
            if (i % PAIRS == 0) chains[0].pair_step();
        }
        for (std::size_t level = 1; level < chains.size(); ++level)
            for (int i = 0; i < std::max(2, CYCLE / 2 / int(chains.size() - 1)); ++i)
                move(chains[level], i);
        for (std::size_t level = cycles++ % 2; level + 1 < chains.size(); level += 2)
            chains[level].exchange(chains[level + 1]);
    }

  private:
    static void move(Chain &chain, int i) {
        chain.step(nullptr);
        if (i % PAIRS == 0) chain.pair_step();
    }

    std::vector<Chain> chains;
    Random random;
    std::size_t cycles = 0;
};

// Temperatures down to where one disease for every eight present findings is expected by chance.
std::vector<double> heats(const Coupled &problem) {
    const auto expected = [&](double heat) {
        double sum = 0.0;
        for (std::size_t k = 0; k < problem.settled.rows; ++k) {
            const double up = problem.weight_on[k] * (1.0 - problem.off[k]);
            const double odds = std::pow(up / (problem.weight_off[k] * problem.off[k]), heat);
            sum += odds < INFINITY ? odds / (1.0 + odds) : 1.0;
        }
        return sum;
    };
    std::vector<double> ladder = {1.0};
    while (ladder.size() < MOST_HEATS && expected(ladder.back()) < 0.12 * problem.settled.columns)
        ladder.push_back(ladder.back() * HEAT_STEP);
    return ladder;
}

// The rows, the likeliest first, by a short run that considers all of them.
std::vector<int> likeliest(const Coupled &problem, std::uint64_t seed, long long steps) {
    const std::size_t rows = problem.settled.rows;
    std::vector<int> order(rows);
    for (std::size_t k = 0; k < rows; ++k) order[k] = int(k);
    if (rows <= 2 * LIKELY) return order;
    const Plan plan(problem, order, rows);
    std::vector<double> weight(rows, 0.0), chance(problem.settled.columns);
    for (const double heat : {1.0, 1.0, 0.85, 0.7}) {
        Chain chain(plan, ++seed, heat);
        const long long stage = std::max<long long>(4, steps / (8 * (chance.size() + 1)));
        chain.warm_up(stage, chance, Stopwatch(0.0), INFINITY);
        Batch batch(problem.settled, plan.column.size(), plan.row_of_slot.size());
        for (long long i = 0; i < steps / 8; ++i) chain.step(&batch);
        batch.finish(plan.slot_of_row, plan.start, plan.block_of_row);
        for (std::size_t k = 0; k < rows; ++k) weight[k] += heat * batch.slot[k];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weight[a] > weight[b]; });
    return order;
}

}  // namespace

Samples sample(const Coupled &problem, int chains, int batches, long long steps,
               std::uint64_t seed, int workers, const Stopwatch &watch) {
    const auto order = likeliest(problem, seed, std::max(100LL, steps * chains / 200));
    const bool all = problem.settled.rows <= 2 * LIKELY;
    const Plan plan(problem, order, all ? problem.settled.rows : LIKELY);
    const auto temperatures = heats(problem);
    Samples samples;
    samples.heats = temperatures.size();
    samples.links = plan.column.size();
    samples.batches.resize(std::size_t(chains) * batches);
    const std::size_t columns = problem.settled.columns;
    samples.chances.assign(chains, std::vector<double>(columns));
    const auto run = [&](int first) {
        for (int c = first; c < chains; c += workers) {
            // the time left is shared evenly by the chains this worker has still to run
            const int left = (chains - c + workers - 1) / workers;
            const double began = watch.elapsed();
            const double until = watch.limit() > 0.0
                                     ? began + std::max(0.0, watch.limit() - began) / left
                                     : INFINITY;
            Ladder chain(plan, seed * 1000003ULL + std::uint64_t(c) + 1, temperatures);
            const long long stage = std::max(20LL, steps / 8 / (long long)(columns + 1));
            const long long warm = stage * (long long)(columns + 1);
            chain.warm_up(stage, samples.chances[c], watch, began + (until - began) / 4);
            const double warmed = watch.elapsed();
            for (int b = 0; b < batches; ++b) {
                Batch &batch = samples.batches[std::size_t(c) * batches + b];
                batch = Batch(problem.settled, plan.column.size(), plan.row_of_slot.size());
                const double stop = warmed + (until - warmed) * (b + 1) / batches;
                for (long long i = 0; i <= (steps - warm) / batches / CYCLE; ++i) {
                    chain.cycle(&batch);
                    if (i % 4 == 3 && watch.elapsed() > stop) break;
                }
                batch.finish(plan.slot_of_row, plan.start, plan.block_of_row);
            }
        }
    };
    std::vector<std::thread> threads;
    for (int w = 1; w < workers; ++w) threads.emplace_back(run, w);
    run(0);
    for (auto &thread : threads) thread.join();
    return samples;
}

}  // namespace hickam::settled
