// Exact for few findings: on every subset of the present findings the risk factors are summed out
// one after the other.
//
// For a subset z every disease is one positive factor over its own risk factors, f = a(z) on(r) +
// o off(r). Summing a risk factor out leaves a message over those it meets in a factor, so the cost
// is that of the widest such meeting and not of what is open in an order of the diseases. A second
// pass, back from the last risk factor to the first, gives the belief in every table, and with it
// the slope of Phi(z) in every a_k(z).
#pragma once
#include "coupled.hpp"

#include <optional>

namespace hickam::coupled {

// A table over a few risk factors: the product of the factors of its rows and of other tables. Risk
// factors are numbered from the last one summed out; a cell's bits follow these numbers.
struct Node {
    std::uint64_t scope = 0;           // set of risk factors
    int risk = -1;                     // the highest of the scope if it is summed out here
    int up = -1;                       // node that this one, or its message, is multiplied into
    std::vector<int> rows;             // reached, with exactly this scope
    std::vector<int> children;         // nodes that are multiplied into this one
    std::vector<int> listeners;        // rows that no evidence reaches, heard within this scope
    std::size_t cells() const { return std::size_t(1) << __builtin_popcountll(scope); }
    // What is left of the scope where the node is multiplied into another.
    std::uint64_t given() const { return risk < 0 ? scope : scope & ~(1ull << risk); }
    std::size_t gift() const { return std::size_t(1) << __builtin_popcountll(given()); }
};

// A listener whose risk factors meet in no table: what it hears is passed up from node to node.
struct Way {
    int row;
    std::vector<int> nodes;
};

struct EliminationPlan {
    explicit EliminationPlan(const Coupled &);

    bool possible = false;               // few enough risk factors
    std::vector<int> label;              // [risk] its number, or -1 where no reached row hears it
    std::vector<int> risk_of;            // [label]
    std::vector<std::uint64_t> scope;    // [row]
    std::vector<std::vector<int>> edges;  // [row]
    std::vector<Node> nodes;             // children first, the whole product last
    std::vector<int> node_of;            // [label] where it is summed out
    std::vector<Way> ways;
    double cells = 0.0;                  // of all tables
    double operations = 0.0;             // on all subsets
    double bytes = 0.0;

  private:
    std::vector<std::uint64_t> order(const Coupled &);
    void write(const Coupled &, const std::vector<std::uint64_t> &scopes);
    void listen(const Coupled &);
    void price(const Coupled &);
};

// How much more an operation takes in double-double.
constexpr double FINE_OPERATIONS = 5.0;

// The tables with a rounding error of at most `goal`: in float64 if that is likely to do, else in
// double-double. None where that takes more operations than allowed, or where numbers are so far
// apart that they may underflow.
std::optional<Outcome> eliminate(const Coupled &, const EliminationPlan &, double goal,
                                 double most_operations, const Stopwatch &);

}  // namespace hickam::coupled
