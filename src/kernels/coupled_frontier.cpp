// The frontier's sweep: forward over the rows of one component, then back, reading the tables off.
#include "coupled_frontier.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hickam::coupled {
namespace {

constexpr double KEPT = 1 << 21;   // doubles that are kept rather than computed again
constexpr double EPSILON = 0x1p-53;
constexpr int GRAIN = 3;           // smaller lattices share their vector registers
constexpr double LOW = 0x1p-60, HIGH = 0x1p60;  // a table's largest entry is kept within

// The cubes that one row's mechanisms need, in a single pass.
Pass single_pass(int bits, const Mechanism *causes, int count) {
    std::vector<int> all(count);
    for (int c = 0; c < count; ++c) all[c] = c;
    if (bits <= CUBE_BITS) return make_pass(bits, bits, causes, all);
    for (int run = CUBE_BITS; run > RUN_BITS; --run) {
        int above = 0;
        for (int c = 0; c < count; ++c) above += causes[c].bit >= run;
        if (run + above <= CUBE_BITS) return make_pass(bits, run, causes, all);
    }
    return make_pass(bits, RUN_BITS, causes, all);
}

// Weights of a row being off and on, for every state of the open risk factors.
struct Weights {
    std::vector<double> off, on;
};

class Sweep {
  public:
    Sweep(const Coupled &p, const FrontierPlan &plan, const FrontierPart &part, Answer &answer,
          std::vector<double> &heard, const Stopwatch &watch)
        : p(p), plan(plan), part(part), answer(answer), heard(heard), watch(watch),
          bits(int(part.columns.size())) {
        order_bits();
        list_mechanisms();
    }

    // log P(evidence of this component); -inf if it is impossible
    double solve() {
        const std::size_t count = part.steps.size();
        forward_all();
        if (answer.expired) return 0.0;
        const std::size_t full = (std::size_t(1) << bits) - 1;
        const double total = last[full];
        if (!(total > 0.0)) return -INFINITY;
        for (int b = 0; b < bits; ++b) {
            const std::size_t s = column_of_bit[b];
            answer.unexplained[s] =
                p.leak[s] / p.leak_fails[s] * tilt[b] * last[full ^ (std::size_t(1) << b)] / total;
        }
        after.assign(full + 1, 0.0);
        after[full] = 1.0;
        after_power = 0;
        for (std::size_t segment = starts.size(); segment-- > 0;) {
            const std::size_t begin = starts[segment];
            const std::size_t end = segment + 1 < starts.size() ? starts[segment + 1] : count;
            if (starts.size() > 1) fill_segment(segment, begin, end);
            for (std::size_t t = end; t-- > begin;) {
                if (watch.expired()) return expire();
                backward(t, store.data() + place[t], total);
                if (answer.expired) return 0.0;
            }
        }
        return std::log(total) + power[count] * M_LN2 - log_tilt + log_scale;
    }

    // The same without the tables.
    double evidence(const double *weight_factor) {
        factor = weight_factor;
        std::vector<double> table = opened(0, leaks()), next;
        int exponent = 0;
        for (std::size_t t = 0; t < part.steps.size(); ++t) {
            advance(t, table.data(), next, exponent);
            table.swap(next);
        }
        factor = nullptr;
        return std::log(table[(std::size_t(1) << bits) - 1]) + exponent * M_LN2 - log_tilt +
               log_scale;
    }

    double rounding() const { return units * EPSILON * worst; }

  private:
    const Coupled &p;
    const FrontierPlan &plan;
    const FrontierPart &part;
    Answer &answer;
    std::vector<double> &heard;  // [row] expectation of a listener's factor, so far
    const Stopwatch &watch;
    int bits;
    std::vector<std::size_t> column_of_bit;
    std::vector<double> tilt;  // [bit] a power of two; F[x, T] carries the product over T
    double log_tilt = 0.0, log_scale = 0.0;
    std::vector<double> shrink;           // [step] power of two that keeps the mass near 1
    std::vector<Mechanism> mechanisms;
    std::vector<std::size_t> start;       // [step + 1]
    std::vector<Pass> pass_of;            // [step]
    const double *factor = nullptr;       // [row] times weight_on
    double units = 64.0, worst = 1.0;     // roundings, and what multiplies them at most

    std::vector<double> store, last, scratch, after;
    std::vector<std::size_t> starts;      // first step of each segment
    std::vector<std::vector<double>> saved;  // the table at each of them
    std::vector<std::size_t> place;       // [step] of its table in the store
    std::vector<int> power;               // [step + 1] exponent divided out of the table before it
    int after_power = 0;
    std::vector<double> cube, other, without, alone;
    Weights weights;
    struct Tilted {
        const Listening *of;
        std::vector<double> table;
        int power;
        std::vector<char> met;  // [voice]
    };
    std::vector<Tilted> tilted;

    double expire() {
        answer.expired = true;
        return 0.0;
    }

    std::size_t size(std::size_t t) const {
        return std::size_t(1) << (bits + part.steps[t].open.size());
    }

    void order_bits() {
        std::vector<std::pair<int, std::size_t>> frequency;
        for (int s : part.columns) {
            int causes = 0;
            for (const FrontierStep &step : part.steps)
                causes += p.acts[step.row * p.columns + s] > 0.0;
            frequency.push_back({causes, std::size_t(s)});
        }
        std::stable_sort(frequency.begin(), frequency.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &entry : frequency) column_of_bit.push_back(entry.second);
    }

    void list_mechanisms() {
        std::vector<double> miss(bits), mean(bits);
        for (int b = 0; b < bits; ++b) {
            miss[b] = p.leak_fails[column_of_bit[b]];
            mean[b] = p.leak[column_of_bit[b]];
        }
        start.push_back(0);
        for (const FrontierStep &step : part.steps) {
            const std::size_t k = step.row;
            double off = p.off[k], on = p.on[k];
            for (int e : plan.edges_of_row[k]) {
                const double push = p.risk_prior[p.edge_risk[e]] * p.edge_acts[e];
                on += off * push;
                off *= 1.0 - push;
            }
            const double mass = p.weight_off[k] * off + p.weight_on[k] * on;
            int exponent = 0;
            if (mass > 0.0) std::frexp(mass, &exponent);
            shrink.push_back(std::ldexp(1.0, -exponent));
            log_scale += exponent * M_LN2;
            const double chance = mass > 0.0 ? p.weight_on[k] * on / mass : 0.0;
            for (int b = 0; b < bits; ++b) {
                const std::size_t cell = k * p.columns + column_of_bit[b];
                if (!(p.acts[cell] > 0.0)) continue;
                mechanisms.push_back({b, p.acts[cell], p.fails[cell], 1.0, cell});
                miss[b] *= 1.0 - chance * p.acts[cell];
                mean[b] += chance * p.acts[cell];
            }
            start.push_back(mechanisms.size());
            units += 4.0 + step.links + step.open.size() + step.opens.size();
        }
        // F[x, T] is tilted by about 1 / P(s) per finding in T, so that nothing underflows.
        for (int b = 0; b < bits; ++b) {
            const double chance = miss[b] < 0.5 ? 1.0 - miss[b] : mean[b];
            const int exponent = chance > 0.0 ? std::clamp(int(-std::log2(chance)), 0, 40) : 0;
            tilt.push_back(std::ldexp(1.0, exponent));
            log_tilt += exponent * M_LN2;
        }
        for (auto &mechanism : mechanisms) {
            mechanism.tilt = tilt[mechanism.bit];
            mechanism.acts *= mechanism.tilt;
        }
        std::size_t largest = 4;
        for (std::size_t t = 0; t < part.steps.size(); ++t) {
            pass_of.push_back(single_pass(bits + int(part.steps[t].open.size()),
                                          mechanisms.data() + start[t],
                                          int(start[t + 1] - start[t])));
            largest = std::max(largest, pass_of.back().cube());
        }
        cube.resize(largest);
        other.resize(largest);
        without.resize(largest);
    }

    std::vector<double> leaks() const {
        std::vector<double> table(std::size_t(1) << bits);
        table[0] = 1.0;
        for (int b = 0; b < bits; ++b) {
            const double fails = p.leak_fails[column_of_bit[b]];
            const double leak = p.leak[column_of_bit[b]] * tilt[b];
            const std::size_t half = std::size_t(1) << b;
            for (std::size_t i = 0; i < half; ++i) {
                table[half + i] = table[i] * leak;
                table[i] *= fails;
            }
        }
        return table;
    }

    // ---- the weights of a row

    // For every state of the open risk factors, repeated over tiny lattices; `of`: with the
    // factors of that listener's voices that are to be met at this step.
    void weigh(std::size_t t, Tilted *of, bool all_voices) {
        const FrontierStep &step = part.steps[t];
        const std::size_t k = step.row;
        const auto voice = [&](int risk) {
            if (!of) return 1.0;
            for (std::size_t v = 0; v < of->of->voices.size(); ++v) {
                const auto &one = of->of->voices[v];
                if (one.risk != risk || of->met[v]) continue;
                if (!all_voices && one.last != int(t) && plan.shared[risk]) continue;
                of->met[v] = 1;
                return one.fails;
            }
            return 1.0;
        };
        double off = p.off[k], on = p.on[k];
        for (int e : plan.edges_of_row[k]) {
            const int j = int(p.edge_risk[e]);
            if (plan.shared[j]) continue;
            const double prior = p.risk_prior[j], keep = voice(j);
            on = (1.0 - prior) * on + prior * keep * (on + off * p.edge_acts[e]);
            off = off * ((1.0 - prior) + prior * keep * p.edge_fails[e]);
        }
        const int grain = bits < GRAIN ? bits : 0;
        const std::size_t least = std::size_t(1) << grain;
        const std::size_t whole = least << step.open.size();
        weights.off.resize(whole);
        weights.on.resize(whole);
        std::fill_n(weights.off.begin(), least, off);
        std::fill_n(weights.on.begin(), least, on);
        std::size_t filled = least;
        for (int risk : step.open) {
            double acts = 0.0, fails = 1.0;
            for (int e : plan.edges_of_row[k])
                if (p.edge_risk[e] == risk) acts = p.edge_acts[e], fails = p.edge_fails[e];
            const double keep = voice(risk);
            const double *from_off = weights.off.data(), *from_on = weights.on.data();
            double *to_off = weights.off.data() + filled, *to_on = weights.on.data() + filled;
#pragma omp simd
            for (std::size_t i = 0; i < filled; ++i) {
                to_on[i] = keep * (from_on[i] + from_off[i] * acts);
                to_off[i] = keep * from_off[i] * fails;
            }
            filled *= 2;
        }
        const double weigh_off = p.weight_off[k] * shrink[t];
        const double weigh_on = p.weight_on[k] * shrink[t] * (factor ? factor[k] : 1.0);
        for (std::size_t i = 0; i < whole; ++i) {
            weights.off[i] *= weigh_off;
            weights.on[i] *= weigh_on;
        }
    }

    // Calls work(i, where, length, weight index, whether weights go along) for each stretch of one cube
    // that has one weight, or one weight per entry.
    template <typename Work>
    void stretches(const Pass &pass, std::size_t at, const Work &work) const {
        const std::size_t run = std::size_t(1) << pass.run_bits;
        const bool tiny = bits < GRAIN;
        const std::size_t length = tiny ? run : std::min(run, std::size_t(1) << bits);
        for (std::size_t i = 0; i < pass.offsets.size(); ++i)
            for (std::size_t c = 0; c < run; c += length) {
                const std::size_t where = at + pass.offsets[i] + c;
                work(i * run + c, where, length, tiny ? where : where >> bits, tiny);
            }
    }

    // table = off * base + on * cube; table may be base
    void mix_cube(const Pass &pass, std::size_t at, const double *base, const double *values,
                  double *table) const {
        stretches(pass, at, [&](std::size_t i, std::size_t where, std::size_t length,
                                std::size_t w, bool along) {
            const double *b = base + where, *c = values + i;
            double *to = table + where;
            if (along) {
                const double *off = weights.off.data() + w, *on = weights.on.data() + w;
#pragma omp simd
                for (std::size_t n = 0; n < length; ++n) to[n] = off[n] * b[n] + on[n] * c[n];
            } else {
                const double off = weights.off[w], on = weights.on[w];
#pragma omp simd
                for (std::size_t n = 0; n < length; ++n) to[n] = off * b[n] + on * c[n];
            }
        });
    }

    template <typename Step>
    void apply(const Pass &pass, const Mechanism *causes, Step step, double *values,
               int but = -1) const {
        for (std::size_t i = 0; i < pass.mechanism.size(); ++i) {
            const Mechanism &cause = causes[pass.mechanism[i]];
            if (pass.mechanism[i] != but)
                step(values, pass.cube(), pass.bit[i], cause.acts, cause.fails);
        }
    }

    // ---- forward

    // The table with the risk factors that enter at step t.
    std::vector<double> opened(std::size_t t, std::vector<double> table) const {
        if (t == part.steps.size()) return table;
        for (int risk : part.steps[t].opens) {
            const std::size_t half = table.size();
            const double on = p.risk_prior[risk], off = 1.0 - on;
            table.resize(2 * half);
            for (std::size_t i = 0; i < half; ++i) {
                table[half + i] = on * table[i];
                table[i] *= off;
            }
        }
        return table;
    }

    // From the table at step t to the one at step t + 1, its new risk factors entered.
    void advance(std::size_t t, const double *from, std::vector<double> &to, int &exponent) {
        const FrontierStep &step = part.steps[t];
        const Pass &pass = pass_of[t];
        const Mechanism *causes = mechanisms.data() + start[t];
        weigh(t, nullptr, false);
        to.resize(size(t));
        each_cube(pass, [&](std::size_t at) {
            gather(pass, from, at, cube.data());
            apply(pass, causes, produce, cube.data());
            mix_cube(pass, at, from, cube.data(), to.data());
        });
        std::size_t length = to.size();
        for (int bit : step.closes) {
            const std::size_t half = std::size_t(1) << (bits + bit);
            for (std::size_t base = 0; base < length; base += 2 * half) {
                const double *low = to.data() + base, *high = low + half;
                double *sum = to.data() + base / 2;
                for (std::size_t i = 0; i < half; ++i) sum[i] = low[i] + high[i];
            }
            length /= 2;
        }
        to.resize(length);
        exponent += rescale(to);
        if (t + 1 < part.steps.size() && !part.steps[t + 1].opens.empty())
            to = opened(t + 1, std::move(to));
    }

    // Brings the largest entry near 1 if it is far from it; the exponent that was divided out.
    static int rescale(std::vector<double> &table) {
        double most = 0.0;
#pragma omp simd reduction(max : most)
        for (std::size_t i = 0; i < table.size(); ++i) most = std::max(most, table[i]);
        if (!(most > 0.0) || (most > LOW && most < HIGH)) return 0;
        int exponent;
        std::frexp(most, &exponent);
        const double by = std::ldexp(1.0, -exponent);
        for (double &value : table) value *= by;
        return exponent;
    }

    void forward_all() {
        const std::size_t count = part.steps.size();
        power.assign(count + 1, 0);
        place.assign(count, 0);
        const bool little = part.cells <= KEPT;
        const double most = little ? INFINITY : std::sqrt(part.cells * part.largest);
        std::size_t used = 0, largest = 0;
        for (std::size_t t = 0; t < count; ++t) {
            if (starts.empty() || double(used + size(t)) > std::max(most, double(size(t)))) {
                starts.push_back(t);
                used = 0;
            }
            place[t] = used;
            used += size(t);
            largest = std::max(largest, used);
        }
        store.resize(largest);
        std::vector<double> table = opened(0, leaks()), next;
        std::size_t segment = 0;
        for (std::size_t t = 0; t < count; ++t) {
            if (watch.expired()) {
                expire();
                return;
            }
            if (starts.size() > 1 && segment < starts.size() && starts[segment] == t) {
                saved.push_back(table);
                ++segment;
            }
            if (starts.size() == 1)
                std::memcpy(store.data() + place[t], table.data(), table.size() * sizeof(double));
            power[t + 1] = power[t];
            advance(t, table.data(), next, power[t + 1]);
            table.swap(next);
        }
        last = std::move(table);
    }

    void fill_segment(std::size_t segment, std::size_t begin, std::size_t end) {
        std::vector<double> table = std::move(saved[segment]);
        saved[segment].clear();
        int ignored = 0;
        for (std::size_t t = begin; t < end; ++t) {
            std::memcpy(store.data() + place[t], table.data(), table.size() * sizeof(double));
            if (t + 1 == end) break;
            advance(t, store.data() + place[t], table, ignored);
        }
    }

    // ---- backward

    // The completion table over the states that are open at step t, from the one after it.
    void reopen(std::size_t t, std::vector<double> &table) {
        const auto &closes = part.steps[t].closes;
        for (std::size_t c = closes.size(); c-- > 0;) {
            const std::size_t half = std::size_t(1) << (bits + closes[c]);
            scratch.resize(2 * table.size());
            for (std::size_t base = 0; base < table.size(); base += half) {
                std::memcpy(scratch.data() + 2 * base, table.data() + base, half * sizeof(double));
                std::memcpy(scratch.data() + 2 * base + half, table.data() + base,
                            half * sizeof(double));
            }
            table.swap(scratch);
        }
    }

    // Averages the risk factors that enter at step t.
    void leave(std::size_t t, std::vector<double> &table) const {
        const auto &opens = part.steps[t].opens;
        for (std::size_t o = opens.size(); o-- > 0;) {
            const std::size_t half = table.size() / 2;
            const double on = p.risk_prior[opens[o]], off = 1.0 - on;
            for (std::size_t i = 0; i < half; ++i)
                table[i] = off * table[i] + on * table[half + i];
            table.resize(half);
        }
    }

    // Reads the tables of step t off F before it and B after it, then moves B before it.
    void backward(std::size_t t, const double *before, double total) {
        const FrontierStep &step = part.steps[t];
        const Pass &pass = pass_of[t];
        const Mechanism *causes = mechanisms.data() + start[t];
        const int count = int(start[t + 1] - start[t]);
        reopen(t, after);
        follow_listeners(t, before, total);
        weigh(t, nullptr, false);
        std::vector<double> stay(count, 0.0), gain(count, 0.0), kept(count, 0.0), more(count, 0.0);
        double joint = 0.0;
        each_cube(pass, [&](std::size_t at) {
            gather(pass, after.data(), at, cube.data());
            apply(pass, causes, complete, cube.data());
            weighted(pass, at, before);
            joint += dot(other.data(), cube.data(), pass.cube());
            for (int c = 0; c < count; ++c) {
                if (causes[c].fails >= SMALL_FAILS) {
                    split(other.data(), cube.data(), pass.cube(), pass.bit[c], stay[c], gain[c]);
                    continue;
                }
                gather(pass, after.data(), at, without.data());
                apply(pass, causes, complete, without.data(), c);
                split(other.data(), cube.data(), pass.cube(), pass.bit[c], stay[c], gain[c]);
                split(other.data(), without.data(), pass.cube(), pass.bit[c], kept[c], more[c]);
            }
            mix_cube(pass, at, after.data(), cube.data(), after.data());
        });
        const double scale = std::ldexp(1.0 / total, power[t] + after_power - power[part.steps.size()]);
        answer.posterior[step.row] = scale * joint;
        double disablement = 0.0, sufficiency = 0.0, doubt = 0.0, loss = 0.0;
        for (int c = 0; c < count; ++c) {
            const Mechanism &cause = causes[c];
            const double strength = scale * cause.acts / cause.tilt;
            const double gained = gain[c] * cause.tilt;
            const double sustained = strength * (joint - stay[c] + gained);
            double divisor = cause.fails, one = gained, two = stay[c];
            if (cause.fails < SMALL_FAILS) divisor = 1.0, one = more[c] * cause.tilt, two = kept[c];
            const double disabled = strength / divisor * std::max(0.0, one - two);
            answer.sustained[cause.cell] = sustained;
            answer.disabled[cause.cell] = disabled;
            sufficiency += sustained;
            disablement += disabled;
            loss += strength * (joint + stay[c] + gained);
            doubt += strength / divisor * (one + two);
        }
        worst = std::max({worst, loss / std::max(sufficiency, 1e-3),
                          doubt / std::max(disablement, 1e-3)});
        leave(t, after);
        after_power += rescale(after);
    }

    // other = F * weight of the row being on
    void weighted(const Pass &pass, std::size_t at, const double *before) {
        stretches(pass, at, [&](std::size_t i, std::size_t where, std::size_t length,
                                std::size_t w, bool along) {
            const double *f = before + where;
            double *to = other.data() + i;
            if (along) {
                const double *on = weights.on.data() + w;
#pragma omp simd
                for (std::size_t n = 0; n < length; ++n) to[n] = on[n] * f[n];
            } else {
                const double on = weights.on[w];
#pragma omp simd
                for (std::size_t n = 0; n < length; ++n) to[n] = on * f[n];
            }
        });
    }

    // ---- listeners

    // One row further back with `weights`, in place (the table over the states open at t).
    void retreat(std::size_t t, std::vector<double> &table) {
        const Pass &pass = pass_of[t];
        const Mechanism *causes = mechanisms.data() + start[t];
        each_cube(pass, [&](std::size_t at) {
            gather(pass, table.data(), at, cube.data());
            apply(pass, causes, complete, cube.data());
            mix_cube(pass, at, table.data(), cube.data(), table.data());
        });
    }

    // Starts, moves and ends the tilted tables of the listeners at step t; `after` is over the
    // states open at t.
    void follow_listeners(std::size_t t, const double *before, double total) {
        for (Tilted &one : tilted) {
            reopen(t, one.table);
            pass_back(t, one, before, total, false);
        }
        for (const Listening &one : part.listening) {
            if (one.begin != int(t)) continue;
            tilted.push_back({&one, after, after_power, std::vector<char>(one.voices.size(), 0)});
            pass_back(t, tilted.back(), before, total, true);
        }
        tilted.erase(std::remove_if(tilted.begin(), tilted.end(),
                                    [](const Tilted &one) { return one.of == nullptr; }),
                     tilted.end());
    }

    void pass_back(std::size_t t, Tilted &one, const double *before, double total, bool first) {
        weigh(t, &one, first || one.of->end == int(t));
        retreat(t, one.table);
        if (one.of->end == int(t)) {
            const double joint = dot(before, one.table.data(), size(t));
            heard[one.of->row] *= std::ldexp(
                joint / total, power[t] + one.power - power[part.steps.size()]);
            one.of = nullptr;
            return;
        }
        leave(t, one.table);
        one.power += rescale(one.table);
    }
};

}  // namespace

Outcome frontier(const Coupled &p, const FrontierPlan &plan, const Stopwatch &watch) {
    Outcome out;
    Answer &answer = out.answer;
    answer.posterior.assign(p.rows, 0.0);
    answer.disabled.assign(p.rows * p.columns, 0.0);
    answer.sustained.assign(p.rows * p.columns, 0.0);
    answer.unexplained.assign(p.columns, 0.0);
    answer.log_evidence = 0.0;
    std::vector<double> heard(p.rows, 1.0);
    for (const FrontierPart &part : plan.parts) {
        Sweep sweep(p, plan, part, answer, heard, watch);
        answer.log_evidence += sweep.solve();
        if (answer.expired) return out;
        out.rounding = std::max(out.rounding, sweep.rounding());
        if (!(answer.log_evidence > -INFINITY)) {
            answer.log_evidence = -INFINITY;
            return out;
        }
    }
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        answer.posterior[k] = p.on[k] + p.off[k] * std::max(0.0, 1.0 - heard[k]);
        out.rounding = std::max(out.rounding, 200.0 * EPSILON / std::max(answer.posterior[k], 1e-3));
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        if (plan.in_lattice[s]) continue;
        std::vector<double> silent(p.rows);
        for (std::size_t k = 0; k < p.rows; ++k) {
            const std::size_t cell = k * p.columns + s;
            answer.sustained[cell] = p.acts[cell] * answer.posterior[k];
            silent[k] = p.fails[cell];
        }
        double log_chance = 0.0;
        for (const FrontierPart &part : plan.parts)
            log_chance += Sweep(p, plan, part, answer, heard, watch).evidence(silent.data());
        answer.unexplained[s] = std::exp(log_chance - answer.log_evidence);
    }
    return out;
}

}  // namespace hickam::coupled
