// Message passing, its loop corrections and what they leave out, shared between their files.
#pragma once
#include "coupled.hpp"


namespace hickam::coupled {

// What the messages run on; only reached rows speak, the others listen.
struct Graph {
    explicit Graph(const Coupled &);

    std::vector<int> edges, row;        // of reached rows, sorted by risk; the row of each
    Groups by_row, by_risk, listening;  // by_row and by_risk index `edges`; listening all edges
    std::vector<Num> acts, fails;       // [edge]
    std::vector<Num> on;                // [row] with every risk factor off
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
    template <class Finer> void start(const Messages<Finer> &);  // rounded
    template <bool last> void ask_rows(const Lattice &, const Graph &);
    double ask_risks(const Lattice &, const Graph &);  // returns the largest change
    void believe(const Lattice &, const Graph &);  // after the rows were asked for the last time
    void listen(const Lattice &, const Graph &);   // after all else: rows that are not reached
};

// Where loops run: the pairs of risk factors that share a row, and the rings of three such pairs.
// A place is a position in `of_row.item`, where the edges of a row lie side by side.
struct Meetings {
    Meetings(const Coupled &, const Groups &of_row);

    const Groups &of_row;
    std::vector<int> start;  // [row + 1] into `pair`
    std::vector<int> pair;   // [two places of a row, in order]
    int pairs = 0;
    std::vector<int> one, two;  // [pair] its risk factors
    std::vector<char> met;      // [pair] in a reached row
    struct Ring {
        int second, third;
    };
    std::vector<Ring> rings;      // of pairs that are met, listed with the first of the three
    std::vector<int> ring_start;  // [pair + 1]
    bool complete = true;         // false: too many rings, three rows are left out
    // Three risk factors that meet in a reached row and in another one.
    struct Threesome {
        int first, second, third, set;  // places, and the set of their risk factors
    };
    std::vector<Threesome> threesomes;
    std::vector<int> threesome_start;  // [row + 1]
    int sets = 0;
    bool counted = true;  // false: too many threesomes, they are left out

  private:
    void number_pairs(const Coupled &);
    void find_rings(const Coupled &);
    void count_threesomes(const Coupled &);
};

struct Loops {
    Loops(const Coupled &, const Graph &, const Meetings &);
    void correct(const Lattice &, const Graph &, const Messages<V> &);

    V all;                              // added to log Phi by loops
    V doubt;                            // what they leave out may add to it
    std::vector<V> slope, doubt_slope;  // [row] the same of the slope of log Phi
    V squares;                          // of all correlations
    // [edge of reached rows] What a message does to its row by its log odds; by how much the log of
    // what a row tells grows with what the other edges do to it, and with a_k.
    std::vector<V> swing, turn, answer;

  private:
    void tilt_edges(const Coupled &, const Graph &, const Messages<V> &);
    void go_around();
    void leave_rows_once(const Coupled &);
    void gather(const Coupled &);
    void weigh_doubts(const Coupled &);
    void weigh_threesomes(const Coupled &);
    void scale(const Lattice &, const Messages<V> &);
    void respond(const Lattice &, const Graph &, const Messages<V> &);

    const Meetings &meetings;
    std::vector<int> place;             // [edge]
    std::vector<V> tilt, around, pull;  // [place]; pull: slope of the loops in the tilt
    std::vector<V> strength;            // [place] by how much it raises a row that is off
    std::vector<V> push, field;                    // [edge of reached rows]
    std::vector<V> risk_field, own_field, spread;  // [risk]
    std::vector<V> row_back, in_off, inverse, mixing, square;  // [row]
    std::vector<V> total, indirect;  // [pair] correlation by one row, by a path of two
    std::vector<V> joint;            // [set of three] likewise, by one row
    std::vector<V> near;             // [risk] root of its correlations' squares
    V longest;                       // loops of three rows
};

// What float64 leaves of the messages, to first order: the double-double numbers tell what one sweep
// makes of them, and what further sweeps make of that is linear in it.
class Remainder {
  public:
    Remainder(const Coupled &, const Graph &);
    // Adds the remainder to slopes and beliefs, Phi being stationary in the messages; returns what is
    // left in these. Forgets what `fine` has heard.
    double add(const Lattice &, const Graph &, const Loops &, const Messages<V> &coarse,
               Messages<DD> &fine, double close);

  private:
    std::vector<V> first, now;   // [edge] of the log odds of what a row hears
    std::vector<V> told;         // [edge] of the log of what it tells
    std::vector<V> row, risk;    // sums over edges
};

inline V root(V x) {
    for (int lane = 0; lane < LANES; ++lane) x[lane] = __builtin_sqrt(x[lane] > 0.0 ? x[lane] : 0.0);
    return x;
}

}  // namespace hickam::coupled
