// Explanations drawn at random: the frontier's tables, walked through backwards.
#pragma once
#include "coupled_frontier.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

namespace hickam::coupled {

// xoshiro256++, seeded by splitmix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t &word : state) {
            std::uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            word = z ^ (z >> 31);
        }
    }
    double operator()() {
        const std::uint64_t result = turn(state[0] + state[3], 23) + state[0];
        const std::uint64_t t = state[1] << 17;
        state[2] ^= state[0], state[3] ^= state[1], state[1] ^= state[2], state[0] ^= state[3];
        state[2] ^= t;
        state[3] = turn(state[3], 45);
        return double(result >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state[4];
    static std::uint64_t turn(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
};

// Forward tables of one component, with every row's weight of being on times its boost.
class Walk {
  public:
    Walk(const Coupled &, const FrontierPlan &, const Part &, const std::vector<double> &boost,
         const Stopwatch &);

    // log P(findings) with the boosts; -inf if it is impossible or the time was up.
    double log_evidence() const { return log_total; }
    // Adds the rows of one explanation that are on.
    void draw(Random &, std::vector<int> &rows);
    // Doubles that the tables of a component take.
    static double cells(const Part &);

  private:
    static constexpr std::size_t TOGETHER = 8;  // links of a row whose subsets are looked at at once
    struct Link {
        int bit;
        double acts, fails;
        int column;
    };
    struct Voice {  // of an open risk factor
        int bit;
        double acts, fails;
    };
    struct Stop {
        std::size_t place = 0, shut = 0;  // tables before the row, and after it if a risk factor closes
        std::vector<std::size_t> later;   // tables of what the first links have caused
        std::vector<Link> links;
        std::vector<Voice> voices;
        double off = 0.0, on = 0.0;  // with all open risk factors off
        double weight_off = 1.0, weight_on = 1.0;
        bool closes = false;  // whether a risk factor does
    };
    const Coupled &p;
    const Part &part;
    std::vector<Stop> stops;  // [step]
    std::vector<double> tilt, store, table, caused, spare, risk_off, risk_on;
    std::vector<std::size_t> closing;
    double chance[1 << TOGETHER];
    std::size_t bits[1 << TOGETHER];
    double total = 0.0, log_total = -INFINITY;

    double set_tilt();
    void describe(const FrontierPlan &, const std::vector<double> &boost);
    bool forward(const Stopwatch &);
    void visit(const Stop &, std::size_t run, std::size_t at, std::size_t block);
    void weigh(const Step &, const Stop &);
    void open(int at, double first, double second);
    void close(const Event &);
    std::pair<double, double> weights(const Stop &, std::size_t cell) const;
    double reopen(std::size_t t, Random &, std::size_t &cell, double value);
    void step_back(const Stop &, double on, double value, Random &, std::size_t &cell);
};

}  // namespace hickam::coupled
