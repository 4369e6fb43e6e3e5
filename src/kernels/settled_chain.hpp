// Slot Gibbs: samples the set D of present diseases when the lattice of findings is too large.
//
// One step marks one of the |D| diseases or an empty slot, each with probability 1 / (|D| + 1),
// takes the marked disease out (leaving S), and refills the slot from its exact conditional:
//     nothing: 1 / (|S| + 1)        disease j: w_j / (|S| + 2),  w_j = π(S + j) / π(S).
// Births, deaths and exchanges are all among its outcomes and nothing is ever rejected. Because
// w is known for every disease, each step also says what every disease's share was:
//     indicator:  P(j) = E[1{j in S} + share_j]          slot:  P(j) = E[w_j / norm].
// Python combines the two and states the error from independent chains. Diseases without a present
// finding are summed out; moves of the unobserved risk factors are in settled_risks.hpp.
#pragma once
#include "settled_level.hpp"
#include "settled_state.hpp"

namespace hickam::settled {

// One chain at one temperature.
class Chain {
  public:
    State state;

    Chain(const Plan &plan, const Level &level, std::uint64_t seed)
        : plan(plan), level(&level), p(plan.problem.settled), random(seed),
          slots(plan.row_of_slot.size()), odds(slots, 0.0), weight(slots, 0.0), leak(level.leak),
          leak_fails(level.leak_fails), on(p.columns), off(p.columns), inverse(p.columns), ratio(p.columns + 1), row_on(p.rows),
          row_off(p.rows), before_on(p.rows), before_off(p.rows), before_odds(p.rows),
          touched(p.rows, 0) {
        state.inside.assign(p.rows, 0);
        state.risk.assign(plan.problem.risks, 0);
        follow();
    }

    // Go to another explanation.
    void place(const State &other) {
        state = other;
        follow();
    }
    // Draw the diseases anew as if no finding were known.
    void draw_prior();

    // Let the findings arise by themselves, surely (0), or only as the temperature has it (1).
    void require(double power) {
        for (std::size_t s = 0; s < p.columns; ++s) {
            leak[s] = power < 1.0 ? std::pow(level->leak[s], power) : level->leak[s];
            leak_fails[s] = power < 1.0 ? 1.0 - leak[s] : level->leak_fails[s];
        }
    }
    // log P(findings | D) as it would be if they were required so far.
    double log_findings(double power) const;

    // Refills one slot.
    void step(Batch *batch) {
        if (steps % SWEEP_RISKS == 0) visit_risks(batch);
        ++steps;
        auto &set = state.set;
        const std::size_t mark = random.below(set.size() + 1);
        int block = 0;
        if (mark < set.size()) {
            block = plan.block_of_row[set[mark]];
            state.remove(mark);
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
        const int refill = drawn >= empty ? find((drawn - empty) / share) : -1;
        state.add(refill);
        if (!batch || steps % plan.thin) return;
        if (refill >= 0) {
            include(refill);
            for (int link = plan.start[refill]; link < plan.start[refill + 1]; ++link)
                inverse[plan.column[link]] = 1.0 / on[plan.column[link]];
        }
        tally_state(*batch);
    }

    // Take two likely diseases out and refill both slots: the first from a pool of the one that was
    // there and a few drawn by their own weight, chosen by how well a second can complete them.
    void pair_step() {
        auto &set = state.set;
        std::vector<std::size_t> likely;
        for (std::size_t i = 0; i < set.size(); ++i)
            if (plan.block_of_row[set[i]] == 0) likely.push_back(i);
        if (likely.size() < 2) return;
        const std::size_t a = random.below(likely.size());
        std::size_t b = random.below(likely.size() - 1);
        b += b >= a;
        const int first = set[likely[a]];
        state.remove(std::max(likely[a], likely[b]));
        state.remove(std::min(likely[a], likely[b]));
        const double total = weigh(0);
        int pool[POOL + 1];
        double completed[POOL + 1], sum = 0.0;
        pool[0] = first;
        for (int i = 1; i <= POOL; ++i) pool[i] = find(random.uniform() * total);
        for (int i = 0; i <= POOL; ++i) {
            state.add(pool[i]);
            sum += completed[i] = weigh(0);
            state.remove(set.size() - 1);
        }
        double drawn = random.uniform() * sum;
        int chosen = 0;
        while (chosen < POOL && (drawn -= completed[chosen]) >= 0.0) ++chosen;
        state.add(pool[chosen]);
        state.add(find(random.uniform() * weigh(0)));
    }

    // Gibbs over the unobserved risk factors given D.
    void visit_risks(Batch *batch);
    // Flips a risk factor, or two that share a disease, and redraws the diseases they cause.
    void joint_step();
    // Tries to change what two known explanations differ in.
    void shift(const std::vector<Change> &changes);
    // Exchanges the states of two temperatures with the probability that keeps both targets.
    // Before that: log of target over other's target at the state here, and there.
    std::pair<double, double> exchange(Chain &other);
    const Level &at() const { return *level; }

  private:
    static constexpr int ALL = -1;  // every block, at its own weight

    // A stretch of slots with the sum of its weights.
    struct Strip {
        std::size_t first, last;
        double sum;
    };

    const Plan &plan;
    const Level *level;
    const Settled &p;
    Random random;
    std::size_t slots, steps = 0;
    std::vector<double> odds, weight;    // [slot], lifted
    std::vector<Strip> strips;           // of the blocks last weighed
    std::vector<double> leak, leak_fails;  // [column] as required
    std::vector<double> on, off, inverse, ratio;  // [column] P(on | S), P(off | S), 1 / on, off / on
    std::vector<double> row_on, row_off;          // [row] P(D = 1 | risk factors), P(D = 0 | ...)
    std::vector<double> before_on, before_off, before_odds;  // [row] before risk factors moved
    std::vector<char> touched;                    // [row] by the risk factors that move
    std::vector<int> moving, set_before;

    int any_block() {
        return plan.blocks() ? 1 + int(random.below(plan.blocks())) : 0;
    }

    void look() {
        for (std::size_t s = 0; s < p.columns; ++s) {
            on[s] = leak[s];
            off[s] = leak_fails[s];
        }
        for (int k : state.set) include(k);
#pragma omp simd
        for (std::size_t s = 0; s < p.columns; ++s) {
            inverse[s] = 1.0 / on[s];
            ratio[s] = off[s] * inverse[s];
        }
    }
    void include(int k) {
        for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
            const int s = plan.column[link];
            on[s] += off[s] * plan.acts[link];
            off[s] *= plan.fails[link];
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
        const Quad MOST = {MOST_WEIGHT, MOST_WEIGHT, MOST_WEIGHT, MOST_WEIGHT};
        for (std::size_t q = plan.first[block]; q < plan.first[block + 1]; ++q) {
            Quad w = *reinterpret_cast<const Quad *>(odds.data() + 4 * q);
            const int *column = plan.quad_column.data() + plan.offset[q];
            const double *acts = plan.quad_acts.data() + plan.offset[q];
            for (int link = 0; link < plan.width[q]; ++link, column += 4, acts += 4) {
                const Quad here = {r[column[0]], r[column[1]], r[column[2]], r[column[3]]};
                w += w * here * *reinterpret_cast<const Quad *>(acts);
            }
            *reinterpret_cast<Quad *>(weight.data() + 4 * q) = w < MOST ? w : MOST;
        }
        for (int k : state.set)
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
        if (strips.empty()) return last;
        for (std::size_t i = strips[b].first; i < strips[b].last; ++i) {
            if (!(weight[i] > 0.0)) continue;
            last = plan.row_of_slot[i];
            target -= weight[i];
            if (target < 0.0) break;
        }
        return last;
    }

    // Of the risk factors; defined in settled_risks.hpp.
    void follow();
    void follow(int k);
    void without(int k, int j, double &up, double &down) const;
    void set_odds(int k);
    void flip(int j);
    void flip_all(const std::vector<int> &flips);
    void undo(const std::vector<int> &flips);
    double mass(int k, double up, double down, double factor) const;
    double gain(int k) const;
    double log_target(const Level &at);

    // What a step says about the diseases; defined in settled_tally.hpp.
    void tally(Batch &batch, double norm, double share);
    void tally_unlikely(Batch &batch, double norm, double share);
    void tally_quiet(Batch &batch);
    void tally_quiet(Batch &batch, int j, double chance);
    void pick(Batch &batch, double scale, std::size_t from);
    bool in_pick(const Strip &strip, std::size_t from) const;
    void explain(Batch &batch, int k, double mass);
    void tally_state(Batch &batch);
    double off_without(int s, int left_out) const;
    double silence(int s) const;
};

}  // namespace hickam::settled
