// What explanations say about every score.
#pragma once
#include "coupled_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hickam::coupled {

// What an explanation says about every score.
class Count {
  public:
    Count(const Coupled &problem, const std::vector<std::vector<int>> &links)
        : p(problem), links(links) {}

    void add(const std::vector<int> &rows, double surplus, double counts, Draws &draws) {
        draws.count += 1.0;
        draws.counts += counts;
        draws.all.add(1.0, surplus, counts);
        draws.heaviest = std::max(draws.heaviest, counts * std::abs(surplus));
        look(rows);
        for (std::size_t s = 0; s < p.columns; ++s)
            draws.unexplained[s].add(silent[s] * p.leak[s] / present[s], surplus, counts);
        for (int k : rows) {
            const auto [disablement, sufficiency] = scores(rows, k);
            for (std::size_t i = 0; i < links[k].size(); ++i) {
                const std::size_t cell = std::size_t(k) * p.columns + links[k][i];
                draws.disabled[cell] += counts * disabled[i];
                draws.disabled_excess[cell] += counts * surplus * disabled[i];
                draws.sustained[cell] += counts * sustained[i];
                draws.sustained_excess[cell] += counts * surplus * sustained[i];
            }
            draws.rows[3 * k].add(1.0, surplus, counts);
            draws.rows[3 * k + 1].add(disablement, surplus, counts);
            draws.rows[3 * k + 2].add(sufficiency, surplus, counts);
        }
    }

    // What an explanation makes of the findings.
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

    // After a look: disablement and sufficiency of a row that is on.
    std::pair<double, double> scores(const std::vector<int> &rows, int k) {
        double disablement = 0.0, sufficiency = 0.0;
        disabled.clear(), sustained.clear();
        for (int s : links[k]) {
            sustained.push_back(p.acts[std::size_t(k) * p.columns + s] / present[s]);
            disabled.push_back(sustained.back() * p.leak_fails[s] * others(rows, k, s));
            disablement += disabled.back();
            sufficiency += sustained.back();
        }
        return {disablement, sufficiency};
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
    std::vector<double> disabled, sustained;  // [link] of the last row

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
