// Shared by the kernels for problems with unobserved risk factors that couple diseases.
//
// All of them compute, for every subset z of the present findings, Phi(z) = P(no disease produces a
// finding of z, and the other evidence) and its slope in a_k(z), the weight of disease k being on.
// Alternating sums over z of both give every measure; they cancel, hence the double-double numbers.
#pragma once
#include "answer.hpp"
#include "precision.hpp"

#include <cmath>

namespace hickam::coupled {

struct Coupled {
    std::size_t rows, columns, risks, edges;
    const double *on, *off, *weight_on, *weight_off;  // [row]
    const bool *reached;                              // [row]
    const double *acts, *fails;                       // [row, column]
    const double *leak, *leak_fails;                  // [column]
    const double *risk_prior;                         // [risk]
    const long long *edge_risk, *edge_row;            // [edge], sorted by risk
    const double *edge_acts, *edge_fails;             // [edge]
};

struct Outcome {
    Answer answer;
    double condition = 0.0;  // of the alternating sum for P(evidence)
    double rounding = 0.0;   // error that remains from rounding, relative to max(score, 1e-3)
    double doubt = 0.0;      // largest effect of what loop corrections leave out, in the same unit
    double doubt_unexplained = 0.0, doubt_evidence = 0.0;  // on these, and on the log evidence
    double correction = 0.0;  // largest effect of the loop corrections on a score
    double unfounded = 0.0;   // largest doubt of a row that its own corrections do not lead to expect
    double entangled = 0.0;   // strongest link of the weaker of two rows that share two risk factors
    double near_rare = 0.0;   // the same where a rare risk factor acts on one of the two
    double residual = 0.0;   // how far the messages were from a fixed point
};

// Compressed lists: the members of group g are item[start[g]] .. item[start[g + 1] - 1].
struct Groups {
    std::vector<int> start, item;
};
Groups group(const long long *of, std::size_t items, std::size_t groups);

// The subsets of the present findings in blocks of LANES.
class Lattice {
  public:
    explicit Lattice(const Coupled &);

    std::uint64_t blocks() const { return count; }
    template <class T> T sign(std::uint64_t block) const;  // sigma(z), certain leaks as -1
    template <class T> T a(std::size_t row, std::uint64_t block) const;  // every link
    template <class T> T o(std::size_t row) const { return lift<T>({weight_off[row], 0.0}); }
    template <class T> T off(std::size_t row) const { return lift<T>(stay_off[row]); }

    const Coupled &problem;
    std::vector<double> weight_on, weight_off;     // [row] scaled by a power of two
    std::vector<Num> stay_off;                     // [row]
    std::vector<Num> fails;                        // [row, column]; 1 where a link never fails
    std::vector<std::uint32_t> children, never_fails;  // [row] sets of columns
    std::vector<Num> leak_fails;                   // [column]; 1 where the leak is certain
    std::uint32_t certain = 0;                     // set of columns
    double log_scale = 0.0;

    // About the condition number, from the coupling risk factors at their means.
    double likely_condition() const;
    // How many rounding units a product over the whole problem may lose: they add up like steps in
    // any direction.
    double roundings() const {
        return 1000.0 + 40.0 * std::sqrt(double(problem.rows + problem.risks + problem.edges));
    }
    // a without the links that never fail.
    template <class T> T bare(std::size_t row, std::uint64_t block) const;
    // Lanes whose subset meets `columns` in exactly `meet`.
    Mask meets(std::uint64_t block, std::uint32_t columns, std::uint32_t meet) const;

  private:
    std::uint64_t count;
    std::vector<double> mean_off;  // [row]
    std::vector<DD> low;  // [row] the part of a that depends on the lane
    DD low_sign;
};

// The alternating sums over z, row by row. With messages every row has a slope, to which loops add;
// without, rows that only listen are told of by `listen`.
class Sums {
  public:
    Sums(const Lattice &, bool messages);

    // What the loops add to a number, and what those left out may add.
    struct More {
        V all = fill(0.0), doubt = fill(0.0);
        More &operator+=(const More &other) {
            all += other.all, doubt += other.doubt;
            return *this;
        }
        More times(V x) const { return {all * x, doubt * x}; }
    };
    // One block: Phi, a_k (or null) and the slopes (d Phi / d a_k), and what the loops add to each (or
    // null).
    template <class T> void add(std::uint64_t block, T phi, const T *a, const T *slope,
                                const More &more_phi, const More *more_slope);
    // The posterior of a row that only listens, before it is divided by the evidence: a sum over
    // all subsets, and the size of its terms.
    void listen(std::size_t row, Num total, double size);
    // The tables; epsilon is the rounding unit of the arithmetic that was used.
    Outcome conclude(double epsilon) const;

  private:
    struct Row {
        DD total;
        More more;
        V size, more_size;  // of the terms, and of what loops add to them
    };
    template <class T> void add_row(std::size_t row, std::uint64_t high, T value, const More &);

    const Lattice &lattice;
    const bool messages;
    std::vector<Row> rows;   // [row], then one for Phi itself
    std::vector<DD> inside;  // [row + 1, column]  over the blocks that hold the column
    std::vector<More> more_inside;  // the same, with messages
    struct Dead {  // a link that never fails, or a certain leak (row = number of rows)
        std::size_t row, column;
        DD total;
        More more;
    };
    std::vector<Dead> dead;
};

// How entangled rows may be, and where a rare risk factor acts on them.
struct Entangled {
    double most = INFINITY, near_rare = INFINITY;
};

// By messages; without an answer, its rounding error infinite, where rows are more entangled.
Outcome bethe(const Coupled &, double goal, const Stopwatch &, const Entangled & = {});

}  // namespace hickam::coupled
