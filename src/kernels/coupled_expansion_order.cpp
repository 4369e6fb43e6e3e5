// An order of the rows in which an expansion has little open, of findings and of deviations.
#include "coupled_expansion.hpp"

#include <algorithm>
#include <cmath>

namespace hickam::coupled {
namespace {

constexpr double HEAT = 0.003;  // by how much a move may cost more at first
constexpr double FAR = 0.4;    // of all rows, by which one moves at most
// Of the moves, those of a stretch of rows rather than of one, and how long it is at most.
constexpr double STRETCHES = 0.4, LONG = 0.2;
constexpr double BY_CHANCE = 0.5;  // what chance adds to the price of closing a finding, as a logarithm

using Rows = std::vector<int>;

// xorshift64: moves need not be good random numbers.
class Chances {
  public:
    double operator()() {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return double(state >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state = 0x9e3779b97f4a7c15ull;
};

// About what an expansion costs in an order. What is open before each row is remembered, so that a
// move is priced by the rows between where it begins and ends.
class Itinerary {
  public:
    Itinerary(const Coupled &p, const std::vector<Rows> &edges_of, const std::vector<double> &square,
              const std::vector<char> &steady, const Rows &order)
        : steady(steady), columns(p.columns), risks(p.risks), stops(p.rows), rows_with(p.columns),
          rows_of(p.columns, 0), all(p.risks, 0.0), states(order.size() + 1), now(state()) {
        for (int k : order) {
            for (std::size_t s = 0; s < p.columns; ++s)
                if (p.acts[k * p.columns + s] > 0.0) {
                    stops[k].links.push_back(int(s));
                    rows_with[s].push_back(k);
                    ++rows_of[s];
                }
            for (int e : edges_of[k]) {
                stops[k].voices.push_back({int(p.edge_risk[e]), square[e]});
                all[p.edge_risk[e]] += square[e];
            }
        }
        states[0] = now = state();
        keep(order, 0, order.size());
    }

    double price() const { return states.back().sum; }

    // What the rows from first to end cost more in this order than in the one that was kept; or something
    // above the most that is of interest.
    double more(const Rows &order, std::size_t first, std::size_t end, double most) {
        now = states[first];
        const double until = states[end].sum + most;
        for (std::size_t t = first; t < end && now.sum <= until; ++t) visit(order[t]);
        return now.sum - states[end].sum;
    }

    // Remembers that the rows from first to end are in this order.
    void keep(const Rows &order, std::size_t first, std::size_t end) {
        const double before = states[end].sum;
        now = states[first];
        for (std::size_t t = first; t < end; ++t) {
            visit(order[t]);
            states[t + 1] = now;
        }
        for (std::size_t t = end + 1; t < states.size(); ++t) states[t].sum += now.sum - before;
    }

    // An order of the same rows that closes one finding after the other, next the one for which least has
    // to be opened.
    Rows one_by_one(const Rows &order, double by_chance, Chances &chance) {
        Rows made;
        std::vector<char> done(stops.size(), 0);
        const auto take = [&](int k) {
            visit(k);
            done[k] = 1;
            made.push_back(k);
        };
        now = state();
        for (std::size_t left = columns; left-- > 0;) {
            double least = INFINITY;
            int finding = -1;
            for (std::size_t s = 0; s < columns; ++s) {
                if (!now.left[s]) continue;
                const double price = closing(rows_with[s], done) + by_chance * chance();
                if (price < least) least = price, finding = int(s);
            }
            if (finding < 0) break;
            while (now.left[finding]) take(cheapest(rows_with[finding], done));
        }
        for (int k : order)
            if (!done[k]) take(k);
        return made;
    }

  private:
    struct Stop {
        Rows links;
        std::vector<std::pair<int, double>> voices;  // risk factors, and by how much they deviate
    };
    struct State {
        double sum = 0.0, cells = 1.0, sets = 1.0;
        std::vector<int> left;           // [column] rows to come
        std::vector<double> past, open;  // [risk]
    };
    const std::vector<char> &steady;
    std::size_t columns, risks;
    std::vector<Stop> stops;      // [row]
    std::vector<Rows> rows_with;  // [column]
    std::vector<int> rows_of;     // [column] how many
    std::vector<double> all;      // [risk]
    std::vector<State> states;    // [position] before the row there
    State now;

    State state() const {
        State made;
        made.left = rows_of;
        made.past.assign(risks, 0.0);
        made.open.assign(risks, 1.0);
        return made;
    }

    // A risk factor that deviates by x counts 1 + √x.
    double open(std::size_t risk, double past) const {
        return 1.0 + std::sqrt(std::sqrt(past * std::max(all[risk] - past, 0.0)));
    }

    void visit(int k) {
        const Stop &stop = stops[k];
        std::size_t moved = 0, closed = 0;
        for (int s : stop.links) {
            if (now.left[s]-- == rows_of[s]) now.cells *= 2.0, ++moved;
            closed += !now.left[s];
        }
        const double before = now.sets;
        for (const auto &[j, square] : stop.voices) {
            now.past[j] += square;
            const double counts = open(j, now.past[j]);
            now.sets *= counts / now.open[j];
            now.open[j] = counts;
        }
        const double most = std::max(before, now.sets);
        const ExpansionWork work{now.cells, stop.links.size(), stop.voices.size(), moved + closed,
                                 bool(steady[k])};
        now.sum += work.of(most, most);
        for (; closed; --closed) now.cells *= 0.5;
    }

    // By how much the table grows, as a logarithm, if the rows that are left of these are visited.
    double closing(const Rows &rows, const std::vector<char> &done) const {
        std::vector<char> opened(columns, 0);
        std::vector<double> said(risks, 0.0);
        double found = 0.0;
        for (int k : rows) {
            if (done[k]) continue;
            for (int s : stops[k].links)
                if (now.left[s] == rows_of[s] && !opened[s]) opened[s] = 1, found += M_LN2;
            for (const auto &[j, square] : stops[k].voices) said[j] += square;
        }
        double growth = 1.0;
        for (std::size_t j = 0; j < risks; ++j)
            if (said[j] > 0.0) growth *= open(j, now.past[j] + said[j]) / now.open[j];
        return found + std::log(growth);
    }

    // The row after whose visit the table is smallest.
    int cheapest(const Rows &rows, const std::vector<char> &done) const {
        double least = INFINITY;
        int found = -1;
        for (int k : rows) {
            if (done[k]) continue;
            double growth = 1.0;
            for (int s : stops[k].links) {
                if (now.left[s] == rows_of[s]) growth *= 2.0;
                if (now.left[s] == 1) growth *= 0.5;
            }
            for (const auto &[j, square] : stops[k].voices)
                growth *= open(j, now.past[j] + square) / now.open[j];
            if (growth < least || found < 0) least = growth, found = k;
        }
        return found;
    }
};

// A stretch of rows and the one behind it, which change places.
struct Move {
    std::size_t first, middle, end;

    static Move draw(Chances &chance, std::size_t rows) {
        const double count = double(rows);
        const auto within = [&](double at) { return std::size_t(std::clamp(at, 0.0, count - 1.0)); };
        const std::size_t from = std::size_t(chance() * count);
        if (chance() < STRETCHES) {
            std::size_t places[] = {from, within(double(from) + chance() * chance() * LONG * count),
                                    std::size_t(chance() * count)};
            std::sort(places, places + 3);
            return {places[0], places[1], places[2]};
        }
        const double far = chance(), by = (chance() < 0.5 ? -far : far) * chance() * FAR * count;
        const std::size_t to = within(double(from) + by);
        return from < to ? Move{from, from + 1, to + 1} : Move{to, from, from + 1};
    }
    bool nothing() const { return first >= middle || middle >= end; }
    void make(Rows &order) const { turn(order, middle); }
    void undo(Rows &order) const { turn(order, first + end - middle); }

  private:
    void turn(Rows &order, std::size_t around) const {
        const auto at = [&](std::size_t place) { return order.begin() + std::ptrdiff_t(place); };
        std::rotate(at(first), at(around), at(end));
    }
};

}  // namespace

void arrange(Rows &order, const Coupled &p, const std::vector<Rows> &edges_of,
             const std::vector<double> &square, const std::vector<char> &steady, int tries,
             long long moves) {
    if (order.size() < 3) return;
    Chances chance;
    Itinerary itinerary(p, edges_of, square, steady, order);
    Rows trying = order;
    double least = itinerary.price();
    for (int i = 0; i < tries; ++i) {
        const Rows found = itinerary.one_by_one(order, i ? BY_CHANCE : 0.0, chance);
        itinerary.keep(found, 0, found.size());
        if (itinerary.price() < least) least = itinerary.price(), trying = found;
    }
    order = trying;
    itinerary.keep(order, 0, order.size());
    double now = least;
    for (long long done = 0; done < moves; ++done) {
        const Move move = Move::draw(chance, order.size());
        if (move.nothing()) continue;
        const double heat = HEAT * (1.0 - double(done) / double(moves));
        const double most = now * std::expm1(-heat * std::log(chance()));
        move.make(trying);
        const double more = itinerary.more(trying, move.first, move.end, most);
        if (more > most) {
            move.undo(trying);
            continue;
        }
        itinerary.keep(trying, move.first, move.end);
        now = itinerary.price();
        if (now < least) least = now, order = trying;
    }
}

}  // namespace hickam::coupled
