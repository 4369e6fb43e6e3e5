// Slot Gibbs: samples the set D of present diseases when the lattice of findings is too large.
//
// One step marks one of the |D| diseases or an empty slot, each with probability 1 / (|D| + 1),
// takes the marked disease out (leaving S), and refills the slot from its exact conditional:
//     nothing: 1 / (|S| + 1)        disease j: w_j / (|S| + 2),  w_j = π(S + j) / π(S).
// Births, deaths and exchanges are all among its outcomes and nothing is ever rejected. Because
// w is known for every disease, each step also says what every disease's share was:
//     indicator:  P(j) = E[1{j in S} + share_j]          slot:  P(j) = E[w_j / norm].
// Python combines the two and states the error from independent chains.
#pragma once
#include "settled_plan.hpp"

namespace hickam::settled {

// One chain at one temperature: the target is prod odds^heat prod (1 - P(off)) with leaks leak^heat,
// so that heat = 1 is the posterior and a smaller heat lets explanations change more easily.
class Chain {
  public:
    Chain(const Plan &plan, std::uint64_t seed, double heat = 1.0)
        : plan(plan), heat(heat), p(plan.problem.settled), random(seed), slots(plan.row_of_slot.size()),
          odds(slots, 0.0), weight(slots, 0.0), inside(p.rows, 0), on(p.columns), off(p.columns),
          inverse(p.columns), ratio(p.columns + 1), risk(plan.problem.risks, 0), log_off(p.rows) {
        for (std::size_t k = 0; k < p.rows; ++k) {
            log_off[k] = std::log(plan.problem.off[k]);
            set_odds(int(k));
        }
        leak = plan.leak;
        leak_fails = plan.leak_fails;
        if (heat < 1.0)
            for (std::size_t s = 0; s < p.columns; ++s) {
                leak[s] = std::pow(leak[s], heat);
                leak_fails[s] = 1.0 - leak[s];
            }
    }

    // Exchange the states of two temperatures with the probability that keeps both targets.
    void exchange(Chain &other) {
        const double here = log_odds_sum(), there = other.log_odds_sum();
        const double change = (heat - other.heat) * (there - here) + log_likelihood(other.set) -
                              log_likelihood(set) + other.log_likelihood(set) -
                              other.log_likelihood(other.set);
        if (std::log(random.uniform()) >= change) return;
        std::swap(set, other.set);
        std::swap(inside, other.inside);
        if (!plan.problem.risks) return;
        std::swap(risk, other.risk);
        std::swap(log_off, other.log_off);
        for (std::size_t k = 0; k < p.rows; ++k) {
            set_odds(int(k));
            other.set_odds(int(k));
        }
    }

    // Warms up by taking the findings in one by one; chance[s] = P(s present | those before it).
    void warm_up(long long steps_each, std::vector<double> &chance, const Stopwatch &watch,
                 double until) {
        considered = 0;
        for (std::size_t s = 0; s <= p.columns; ++s) {
            double sum = 0.0, count = 0.0;
            for (long long i = 0; i < steps_each; ++i) {
                step(nullptr);
                if (s == p.columns || 4 * i < steps_each) continue;
                look();
                sum += on[s];
                count += 1.0;
                if (i % 64 == 63 && watch.elapsed() > until) break;
            }
            if (s == p.columns) break;
            chance[s] = count > 0.0 ? sum / count : 1.0;
            considered = s + 1;
        }
    }

    void step(Batch *batch) {
        if (plan.problem.risks && steps % SWEEP_RISKS == 0) visit_risks();
        ++steps;
        const std::size_t mark = std::size_t(random.uniform() * double(set.size() + 1));
        int block = 0;
        if (mark < set.size()) {
            block = plan.block_of_row[set[mark]];
            remove(mark);
        }
        if (block == 0) block = any_block();
        const double empty = 1.0 / double(set.size() + 1), share = 1.0 / double(set.size() + 2);
        if (batch && plan.blocks() && steps % CENSUS == 0) {
            const double everybody = weigh(ALL);
            tally_unlikely(*batch, empty + everybody * share, share);
        }
        const double total = weigh(block);
        const double norm = empty + total * share;
        if (batch) tally(*batch, norm, share);
        const double drawn = random.uniform() * norm;
        if (drawn >= empty) add(find((drawn - empty) / share));
        if (batch && steps % THIN == 0) tally_state(*batch);
    }

    // Take two likely diseases out and refill both slots: the first from a pool of the one that was
    // there and a few drawn by their own weight, chosen by how well a second can complete them.
    void pair_step() {
        std::vector<std::size_t> likely;
        for (std::size_t i = 0; i < set.size(); ++i)
            if (plan.block_of_row[set[i]] == 0) likely.push_back(i);
        if (likely.size() < 2) return;
        std::size_t a = std::size_t(random.uniform() * double(likely.size()));
        std::size_t b = std::size_t(random.uniform() * double(likely.size() - 1));
        b += b >= a;
        const int first = set[likely[a]];
        remove(std::max(likely[a], likely[b]));
        remove(std::min(likely[a], likely[b]));
        const double total = weigh(0);
        int pool[POOL + 1];
        double completed[POOL + 1], sum = 0.0;
        pool[0] = first;
        for (int i = 1; i <= POOL; ++i) pool[i] = find(random.uniform() * total);
        for (int i = 0; i <= POOL; ++i) {
            add(pool[i]);
            sum += completed[i] = weigh(0);
            remove(set.size() - 1);
        }
        double drawn = random.uniform() * sum;
        int chosen = 0;
        while (chosen < POOL && (drawn -= completed[chosen]) >= 0.0) ++chosen;
        add(pool[chosen]);
        add(find(random.uniform() * weigh(0)));
    }

  private:
    static constexpr int ALL = -1;  // every block, at its own weight

    // A stretch of slots with the sum of its weights.
    struct Strip {
        std::size_t first, last;
        double sum;
    };

    const Plan &plan;
    double heat;
    const Settled &p;
    Random random;
    std::size_t slots, steps = 0;
    std::size_t considered = SIZE_MAX;  // findings taken in so far; the others do not matter yet
    std::vector<double> odds, weight;    // [slot], lifted
    std::vector<Strip> strips;           // of the blocks last weighed
    std::vector<char> inside;            // [row]
    std::vector<int> set;                // rows in D
    std::vector<double> on, off, inverse, ratio;  // [column] P(on | S), P(off | S), 1 / on, off / on
    std::vector<double> leak, leak_fails;  // [column] at this heat
    std::vector<char> risk;
    std::vector<double> log_off;  // [row] log P(D = 0 | risk factors)

    int any_block() {
        return plan.blocks() ? 1 + int(random.uniform() * double(plan.blocks())) : 0;
    }

    double own_odds(int k) const {
        const double stay = std::exp(log_off[k]), turn = -std::expm1(log_off[k]);
        const double up = plan.problem.weight_on[k] * turn, down = plan.problem.weight_off[k] * stay;
        return up > 0.0 ? (down * MOST_ODDS > up ? up / down : MOST_ODDS) : 0.0;
    }
    void set_odds(int k) {
        const double own = own_odds(k);
        odds[plan.slot_of_row[k]] = plan.lift(k) * (heat < 1.0 ? std::pow(own, heat) : own);
    }
    double log_odds_sum() const {
        double sum = 0.0;
        for (int k : set) sum += std::log(own_odds(k));
        return sum;
    }
    double log_likelihood(const std::vector<int> &rows) {
        look(rows);
        double sum = 0.0;
        for (std::size_t s = 0; s < std::min(p.columns, considered); ++s) sum += std::log(on[s]);
        return sum;
    }

    void remove(std::size_t position) {
        inside[set[position]] = 0;
        set[position] = set.back();
        set.pop_back();
    }
    void add(int row) {
        if (row < 0) return;
        inside[row] = 1;
        set.push_back(row);
    }

    void look() { look(set); }

    void look(const std::vector<int> &rows) {
        for (std::size_t s = 0; s < p.columns; ++s) {
            on[s] = leak[s];
            off[s] = leak_fails[s];
        }
        for (int k : rows)
            for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
                const int s = plan.column[link];
                on[s] += off[s] * plan.acts[link];
                off[s] *= plan.fails[link];
            }
        #pragma omp simd
        for (std::size_t s = 0; s < p.columns; ++s) {
            inverse[s] = 1.0 / on[s];
            ratio[s] = s < considered ? off[s] * inverse[s] : 0.0;
        }
    }

    // weight[slot] = π(S + j) / π(S) of the likely and of one block, 0 inside S; returns the sum
    double weigh(int block) {
        look();
        strips.clear();
        double total = weigh_block(0);
        if (block > 0) total += weigh_block(block);
        if (block == ALL) {
            double others = 0.0;
            for (std::size_t b = 1; b <= plan.blocks(); ++b) others += weigh_block(int(b));
            total += others / double(plan.blocks());
        }
        return total;
    }

    double weigh_block(int block) {
        const double *r = ratio.data();
        for (std::size_t q = plan.first[block]; q < plan.first[block + 1]; ++q) {
            Quad w = *reinterpret_cast<const Quad *>(odds.data() + 4 * q);
            const int *column = plan.quad_column.data() + plan.offset[q];
            const double *acts = plan.quad_acts.data() + plan.offset[q];
            for (int link = 0; link < plan.width[q]; ++link, column += 4, acts += 4) {
                const Quad here = {r[column[0]], r[column[1]], r[column[2]], r[column[3]]};
                w += w * here * *reinterpret_cast<const Quad *>(acts);
            }
            *reinterpret_cast<Quad *>(weight.data() + 4 * q) = w;
        }
        for (int k : set)
            if (plan.block_of_row[k] == block) weight[plan.slot_of_row[k]] = 0.0;
        double total = 0.0;
        for (std::size_t q = plan.first[block]; q < plan.first[block + 1]; q += STRIP) {
            const std::size_t end = 4 * std::min(q + STRIP, plan.first[block + 1]);
            double sum = 0.0;
#pragma omp simd reduction(+ : sum)
            for (std::size_t i = 4 * q; i < end; ++i) sum += weight[i];
            strips.push_back({4 * q, end, sum});
            total += sum;
        }
        return total;
    }

    // the row at which the running sum of weights passes the target
    int find(double target) const {
        std::size_t b = 0;
        while (b + 1 < strips.size() && target >= strips[b].sum) target -= strips[b++].sum;
        int last = -1;
        for (std::size_t i = strips[b].first; i < strips[b].last; ++i) {
            if (!(weight[i] > 0.0)) continue;
            last = plan.row_of_slot[i];
            target -= weight[i];
            if (target < 0.0) break;
        }
        return last;
    }

    // Gibbs over the unobserved risk factors given D
    void visit_risks() {
        const Coupled &c = plan.problem;
        for (std::size_t j = 0; j < c.risks; ++j) {
            double log_odds = std::log(c.risk_prior[j]) - std::log1p(-c.risk_prior[j]);
            for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
                const int k = int(c.edge_row[e]);
                const double log_fails = c.edge_log_fails[e];
                const double without = risk[j] ? others(k, int(j)) : log_off[k];
                log_odds += term(k, without + log_fails) - term(k, without);
            }
            const char next = random.uniform() < 1.0 / (1.0 + std::exp(-log_odds));
            if (next == risk[j]) continue;
            risk[j] = next;
            for (int e = plan.risk_start[j]; e < plan.risk_start[j + 1]; ++e) {
                const int k = int(c.edge_row[e]);
                log_off[k] = next ? log_off[k] + c.edge_log_fails[e] : others(k, int(j));
                set_odds(k);
            }
        }
    }

    // log of what disease k contributes to the target, given log P(D_k = 0)
    double term(int k, double log_stay) const {
        if (!inside[k]) return std::max(log_stay, -1e6);
        const double log_turn = std::log(std::max(-std::expm1(log_stay), 1e-300));
        return heat * log_turn + (1.0 - heat) * std::max(log_stay, -1e6);
    }

    // log P(D_k = 0) with risk factor j off, summed afresh: taking -inf back out is impossible
    double others(int k, int j) const {
        const Coupled &c = plan.problem;
        double sum = std::log(c.off[k]);
        for (int i = c.row_start[k]; i < c.row_start[k + 1]; ++i) {
            const int e = c.row_edges[i];
            if (c.edge_risk[e] != j && risk[c.edge_risk[e]]) sum += c.edge_log_fails[e];
        }
        return sum;
    }

    // What a step says about the diseases; defined in settled_tally.hpp.
    void tally(Batch &batch, double norm, double share);
    void tally_unlikely(Batch &batch, double norm, double share);
    void pick(Batch &batch, double scale, std::size_t from);
    bool in_pick(const Strip &strip, std::size_t from) const;
    void explain(Batch &batch, int k, double mass);
    void tally_state(Batch &batch);
    double off_without(int s, int left_out) const;
    double silence(int s) const;
};

}  // namespace hickam::settled
