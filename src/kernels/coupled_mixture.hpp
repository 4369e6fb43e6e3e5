// A coupled network with the couplings that matter, and explanations drawn from it and weighed.
//
// Links between risk factors and diseases are kept as long as the frontier can afford them; each of
// the others is averaged inside its disease. What is left is a network of its own, a mixture of
// settled ones over the states of the risk factors that are kept, which the frontier solves exactly.
// It gives a set A of diseases that are on the chance Q(A), close to the true P(A). Where Q is wrong
// is then measured: explanations A are drawn from Q(A) P(findings | A), independent of each other, and
// weighed by w = P(A) / Q(A), of which both are known exactly. Every measure has a closed form given A.
// What is left to measure is little where an expansion R comes closer to P: its own sums are known as
// well, and draws have to tell only what w - R(A) / Q(A) adds to them.
#pragma once
#include "coupled_expansion.hpp"
#include "coupled_frontier.hpp"

#include <cstdint>
#include <memory>

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
    void look();  // the view of what the arrays are now
};

// What the averaged network says: every risk factor averaged inside each disease, at the chance of
// being on that the disease hears about from the others' findings.
struct Averages {
    std::vector<double> heard;      // [edge] P(the risk factor is on), as the row hears it
    std::vector<double> told;       // [edge] what the row tells the risk factor: the ratio on over off
    std::vector<double> on, off;    // [row]
    std::vector<double> posterior;  // [row]
};

// What a problem was before links to findings were cut, and an order of its rows that may be good.
struct Uncut {
    const double *weight_on, *acts, *fails, *leak, *leak_fails;
    const int *rank;
};

class Mixture {
  public:
    // Keeps as many couplings as fit the operations and bytes.
    Mixture(const Coupled &, double most_operations, double most_bytes, const Stopwatch &,
            const Uncut *uncut = nullptr);

    bool fits() const { return plan.fits; }
    bool possible() const { return mean.answer.log_evidence > -INFINITY; }
    const Coupled &shape() const { return problem.view; }
    // Tables of Q: with weights of 1 they would be the answer.
    Outcome mean;
    double operations = 0.0;   // of the frontier
    std::size_t kept = 0;      // couplings
    bool complete = false;     // whether nothing is averaged that two diseases share: Q is P
    // Finds an expansion within limits; keeps the one before where it takes more or time was up.
    bool expand(const ExpansionLimits &, const Stopwatch &);
    std::shared_ptr<const Expansion> expansion;
    Answer expanded;           // its tables

  private:
    friend class Drawing;
    Owned problem, thin;
    std::unique_ptr<Owned> whole;  // the problem before links were cut, if any were
    std::vector<int> rank;         // [row] its place in an order that may be good, or nothing
    FrontierPlan plan;         // of the latter
    double log_shared = 0.0;   // what the averages leave out of Q(A)
    std::vector<std::vector<int>> links, whole_links;  // [row] columns
    Averages averages;

    bool drawable(double most_bytes) const;
    bool average(double most_operations, double most_bytes, const Stopwatch &);
    void hear();
    void listen(const std::vector<double> &up, const std::vector<double> &down);
    std::vector<double> importance() const;
    void keep(const std::vector<char> &chosen);
    void add_what_is_free(std::vector<char> &chosen) const;
    void plan_listeners(std::vector<char> &chosen);
    void solve(const Stopwatch &);
};

}  // namespace hickam::coupled
