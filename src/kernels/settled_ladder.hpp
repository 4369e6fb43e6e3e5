// The posterior's chain and hotter ones that hand it new explanations.
#pragma once
#include "settled_explanations.hpp"
#include "settled_tally.hpp"

#include <functional>

namespace hickam::settled {

// What two neighbouring temperatures say about the ratio of their evidence: log of the colder
// target over the hotter one, at states of either.
struct Bridge {
    std::vector<double> colder, hotter;

    // The acceptance ratio method (Bennett 1976): both means agree where the middle is the answer.
    double mean_colder(double middle) const { return mean(colder, middle, 1.0); }
    double mean_hotter(double middle) const { return mean(hotter, middle, -1.0); }

  private:
    static double mean(const std::vector<double> &ratios, double middle, double sign) {
        double sum = 0.0;
        for (double ratio : ratios) sum += 1.0 / (1.0 + std::exp(sign * (ratio - middle)));
        return sum / double(ratios.size());
    }
};

class Ladder {
  public:
    Ladder(const Plan &plan, const std::vector<Level> &levels, std::uint64_t seed)
        : plan(plan), random(~seed) {
        for (std::size_t i = 0; i < levels.size(); ++i)
            chains.emplace_back(plan, levels[i], seed * 64 + i);
    }

    const State &state() const { return chains[0].state; }
    const State &warmer_state() const { return chains[chains.size() > 1].state; }
    void place(const State &state) {
        chains[0].place(state);
        for (int i = 0; i < 4; ++i) chains[0].visit_risks(nullptr);
    }

    // log P(absent findings and soft evidence) at the hottest, the risk factors drawn while these
    // are taken in; all chains start there. When the time is up no more particles are begun, and the
    // last one is weighed as it is.
    double take_in_weights(const Stopwatch &watch, double until);

    // Goes from findings that arise by themselves to the posterior, by stages at the hottest and
    // then from level to level; notes a bridge for every stage. No stage is left out when the time
    // is up: a chain that starts where it should not is worse than one that starts late.
    void cool(int stages, long long cycles_each, const Stopwatch &watch, double until) {
        Chain &hottest = chains.back();
        bridges.assign(stages + chains.size() - 1, {});
        const auto work = [&](Chain &chain, const std::function<void()> &look) {
            for (long long i = 0; i < cycles_each; ++i) {
                for (int j = 0; j < CYCLE; ++j) {
                    chain.step(nullptr);
                    aside(chain, nullptr, j);
                    if (j % LOOKS < LOOKS - 1) continue;
                    // a stage starts where the one before ended: half of it only settles
                    if (2 * (i * CYCLE + j) > cycles_each * CYCLE) look();
                    if (watch.elapsed() > until) return;
                }
            }
        };
        for (int stage = 0; stage <= stages; ++stage) {
            const auto power = [&](int at) { return double(at) / stages; };
            const auto look = [&] {
                const double here = hottest.log_findings(power(stage));
                if (stage > 0)
                    bridges[stage - 1].colder.push_back(
                        here - hottest.log_findings(power(stage - 1)));
                if (stage < stages)
                    bridges[stage].hotter.push_back(hottest.log_findings(power(stage + 1)) - here);
            };
            hottest.require(power(stage));
            work(hottest, look);
            if (bridges[std::min(stage, stages - 1)].hotter.empty() ||
                (stage > 0 && bridges[stage - 1].colder.empty())) {
                look();  // the time is up: one look is better than none
            }
        }
        for (std::size_t at = chains.size() - 1; at-- > 0;) {
            chains[at].place(chains[at + 1].state);
            work(chains[at], [] {});
        }
    }

    // CYCLE steps at the posterior, a third as many shared by the hotter ones, then exchanges; of
    // each level at least a few steps when the time is up.
    void cycle(Batch *batch, const std::vector<Change> *changes, const Stopwatch &watch,
               double until) {
        const int hot = int(chains.size()) - 1;
        for (int at = 0; at <= hot; ++at) {
            const int count = at == 0 ? CYCLE : std::max(2, CYCLE / 3 / hot);
            const int start = at == 0 ? 0 : int(random.below(SHIFTS));
            for (int i = 0; i < count; ++i) {
                chains[at].step(at ? nullptr : batch);
                aside(chains[at], changes, start + i);
                if (i % LOOKS == LOOKS - 1 && watch.elapsed() > until) break;
            }
        }
        for (std::size_t at = cycles++ % 2; at + 1 < chains.size(); at += 2) {
            const auto [colder, hotter] = chains[at].exchange(chains[at + 1]);
            if (!batch) continue;
            Bridge &bridge = bridges[bridges.size() - 1 - at];
            bridge.colder.push_back(colder);
            bridge.hotter.push_back(hotter);
        }
    }

    // From the first stage to the posterior.
    std::vector<Bridge> bridges;

  private:
    // Now and then a move of another kind.
    void aside(Chain &chain, const std::vector<Change> *changes, int i) {
        if (i % PAIRS == 0) chain.pair_step();
        if (!plan.strong.empty() && i % plan.joint == 1) chain.joint_step();
        if (!changes || changes->empty()) return;
        if (i % (changes->size() < 32 ? 2 : SHIFTS) == 1) chain.shift(*changes);
    }

    const Plan &plan;
    std::vector<Chain> chains;
    Random random;
    std::size_t cycles = 0;
};

// Annealed importance sampling over the risk factors alone: without findings the diseases can be
// summed out, and each row weighs a setting by its mass over both states.
inline double Ladder::take_in_weights(const Stopwatch &watch, double until) {
    const Coupled &c = plan.problem;
    const Level &level = chains.back().at();
    constexpr int PARTICLES = 16;
    std::vector<int> rows;
    for (std::size_t k = 0; k < c.settled.rows; ++k)
        if (c.weight_on[k] != c.weight_off[k]) rows.push_back(int(k));
    double span = 0.0;  // of the weight of a row
    for (int k : rows) {
        const double fewest = std::max(level.on[k], 1e-12);
        const double least = level.weight_off[k] * (1.0 - fewest) + level.weight_on[k] * fewest;
        span = std::max(span, std::abs(std::log(level.weight_on[k] / least)));
    }
    const int STAGES = int(std::clamp(2.0 * span, 6.0, 40.0));
    std::vector<std::vector<char>> risk;
    std::vector<double> log_weight;
    const auto log_mass = [&](const std::vector<char> &r, int k, int flipped) {
        double up = level.on[k], down = level.off[k];
        for (int i = c.row_start[k]; i < c.row_start[k + 1]; ++i) {
            const int e = c.row_edges[i], j = int(c.edge_risk[e]);
            if (!(r[j] ^ (j == flipped))) continue;
            up += down * level.edge_acts[e];
            down *= level.edge_fails[e];
        }
        return std::log(level.weight_off[k] * down + level.weight_on[k] * up);
    };
    for (int i = 0; i < PARTICLES && (i == 0 || watch.elapsed() <= until); ++i) {
        risk.emplace_back(c.risks);
        log_weight.push_back(0.0);
        for (std::size_t j = 0; j < c.risks; ++j) risk[i][j] = random.uniform() < level.risk[j];
        for (int stage = 1; stage <= STAGES && !rows.empty(); ++stage) {
            // without moves the rest of the stages is one: the weight stays right, if less even
            const bool late = watch.elapsed() > until;
            const double part = double(late ? STAGES - stage + 1 : 1) / STAGES;
            for (int k : rows) log_weight[i] += part * log_mass(risk[i], k, -1);
            if (late) break;
            for (std::size_t j = 0; j < c.risks && stage < STAGES; ++j) {
                double change = 0.0;
                for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
                    const int k = int(c.edge_row[e]);
                    if (c.weight_on[k] != c.weight_off[k])
                        change += log_mass(risk[i], k, int(j)) - log_mass(risk[i], k, -1);
                }
                change *= double(stage) / STAGES;
                change += risk[i][j] ? -level.risk_log_odds[j] : level.risk_log_odds[j];
                if (random.uniform() < 1.0 / (1.0 + std::exp(-change))) risk[i][j] ^= 1;
            }
        }
    }
    const double peak = *std::max_element(log_weight.begin(), log_weight.end());
    double total = 0.0;
    for (double log_one : log_weight) total += std::exp(log_one - peak);
    for (Chain &chain : chains) {
        double drawn = random.uniform() * total;
        int i = 0;
        while (i + 1 < int(risk.size()) && (drawn -= std::exp(log_weight[i] - peak)) >= 0.0) ++i;
        State start = chain.state;
        start.risk = risk[i];
        chain.place(start);
        chain.draw_prior();
    }
    return peak + std::log(total / double(risk.size()));
}

}  // namespace hickam::settled
