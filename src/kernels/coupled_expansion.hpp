// A coupled network with its risk factors as deviations from their means.
//
// Given the diseases, what is known of the risk factors is a function of their states. It is written
// in products of deviations, one product for each set S of risk factors, and only the sets that matter
// are carried from disease to disease: a risk factor that few diseases have spoken about, or will,
// hardly deviates, and several that deviate a little hardly do so together. With all sets this is the
// network itself. With few it is no network: a chance R(A) of a set A of diseases may even be negative.
// But it is linear in what is carried, so the sum over A of R(A) P(findings | A) is found as by the
// frontier, sets taking the place of states; and so is R(A) of one A.
//
// That a disease is off says of each risk factor something by itself, which is given to the risk factor
// beforehand. Then an unlikely disease changes nothing while it is off, and while it is on only a few
// sets, because little depends on it: a *steady* row leaves the table alone but for its family of sets.
#pragma once
#include "coupled_chance.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace hickam::coupled {

// A factor for each state of one risk factor: it multiplies (set without it, set with it) by
// [[mean, slope], [slope, far]].
struct Factor {
    double mean, slope, far;
};

// The factor of a risk factor with this chance of being on, from what is said with it off and on.
Factor factor(double chance, double off, double on);
// What a row tells a risk factor, the ratio on over off, within what an expansion can do with.
double bounded(double told);

// Sets whose partner is left out, and pairs: without and with a risk factor.
struct Partners {
    std::vector<int> alone, low, high;
};

// What a row hears of one risk factor: with the row in either state, and being off.
struct Turn {
    Factor both, off;
    Partners sets;
};

// A factor for all sets of a table.
struct Shift {
    Factor by;
    Partners sets;
};

struct Visit {
    int row;
    bool listens = false;            // whether the row only hears: no evidence reaches it
    std::vector<int> opens, closes;  // columns that get the next bits; bits that go, the highest first
    std::vector<settled::Mechanism> links;
    int findings = 0;                // open while the row is visited
    // The table has a slot for each set. Where many are empty, `kept` are put together; `fresh` begin.
    std::vector<int> kept, fresh;
    std::size_t came = 1, before = 1, slots = 1;  // before the visit, those kept, and with fresh ones
    std::vector<Shift> shifts;   // of all sets before the visit: what steady rows have told on average
    std::vector<int> family;     // slots of the sets that the row changes by being on
    settled::Pass pass;          // of the links, on a few cells of the whole family at a time
    std::vector<Turn> turns;     // of the family
    std::vector<Shift> spread;   // of all sets, by the row being off; none of a steady row
    double unit = 1.0, stay = 1.0;          // what chances are divided by, and P(off) then
    double weight_off = 1.0, weight_on = 1.0;  // divided by the former if it can be
    std::size_t cells() const { return std::size_t(1) << findings; }
};

// Sets are carried down to the finest product of deviations, or as many as the operations and bytes
// allow; if those above the coarsest are not among them, there is no expansion.
struct ExpansionLimits {
    double operations, bytes, finest, coarsest;
};

// What a sweep holds in memory. Not all that is stored is kept: it is computed again, stretch by stretch.
class ExpansionMemory {
  public:
    void add(double stored, double wide) {
        all += stored, largest = std::max(largest, stored), widest = std::max(widest, wide);
    }
    double stretch() const {  // doubles that are stored at a time
        return all <= KEPT ? all : std::max({KEPT / 2, std::sqrt(all * largest), largest});
    }
    double bytes() const { return 8.0 * (std::min(all, 2.0 * stretch()) + 4.0 * widest + 4.0 * largest); }

  private:
    static constexpr double KEPT = 1 << 22;
    double all = 0.0, largest = 0.0, widest = 0.0;
};

class Expansion {
  public:
    static constexpr std::size_t TOGETHER = 8;  // explanations that are weighed at once

    // Visits rows in about this order, if it was arranged for another expansion, with as many sets as the
    // operations allow. `told` is what rows tell risk factors, `posterior` what is believed of rows.
    Expansion(const Coupled &, std::vector<int> order, bool arranged, const std::vector<double> &told,
              const std::vector<double> &posterior, const ExpansionLimits &);

    bool fits = false;
    double operations = 0.0;
    double turned = 0.0;    // sets that one explanation turns
    double least = 0.0;     // product of deviations that is carried
    std::vector<int> order_of_speakers;  // rows that evidence reaches, as they are visited
    double unsaid = 0.0;    // the most that a risk factor deviates that is in no set
    bool complete = true;   // whether every set is carried: R is P
    double rounding = 0.0;  // error that remains from rounding, relative to max(score, 1e-3)
    // The tables; expired if the time was up, or rounding has left nothing of the evidence.
    Answer solve(const Stopwatch &);
    // R(A) of each explanation, relative to the reference.
    std::array<double, TOGETHER> weigh(const std::vector<int> *explanations, std::size_t count,
                                       const Reference &) const;

  private:
    using Set = std::uint64_t;
    // Risk factors and by how much they deviate, the most first.
    struct Deviating {
        std::vector<int> member;
        std::vector<double> size;
        void sort();
    };
    // What steady rows have told of a risk factor on average, as a logarithm.
    struct Drift {
        int risk;
        double log;
    };
    using Drifts = std::vector<std::vector<Drift>>;  // [visit] after it
    class Slots;
    const Coupled &p;
    double most_bytes, log_shared = 0.0;
    std::vector<double> tilted;    // [risk] the chance of being on, with what the rows tell it
    std::vector<int> member_of;    // [risk] its place in sets, or -1
    std::vector<std::vector<int>> edges_of;  // [row]
    std::vector<char> steady;      // [row]
    std::vector<Visit> visits;
    std::vector<int> lone;         // findings that no row causes
    std::size_t most_slots = 1;
    std::vector<std::pair<std::size_t, std::size_t>> span;  // [risk] first and last visit
    std::vector<Deviating> during, after;  // [visit] as the row sees it, and rows to come

    void judge(const std::vector<int> &order, const std::vector<double> &told);
    void open_findings(const std::vector<int> &order);
    void seat_listeners(std::vector<int> &order, const std::vector<double> &square);
    void set_tilt(const std::vector<double> &log_told);
    std::vector<double> squares(const std::vector<double> &told,
                                const std::vector<double> &posterior) const;
    void deviate(const std::vector<double> &square, const Drifts &);
    struct Price {
        double operations, bytes;
        bool within(const ExpansionLimits &limits) const {
            return operations <= limits.operations && bytes <= limits.bytes;
        }
    };
    Price price(double least, double most_operations) const;
    void bound_rounding(const Answer &);
    Drifts drifting(const std::vector<double> &told) const;
    void settle(Drifts &, const std::vector<double> &told);
    void choose(const std::vector<double> &told, const std::vector<double> &posterior, const Drifts &);
    std::vector<int> visit_edges(const Visit &) const;
    void hear(Visit &, const std::vector<double> &told, const std::vector<Set> &family, Slots &) const;
};

// Operations of a row: on the sets that it changes by being on, on all sets if it is not steady, and
// where findings open or close.
struct ExpansionWork {
    double cells;
    std::size_t links, edges, moved;  // findings that open or close
    bool steady;
    double of(double family, double sets) const {
        return cells * (family * (6.0 + 4.0 * double(links) + 4.0 * double(edges)) +
                        sets * (1.0 * double(moved) + (steady ? 0.0 : 3.0 * double(edges))));
    }
};

// An order of the same rows in which an expansion costs less; `square` is by how much edges deviate. So
// many new ones are tried first, and then so many moves of rows.
void arrange(std::vector<int> &order, const Coupled &, const std::vector<std::vector<int>> &edges_of,
             const std::vector<double> &square, const std::vector<char> &steady, int tries,
             long long moves);

}  // namespace hickam::coupled
