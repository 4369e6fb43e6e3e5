// A coupled network as a mixture of settled ones, and explanations drawn from it and weighed.
//
// Given the unobserved risk factors the diseases are independent. The chance P(A) that exactly the
// diseases A are on is approximated by a sum Q(A) over the leaves of a tree: a leaf settles some
// risk factors and averages all others inside each disease, which makes it a settled problem that
// the frontier solves exactly. Where Q is wrong is then measured: explanations A are drawn from
// Q(A) P(findings | A), independent of each other, and weighed by w = P(A) / Q(A), of which both are
// known exactly. Every measure has a closed form given A.
#pragma once
#include "coupled_frontier.hpp"

#include <cstdint>

namespace hickam::coupled {

// A problem that owns its arrays.
struct Owned {
    std::vector<double> on, off, weight_on, weight_off, acts, fails, leak, leak_fails, risk_prior;
    std::vector<long long> edge_risk, edge_row;
    std::vector<double> edge_acts, edge_fails;
    std::vector<unsigned char> reached;
    Coupled view;

    explicit Owned(const Coupled &);
    Owned(const Owned &) = delete;
};

struct Leaf {
    std::vector<signed char> state;  // [risk] 0 or 1 where it is settled, -1 where it is averaged
    double log_prior = 0.0;     // of the settled states
    double log_shared = 0.0;    // what the risk factors' averages, one for each edge, leave out
    double log_evidence = 0.0;  // of the settled problem
    std::vector<double> up, down;    // [row] how the findings speak for it and against it
    std::vector<double> heard;       // [edge] P(the risk factor is on), as the row hears it
    std::vector<double> on, off;     // [row]
    std::vector<double> posterior;   // [row]
    std::vector<double> disabled, sustained;  // [link]
    std::vector<double> unexplained;          // [column]
    int split = -1;       // the risk factor that is best settled next
    double spread = 0.0;  // the variance of the weights that it causes
};

// Sums over draws of a score x of one row or finding. Each draw counts v, and d = w - 1.
struct Tally {
    double x = 0.0, dx = 0.0;  // times v
    double squares[6] = {};    // times v^2: x, d x, d^2 x, x^2, d x^2, d^2 x^2

    void add(double value, double surplus, double counts) {
        x += counts * value;
        dx += counts * surplus * value;
        const double one = counts * counts * value, two = one * value;
        squares[0] += one, squares[1] += surplus * one, squares[2] += surplus * surplus * one;
        squares[3] += two, squares[4] += surplus * two, squares[5] += surplus * surplus * two;
    }
};

struct Draws {
    double count = 0.0, counts = 0.0;  // draws, and the sum of what they count
    Tally all;                         // of x = 1
    double heaviest = 0.0;             // the largest v |w - 1|
    std::vector<Tally> rows;               // [row, 3] posterior, disablement, sufficiency
    std::vector<Tally> unexplained;        // [column]
    std::vector<double> disabled, disabled_excess, sustained, sustained_excess;  // [row, column]
    double listened = 0.0;                  // draws in which the listeners were asked
    std::vector<double> listener, listener2;  // [row] sums of what corrects a listener's mean
    // What explanations near the likely ones would change, times the chance that no draw met them:
    // of W at most, and [row] of a posterior its mean and mean square; and the share of the evidence
    // of all that were looked at.
    double missed = 0.0, looked = 0.0;
    std::vector<double> missed_row, missed_square;
    // explanations, if they are kept: rows of draw i are kept_rows[kept_start[i] ..]
    std::vector<long long> kept_rows, kept_start;
    std::vector<double> kept_weight;  // v w
    bool expired = false, too_wide = false;
};

class Mixture {
  public:
    // Grows up to so many leaves, while time and operations last.
    Mixture(const Coupled &, int leaves, double most_operations, double most_bytes,
            const Stopwatch &);

    bool fits() const { return plan.fits; }
    bool possible() const { return log_total > -INFINITY; }
    double operations() const { return plan.operations; }
    const Coupled &shape() const { return problem.view; }
    // Whether nothing is averaged that two diseases share: then the mixture is exact.
    bool complete() const;
    // Tables of Q: with weights of 1 they would be the answer.
    Outcome mean() const;
    Draws draw(long long count, std::uint64_t seed, bool keep, const Stopwatch &) const;

    std::vector<Leaf> leaves;

  private:
    friend class Walk;
    friend class Scales;
    friend class Count;
    Owned problem;
    FrontierPlan plan;
    std::vector<int> link_row, link_column;
    std::vector<double> share;  // [leaf] of the evidence
    double log_total = -INFINITY, rounding = 0.0;

    double log_weight(const Leaf &leaf) const { return leaf.log_prior + leaf.log_shared; }
    void listen(Leaf &) const;
    bool solve(Leaf &, const Stopwatch &);
    void rate(Leaf &) const;
    bool grow(int most, const Stopwatch &);
    std::vector<double> boosts() const;
    std::vector<int> rows_to_turn() const;
    void weigh_leaves();
};

}  // namespace hickam::coupled
