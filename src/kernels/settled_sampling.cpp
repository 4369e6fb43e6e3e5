// Slot Gibbs: samples the set D of present diseases when the lattice of findings is too large.
//
// One step marks one of the |D| diseases or an empty slot, each with probability 1 / (|D| + 1),
// takes the marked disease out (leaving S), and refills the slot from its exact conditional:
//     nothing: 1 / (|S| + 1)        disease j: w_j / (|S| + 2),  w_j = π(S + j) / π(S).
// Births, deaths and exchanges are all among its outcomes and nothing is ever rejected. Because
// w is known for every disease, each step also says what every disease's share was:
//     indicator:  P(j) = E[1{j in S} + share_j]          slot:  P(j) = E[w_j / norm].
// Python combines the two and states the error from independent chains.
#include "settled_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>

namespace hickam {
namespace {

using Quad = double __attribute__((vector_size(32), aligned(8)));

constexpr double LEAST_LEAK = 1e-20;  // keeps every set of diseases reachable
constexpr double MOST_ODDS = 1e25;
constexpr std::size_t LIKELY = 128;  // diseases that every refill considers
constexpr std::size_t BLOCK = 128;   // of the others, each refill sees about so many
constexpr std::size_t STRIP = 16;    // quads per partial sum
constexpr int PICKS = 16; // systematic picks per step for the tables
constexpr int CYCLE = 32;          // steps between exchanges of temperatures
constexpr int PAIRS = 8;           // steps between refills of two slots
constexpr int POOL = 3;            // candidates drawn for the first of them
constexpr std::size_t MOST_HEATS = 8;
constexpr double HEAT_STEP = 0.87;
constexpr int THIN = 4;            // steps between looks at what each disease produces
constexpr int CENSUS = 32;         // steps between looks at all the unlikely diseases
constexpr int SWEEP_RISKS = 4;     // steps between visits to the unobserved risk factors

class Random {  // xoshiro256+
  public:
    explicit Random(std::uint64_t seed) {
        for (auto &word : state) {
            seed += 0x9e3779b97f4a7c15ULL;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            word = z ^ (z >> 31);
        }
    }
    double uniform() {
        const std::uint64_t result = state[0] + state[3], t = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= t;
        state[3] = (state[3] << 45) | (state[3] >> 19);
        return double(result >> 11) * 0x1.0p-53;
    }

  private:
    std::uint64_t state[4];
};

}  // namespace

// What all chains share: the links, four rows side by side. Likely diseases are in every refill;
// the others form blocks of which each refill sees one, at lifted weight, so that a step is cheap.
struct Plan {
    const Coupled &problem;
    std::vector<int> start;  // [row + 1] into column, acts, fails
    std::vector<int> column;
    std::vector<double> acts, fails;
    std::vector<int> slot_of_row, row_of_slot, block_of_row;  // -1: padding; block 0: likely
    std::vector<std::size_t> first;                           // [block + 1] quads of each block
    std::vector<int> width, offset;                           // [quad]
    std::vector<int> quad_column;
    std::vector<double> quad_acts;
    std::vector<int> risk_start;
    std::vector<double> leak, leak_fails;

    // order: rows, the likeliest first
    Plan(const Coupled &problem, const std::vector<int> &order, std::size_t likely)
        : problem(problem) {
        const Settled &p = problem.settled;
        start.push_back(0);
        for (std::size_t k = 0; k < p.rows; ++k) {
            for (std::size_t s = 0; s < p.columns; ++s) {
                const std::size_t cell = k * p.columns + s;
                if (!(p.acts[cell] > 0.0)) continue;
                column.push_back(int(s));
                acts.push_back(p.acts[cell]);
                fails.push_back(p.fails[cell]);
            }
            start.push_back(int(column.size()));
        }
        slot_of_row.resize(p.rows);
        block_of_row.resize(p.rows);
        likely = std::min(likely, p.rows);
        const std::size_t blocks = (p.rows - likely + BLOCK - 1) / BLOCK;
        for (std::size_t b = 0; b <= blocks; ++b) {
            std::vector<int> rows;
            if (b == 0)
                rows.assign(order.begin(), order.begin() + likely);
            else
                for (std::size_t i = likely + b - 1; i < p.rows; i += blocks)
                    rows.push_back(order[i]);
            lay_out(rows, int(b));
        }
        first.push_back(width.size());
        for (std::size_t s = 0; s < p.columns; ++s) {
            leak.push_back(std::max(p.leak[s], LEAST_LEAK));
            leak_fails.push_back(p.leak_fails[s]);
        }
        risk_start.assign(problem.risks + 1, 0);
        for (std::size_t e = 0; e < problem.edges; ++e) ++risk_start[problem.edge_risk[e] + 1];
        for (std::size_t j = 0; j < problem.risks; ++j) risk_start[j + 1] += risk_start[j];
    }

    std::size_t blocks() const { return first.size() - 2; }
    double lift(int row) const { return block_of_row[row] ? double(blocks()) : 1.0; }

  private:
    int links(int row) const { return start[row + 1] - start[row]; }

    void lay_out(std::vector<int> &rows, int block) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](int a, int b) { return links(a) < links(b); });
        first.push_back(width.size());
        for (std::size_t i = 0; i < rows.size(); i += 4) {
            width.push_back(0);
            offset.push_back(int(quad_column.size()));
            for (std::size_t j = i; j < i + 4; ++j) {
                const int row = j < rows.size() ? rows[j] : -1;
                row_of_slot.push_back(row);
                if (row < 0) continue;
                slot_of_row[row] = int(row_of_slot.size()) - 1;
                block_of_row[row] = block;
                width.back() = std::max(width.back(), links(row));
            }
            for (int link = 0; link < width.back(); ++link)
                for (std::size_t j = i; j < i + 4; ++j) {
                    const bool there = j < rows.size() && link < links(rows[j]);
                    quad_column.push_back(there ? column[start[rows[j]] + link] : 0);
                    quad_acts.push_back(there ? acts[start[rows[j]] + link] : 0.0);
                }
        }
    }
};

namespace {

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

    void tally(Batch &batch, double norm, double share) {
        const double slot = 1.0 / norm, indicator = share / norm;
        double *by_slot = batch.slot.data(), *by_indicator = batch.indicator.data();
        const double *w = weight.data();
#pragma omp simd
        for (std::size_t i = 0; i < 4 * plan.first[1]; ++i) {
            by_slot[i] += slot * w[i];
            by_indicator[i] += indicator * w[i];
        }
        for (int k : set) by_indicator[plan.slot_of_row[k]] += 1.0;
        batch.steps += 1.0;
        if (steps % THIN == 0) {
            batch.pickings += 1.0;
            pick(batch, 1.0 / norm, 0);
        }
    }

    // The same for the unlikely, from weights of all diseases.
    void tally_unlikely(Batch &batch, double norm, double share) {
        const double slot = 1.0 / (norm * double(plan.blocks())), indicator = share * slot;
        double *by_slot = batch.slot.data(), *by_indicator = batch.rare_indicator.data();
        const double *w = weight.data();
#pragma omp simd
        for (std::size_t i = 4 * plan.first[1]; i < slots; ++i) {
            by_slot[i] += slot * w[i];
            by_indicator[i] += indicator * w[i];
        }
        batch.censuses += 1.0;
        pick(batch, slot, plan.first[1] * 4);
    }

    // Systematic picks from the weights: what a refilled disease would produce.
    void pick(Batch &batch, double scale, std::size_t from) {
        double total = 0.0;
        for (const Strip &strip : strips) total += in_pick(strip, from) ? strip.sum : 0.0;
        if (!(total > 0.0)) return;
        const int count = from ? 4 * PICKS : PICKS;
        const double each = total * scale / count, stride = total / count;
        double target = random.uniform() * stride, passed = 0.0;
        for (const Strip &strip : strips) {
            if (!in_pick(strip, from)) continue;
            double running = passed;
            passed += strip.sum;
            if (passed <= target) continue;
            for (std::size_t i = strip.first; i < strip.last; ++i) {
                running += weight[i];
                int picked = 0;
                while (target < running) {
                    ++picked;
                    target += stride;
                }
                if (picked) explain(batch, plan.row_of_slot[i], picked * each);
            }
        }
    }

    // A census picks among the unlikely, every other step among the likely.
    bool in_pick(const Strip &strip, std::size_t from) const {
        return from ? strip.first >= from : strip.first < 4 * plan.first[1];
    }

    // What disease k, added to S, would produce and produce alone.
    void explain(Batch &batch, int k, double mass) {
        batch.picked[k] += mass;
        double sustained = 0.0, disabled = 0.0;
        for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
            const int s = plan.column[link];
            const double u = plan.acts[link], chance = on[s] + off[s] * u;
            batch.slot_sustained[link] += mass * u / chance;
            batch.slot_disabled[link] += mass * u * off[s] / chance;
            sustained += u / chance;
            disabled += u * off[s] / chance;
        }
        batch.slot_scores[2 * k] += mass * sustained;
        batch.slot_scores[2 * k + 1] += mass * disabled;
    }

    // What each disease of D produces, and produces alone, given D.
    void tally_state(Batch &batch) {
        look();
        batch.looks += 1.0;
        for (int k : set) {
            batch.present[k] += 1.0;
            double sustained = 0.0, disabled = 0.0;
            for (int link = plan.start[k]; link < plan.start[k + 1]; ++link) {
                const int s = plan.column[link];
                const double produced = plan.acts[link] * inverse[s];
                const double alone = plan.fails[link] > 1e-3 ? off[s] / plan.fails[link]
                                                             : off_without(s, k);
                batch.set_sustained[link] += produced;
                batch.set_disabled[link] += produced * alone;
                sustained += produced;
                disabled += produced * alone;
            }
            batch.set_scores[2 * k] += sustained;
            batch.set_scores[2 * k + 1] += disabled;
        }
        for (std::size_t s = 0; s < p.columns; ++s) {
            const double silent = plan.leak_fails[s] > 0.0 ? off[s] / plan.leak_fails[s]
                                                           : silence(int(s));
            batch.unexplained[s] += plan.leak[s] * silent * inverse[s];
        }
    }

    double off_without(int s, int left_out) const {
        double chance = plan.leak_fails[s];
        for (int k : set)
            if (k != left_out) chance *= p.fails[k * p.columns + s];
        return chance;
    }
    double silence(int s) const {
        double chance = 1.0;
        for (int k : set) chance *= p.fails[k * p.columns + s];
        return chance;
    }
};

}  // namespace

namespace {

// The posterior's chain and hotter ones that hand it new explanations.
class Ladder {
  public:
    Ladder(const Plan &plan, std::uint64_t seed, const std::vector<double> &heats) : random(~seed) {
        for (std::size_t level = 0; level < heats.size(); ++level)
            chains.emplace_back(plan, seed * 64 + level, heats[level]);
    }
    void warm_up(long long steps, std::vector<double> &chance, const Stopwatch &watch,
                 double until) {
        std::vector<double> ignored(chance.size());
        for (std::size_t level = 1; level < chains.size(); ++level)
            chains[level].warm_up(std::max(10LL, steps / (long long)(chains.size() - 1)), ignored,
                                  watch, until);
        chains[0].warm_up(steps, chance, watch, until);
        for (int i = 0; i < 16; ++i) cycle(nullptr);
    }
    // CYCLE steps at the posterior, half as many shared by the hotter chains, then exchanges
    void cycle(Batch *batch) {
        for (int i = 0; i < CYCLE; ++i) {
            chains[0].step(batch);
            if (i % PAIRS == 0) chains[0].pair_step();
        }
        for (std::size_t level = 1; level < chains.size(); ++level)
            for (int i = 0; i < std::max(2, CYCLE / 2 / int(chains.size() - 1)); ++i)
                move(chains[level], i);
        for (std::size_t level = cycles++ % 2; level + 1 < chains.size(); level += 2)
            chains[level].exchange(chains[level + 1]);
    }

  private:
    static void move(Chain &chain, int i) {
        chain.step(nullptr);
        if (i % PAIRS == 0) chain.pair_step();
    }

    std::vector<Chain> chains;
    Random random;
    std::size_t cycles = 0;
};

// Temperatures down to where the diseases expected by chance would explain half the findings.
std::vector<double> heats(const Coupled &problem) {
    const auto expected = [&](double heat) {
        double sum = 0.0;
        for (std::size_t k = 0; k < problem.settled.rows; ++k) {
            const double up = problem.weight_on[k] * (1.0 - problem.off[k]);
            const double odds = std::pow(up / (problem.weight_off[k] * problem.off[k]), heat);
            sum += odds < INFINITY ? odds / (1.0 + odds) : 1.0;
        }
        return sum;
    };
    std::vector<double> ladder = {1.0};
    while (ladder.size() < MOST_HEATS && expected(ladder.back()) < 0.25 * problem.settled.columns)
        ladder.push_back(ladder.back() * HEAT_STEP);
    return ladder;
}

// The rows, the likeliest first, by a short run that considers all of them.
std::vector<int> likeliest(const Coupled &problem, std::uint64_t seed, long long steps) {
    const std::size_t rows = problem.settled.rows;
    std::vector<int> order(rows);
    for (std::size_t k = 0; k < rows; ++k) order[k] = int(k);
    if (rows <= 2 * LIKELY) return order;
    const Plan plan(problem, order, rows);
    std::vector<double> weight(rows, 0.0), chance(problem.settled.columns);
    for (const double heat : {1.0, 1.0, 0.85, 0.7}) {
        Chain chain(plan, ++seed, heat);
        const long long stage = std::max<long long>(4, steps / (8 * (chance.size() + 1)));
        chain.warm_up(stage, chance, Stopwatch(0.0), INFINITY);
        Batch batch(problem.settled, plan.column.size(), plan.row_of_slot.size());
        for (long long i = 0; i < steps / 8; ++i) chain.step(&batch);
        batch.finish(plan.slot_of_row, plan.start, plan.block_of_row);
        for (std::size_t k = 0; k < rows; ++k) weight[k] += heat * batch.slot[k];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weight[a] > weight[b]; });
    return order;
}

}  // namespace

Samples sample(const Coupled &problem, int chains, int batches, long long steps,
               std::uint64_t seed, int workers, const Stopwatch &watch) {
    const auto order = likeliest(problem, seed, std::max(100LL, steps * chains / 200));
    const bool all = problem.settled.rows <= 2 * LIKELY;
    const Plan plan(problem, order, all ? problem.settled.rows : LIKELY);
    const auto temperatures = heats(problem);
    Samples samples;
    samples.heats = temperatures.size();
    samples.links = plan.column.size();
    samples.batches.resize(std::size_t(chains) * batches);
    const std::size_t columns = problem.settled.columns;
    samples.chances.assign(chains, std::vector<double>(columns));
    const auto run = [&](int first) {
        for (int c = first; c < chains; c += workers) {
            // the time left is shared evenly by the chains this worker has still to run
            const int left = (chains - c + workers - 1) / workers;
            const double began = watch.elapsed();
            const double until = watch.limit() > 0.0
                                     ? began + std::max(0.0, watch.limit() - began) / left
                                     : INFINITY;
            Ladder chain(plan, seed * 1000003ULL + std::uint64_t(c) + 1, temperatures);
            const long long stage = std::max(20LL, steps / 8 / (long long)(columns + 1));
            const long long warm = stage * (long long)(columns + 1);
            chain.warm_up(stage, samples.chances[c], watch, began + (until - began) / 4);
            const double warmed = watch.elapsed();
            for (int b = 0; b < batches; ++b) {
                Batch &batch = samples.batches[std::size_t(c) * batches + b];
                batch = Batch(problem.settled, plan.column.size(), plan.row_of_slot.size());
                const double stop = warmed + (until - warmed) * (b + 1) / batches;
                for (long long i = 0; i <= (steps - warm) / batches / CYCLE; ++i) {
                    chain.cycle(&batch);
                    if (i % 4 == 3 && watch.elapsed() > stop) break;
                }
                batch.finish(plan.slot_of_row, plan.start, plan.block_of_row);
            }
        }
    };
    std::vector<std::thread> threads;
    for (int w = 1; w < workers; ++w) threads.emplace_back(run, w);
    run(0);
    for (auto &thread : threads) thread.join();
    return samples;
}

}  // namespace hickam
