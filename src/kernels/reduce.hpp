// One case on one network, reduced exactly to the part that the answer depends on. What does not
// depend on the case is computed once.
#pragma once
#include "seam.hpp"

#include <cmath>

namespace hickam {

struct Links {
    std::vector<long long> cause, effect, effect_start, by_effect;
    std::vector<double> acts, fails, log_fails;
};

// A sum in which -inf can be taken back out.
struct Sum {
    double finite = 0.0;
    int dead = 0;
    void add(double value) {
        if (value == -INFINITY) ++dead;
        else finite += value;
    }
    double value() const { return dead ? -INFINITY : finite; }
};

// The evidence of one case, by index.
struct Given {
    Indices present, absent, risks_on, risks_off;
    Vector likelihood;
};

// The arrays of the problem that a case poses; reduce.py and problem.py say what each of them is.
struct Reduced {
    std::vector<signed char> risk;   // [risk factor] 1: observed on, -1: off, 0: unobserved
    std::vector<double> log_weight;  // [disease]
    std::vector<double> log_off;     // [disease]
    std::vector<char> reached;       // [disease]
    std::vector<long long> rows;
    std::vector<double> on, off, weight_on, weight_off;  // [row]
    std::vector<double> acts, fails;                     // [row, present]
    std::vector<double> leak, leak_fails;                // [present]
    std::vector<std::size_t> coupling;                   // links of `causes` that couple
    std::vector<long long> row_of;                       // [disease]
    double log_scale = 0.0;

    // The same links as the engines for coupled diseases take them, once `Prepared::couple` has run.
    std::vector<long long> risks, edge_risk, edge_row;
    std::vector<double> prior, edge_acts, edge_fails;
    std::vector<char> direct;  // [row] reached

    // Room for working, kept from one case to the next.
    std::vector<int> touched, total;
    std::vector<char> coupled;
    std::vector<long long> risk_of;
};

// Python knows a class by its C++ name: the builds of the kernels must not share it.
inline namespace HICKAM_MODULE {

class Prepared {
  public:
    explicit Prepared(nb::handle network);

    std::size_t diseases() const { return log_leak.size(); }
    // Every index and shape, demanded once.
    void check(const Given &given) const;
    // Whether a risk factor is in a state that it never has.
    bool contradicts(const Given &given) const;
    // Folds observed risk factors, absent findings and likelihood ratios away.
    void fold(const Given &given, Reduced &found) const;
    // Lists the risk factors that couple rows, and their links.
    void couple(Reduced &found) const;
    // [disease] P(D = 1 | evidence, exactly one disease)
    void single_fault(const Given &given, const Reduced &found, double *into) const;
    // [disease] P(D = 1) where no evidence reaches it
    void elsewhere(const Reduced &found, double *into) const;
    nb::dict reduce(const Indices &present, const Indices &absent, const Indices &risks_on,
                    const Indices &risks_off, const Vector &likelihood, bool baseline) const;

  private:
    Links causes, effects;
    std::vector<double> risk_prior, finding_leak, finding_leak_fails, log_leak, log_finding_leak;
    std::vector<double> log_mean;  // [cause link] log P(it does not act), its risk factor averaged
    std::vector<double> on_alone, log_on_alone;  // [disease] by its leak alone
    Sum leaks;                                   // of every disease's log_leak
    // per edge (j, k), for the single fault: log P(every disease but k stays off through j | j on),
    // the log of its mean over j, and log P(j does not cause k | all others off)
    std::vector<double> log_others, log_mixed, log_spared;
    std::vector<double> log_everyone, log_mixed_all;  // per risk factor, k included
    std::vector<double> log_finding_alone;            // [finding] log P(its leak alone causes it)
    std::vector<double> log_chance;  // [effect link] log P(finding | its cause alone)

    void prepare_single_fault();
};

}  // namespace HICKAM_MODULE

}  // namespace hickam
