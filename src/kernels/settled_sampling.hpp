#pragma once
#include "settled.hpp"

#include <algorithm>
#include <cstdint>

namespace hickam::settled {

// A problem with its weights apart from the activation probabilities, so that unobserved risk
// factors can change the latter.
struct Coupled {
    Settled settled;                          // its off and on are not used
    const double *off;                        // [row] P(D = 0) with the risk factors off
    const double *weight_off, *weight_on;     // [row]
    std::size_t risks, edges;
    const double *risk_prior;                 // [risk]
    const long long *edge_risk, *edge_row;    // [edge], sorted by risk
    const double *edge_log_fails;             // [edge]
    std::vector<int> row_start, row_edges;    // edges by row
};

// Sums over the steps of one stretch of one chain, then their means.
struct Batch {
    double steps = 0.0, looks = 0.0, pickings = 0.0, censuses = 0.0;
    std::vector<double> indicator, slot;         // [row] (by slot until finished)
    std::vector<double> rare_indicator;          // [slot] shares of the unlikely
    std::vector<double> present, picked;         // [row] what the tables below are normalised by
    std::vector<double> set_scores, slot_scores;  // [row, 2] sufficiency and disablement
    std::vector<double> set_sustained, set_disabled, slot_sustained, slot_disabled;  // [link]
    std::vector<double> unexplained;             // [column]

    Batch() = default;
    Batch(const Settled &p, std::size_t links, std::size_t slots)
        : indicator(slots), slot(slots), rare_indicator(slots), present(p.rows), picked(p.rows),
          set_scores(2 * p.rows), slot_scores(2 * p.rows), set_sustained(links),
          set_disabled(links), slot_sustained(links), slot_disabled(links),
          unexplained(p.columns) {}

    // Sums become means: the likely diseases were seen at every step, the others by censuses.
    void finish(const std::vector<int> &slot_of_row, const std::vector<int> &start,
                const std::vector<int> &block_of_row) {
        const std::size_t rows = slot_of_row.size();
        std::vector<double> a(rows), b(rows);
        const auto mean = [](double sum, double count) { return sum / std::max(count, 1.0); };
        for (std::size_t k = 0; k < rows; ++k) {
            const bool rare = block_of_row[k] > 0;
            const int at = slot_of_row[k];
            a[k] = mean(indicator[at], steps) + mean(rare_indicator[at], censuses);
            b[k] = mean(slot[at], rare ? censuses : steps);
            const double count = rare ? censuses : pickings;
            picked[k] = mean(picked[k], count);
            slot_scores[2 * k] = mean(slot_scores[2 * k], count);
            slot_scores[2 * k + 1] = mean(slot_scores[2 * k + 1], count);
            for (int link = start[k]; link < start[k + 1]; ++link) {
                slot_sustained[link] = mean(slot_sustained[link], count);
                slot_disabled[link] = mean(slot_disabled[link], count);
            }
        }
        indicator = std::move(a);
        slot = std::move(b);
        rare_indicator.clear();
        for (auto *values : {&present, &set_scores, &set_sustained, &set_disabled, &unexplained})
            for (double &value : *values) value = mean(value, looks);
    }
};

struct Samples {
    std::size_t links = 0, heats = 1;
    std::vector<Batch> batches;                // [chain, batch]
    std::vector<std::vector<double>> chances;  // [chain][column] P(present | columns before)
};

Samples sample(const Coupled &, int chains, int batches, long long steps, std::uint64_t seed,
               int workers, const Stopwatch &);

}  // namespace hickam::settled
