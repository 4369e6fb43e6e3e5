// The frontier: COVER with only what is open.
//
// Rows (diseases) are visited one after the other. A present finding is open from the first row
// that may cause it to the last, a risk factor from the first row it acts on to the last. The state
// of the recursion is the set T of open findings that have been produced and the states x of open
// risk factors: a table F[x, T] of non-negative numbers in which nothing ever cancels.
//
// Rows that no evidence reaches ("listeners") have no links and weights 1 and change no table.
#pragma once
#include "coupled.hpp"

namespace hickam::coupled {

struct Event {
    enum Kind {
        open_finding,   // a new bit `at`, split by the leak of column `id`
        close_finding,  // only the states that have produced it go on
        open_risk,      // a new bit `at`, split by the prior of risk factor `id`
        close_risk,     // bit `at` is summed out
    } kind;
    int at, id;
};

struct Step {
    int row;
    std::vector<Event> before, after;
    std::vector<int> findings;  // [bit] column, while the row is visited
    std::vector<int> risks;     // [bit - findings] risk factor
    int links = 0;
    double cells() const { return double(1ull << (findings.size() + risks.size())); }
};

// What a listener hears from one component. Its factors are put into a completion table at
// steps where the risk factors are open, and that tilted table is carried from `begin` back to `end`.
struct Listening {
    struct Voice {
        int risk;
        double fails;
        int first, last;  // steps at which the risk factor is open, or hidden in a row
    };
    int row;
    std::vector<Voice> voices;
    int begin, end;
};

struct Part {
    std::vector<Step> steps;
    std::vector<int> lone;  // findings that no row causes
    std::vector<Listening> listening;
    std::size_t tail = 0;  // first step of the rows that are visited last
    double cells = 0.0, largest = 0.0;  // of all tables together, of the largest
    double operations = 0.0;
};

struct FrontierPlan {
    std::vector<Part> parts;
    std::vector<std::vector<int>> edges_of_row;
    std::vector<char> heard;       // [risk] touches a reached row
    std::vector<char> open;        // [risk] is ever open; otherwise averaged inside its one row
    std::vector<char> in_lattice;  // [column] its leak is not certain
    int width = 0;                 // the most bits
    double operations = 0.0;       // predicted
    double bytes = 0.0;
    bool fits = false;  // whether planning ended within the allowed operations
};

struct FrontierLimits {
    double operations, bytes;
    int tries = 2000;  // of orders, where the best so far is dear
    bool only_price = false;
    double times = 1.0;  // that the order will be used
    const bool *last = nullptr;  // [row] whether it is visited after all others
    const int *rank = nullptr;   // [row] its place in an order that may be good
};

FrontierPlan plan_frontier(const Coupled &, const FrontierLimits &);
// [edge] the most important edges, as many as the exact frontier takes within so many operations;
// fewer where the time is up.
std::vector<char> strongest(const Coupled &, const double *importance, double most_operations,
                            const Stopwatch &);
Outcome frontier(const Coupled &, const FrontierPlan &, const Stopwatch &);

// What curing the rows that are visited last removes.
struct Cured {
    std::vector<double> removed;  // [column] P(all that causes the finding is among them | evidence)
    double rounding = 0.0;
    bool expired = false;
};
// How much of the work of all tables this takes: it never goes back over the other rows.
constexpr double ONE_WAY = 0.25;
Cured cured(const Coupled &, const FrontierPlan &, const Stopwatch &);

}  // namespace hickam::coupled
