// Message passing, its loop corrections and what they leave out, shared between their files.
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
};

struct Threesome {  // three edges of one row, and the set of their risk factors
    int first, second, third, set, row;
};

// Where loops run: the pairs of risk factors that share a row, and the paths of two such pairs.
struct Meetings {
    Meetings(const Coupled &, const Groups &of_row);

    struct Link {
        int risk, pair;
    };
    std::vector<Meeting> speaking, listening;  // in reached rows, and in the others
    int pairs = 0;
    std::vector<int> one, two;  // [pair] its risk factors
    std::vector<bool> met;  // [pair] in a reached row
    std::vector<std::pair<int, int>> paths;
    std::vector<int> path_start;  // [pair + 1]
    bool complete = true;         // false: too many paths, three rows are left out
    // Three risk factors that meet in a reached row and in another one.
    std::vector<Threesome> threesomes;
    int sets = 0;
    bool counted = true;  // false: too many threesomes, they are left out

  private:
    void count_threesomes(const Coupled &, const Groups &of_row);
};

struct Loops {
    Loops(const Coupled &, const Graph &, const Meetings &);
    void correct(const Lattice &, const Graph &, const Messages<V> &);

    V all;                              // added to log Phi by loops
    V doubt;                            // what they leave out may add to it
    std::vector<V> slope, doubt_slope;  // [row] the same of the slope of log Phi
    V squares;                          // of all correlations

  private:
    void tilt_edges(const Coupled &, const Graph &, const Messages<V> &);
    void leave_rows_once();
    void gather();
    void weigh_doubts(const Coupled &);
    void scale(const Lattice &, const Messages<V> &);
    void respond(const Lattice &, const Graph &, const Messages<V> &);

    const Meetings &meetings;
    std::vector<V> tilt, around, pull;  // [edge]; pull: slope of the loops in the tilt
    std::vector<V> strength;            // [edge] by how much it raises a row that is off
    std::vector<V> loud, wiggle, push, field, answer;  // [edge of reached rows]
    std::vector<V> risk_field, own_field, spread;      // [risk]
    std::vector<V> row_back, in_off, inverse, mixing, square;  // [row]
    std::vector<V> total, indirect;  // [pair] correlation by one row, by a path of two
    std::vector<V> joint;            // [set of three] likewise, by one row
    std::vector<V> near;             // [risk] root of its correlations' squares
    V longest;                       // loops of three rows
};

inline V root(V x) {
    for (int lane = 0; lane < LANES; ++lane) x[lane] = __builtin_sqrt(x[lane] > 0.0 ? x[lane] : 0.0);
    return x;
}

}  // namespace hickam::coupled
