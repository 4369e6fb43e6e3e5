// What the chains of slot Gibbs share: constants, randomness and the layout of the links.
#pragma once
#include "quad.hpp"
#include "settled_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hickam::settled {

constexpr double LEAST_FAILS = 1e-25;  // of a disease or of a link from a risk factor
constexpr double MOST_ODDS = 1e25;
constexpr double MOST_WEIGHT = 1e290;  // many findings without a leak and without a cause
constexpr std::size_t LIKELY = 128;  // diseases that every refill considers
constexpr std::size_t BLOCK = 128;   // of the others, each refill sees about so many
constexpr std::size_t STRIP = 16;    // quads per partial sum
constexpr int PICKS = 16; // systematic picks per step for the tables
constexpr int LOOKS = 8;           // steps between looks at the clock
constexpr int CYCLE = 32;          // steps between exchanges of temperatures
constexpr int PAIRS = 8;           // steps between refills of two slots
constexpr int POOL = 3;            // candidates drawn for the first of them
constexpr std::size_t MOST_HEATS = 10;
constexpr double HEAT_STEP = 0.8;
constexpr int THIN = 4;            // at most so many steps between looks at what diseases produce
constexpr int CENSUS = 32;         // steps between looks at all the unlikely diseases
constexpr int SWEEP_RISKS = 16;    // steps between visits to the unobserved risk factors
// Activation from which risk factor and disease move together, and over the disease's own chance.
constexpr double STRONG = 0.2, STRONGER = 100.0;
constexpr int JOINT = 4;           // steps between moves of risk factors with their diseases
constexpr int SHIFTS = 16;         // steps between changes of explanation, if many are known

class Random {  // xoshiro256+
  public:
    explicit Random(std::uint64_t seed) {
        for (auto &word : state) {
            seed += 0x9e3779b97f4a7c15ULL;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            word = z ^ (z >> 31);
        }
    }
    std::size_t below(std::size_t count) { return std::size_t(uniform() * double(count)); }
    double uniform() {
        const std::uint64_t result = state[0] + state[3], t = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= t;
        state[3] = (state[3] << 45) | (state[3] >> 19);
        return double(result >> 11) * 0x1.0p-53;
    }

  private:
    std::uint64_t state[4];
};

// What all chains share: the links, four rows side by side. Likely diseases are in every refill;
// the others form blocks of which each refill sees one, at lifted weight, so that a step is cheap.
struct Plan {
    const Coupled &problem;
    std::vector<int> start;  // [row + 1] into column, acts, fails
    std::vector<int> column;
    std::vector<double> acts, fails;
    std::vector<int> slot_of_row, row_of_slot, block_of_row;  // -1: none; block 0: likely
    std::vector<int> quiet;                                   // rows without a present finding
    std::vector<std::size_t> first;                           // [block + 1] quads of each block
    std::vector<int> width, offset;                           // [quad]
    std::vector<int> quad_column;
    std::vector<double> quad_acts;
    std::vector<int> risk_start;
    std::vector<int> strong;  // edges that all but carry a disease with its risk factor
    int thin = THIN;    // steps between looks at what each disease produces: fewer where cheap
    int joint = JOINT;  // steps between moves of risk factors with their diseases
    std::vector<double> leak, leak_fails;

    // order: rows with a present finding, the likeliest first
    Plan(const Coupled &problem, const std::vector<int> &order, std::size_t likely)
        : problem(problem) {
        const Settled &p = problem.settled;
        start.push_back(0);
        for (std::size_t k = 0; k < p.rows; ++k) {
            for (std::size_t s = 0; s < p.columns; ++s) {
                const std::size_t cell = k * p.columns + s;
                if (!(p.acts[cell] > 0.0)) continue;
                column.push_back(int(s));
                acts.push_back(p.acts[cell]);
                fails.push_back(p.fails[cell]);
            }
            start.push_back(int(column.size()));
        }
        slot_of_row.assign(p.rows, -1);
        block_of_row.resize(p.rows);
        likely = std::min(likely, order.size());
        const std::size_t blocks = (order.size() - likely + BLOCK - 1) / BLOCK;
        for (std::size_t b = 0; b <= blocks; ++b) {
            std::vector<int> rows;
            if (b == 0)
                rows.assign(order.begin(), order.begin() + likely);
            else
                for (std::size_t i = likely + b - 1; i < order.size(); i += blocks)
                    rows.push_back(order[i]);
            lay_out(rows, int(b));
        }
        first.push_back(width.size());
        for (std::size_t k = 0; k < p.rows; ++k)
            if (slot_of_row[k] < 0) quiet.push_back(int(k));
        for (std::size_t s = 0; s < p.columns; ++s) {
            leak.push_back(p.leak[s]);
            leak_fails.push_back(p.leak_fails[s]);
        }
        risk_start.assign(problem.risks + 1, 0);
        for (std::size_t e = 0; e < problem.edges; ++e) ++risk_start[problem.edge_risk[e] + 1];
        for (std::size_t j = 0; j < problem.risks; ++j) risk_start[j + 1] += risk_start[j];
        thin = std::clamp(int(column.size() / 64), 1, THIN);
        for (std::size_t e = 0; e < problem.edges; ++e) {
            const long long k = problem.edge_row[e];
            if (slot_of_row[k] >= 0 && problem.edge_acts[e] > std::min(STRONG, STRONGER * p.on[k]))
                strong.push_back(int(e));
        }
        // moves of risk factors with many diseases are dear, and seldom needed where few are strong
        if (problem.risks) joint = std::max(joint, int(problem.edges / problem.risks / 8));
        if (4 * strong.size() < problem.edges) joint *= 4;
    }

    std::size_t blocks() const { return first.size() - 2; }
    double lift(int row) const { return block_of_row[row] ? double(blocks()) : 1.0; }

  private:
    int links(int row) const { return start[row + 1] - start[row]; }

    void lay_out(std::vector<int> &rows, int block) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](int a, int b) { return links(a) < links(b); });
        first.push_back(width.size());
        for (std::size_t i = 0; i < rows.size(); i += 4) {
            width.push_back(0);
            offset.push_back(int(quad_column.size()));
            for (std::size_t j = i; j < i + 4; ++j) {
                const int row = j < rows.size() ? rows[j] : -1;
                row_of_slot.push_back(row);
                if (row < 0) continue;
                slot_of_row[row] = int(row_of_slot.size()) - 1;
                block_of_row[row] = block;
                width.back() = std::max(width.back(), links(row));
            }
            for (int link = 0; link < width.back(); ++link)
                for (std::size_t j = i; j < i + 4; ++j) {
                    const bool there = j < rows.size() && link < links(rows[j]);
                    quad_column.push_back(there ? column[start[rows[j]] + link] : 0);
                    quad_acts.push_back(there ? acts[start[rows[j]] + link] : 0.0);
                }
        }
    }
};

}  // namespace hickam::settled
