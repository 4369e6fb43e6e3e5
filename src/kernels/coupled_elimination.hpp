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
    std::uint64_t scope = 0;  // set of risk factors
    int risk = -1;            // the highest of the scope if it is summed out here
    int up = -1;              // node that this one, or its message, is multiplied into
    std::size_t cells() const { return std::size_t(1) << __builtin_popcountll(scope); }
    // What is left of the scope where the node is multiplied into another.
    std::uint64_t given() const { return risk < 0 ? scope : scope & ~(1ull << risk); }
    std::size_t gift() const { return std::size_t(1) << __builtin_popcountll(given()); }
};

// The members of one group.
struct Members {
    const int *first, *last;
    const int *begin() const { return first; }
    const int *end() const { return last; }
    bool empty() const { return first == last; }
};
inline Members members(const Groups &groups, std::size_t g) {
    return {groups.item.data() + groups.start[g], groups.item.data() + groups.start[g + 1]};
}

// P(a risk factor is on | what a node gives): passed up from the node that sums it out, for all
// listeners that hear it.
struct Echo {
    int node;
    int below;  // the echo that it comes from; -1: the node sums the risk factor out itself
    int above;  // the echo that comes from it, or -1
};

// What comes to a node on the way to a listener: an echo and the edge by which its risk factor acts
// on the listener, or (-1) what an earlier stage has passed on.
struct Source {
    int node, echo, edge;
};

// Where the sources of a listener meet each other or another risk factor of it.
struct Stage {
    int node;
    int sources_begin, sources_end;
    std::uint64_t met;  // the listener's risk factors that are heard at this node itself
};

// A listener whose risk factors meet in no table: what it hears is passed up from node to node.
struct Way {
    int row;
    int begin, end;  // of its stages; all meet in the last
};

struct EliminationPlan {
    explicit EliminationPlan(const Coupled &);

    bool possible = false;             // few enough risk factors
    std::vector<int> label;            // [risk] its number, or -1 where no reached row hears it
    std::vector<int> risk_of;          // [label]
    std::vector<std::uint64_t> scope;  // [row]
    Groups edges;                      // by row, in the order of their labels
    std::vector<Node> nodes;           // children first, the whole product last
    std::vector<int> node_of;          // [label] where it is summed out
    Groups rows;                       // by node: reached, with exactly its scope
    Groups children;                   // by node: the nodes that are multiplied into it
    Groups listeners;                  // by node: rows that no evidence reaches, heard within it
    std::vector<Echo> echoes;          // each after the one it comes from
    std::vector<Source> sources;
    std::vector<Stage> stages;
    std::vector<Way> ways;
    double cells = 0.0;       // of all tables
    double operations = 0.0;  // on all subsets
    double bytes = 0.0;

  private:
    std::vector<std::uint64_t> order(const Coupled &);
    void write(const Coupled &, const std::vector<std::uint64_t> &scopes);
    void listen(const Coupled &);
    void find_way(const Coupled &, std::size_t row, std::vector<int> &first_echo);
    int echo_above(int below, int node);
    int voice(const Coupled &, std::size_t row, int label) const;
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
