// Explanations drawn from a mixture, weighed and added up; more can be drawn later.
#pragma once
#include "coupled_mixture.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hickam::coupled {

// Sums over draws of a score of one row or finding, x as the mixture has it. Each draw counts v, and
// d = w - R(A) / Q(A); y is w times the true score less x R(A) / Q(A), which is d x unless links to
// findings are cut.
struct Tally {
    double x = 0.0, dx = 0.0;  // times v: x, y
    double squares[6] = {};    // times v^2: x, (d x + y) / 2, d y, x^2, x y, y^2

    void add(double value, double surplus, double counts) {
        add(value, surplus * value, surplus, counts);
    }
    void add(double value, double excess, double surplus, double counts) {
        x += counts * value;
        dx += counts * excess;
        const double twice = counts * counts;
        squares[0] += twice * value;
        squares[1] += twice * 0.5 * (surplus * value + excess);
        squares[2] += twice * surplus * excess;
        squares[3] += twice * value * value;
        squares[4] += twice * value * excess;
        squares[5] += twice * excess * excess;
    }
};

struct Draws {
    double count = 0.0, counts = 0.0;  // draws, and the sum of what they count
    Tally all;                         // of x = 1
    double heaviest = 0.0;             // the largest v |d|
    double mixed = 0.0;                // sum of v^2 (w - 1)^2: what d would be without R
    std::vector<Tally> rows;               // [row, 3] posterior, disablement, sufficiency
    std::vector<Tally> unexplained;        // [column]
    std::vector<double> disabled, disabled_excess, sustained, sustained_excess;  // [row, column]
    // Where the listeners were asked: sums of v and of v², and of v m, v² m and v² m² with m what corrects
    // the mean of each [row].
    double listened = 0.0, listened2 = 0.0;
    std::vector<double> listener, listener1, listener2;
    // What explanations near the likely ones would change, times the chance that no draw met them:
    // of W at most, and of each score its mean and mean square; and the share of the evidence of all
    // that were looked at.
    double missed = 0.0, looked = 0.0;
    std::vector<double> missed_row, missed_square;  // [row, 3]
    // explanations, if they are kept: rows of draw i are kept_rows[kept_start[i] ..]
    std::vector<long long> kept_rows, kept_start;
    std::vector<double> kept_weight;  // v w
    bool expired = false, too_wide = false;
};

class Drawing {
  public:
    // What is drawn is the same for the same seed. Explanations may be kept, for who wants to look at
    // them; what draws may have missed is not looked for then.
    Drawing(const Mixture &, std::uint64_t seed, bool keep, const Stopwatch &);
    ~Drawing();
    Drawing(const Drawing &) = delete;
    Drawing &operator=(const Drawing &) = delete;

    // Draws on, until so many were drawn in all, the leading scores are known to the goal (0: to none)
    // or weighing has taken so many operations.
    const Draws &draw(long long count, double goal, long long fewest, double most_operations,
                      const Stopwatch &);
    const Mixture &mixture;

  private:
    struct Source;  // of explanations
    std::unique_ptr<Source> source;  // none if there are none
    const bool keep;
    Draws draws;
    std::shared_ptr<const Expansion> expansion;
    const Answer near;  // the tables of the nearer of both networks
    std::vector<int> listeners;
    std::vector<std::vector<int>> likely;  // explanations to look around
    bool looked_around = false;
    // Explanations near the likely ones.
    struct Near {
        std::vector<int> rows;
        double share = 0.0, counts = 1.0;  // of the evidence in Q; what a draw of it counts
        double change = 0.0;               // of W
        std::vector<double> changes;       // of the scores of its rows, three each
        std::vector<double> listened;      // of what the listeners hear, if they were asked
        double unmet(double draws) const;  // the chance that none of so many has met it
    };
    std::vector<Near> near_likely;

    double more_off(int k, double weight) const;
    bool reached_goal(double goal) const;
    void listen(double counts, double weight);
    void look_around(const Stopwatch &);
    void miss();
    std::vector<int> rows_to_turn() const;
};

}  // namespace hickam::coupled
