// What each step of a chain says about every disease, summed into the batch.
#pragma once
#include "settled_risks.hpp"

namespace hickam::settled {

inline void Chain::tally(Batch &batch, double norm, double share) {
    const double slot = 1.0 / norm, indicator = share / norm;
    double *by_slot = batch.slot.data(), *by_indicator = batch.indicator.data();
    const double *w = weight.data();
#pragma omp simd
    for (std::size_t i = 0; i < 4 * plan.first[1]; ++i) {
        by_slot[i] += slot * w[i];
        by_indicator[i] += indicator * w[i];
    }
    for (int k : state.set) by_indicator[plan.slot_of_row[k]] += 1.0;
    batch.steps += 1.0;
    if (steps % plan.thin == 0) {
        batch.pickings += 1.0;
        pick(batch, 1.0 / norm, 0);
    }
}

// The same for the unlikely, from weights of all diseases.
inline void Chain::tally_unlikely(Batch &batch, double norm, double share) {
    const double slot = 1.0 / (norm * double(plan.blocks())), indicator = share * slot;
    double *by_slot = batch.slot.data(), *by_indicator = batch.rare_indicator.data();
    const double *w = weight.data();
#pragma omp simd
    for (std::size_t i = 4 * plan.first[1]; i < slots; ++i) {
        by_slot[i] += slot * w[i];
        by_indicator[i] += indicator * w[i];
    }
    batch.censuses += 1.0;
    pick(batch, slot, plan.first[1] * 4);
}

// The posterior of every row without a present finding, given the risk factors.
inline void Chain::tally_quiet(Batch &batch) {
    batch.sweeps += 1.0;
    for (int k : plan.quiet)
        batch.quiet[k] += level->weight_on[k] * row_on[k] / mass(k, row_on[k], row_off[k], 1.0);
}
// What it owes to the state that risk factor j happens to be in, replaced by its mean.
inline void Chain::tally_quiet(Batch &batch, int j, double chance) {
    const Coupled &c = plan.problem;
    for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
        const int k = int(c.edge_row[e]);
        if (plan.slot_of_row[k] >= 0) continue;
        double up = row_on[k], down = row_off[k];
        if (state.risk[j]) without(k, j, up, down);
        const double up_with = up + down * level->edge_acts[e];
        const double down_with = down * level->edge_fails[e];
        batch.quiet[k] += (chance - state.risk[j]) * level->weight_on[k] *
                          (up_with / mass(k, up_with, down_with, 1.0) - up / mass(k, up, down, 1.0));
    }
}

// Systematic picks from the weights: what a refilled disease would produce.
inline void Chain::pick(Batch &batch, double scale, std::size_t from) {
    double total = 0.0;
    for (const Strip &strip : strips) total += in_pick(strip, from) ? strip.sum : 0.0;
    if (!(total > 0.0)) return;
    const int count = from ? 4 * PICKS : PICKS;
    const double each = total * scale / count, stride = total / count;
    double target = random.uniform() * stride, passed = 0.0;
    for (const Strip &strip : strips) {
        if (!in_pick(strip, from)) continue;
        double running = passed;
        passed += strip.sum;
        if (passed <= target) continue;
        for (std::size_t i = strip.first; i < strip.last; ++i) {
            running += weight[i];
            int picked = 0;
            while (target < running) {
                ++picked;
                target += stride;
            }
            if (picked) explain(batch, plan.row_of_slot[i], picked * each);
        }
    }
}

// A census picks among the unlikely, every other step among the likely.
inline bool Chain::in_pick(const Strip &strip, std::size_t from) const {
    return from ? strip.first >= from : strip.first < 4 * plan.first[1];
}

// What disease k, added to S, would produce and produce alone.
inline void Chain::explain(Batch &batch, int k, double mass) {
    batch.picked[k] += mass;
    double sustained = 0.0, disabled = 0.0;
    for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
        const int s = plan.column[link];
        const double u = plan.acts[link], chance = on[s] + off[s] * u;
        batch.slot_sustained[link] += mass * u / chance;
        batch.slot_disabled[link] += mass * u * off[s] / chance;
        sustained += u / chance;
        disabled += u * off[s] / chance;
    }
    batch.slot_scores[2 * k] += mass * sustained;
    batch.slot_scores[2 * k + 1] += mass * disabled;
}

// What each disease of D produces, and produces alone, given D.
inline void Chain::tally_state(Batch &batch) {
    batch.looks += 1.0;
    for (int k : state.set) {
        batch.present[k] += 1.0;
        double sustained = 0.0, disabled = 0.0;
        for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
            const int s = plan.column[link];
            const double produced = plan.acts[link] * inverse[s];
            const double alone = plan.fails[link] > 1e-3 ? off[s] / plan.fails[link]
                                                         : off_without(s, k);
            batch.set_sustained[link] += produced;
            batch.set_disabled[link] += produced * alone;
            sustained += produced;
            disabled += produced * alone;
        }
        batch.set_scores[2 * k] += sustained;
        batch.set_scores[2 * k + 1] += disabled;
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        const double silent = plan.leak_fails[s] > 0.0 ? off[s] / plan.leak_fails[s]
                                                       : silence(int(s));
        batch.unexplained[s] += plan.leak[s] * silent * inverse[s];
    }
}

inline double Chain::off_without(int s, int left_out) const {
    double chance = plan.leak_fails[s];
    for (int k : state.set)
        if (k != left_out) chance *= p.fails[k * p.columns + s];
    return chance;
}
inline double Chain::silence(int s) const {
    double chance = 1.0;
    for (int k : state.set) chance *= p.fails[k * p.columns + s];
    return chance;
}

}  // namespace hickam::settled
