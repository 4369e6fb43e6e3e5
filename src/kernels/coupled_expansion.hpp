// A coupled network with its risk factors as deviations from their means.
//
// Given the diseases, what is known of the risk factors is a function of their states. It is written
// in products of deviations, one product for each set S of risk factors, and only the sets that matter
// are carried from disease to disease: a risk factor that few diseases have spoken about, or will,
// hardly deviates, and several that deviate a little hardly do so together. With all sets this is the
// network itself. With few it is no network: a chance R(A) of a set A of diseases may even be negative.
// But it is linear in what is carried, so the sum over A of R(A) P(findings | A) is found as by the
// frontier, sets taking the place of states; and so is R(A) of one A.
#pragma once
#include "coupled_chance.hpp"
#include "settled_butterfly.hpp"

#include <array>
#include <cstdint>

namespace hickam::coupled {

// What a row hears of one risk factor: it multiplies (set without it, set with it) by
// [[mean, slope], [slope, far]].
struct Turn {
    struct Pair {
        double mean, slope, far;
    };
    Pair both, off;  // the row in either state, and being off
    std::vector<int> alone, low, high;  // sets at work: whose partner is left out, and pairs
};

struct Visit {
    int row;
    std::vector<int> opens, closes;  // columns that get the next bits; bits that go, the highest first
    std::vector<settled::Mechanism> links;
    int findings = 0;        // open while the row is visited
    std::size_t before = 1;  // sets, the first of those at work
    std::size_t work = 1;
    std::vector<int> after;  // [set] its place among those at work
    std::vector<Turn> turns;
    std::size_t cells() const { return work << findings; }
};

// Sets are carried down to the finest product of deviations, or as many as the operations allow; if
// those above the coarsest are not among them, there is no expansion.
struct ExpansionLimits {
    double operations, finest, coarsest;
};

class Expansion {
  public:
    static constexpr std::size_t TOGETHER = 8;  // explanations that are weighed at once

    // Visits rows in about this order, with as many sets as the operations allow. `told` is what rows tell
    // risk factors, `posterior` what is believed of rows.
    Expansion(const Coupled &, std::vector<int> order, const std::vector<double> &told,
              const std::vector<double> &posterior, const ExpansionLimits &);

    bool fits = false;
    double operations = 0.0;
    double turned = 0.0;  // sets that one explanation turns
    std::size_t most_sets = 1;
    // The tables; expired if the time was up, or rounding has left nothing of the evidence.
    Answer solve(double most_bytes, const Stopwatch &) const;
    // R(A) of each explanation, relative to the reference.
    std::array<double, TOGETHER> weigh(const std::vector<int> *explanations, std::size_t count,
                                       const Reference &) const;

  private:
    using Set = std::uint64_t;
    // The risk factors that deviate after a row, and by how much, the most first.
    struct Deviating {
        std::vector<int> member;
        std::vector<double> size;
    };
    const Coupled &p;
    double log_shared = 0.0;
    std::vector<double> tilted;    // [risk] the chance of being on, with what the rows tell it
    std::vector<int> member_of;    // [risk] its place in sets, or -1
    std::vector<std::vector<int>> edges_of;  // [row]
    std::vector<Visit> visits;
    std::vector<int> lone;         // findings that no row causes
    std::vector<Deviating> deviating;  // [visit]

    void open_findings(const std::vector<int> &order);
    void tilt(const std::vector<double> &told);
    std::vector<double> squares(const std::vector<int> &order,
                                const std::vector<double> &posterior) const;
    void deviate(const std::vector<double> &square);
    double work_of(const Visit &, std::size_t sets) const;
    double price(double least, double most_operations) const;
    void choose(double least, const std::vector<double> &told);
};

// Operations of a set at a row: in the tables, and in the draws to come, each of which turns the set
// for every risk factor of the row.
inline double expansion_work(double cells, std::size_t links, std::size_t edges) {
    constexpr double DRAWN = 800.0;
    return cells * (3.0 + double(links) + 2.0 * double(edges)) + DRAWN * double(edges);
}

// Moves rows of an order to where an expansion costs less; `square` is by how much edges deviate.
void improve(std::vector<int> &order, const Coupled &, const std::vector<std::vector<int>> &edges_of,
             const std::vector<double> &square, long long moves);

}  // namespace hickam::coupled
