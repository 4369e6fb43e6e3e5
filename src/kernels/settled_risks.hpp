// Moves of the unobserved risk factors, alone and together with the diseases that they cause.
#pragma once
#include "settled_chain.hpp"

namespace hickam::settled {

// Bring the chances of every disease in line with the risk factors.
inline void Chain::follow() {
    for (std::size_t k = 0; k < p.rows; ++k) follow(int(k));
}
inline void Chain::follow(int k) {
    without(k, -1, row_on[k], row_off[k]);
    set_odds(k);
}
// The chances of row k with risk factor j off, summed afresh: what a certain link has done cannot
// be divided out again.
inline void Chain::without(int k, int j, double &up, double &down) const {
    const Coupled &c = plan.problem;
    up = level->on[k];
    down = level->off[k];
    for (int i = c.row_start[k]; i < c.row_start[k + 1]; ++i) {
        const int e = c.row_edges[i], r = int(c.edge_risk[e]);
        if (r == j || !state.risk[r]) continue;
        up += down * level->edge_acts[e];
        down *= level->edge_fails[e];
    }
}
inline void Chain::set_odds(int k) {
    const int slot = plan.slot_of_row[k];
    if (slot < 0) return;
    const double up = level->weight_on[k] * row_on[k];
    const double down = level->weight_off[k] * row_off[k];
    odds[slot] = plan.lift(k) * (up > 0.0 ? (up * LEAST_FAILS < down ? up / down : MOST_ODDS) : 0.0);
}
inline void Chain::flip(int j) {
    const Coupled &c = plan.problem;
    state.risk[j] = !state.risk[j];
    for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
        const int k = int(c.edge_row[e]);
        if (!state.risk[j]) {
            follow(k);
            continue;
        }
        row_on[k] += row_off[k] * level->edge_acts[e];
        row_off[k] *= level->edge_fails[e];
        set_odds(k);
    }
}

// Of a row, both states together; the present findings multiply that of D = 1 by a factor.
inline double Chain::mass(int k, double up, double down, double factor) const {
    return level->weight_off[k] * down + level->weight_on[k] * up * factor;
}
// By how much row k outside of S makes the findings likelier.
inline double Chain::gain(int k) const {
    double product = 1.0;
    for (int link = plan.start[k]; link < plan.start[k + 1]; ++link)
        product += product * plan.acts[link] * ratio[plan.column[link]];
    return std::min(product, MOST_WEIGHT);
}

inline void Chain::visit_risks(Batch *batch) {
    const Coupled &c = plan.problem;
    if (batch) tally_quiet(*batch);
    for (std::size_t j = 0; j < c.risks; ++j) {
        LogProduct product;
        for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
            const int k = int(c.edge_row[e]);
            const bool quiet = plan.slot_of_row[k] < 0;
            if (quiet ? level->weight_on[k] == level->weight_off[k] : !state.inside[k]) continue;
            double up = row_on[k], down = row_off[k];
            if (state.risk[j]) without(k, int(j), up, down);
            const double up_with = up + down * level->edge_acts[e];
            if (quiet) {
                product.multiply(mass(k, up_with, down * level->edge_fails[e], 1.0));
                product.divide(mass(k, up, down, 1.0));
            } else {
                product.multiply(up_with);
                product.divide(up);
                product.divide(level->edge_fails[e]);
            }
        }
        const double log_odds = level->risk_log_odds[j] + level->all_fail[j] + product.log();
        const double chance = 1.0 / (1.0 + std::exp(-log_odds));
        if (batch) tally_quiet(*batch, int(j), chance);
        const char next = random.uniform() < chance;
        if (next != state.risk[j]) flip(int(j));
    }
}

// Flips risk factors; `moving` are their rows, each once, and remember what they were.
inline void Chain::flip_all(const std::vector<int> &flips) {
    const Coupled &c = plan.problem;
    moving.clear();
    for (int j : flips)
        for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
            const int k = int(c.edge_row[e]), slot = plan.slot_of_row[k];
            if (touched[k]) continue;
            touched[k] = 1;
            before_on[k] = row_on[k];
            before_off[k] = row_off[k];
            before_odds[k] = slot < 0 ? 0.0 : odds[slot];
            moving.push_back(k);
        }
    for (int k : moving) touched[k] = 0;
    for (int j : flips) flip(j);
}
inline void Chain::undo(const std::vector<int> &flips) {
    for (int j : flips) state.risk[j] = !state.risk[j];
    for (int k : moving) {
        row_on[k] = before_on[k];
        row_off[k] = before_off[k];
        if (plan.slot_of_row[k] >= 0) odds[plan.slot_of_row[k]] = before_odds[k];
    }
}

// The diseases are redrawn one by one, each given all others, in a random order; going back in the
// opposite order every disease meets the same others. What remains of the Metropolis-Hastings ratio
// is the prior of the risk factors and, for each disease, the ratio of its mass over both states.
inline void Chain::joint_step() {
    const Coupled &c = plan.problem;
    const int edge = plan.strong[random.below(plan.strong.size())];
    std::vector<int> flips{int(c.edge_risk[edge])};
    if (random.uniform() < 0.5) {
        const int k = int(c.edge_row[edge]), parents = c.row_start[k + 1] - c.row_start[k];
        const int other = c.row_edges[c.row_start[k] + int(random.below(parents))];
        if (c.edge_risk[other] != flips[0]) flips.push_back(int(c.edge_risk[other]));
    }
    set_before = state.set;
    double change = 0.0;
    LogProduct ratio_of_masses;
    for (int j : flips)
        change += state.risk[j] ? -level->risk_log_odds[j] : level->risk_log_odds[j];
    flip_all(flips);
    for (std::size_t i = moving.size(); i > 1; --i) std::swap(moving[i - 1], moving[random.below(i)]);
    look();
    for (int k : moving) {
        const bool quiet = plan.slot_of_row[k] < 0;
        if (state.inside[k]) {
            state.toggle(k);
            look();
        }
        const double factor = quiet ? 1.0 : gain(k);
        const double now = mass(k, row_on[k], row_off[k], factor);
        ratio_of_masses.multiply(now);
        ratio_of_masses.divide(mass(k, before_on[k], before_off[k], factor));
        if (quiet) continue;
        if (random.uniform() * now < level->weight_on[k] * row_on[k] * factor) {
            state.add(k);
            include(k);
            for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
                const int s = plan.column[link];
                ratio[s] = off[s] / on[s];
            }
        }
    }
    if (std::log(random.uniform()) < change + ratio_of_masses.log()) return;
    for (int k : state.set) state.inside[k] = 0;
    state.set = set_before;
    for (int k : state.set) state.inside[k] = 1;
    undo(flips);
}

inline void Chain::shift(const std::vector<Change> &changes) {
    const Change &change = changes[random.below(changes.size())];
    const double before = log_target(*level);
    for (int k : change.rows) state.toggle(k);
    flip_all(change.risks);
    if (std::log(random.uniform()) < log_target(*level) - before) return;
    for (int k : change.rows) state.toggle(k);
    undo(change.risks);
}

inline double Chain::log_findings(double power) const {
    LogProduct product;
    for (std::size_t s = 0; s < p.columns; ++s) {
        double produced = std::pow(level->leak[s], power), silent = 1.0 - produced;
        for (int k : state.set) {
            produced += silent * p.acts[k * p.columns + s];
            silent *= p.fails[k * p.columns + s];
        }
        product.multiply(produced);
    }
    return product.log();
}

inline std::pair<double, double> Chain::exchange(Chain &other) {
    const double here = log_target(*level) - log_target(*other.level);
    const double there = other.log_target(*level) - other.log_target(*other.level);
    if (std::log(random.uniform()) < there - here) {
        std::swap(state, other.state);
        if (plan.problem.risks) {
            follow();
            other.follow();
        }
    }
    return {here, there};
}

inline void Chain::draw_prior() {
    state.set.clear();
    for (std::size_t k = 0; k < p.rows; ++k) {
        state.inside[k] = 0;
        const int slot = plan.slot_of_row[k];
        if (slot < 0) continue;
        const double own = odds[slot] / plan.lift(int(k));
        if (random.uniform() * (1.0 + own) < own) state.add(int(k));
    }
}

// log of the target at a temperature, up to a constant of that temperature.
inline double Chain::log_target(const Level &at) {
    const Coupled &c = plan.problem;
    double sum = 0.0;
    LogProduct product;
    for (std::size_t j = 0; j < c.risks; ++j)
        if (state.risk[j]) sum += at.risk_log_odds[j] + at.all_fail[j];
    const auto lit = [&](int k, const auto &each) {
        for (int i = c.row_start[k]; i < c.row_start[k + 1]; ++i)
            if (state.risk[c.edge_risk[c.row_edges[i]]]) each(c.row_edges[i]);
    };
    for (int k : plan.quiet) {
        if (c.risks == 0 || at.weight_on[k] == at.weight_off[k]) continue;
        double up = at.on[k], down = at.off[k];
        lit(k, [&](int e) {
            up += down * at.edge_acts[e];
            down *= at.edge_fails[e];
        });
        product.multiply(at.weight_off[k] * down + at.weight_on[k] * up);
    }
    for (int k : state.set) {
        double up = at.on[k], down = at.off[k];
        product.divide(at.weight_off[k]);
        product.divide(down);
        lit(k, [&](int e) {
            up += down * at.edge_acts[e];
            down *= at.edge_fails[e];
            product.divide(at.edge_fails[e]);
        });
        product.multiply(at.weight_on[k]);
        product.multiply(up);
    }
    std::copy(at.leak.begin(), at.leak.end(), on.begin());
    std::copy(at.leak_fails.begin(), at.leak_fails.end(), off.begin());
    for (int k : state.set) include(k);
    for (std::size_t s = 0; s < p.columns; ++s) product.multiply(on[s]);
    return sum + product.log();
}

}  // namespace hickam::settled
