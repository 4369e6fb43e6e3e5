// What explanations say about every score.
#pragma once
#include "coupled_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace hickam::coupled {

// What an explanation says about every score, as the mixture has it; and if links to findings were
// cut, as the problem has it, with weights that say how much likelier the findings are there.
class Count {
  public:
    Count(const Coupled &problem, const std::vector<std::vector<int>> &links) : near(problem, links) {}
    Count(const Coupled &problem, const std::vector<std::vector<int>> &links, const Coupled &whole,
          const std::vector<std::vector<int>> &whole_links)
        : near(problem, links), uncut(std::in_place, whole, whole_links) {}

    // What the weight of an explanation is to be multiplied by.
    double likelier(const std::vector<int> &rows) {
        if (!uncut) return 1.0;
        double log = uncut->log_present(rows) - near.log_present(rows);
        for (int k : rows) log += std::log(uncut->p.weight_on[k] / near.p.weight_on[k]);
        return std::exp(log);
    }

    void add(const std::vector<int> &rows, double surplus, double weight, double counts,
             Draws &draws) {
        draws.count += 1.0;
        draws.counts += counts;
        draws.all.add(1.0, surplus, counts);
        draws.heaviest = std::max(draws.heaviest, counts * std::abs(surplus));
        look(rows);
        // y = w times the true score, less R(A) / Q(A) = w - d times the mixture's
        const auto excess = [&](double value, double truly) {
            return surplus * value + weight * (truly - value);
        };
        const Says &true_says = uncut ? *uncut : near;
        for (std::size_t s = 0; s < near.p.columns; ++s) {
            const double value = near.unexplained(s);
            draws.unexplained[s].add(value, excess(value, true_says.unexplained(s)), surplus, counts);
        }
        for (int k : rows) {
            const auto [disablement, sufficiency] = near.scores(rows, k);
            const std::size_t row = std::size_t(k) * near.p.columns;
            for (std::size_t i = 0; i < near.links[k].size(); ++i) {
                const std::size_t cell = row + std::size_t(near.links[k][i]);
                draws.disabled[cell] += counts * near.disabled[i];
                draws.sustained[cell] += counts * near.sustained[i];
                draws.disabled_excess[cell] += counts * (surplus - weight) * near.disabled[i];
                draws.sustained_excess[cell] += counts * (surplus - weight) * near.sustained[i];
            }
            const auto [truly_disabled, truly_sufficient] =
                uncut ? uncut->scores(rows, k) : std::pair(disablement, sufficiency);
            const Says &truth = uncut ? *uncut : near;
            for (std::size_t i = 0; i < truth.links[k].size(); ++i) {
                const std::size_t cell = row + std::size_t(truth.links[k][i]);
                draws.disabled_excess[cell] += counts * weight * truth.disabled[i];
                draws.sustained_excess[cell] += counts * weight * truth.sustained[i];
            }
            draws.rows[3 * k].add(1.0, surplus, counts);
            draws.rows[3 * k + 1].add(disablement, excess(disablement, truly_disabled), surplus, counts);
            draws.rows[3 * k + 2].add(sufficiency, excess(sufficiency, truly_sufficient), surplus,
                                      counts);
        }
    }

    // What an explanation makes of the findings.
    void look(const std::vector<int> &rows) {
        near.look(rows);
        if (uncut) uncut->look(rows);
    }

    // After a look: by how much disablement and sufficiency of a row that is on, times w, exceed the
    // mixture's, times R(A) / Q(A).
    std::pair<double, double> excess(const std::vector<int> &rows, int k, double surplus,
                                     double weight) {
        const auto [disablement, sufficiency] = near.scores(rows, k);
        if (!uncut) return {surplus * disablement, surplus * sufficiency};
        const auto [truly_disabled, truly_sufficient] = uncut->scores(rows, k);
        return {surplus * disablement + weight * (truly_disabled - disablement),
                surplus * sufficiency + weight * (truly_sufficient - sufficiency)};
    }

    // log P(findings | A) as the mixture has it.
    double log_present(const std::vector<int> &rows) { return near.log_present(rows); }

  private:
    // What one network makes of the findings, given an explanation.
    struct Says {
        const Coupled &p;
        const std::vector<std::vector<int>> &links;  // [row] columns
        std::vector<double> present, silent;  // [column] P(it is there), P(no disease causes it)
        std::vector<double> disabled, sustained;  // [link] of the last row

        Says(const Coupled &problem, const std::vector<std::vector<int>> &links)
            : p(problem), links(links) {}

        void look(const std::vector<int> &rows) {
            present.assign(p.leak, p.leak + p.columns);
            silent.assign(p.columns, 1.0);
            for (int k : rows)
                for (int s : links[k]) {
                    const std::size_t cell = std::size_t(k) * p.columns + std::size_t(s);
                    present[s] = p.acts[cell] + p.fails[cell] * present[s];
                    silent[s] *= p.fails[cell];
                }
        }

        double unexplained(std::size_t s) const { return silent[s] * p.leak[s] / present[s]; }

        // After a look: disablement and sufficiency of a row that is on.
        std::pair<double, double> scores(const std::vector<int> &rows, int k) {
            double disablement = 0.0, sufficiency = 0.0;
            disabled.clear(), sustained.clear();
            for (int s : links[k]) {
                sustained.push_back(p.acts[std::size_t(k) * p.columns + std::size_t(s)] / present[s]);
                disabled.push_back(sustained.back() * p.leak_fails[s] * others(rows, k, s));
                disablement += disabled.back();
                sufficiency += sustained.back();
            }
            return {disablement, sufficiency};
        }

        double log_present(const std::vector<int> &rows) {
            look(rows);
            double log = 0.0;
            for (double chance : present) log += std::log(chance);
            return log;
        }

        // P(no other disease of the explanation causes the finding)
        double others(const std::vector<int> &rows, int row, int column) const {
            const double own = p.fails[std::size_t(row) * p.columns + std::size_t(column)];
            if (own > 1e-3) return silent[column] / own;
            double product = 1.0;
            for (int k : rows)
                if (k != row) product *= p.fails[std::size_t(k) * p.columns + std::size_t(column)];
            return product;
        }
    };
    Says near;
    std::optional<Says> uncut;
};

}  // namespace hickam::coupled
