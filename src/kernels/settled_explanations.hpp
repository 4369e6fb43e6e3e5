// Explanations from which chains start, and what they differ in.
#pragma once
#include "settled_chain.hpp"

#include <map>

namespace hickam::settled {

// Sets of likely diseases that each explain the findings, found greedily. Every other set avoids
// the diseases of earlier ones wherever there are others, the rest prefer those less used.
inline std::vector<State> greedy_explanations(const Plan &plan, const Level &level, int count) {
    const Settled &p = plan.problem.settled;
    const Coupled &c = plan.problem;
    std::vector<int> rows;
    std::vector<double> log_odds, uses;
    for (std::size_t i = 0; i < 4 * plan.first[1]; ++i) {
        const int k = plan.row_of_slot[i];
        if (k < 0) continue;
        double fails = level.off[k];
        for (int e = c.row_start[k]; e < c.row_start[k + 1]; ++e) {
            const int edge = c.row_edges[e];
            fails *= 1.0 - level.risk[c.edge_risk[edge]] * level.edge_acts[edge];
        }
        const double up = level.weight_on[k] * (1.0 - fails);
        if (!(up > 0.0)) continue;
        rows.push_back(k);
        uses.push_back(0.0);
        log_odds.push_back(std::log(up) - std::log(level.weight_off[k] * fails + 1e-300));
    }
    std::vector<State> found;
    for (int i = 0; i < count; ++i) {
        State state;
        state.inside.assign(p.rows, 0);
        state.risk.assign(c.risks, 0);
        std::vector<double> on(level.leak), off(level.leak_fails);
        double shyness = i % 2 ? 1e3 : 4.0;  // log odds taken off for every earlier use
        while (state.set.size() < rows.size()) {
            int best = -1;
            double most = 0.0;
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const int k = rows[r];
                if (state.inside[k]) continue;
                double gain = log_odds[r] - shyness * uses[r];
                for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
                    const int s = plan.column[link];
                    gain += std::log1p(plan.acts[link] * off[s] / on[s]);
                }
                if (gain <= most) continue;
                most = gain;
                best = int(r);
            }
            if (best < 0 && shyness == 0.0) break;
            if (best < 0) {
                shyness = 0.0;
                continue;
            }
            const int k = rows[best];
            state.add(k);
            for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
                const int s = plan.column[link];
                on[s] += off[s] * plan.acts[link];
                off[s] *= plan.fails[link];
            }
        }
        for (std::size_t r = 0; r < rows.size(); ++r) uses[r] += state.inside[rows[r]];
        found.push_back(state);
    }
    return found;
}

// Collects what explanations differ in, whole and by parts that share findings or links.
class Differences {
  public:
    explicit Differences(const Plan &plan) : plan(plan), owner(plan.problem.settled.columns, -1) {}

    // As far as there is time to compare them.
    std::vector<Change> among(const std::vector<State> &states, const Stopwatch &watch,
                              double until) {
        for (std::size_t a = 0; a < states.size(); ++a)
            for (std::size_t b = a + 1; b < states.size() && watch.elapsed() <= until; ++b)
                compare(states[a], states[b]);
        std::vector<std::pair<int, Change>> ranked;
        for (auto &[change, times] : count) ranked.emplace_back(-times, change);
        std::sort(ranked.begin(), ranked.end());
        std::vector<Change> found;
        for (auto &[times, change] : ranked)
            if (found.size() < MOST) found.push_back(std::move(change));
        return found;
    }

  private:
    static constexpr std::size_t MOST = 256, LARGEST = 40;

    const Plan &plan;
    std::vector<int> owner;
    std::map<Change, int> count;

    void note(Change change) {
        const std::size_t size = change.rows.size() + change.risks.size();
        if (size < 2 || size > LARGEST) return;
        std::sort(change.rows.begin(), change.rows.end());
        ++count[std::move(change)];
    }

    void compare(const State &one, const State &two) {
        Change whole;
        for (int k : one.set)
            if (!two.inside[k]) whole.rows.push_back(k);
        for (int k : two.set)
            if (!one.inside[k]) whole.rows.push_back(k);
        for (std::size_t j = 0; j < one.risk.size(); ++j)
            if (one.risk[j] != two.risk[j]) whole.risks.push_back(int(j));
        const std::size_t rows = whole.rows.size(), size = rows + whole.risks.size();
        std::vector<int> part(size);
        for (std::size_t i = 0; i < size; ++i) part[i] = int(i);
        const auto root = [&](int i) {
            while (part[i] != i) i = part[i] = part[part[i]];
            return i;
        };
        std::fill(owner.begin(), owner.end(), -1);
        for (std::size_t i = 0; i < rows; ++i) {
            const int k = whole.rows[i];
            for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
                int &first = owner[plan.column[link]];
                if (first < 0) first = int(i);
                part[root(int(i))] = root(first);
            }
        }
        for (std::size_t i = rows; i < size; ++i) {
            const int j = whole.risks[i - rows];
            for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e)
                for (std::size_t r = 0; r < rows; ++r)
                    if (whole.rows[r] == plan.problem.edge_row[e]) part[root(int(r))] = root(int(i));
        }
        std::map<int, Change> parts;
        for (std::size_t i = 0; i < size; ++i) {
            Change &change = parts[root(int(i))];
            if (i < rows)
                change.rows.push_back(whole.rows[i]);
            else
                change.risks.push_back(whole.risks[i - rows]);
        }
        if (parts.size() > 1)
            for (auto &[first, change] : parts) note(change);
        note(whole);
    }
};

}  // namespace hickam::settled
