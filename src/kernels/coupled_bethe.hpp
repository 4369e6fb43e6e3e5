// Message passing and its loop corrections, shared between their two files.
#pragma once
#include "coupled.hpp"

#include <utility>

namespace hickam::coupled {

// What the messages run on; only reached rows speak, the others listen.
struct Graph {
    explicit Graph(const Coupled &);

    std::vector<int> edges;             // of reached rows, sorted by risk
    Groups by_row, by_risk, listening;  // by_row and by_risk index `edges`; listening all edges
    std::vector<Num> acts, fails;       // [edge]
    std::vector<Num> prior_off;         // [risk]
};

// The messages of one block of subsets in one precision.
template <class T> struct Messages {
    Messages(const Coupled &, const Graph &);

    std::vector<T> a, b;                 // [row]
    std::vector<T> heard;                // P(risk on) as the row hears it
    std::vector<T> told;                 // what the row answers: f given on : given off
    std::vector<T> before, quiet;
    std::vector<T> others;               // P(the other causes of the row fail)
    std::vector<T> stay_off, slope;      // [row]; slope of log Phi
    std::vector<T> belief;               // [risk]
    T phi;

    void start(const Lattice &, std::uint64_t block);
    void ask_rows(const Lattice &, const Graph &);
    double ask_risks(const Lattice &, const Graph &);  // returns the largest change
    void finish(const Lattice &, const Graph &);
};

struct Meeting {  // two edges of one row, and the pair of their risk factors
    int first, second, pair, row;
    bool crowded;  // whether the row has a third edge
};

// Where loops run: the pairs of risk factors that share a row, and the paths of two such pairs.
struct Meetings {
    Meetings(const Coupled &, const Groups &of_row);

    struct Link {
        int risk, pair;
    };
    std::vector<Meeting> speaking, listening;  // in reached rows, and in the others
    int pairs = 0;
    std::vector<bool> met;  // [pair] in a reached row
    std::vector<std::pair<int, int>> paths;
    std::vector<int> path_start;  // [pair + 1]
    bool complete = true;         // false: too many paths, three rows are left out
};

struct Loops {
    Loops(const Coupled &, const Graph &, const Meetings &);
    void correct(const Lattice &, const Graph &, const Messages<V> &);

    V all, shorter;                       // added to log Phi by all loops, and without the longest
    std::vector<V> slope, shorter_slope;  // [row] added to the slope of log Phi

  private:
    void tilt_edges(const Coupled &, const Graph &, const Messages<V> &);
    void leave_rows_once();
    void gather();
    void scale(const Lattice &, const Messages<V> &);
    void respond(const Lattice &, const Graph &, const Messages<V> &);

    const Meetings &meetings;
    std::vector<V> tilt, around, pull, heeded;  // [edge]; pull: slope of the loops in the tilt
    std::vector<V> loud, wiggle, push, field, answer;  // [edge of reached rows]
    std::vector<V> risk_field, own_field, spread;      // [risk]
    std::vector<V> row_back, in_off, inverse, mixing, square;  // [row]
    std::vector<V> total, indirect;  // [pair] correlation by one row, by a path of two
};

}  // namespace hickam::coupled
