// The frontier: COVER with the states of open risk factors.
//
// The state of the recursion is the set T of present findings produced so far and the states x of
// the risk factors that are open: visited by one row, still to be visited by another. A risk factor
// enters with the first of its rows and is summed out after the last. Every term is non-negative:
// nothing cancels, whatever the priors, leaks and likelihood ratios.
//
// Rows that no evidence reaches ("listeners") have no links and weights 1; they never widen the
// frontier. P(D_l = 0 | evidence) = off_l E[prod of edge_fails over its risk factors that are on]:
// a risk factor's factor is put into the completion table at a step where it is open, and that
// tilted table is carried back to a step where all of them have been met.
#pragma once
#include "coupled.hpp"

namespace hickam::coupled {

struct FrontierStep {
    int row;
    std::vector<int> opens;   // risk factors that enter before the row, as the highest bits
    std::vector<int> open;    // [bit] risk factor, while the row is visited
    std::vector<int> closes;  // bits that are summed out after the row, highest first
    int links = 0;            // to present findings of the lattice
};

// What a listener hears from one component.
struct Listening {
    struct Voice {
        int risk;
        double fails;
        int first, last;  // steps at which the risk factor is open, or hidden in a row
    };
    int row;
    std::vector<Voice> voices;
    int begin, end;  // steps: the tilted table starts at `begin` and is read off at `end` <= begin
};

struct FrontierPart {
    std::vector<int> columns;
    std::vector<FrontierStep> steps;
    std::vector<Listening> listening;
    int width = 0;
    double cells = 0.0, largest = 0.0;  // of all tables together, of the largest
    double operations = 0.0;
};

struct FrontierPlan {
    std::vector<FrontierPart> parts;
    std::vector<std::vector<int>> edges_of_row;
    std::vector<char> shared;      // [risk] touches two reached rows or more
    std::vector<char> in_lattice;  // [column] its leak is not certain
    int width = 0;                 // the widest frontier
    double operations = 0.0;       // predicted
    double bytes = 0.0;
    bool fits = false;  // whether planning ended within the allowed operations
};

FrontierPlan plan_frontier(const Coupled &, double most_operations);
Outcome frontier(const Coupled &, const FrontierPlan &, const Stopwatch &);

}  // namespace hickam::coupled
