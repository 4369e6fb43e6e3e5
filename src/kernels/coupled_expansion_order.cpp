// An order of the rows in which an expansion has little open, of findings and of deviations.
#include "coupled_expansion.hpp"

#include <algorithm>
#include <cmath>

namespace hickam::coupled {
namespace {

constexpr double HEAT = 0.01;  // by how much a move may cost more at first
constexpr double FAR = 0.4;    // of all rows, by which one moves at most

// About what an expansion costs in an order. What is open before each row is remembered, so that a
// move is priced by the rows between where it begins and ends.
class Itinerary {
  public:
    Itinerary(const Coupled &p, const std::vector<std::vector<int>> &edges_of,
              const std::vector<double> &square, const std::vector<char> &steady,
              const std::vector<int> &order)
        : steady(steady), columns(p.columns), risks(p.risks), stops(p.rows),
          rows_of(p.columns, 0), all(p.risks, 0.0), states(order.size() + 1), now(state()) {
        for (int k : order) {
            for (std::size_t s = 0; s < p.columns; ++s)
                if (p.acts[k * p.columns + s] > 0.0) stops[k].links.push_back(int(s)), ++rows_of[s];
            for (int e : edges_of[k]) {
                stops[k].voices.push_back({int(p.edge_risk[e]), square[e]});
                all[p.edge_risk[e]] += square[e];
            }
        }
        states[0] = state();
        states[0].left = rows_of;
        keep(order, 0, order.size());
    }

    double price() const { return states.back().sum; }

    // What the rows from first to end cost more in this order than in the one that was kept.
    double more(const std::vector<int> &order, std::size_t first, std::size_t end) {
        now = states[first];
        for (std::size_t t = first; t < end; ++t) visit(order[t]);
        return now.sum - states[end].sum;
    }

    // Remembers that the rows from first to end are in this order.
    void keep(const std::vector<int> &order, std::size_t first, std::size_t end) {
        const double before = states[end].sum;
        now = states[first];
        for (std::size_t t = first; t < end; ++t) {
            visit(order[t]);
            states[t + 1] = now;
        }
        for (std::size_t t = end + 1; t < states.size(); ++t) states[t].sum += now.sum - before;
    }

  private:
    struct Stop {
        std::vector<int> links;
        std::vector<std::pair<int, double>> voices;  // risk factors, and by how much they deviate
    };
    struct State {
        double sum = 0.0, cells = 1.0, sets = 1.0;
        std::vector<int> left;           // [column] rows to come
        std::vector<double> past, open;  // [risk]
    };
    const std::vector<char> &steady;
    std::size_t columns, risks;
    std::vector<Stop> stops;    // [row]
    std::vector<int> rows_of;   // [column]
    std::vector<double> all;    // [risk]
    std::vector<State> states;  // [position] before the row there
    State now;

    State state() const {
        State made;
        made.left.assign(columns, 0);
        made.past.assign(risks, 0.0);
        made.open.assign(risks, 1.0);
        return made;
    }

    // A risk factor that deviates by x counts 1 + √x.
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
            const double open =
                1.0 + std::sqrt(std::sqrt(now.past[j] * std::max(all[j] - now.past[j], 0.0)));
            now.sets *= open / now.open[j];
            now.open[j] = open;
        }
        const double most = std::max(before, now.sets);
        const ExpansionWork work{now.cells, stop.links.size(), stop.voices.size(), moved + closed,
                                 bool(steady[k])};
        now.sum += work.of(most, most);
        now.cells = std::ldexp(now.cells, -int(closed));
    }
};

}  // namespace

void improve(std::vector<int> &order, const Coupled &p, const std::vector<std::vector<int>> &edges_of,
             const std::vector<double> &square, const std::vector<char> &steady, long long moves) {
    if (order.size() < 3) return;
    Itinerary itinerary(p, edges_of, square, steady, order);
    std::vector<int> trying = order;
    double now = itinerary.price(), least = now;
    std::uint64_t random = 0x9e3779b97f4a7c15ull;
    const auto draw = [&] {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        return double(random >> 11) * 0x1p-53;
    };
    const double count = double(order.size());
    const auto turn = [&](std::size_t a, std::size_t b) {
        const auto at = trying.begin();
        if (a < b) std::rotate(at + a, at + a + 1, at + b + 1);
        else std::rotate(at + b, at + a, at + a + 1);
    };
    for (long long done = 0; done < moves; ++done) {
        const std::size_t from = std::size_t(draw() * count);
        const double far = draw(), by = (draw() < 0.5 ? -far : far) * draw() * FAR * count;
        const std::size_t to = std::size_t(std::clamp(double(from) + by, 0.0, count - 1.0));
        if (from == to) continue;
        turn(from, to);
        const std::size_t first = std::min(from, to), end = std::max(from, to) + 1;
        const double then = now + itinerary.more(trying, first, end);
        const double heat = HEAT * (1.0 - double(done) / double(moves));
        if (then <= now || std::log(then / now) < -heat * std::log(draw())) {
            itinerary.keep(trying, first, end);
            now = itinerary.price();
            if (now < least) least = now, order = trying;
        } else {
            turn(to, from);
        }
    }
}

}  // namespace hickam::coupled
