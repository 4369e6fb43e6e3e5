#pragma once
#include "settled.hpp"

#include <algorithm>
#include <cstdint>

namespace hickam::settled {

// A problem with its weights apart from the activation probabilities, so that unobserved risk
// factors can change the latter; off and on of `settled` are those with the risk factors off.
struct Coupled {
    Settled settled;
    const double *weight_off, *weight_on;     // [row]
    std::size_t risks, edges;
    const double *risk_prior;                 // [risk]
    const long long *edge_risk, *edge_row;    // [edge], sorted by risk
    const double *edge_acts, *edge_fails;     // [edge]
    std::vector<int> row_start, row_edges;    // edges by row
};

// Sums over the steps of one stretch of one chain, then their means.
struct Batch {
    double steps = 0.0, looks = 0.0, pickings = 0.0, censuses = 0.0, sweeps = 0.0;
    std::vector<double> indicator, slot;         // [row] (by slot until finished)
    std::vector<double> rare_indicator;          // [slot] shares of the unlikely
    std::vector<double> quiet;                   // [row] posterior of those without a finding
    std::vector<double> present, picked;         // [row] what the tables below are normalised by
    std::vector<double> set_scores, slot_scores;  // [row, 2] sufficiency and disablement
    std::vector<double> set_sustained, set_disabled, slot_sustained, slot_disabled;  // [link]
    std::vector<double> unexplained;             // [column]

    Batch() = default;
    Batch(const Settled &p, std::size_t links, std::size_t slots)
        : indicator(slots), slot(slots), rare_indicator(slots), quiet(p.rows),
          present(p.rows), picked(p.rows),
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
            if (at < 0) {
                a[k] = b[k] = mean(quiet[k], sweeps);
                continue;
            }
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
        quiet.clear();
        for (auto *values : {&present, &set_scores, &set_sustained, &set_disabled, &unexplained})
            for (double &value : *values) value = mean(value, looks);
    }
};

// Explanations along one chain, thinned: the sets of present diseases that have a finding.
struct Kept {
    std::vector<long long> rows, start{0};
    std::size_t every = 1, seen = 0;

    void keep(const std::vector<int> &set) {
        if (seen++ % every) return;
        rows.insert(rows.end(), set.begin(), set.end());
        start.push_back((long long)rows.size());
        if (start.size() > 2 * MOST) halve();
    }

  private:
    static constexpr std::size_t MOST = 1024;

    void halve() {
        Kept half;
        for (std::size_t i = 0; i + 1 < start.size(); i += 2) {
            half.rows.insert(half.rows.end(), rows.begin() + start[i], rows.begin() + start[i + 1]);
            half.start.push_back((long long)half.rows.size());
        }
        rows = std::move(half.rows);
        start = std::move(half.start);
        every *= 2;
    }
};

// The ratio of evidence of neighbouring targets is exp(middle) * mean hotter / mean colder.
struct BridgeMeans {
    double middle = 0.0;
    std::vector<double> colder, hotter;  // [chain]
};

struct Samples {
    std::size_t links = 0, heats = 1, changes = 0;
    std::vector<Batch> batches;        // [chain, batch]
    std::vector<Kept> kept;            // [chain]
    std::vector<double> log_weights;   // [chain] log P(the rest of the evidence), at the hottest
    double log_scale = 0.0;            // to be added, and the bridges, for that of all evidence
    std::vector<BridgeMeans> bridges;
};

Samples sample(const Coupled &, int chains, int batches, long long steps, std::uint64_t seed,
               int workers, const Stopwatch &);

}  // namespace hickam::settled
