// The problem at one temperature: again a noisy-OR problem, with softer numbers.
#pragma once
#include "settled_plan.hpp"

namespace hickam::settled {

// Every activation a = 1 - f above the findings becomes a^heat / (a^heat + f^heat), every weight and
// leak its power: heat 1 is the problem itself; below, explanations change more easily.
struct Level {
    double heat;
    std::vector<double> on, off;                // [row] with the risk factors off
    std::vector<double> weight_on, weight_off;  // [row]
    std::vector<double> edge_acts, edge_fails;  // [edge]
    std::vector<double> risk, risk_log_odds;    // [risk]
    std::vector<double> all_fail;               // [risk] log of the fails of its rows with findings
    std::vector<double> leak, leak_fails;       // [column]
    double log_nothing = 0.0;  // log P(no risk factor, no disease), which the chains leave out

    Level(const Plan &plan, double heat)
        : heat(heat), leak(plan.leak), leak_fails(plan.leak_fails) {
        const Coupled &c = plan.problem;
        for (std::size_t k = 0; k < c.settled.rows; ++k) {
            soften(c.settled.on[k], c.settled.off[k], on, off);
            weight_on.push_back(power(c.weight_on[k]));
            weight_off.push_back(power(c.weight_off[k]));
        }
        for (std::size_t e = 0; e < c.edges; ++e)
            soften(c.edge_acts[e], c.edge_fails[e], edge_acts, edge_fails);
        for (std::size_t j = 0; j < c.risks; ++j) {
            const double up = power(c.risk_prior[j]), down = power(1.0 - c.risk_prior[j]);
            risk.push_back(up / (up + down));
            risk_log_odds.push_back(
                std::clamp(std::log(up) - std::log(down), -MOST_LOG_ODDS, MOST_LOG_ODDS));
            all_fail.push_back(0.0);
            for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e)
                if (plan.slot_of_row[c.edge_row[e]] >= 0) all_fail[j] += std::log(edge_fails[e]);
        }
        for (double p : risk) log_nothing += std::log(std::max(1.0 - p, 1e-300));
        for (std::size_t k = 0; k < on.size(); ++k)
            if (plan.slot_of_row[k] >= 0)
                log_nothing += std::log(weight_off[k] * off[k]);
            else if (c.risks == 0)
                log_nothing += std::log(weight_off[k] * off[k] + weight_on[k] * on[k]);
        if (heat < 1.0)
            for (std::size_t s = 0; s < leak.size(); ++s) {
                leak[s] = power(leak[s]);
                leak_fails[s] = 1.0 - leak[s];
            }
    }

    // Diseases with a finding that chance alone would turn on.
    double expected(const Plan &plan) const {
        const Coupled &c = plan.problem;
        double sum = 0.0;
        for (std::size_t k = 0; k < on.size(); ++k) {
            if (plan.slot_of_row[k] < 0) continue;
            double fails = off[k];
            for (int i = c.row_start[k]; i < c.row_start[k + 1]; ++i) {
                const int e = c.row_edges[i];
                fails *= 1.0 - risk[c.edge_risk[e]] * edge_acts[e];
            }
            const double up = weight_on[k] * (1.0 - fails), down = weight_off[k] * fails;
            sum += up > 0.0 ? up / (up + down) : 0.0;
        }
        return sum;
    }

  private:
    static constexpr double MOST_LOG_ODDS = 200.0;

    double power(double x) const { return heat < 1.0 ? std::pow(x, heat) : x; }

    void soften(double acts, double fails, std::vector<double> &up, std::vector<double> &down) {
        const double a = power(acts), f = power(std::max(fails, LEAST_FAILS));
        const double sum = heat < 1.0 ? a + f : 1.0;
        up.push_back(a / sum);
        down.push_back(f / sum);
    }
};

// Temperatures down to where chance alone turns on one disease for every eight present findings.
inline std::vector<Level> ladder_of(const Plan &plan) {
    std::vector<Level> levels;
    levels.emplace_back(plan, 1.0);
    const double enough = 0.12 * double(plan.problem.settled.columns);
    while (levels.size() < MOST_HEATS && levels.back().expected(plan) < enough)
        levels.emplace_back(plan, levels.back().heat * HEAT_STEP);
    return levels;
}

}  // namespace hickam::settled
