// An order of the rows in which an expansion has little open, of findings and of deviations.
#include "coupled_expansion.hpp"

#include <algorithm>
#include <cmath>

namespace hickam::coupled {
namespace {

constexpr double HEAT = 0.05;  // by how much a move may cost more at first

class Itinerary {
  public:
    Itinerary(const Coupled &p, const std::vector<std::vector<int>> &edges_of,
              const std::vector<double> &square)
        : p(p), edges_of(edges_of), square(square), links(p.rows), rows_of(p.columns, 0),
          left(p.columns), all(p.risks, 0.0), past(p.risks), open(p.risks) {}

    void begin(const std::vector<int> &order) {
        for (int k : order) {
            for (std::size_t s = 0; s < p.columns; ++s)
                if (p.acts[k * p.columns + s] > 0.0) links[k].push_back(int(s)), ++rows_of[s];
            for (int e : edges_of[k]) all[p.edge_risk[e]] += square[e];
        }
    }

    // About what an expansion costs in this order. A risk factor that deviates by x counts 1 + √x.
    double price(const std::vector<int> &order) {
        left = rows_of;
        std::fill(past.begin(), past.end(), 0.0);
        std::fill(open.begin(), open.end(), 1.0);
        double sum = 0.0, cells = 1.0, sets = 1.0;
        for (int k : order) {
            for (int s : links[k])
                if (left[s]-- == rows_of[s]) cells *= 2.0;
            const double before = sets;
            for (int e : edges_of[k]) {
                const std::size_t j = p.edge_risk[e];
                past[j] += square[e];
                const double now =
                    1.0 + std::sqrt(std::sqrt(past[j] * std::max(all[j] - past[j], 0.0)));
                sets *= now / open[j];
                open[j] = now;
            }
            sum += std::max(before, sets) * expansion_work(cells, links[k].size(), edges_of[k].size());
            for (int s : links[k])
                if (!left[s]) cells *= 0.5;
        }
        return sum;
    }

  private:
    const Coupled &p;
    const std::vector<std::vector<int>> &edges_of;
    const std::vector<double> &square;
    std::vector<std::vector<int>> links;  // [row] columns
    std::vector<int> rows_of, left;       // [column]
    std::vector<double> all, past, open;  // [risk]
};

}  // namespace

void improve(std::vector<int> &order, const Coupled &p, const std::vector<std::vector<int>> &edges_of,
             const std::vector<double> &square, long long moves) {
    if (order.size() < 3) return;
    Itinerary itinerary(p, edges_of, square);
    itinerary.begin(order);
    std::vector<int> trying = order;
    double now = itinerary.price(order), least = now;
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
        const double far = draw(), by = (draw() < 0.5 ? -far : far) * draw() * count;
        const std::size_t to = std::size_t(std::clamp(double(from) + by, 0.0, count - 1.0));
        turn(from, to);
        const double then = itinerary.price(trying);
        const double heat = HEAT * (1.0 - double(done) / double(moves));
        if (then <= now || std::log(then / now) < -heat * std::log(draw())) {
            now = then;
            if (now < least) least = now, order = trying;
        } else {
            turn(to, from);
        }
    }
}

}  // namespace hickam::coupled
