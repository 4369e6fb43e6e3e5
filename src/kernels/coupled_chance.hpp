// The chance that exactly a set of diseases is on, in a network with risk factors that couple them.
#pragma once
#include "coupled.hpp"

namespace hickam::coupled {

// P(D_k = 1) and P(D_k = 0) of each row with every risk factor averaged: what chances are relative to.
struct Reference {
    std::vector<double> on, off;  // [row]

    explicit Reference(const Coupled &);
};

// Diseases that are off factor over the risk factors, so what is left is a small sum over the risk
// factors of those that are on: COVER, in which risk factors produce diseases, or a sum over their
// states, whichever is smaller.
class Chance {
  public:
    Chance(const Coupled &, const Reference &);

    // Whether the chance of these reached rows being on, and all others off, could be found: not if
    // too many of them share risk factors.
    bool weigh(const std::vector<int> &rows);
    // Then: its logarithm, relative to the reference.
    double log_chance() const { return log; }
    // Then: E[prod of edge_fails over risk factors that are on | the rows] of a row out of reach.
    double heard(std::size_t row);
    double operations = 0.0;  // so far

  private:
    struct Meeting {
        int row;  // position among the rows that are on and have risk factors
        double acts, fails;
    };
    struct Risk {
        double off, on, kept;
        std::vector<Meeting> meetings;
    };
    struct Member {
        double on, off;
        int left, bit;
    };
    const Coupled &p;
    const Reference &reference;
    std::vector<std::vector<int>> edges_of;  // [row]
    std::vector<double> log_silence, quiet;  // [risk] all reached rows stay off in spite of it
    std::vector<int> silencers;              // [risk] rows that never do
    std::vector<double> log_off;             // [row]
    double log_all_off = 0.0, log = 0.0, covered = 0.0;
    std::vector<int> touch;    // [risk] position in `risks`, or -1
    std::vector<int> touched;  // risk factors of the rows that are on
    std::vector<Risk> risks;
    std::vector<Member> members, fresh;
    std::vector<double> states, active, stay;
    std::vector<double> together;  // [touched, touched] chances of being on, where they are known
    std::vector<int> heard_edges;
    std::vector<int> left;     // [member] risk factors to come
    std::vector<char> opened;  // [member]

    double log_of(std::size_t edge) const;
    void meet(int row, int number);
    void arrange();
    double both_on(int one, int two);
    double cover();
    double by_risks();
    double by_rows();
    void forget(int bit);
};

}  // namespace hickam::coupled
