// The tree of settled problems: which risk factor is settled next, and what a leaf answers.
#include "coupled_mixture.hpp"

#include <algorithm>
#include <cmath>

namespace hickam::coupled {
namespace {

constexpr double LEAST_SPREAD = 1e-12;  // variance of the weights that is not worth a leaf
constexpr int SWEEPS = 4;               // of messages
constexpr int ROOT_TURNS = 3;           // solutions of the root, each with what the last one says
// Within which a risk factor's average stays, so that no explanation is thought far too unlikely.
constexpr double LEAST_HEARD = 0.3, MOST_HEARD = 0.95;

// A rare disease's chance as it counts in the choice of splits: scores are compared absolutely only
// below 1e-3, and above that relative to themselves.
double noticed(double chance) {
    return std::max(chance, 0.003 * std::min(1.0, std::sqrt(std::max(chance, 0.0) / 1e-3)));
}

template <typename T> std::vector<T> copy(const T *from, std::size_t count) {
    return std::vector<T>(from, from + count);
}

}  // namespace

Owned::Owned(const Coupled &p)
    : on(copy(p.on, p.rows)), off(copy(p.off, p.rows)), weight_on(copy(p.weight_on, p.rows)),
      weight_off(copy(p.weight_off, p.rows)), acts(copy(p.acts, p.rows * p.columns)),
      fails(copy(p.fails, p.rows * p.columns)), leak(copy(p.leak, p.columns)),
      leak_fails(copy(p.leak_fails, p.columns)), risk_prior(copy(p.risk_prior, p.risks)),
      edge_risk(copy(p.edge_risk, p.edges)), edge_row(copy(p.edge_row, p.edges)),
      edge_acts(copy(p.edge_acts, p.edges)), edge_fails(copy(p.edge_fails, p.edges)),
      reached(p.reached, p.reached + p.rows) {
    static_assert(sizeof(bool) == sizeof(unsigned char));
    view = {p.rows, p.columns, p.risks, p.edges, on.data(), off.data(), weight_on.data(),
            weight_off.data(), reinterpret_cast<const bool *>(reached.data()), acts.data(),
            fails.data(), leak.data(), leak_fails.data(), risk_prior.data(), edge_risk.data(),
            edge_row.data(), edge_acts.data(), edge_fails.data()};
}

Mixture::Mixture(const Coupled &given, int most_leaves, double most_operations, double most_bytes,
                 const Stopwatch &watch)
    : problem(given) {
    const Coupled &p = problem.view;
    for (std::size_t k = 0; k < p.rows; ++k)
        for (std::size_t s = 0; s < p.columns; ++s)
            if (p.reached[k] && p.acts[k * p.columns + s] > 0.0) {
                link_row.push_back(int(k));
                link_column.push_back(int(s));
            }
    Coupled settled = p;
    settled.risks = settled.edges = 0;
    FrontierLimits limits{most_operations, most_bytes};
    limits.times = most_leaves;
    plan = plan_frontier(settled, limits);
    if (!plan.fits) return;
    plan.fits = grow(most_leaves, watch);
}

// What the diseases hear about the averaged risk factors: messages, given what the findings say about
// each disease. A disease does not hear itself; those that no evidence reaches say nothing.
void Mixture::listen(Leaf &leaf) const {
    const Coupled &p = problem.view;
    std::vector<double> told(p.edges, 1.0);
    leaf.heard.resize(p.edges);
    for (std::size_t e = 0; e < p.edges; ++e) {
        const signed char state = leaf.state[p.edge_risk[e]];
        leaf.heard[e] = state < 0 ? p.risk_prior[p.edge_risk[e]] : double(state);
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        leaf.off = problem.off;
        for (std::size_t e = 0; e < p.edges; ++e)
            leaf.off[p.edge_row[e]] *= 1.0 - leaf.heard[e] * p.edge_acts[e];
        for (std::size_t e = 0; e < p.edges; ++e) {
            const std::size_t k = p.edge_row[e];
            if (!p.reached[k]) continue;
            const double own = 1.0 - leaf.heard[e] * p.edge_acts[e];
            const double others = own > 0.0 ? leaf.off[k] / own : 0.0;
            const double bias = leaf.down[k] - leaf.up[k];
            const double without = leaf.up[k] + bias * others;
            told[e] = without > 0.0 ? (leaf.up[k] + bias * others * p.edge_fails[e]) / without : 1.0;
            told[e] = std::clamp(told[e], 1e-100, 1e100);
        }
        leaf.log_shared = 0.0;
        for (std::size_t first = 0; first < p.edges;) {
            const std::size_t j = p.edge_risk[first];
            std::size_t end = first;
            double log_all = 0.0;
            for (; end < p.edges && std::size_t(p.edge_risk[end]) == j; ++end)
                log_all += std::log(told[end]);
            const double prior = p.risk_prior[j];
            if (leaf.state[j] < 0) {
                for (std::size_t e = first; e < end; ++e) {
                    const double on = prior * std::exp(std::min(log_all - std::log(told[e]), 300.0));
                    const double share = on / (1.0 - prior + on);
                    leaf.heard[e] = std::clamp(share, LEAST_HEARD * prior,
                                               std::max(prior, MOST_HEARD));
                    leaf.log_shared -= std::log(1.0 - leaf.heard[e] + leaf.heard[e] * told[e]);
                }
                leaf.log_shared +=
                    std::log(1.0 - prior + prior * std::exp(std::min(log_all, 300.0)));
            }
            first = end;
        }
    }
}

// The tables of a leaf; false if the time was up.
bool Mixture::solve(Leaf &leaf, const Stopwatch &watch) {
    const Coupled &p = problem.view;
    listen(leaf);
    leaf.on = problem.on;
    leaf.off = problem.off;
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t k = p.edge_row[e];
        leaf.on[k] += leaf.off[k] * leaf.heard[e] * p.edge_acts[e];
        leaf.off[k] *= (1.0 - leaf.heard[e]) + leaf.heard[e] * p.edge_fails[e];
    }
    Coupled settled = p;
    settled.risks = settled.edges = 0;
    settled.on = leaf.on.data();
    settled.off = leaf.off.data();
    Outcome out = frontier(settled, plan, watch);
    if (out.answer.expired) return false;
    leaf.log_evidence = out.answer.log_evidence;
    rounding = std::max(rounding, out.rounding);
    leaf.posterior = std::move(out.answer.posterior);
    leaf.unexplained = std::move(out.answer.unexplained);
    leaf.disabled.resize(link_row.size());
    leaf.sustained.resize(link_row.size());
    for (std::size_t i = 0; i < link_row.size(); ++i) {
        const std::size_t cell = std::size_t(link_row[i]) * p.columns + link_column[i];
        leaf.disabled[i] = out.answer.disabled[cell];
        leaf.sustained[i] = out.answer.sustained[cell];
    }
    if (leaf.log_evidence > -INFINITY) {
        for (std::size_t k = 0; k < p.rows; ++k) {
            const double m = std::clamp(leaf.posterior[k], 0.0, 1.0);
            const double up = m * leaf.off[k], down = (1.0 - m) * leaf.on[k];
            leaf.up[k] = up + down > 0.0 ? up / (up + down) : 0.5;
            leaf.down[k] = up + down > 0.0 ? down / (up + down) : 0.5;
        }
        rate(leaf);
    }
    return true;
}

// The risk factor whose averaging makes the weights vary most, were the diseases independent given
// the evidence.
void Mixture::rate(Leaf &leaf) const {
    const Coupled &p = problem.view;
    leaf.split = -1;
    leaf.spread = LEAST_SPREAD;
    for (std::size_t first = 0; first < p.edges;) {
        const std::size_t j = p.edge_risk[first];
        std::size_t end = first;
        while (end < p.edges && std::size_t(p.edge_risk[end]) == j) ++end;
        const double prior = p.risk_prior[j];
        if (leaf.state[j] < 0 && prior > 0.0 && prior < 1.0) {
            double one[2] = {1.0, 1.0}, two[2][2] = {{1.0, 1.0}, {1.0, 1.0}};
            for (std::size_t e = first; e < end; ++e) {
                const std::size_t k = p.edge_row[e];
                if (!p.reached[k]) continue;
                const double on = leaf.on[k], off = leaf.off[k];
                const double m = noticed(leaf.posterior[k]);
                const double mean = (1.0 - leaf.heard[e]) + leaf.heard[e] * p.edge_fails[e];
                const double base = mean > 0.0 ? off / mean : 0.0;
                const double quiet[2] = {base, base * p.edge_fails[e]};
                double up[2], down[2];
                for (int r = 0; r < 2; ++r) {
                    up[r] = on > 0.0 ? (1.0 - quiet[r]) / on : 0.0;
                    down[r] = off > 0.0 ? quiet[r] / off : 0.0;
                    one[r] *= m * up[r] + (1.0 - m) * down[r];
                }
                for (int r = 0; r < 2; ++r)
                    for (int q = 0; q < 2; ++q)
                        two[r][q] *= m * up[r] * up[q] + (1.0 - m) * down[r] * down[q];
            }
            const double share[2] = {1.0 - prior, prior};
            double mean = 0.0, square = 0.0;
            for (int r = 0; r < 2; ++r) {
                mean += share[r] * one[r];
                for (int q = 0; q < 2; ++q) square += share[r] * share[q] * two[r][q];
            }
            const double spread = mean > 0.0 ? square / (mean * mean) - 1.0 : 0.0;
            if (spread > leaf.spread) leaf.spread = spread, leaf.split = int(j);
        }
        first = end;
    }
}

// Settles risk factors where that takes most away from the variance of the weights.
bool Mixture::grow(int most, const Stopwatch &watch) {
    const Coupled &p = problem.view;
    Leaf root;
    root.state.assign(p.risks, -1);
    root.up.assign(p.rows, 0.5);
    root.down.assign(p.rows, 0.5);
    for (int turn = 0; turn < ROOT_TURNS; ++turn)
        if (!solve(root, watch)) return false;
    leaves.push_back(std::move(root));
    weigh_leaves();
    while (int(leaves.size()) < most && possible()) {
        int best = -1;
        double gain = 0.0;
        for (std::size_t i = 0; i < leaves.size(); ++i)
            if (leaves[i].split >= 0 && share[i] * leaves[i].spread > gain)
                gain = share[i] * leaves[i].spread, best = int(i);
        if (best < 0) break;
        const int j = leaves[best].split;
        Leaf parts[2];
        bool done = true;
        for (int r = 0; r < 2 && done; ++r) {
            parts[r].state = leaves[best].state;
            parts[r].up = leaves[best].up;
            parts[r].down = leaves[best].down;
            parts[r].state[j] = static_cast<signed char>(r);
            parts[r].log_prior =
                leaves[best].log_prior + std::log(r ? p.risk_prior[j] : 1.0 - p.risk_prior[j]);
            done = solve(parts[r], watch);
        }
        if (!done) break;  // what has grown so far is a mixture too
        leaves[best] = std::move(parts[0]);
        leaves.push_back(std::move(parts[1]));
        weigh_leaves();
    }
    return true;
}

void Mixture::weigh_leaves() {
    double peak = -INFINITY, total = 0.0;
    for (const Leaf &leaf : leaves) peak = std::max(peak, log_weight(leaf) + leaf.log_evidence);
    share.assign(leaves.size(), 0.0);
    if (!(peak > -INFINITY)) {
        log_total = -INFINITY;
        return;
    }
    for (std::size_t i = 0; i < leaves.size(); ++i)
        total += share[i] = std::exp(log_weight(leaves[i]) + leaves[i].log_evidence - peak);
    for (double &one : share) one /= total;
    log_total = peak + std::log(total);
}


bool Mixture::complete() const {
    const Coupled &p = problem.view;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        for (std::size_t e = 1; e < p.edges && share[i] > 0.0; ++e)
            if (p.edge_risk[e] == p.edge_risk[e - 1] && leaves[i].state[p.edge_risk[e]] < 0)
                return false;
    return true;
}

Outcome Mixture::mean() const {
    const Coupled &p = problem.view;
    Outcome out;
    out.rounding = rounding;
    Answer &answer = out.answer;
    answer.log_evidence = log_total;
    answer.posterior.assign(p.rows, 0.0);
    answer.disabled.assign(p.rows * p.columns, 0.0);
    answer.sustained.assign(p.rows * p.columns, 0.0);
    answer.unexplained.assign(p.columns, 0.0);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Leaf &leaf = leaves[i];
        if (!(share[i] > 0.0)) continue;
        for (std::size_t k = 0; k < p.rows; ++k)
            answer.posterior[k] += share[i] * (p.reached[k] ? leaf.posterior[k] : leaf.on[k]);
        for (std::size_t s = 0; s < p.columns; ++s)
            answer.unexplained[s] += share[i] * leaf.unexplained[s];
        for (std::size_t n = 0; n < link_row.size(); ++n) {
            const std::size_t cell = std::size_t(link_row[n]) * p.columns + link_column[n];
            answer.disabled[cell] += share[i] * leaf.disabled[n];
            answer.sustained[cell] += share[i] * leaf.sustained[n];
        }
    }
    return out;
}

}  // namespace hickam::coupled
