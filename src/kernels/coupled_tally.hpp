// What explanations say about every score.
#pragma once
#include "coupled_mixture.hpp"

#include <algorithm>
#include <cmath>

namespace hickam::coupled {

// What an explanation says about every score.
class Count {
  public:
    Count(const Coupled &problem, const std::vector<std::vector<int>> &links)
        : p(problem), links(links) {}

    void add(const std::vector<int> &rows, double weight, double counts, Draws &draws) {
        const double surplus = weight - 1.0;
        draws.count += 1.0;
        draws.counts += counts;
        draws.all.add(1.0, surplus, counts);
        draws.heaviest = std::max(draws.heaviest, counts * std::abs(surplus));
        look(rows);
        for (std::size_t s = 0; s < p.columns; ++s)
            draws.unexplained[s].add(silent[s] * p.leak[s] / present[s], surplus, counts);
        for (int k : rows) {
            double disablement = 0.0, sufficiency = 0.0;
            for (int s : links[k]) {
                const std::size_t cell = std::size_t(k) * p.columns + s;
                const double sustained = p.acts[cell] / present[s];
                const double disabled = sustained * p.leak_fails[s] * others(rows, k, s);
                disablement += disabled;
                sufficiency += sustained;
                draws.disabled[cell] += counts * disabled;
                draws.disabled_excess[cell] += counts * surplus * disabled;
                draws.sustained[cell] += counts * sustained;
                draws.sustained_excess[cell] += counts * surplus * sustained;
            }
            draws.rows[3 * k].add(1.0, surplus, counts);
            draws.rows[3 * k + 1].add(disablement, surplus, counts);
            draws.rows[3 * k + 2].add(sufficiency, surplus, counts);
        }
    }

    // log P(findings | A)
    double log_present(const std::vector<int> &rows) {
        look(rows);
        double log = 0.0;
        for (double chance : present) log += std::log(chance);
        return log;
    }

  private:
    const Coupled &p;
    const std::vector<std::vector<int>> &links;  // [row] columns
    std::vector<double> present, silent;  // [column] P(it is there), P(no disease causes it)

    void look(const std::vector<int> &rows) {
        present.assign(p.leak, p.leak + p.columns);
        silent.assign(p.columns, 1.0);
        for (int k : rows)
            for (int s : links[k]) {
                const std::size_t cell = std::size_t(k) * p.columns + s;
                present[s] = p.acts[cell] + p.fails[cell] * present[s];
                silent[s] *= p.fails[cell];
            }
    }

    // P(no other disease of the explanation causes the finding)
    double others(const std::vector<int> &rows, int row, int column) const {
        const double own = p.fails[std::size_t(row) * p.columns + column];
        if (own > 1e-3) return silent[column] / own;
        double product = 1.0;
        for (int k : rows)
            if (k != row) product *= p.fails[std::size_t(k) * p.columns + column];
        return product;
    }
};

}  // namespace hickam::coupled
