// COVER's sweep over one connected component: the state is the set T of present findings produced
// so far; every term is non-negative. One row (disease) is one sweep over the lattice of all T.
#pragma once
#include "settled.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hickam::settled {

constexpr std::size_t STORED = std::size_t(1) << 19;  // doubles of F that are kept rather than redone

class Component {
  public:
    Component(const Settled &problem, const std::vector<int> &rows, const std::vector<int> &columns)
        : problem(problem), rows(rows), columns(columns), bits(int(columns.size())),
          size(std::size_t(1) << bits) {
        order_bits();
        list_mechanisms();
        plan_rows();
        cube.resize(std::max<std::size_t>(std::size_t(1) << std::min(bits, CUBE_BITS), 4));
        other = cube;
    }

    // log P(present findings of this component), with -inf for impossible ones
    double evidence() {
        std::vector<double> table = leaks();
        for (std::size_t k = 0; k < rows.size(); ++k) forward(k, table.data(), table.data());
        return std::log(table[size - 1]) - log_tilt + log_mass;
    }

    double solve(Answer &answer, const Stopwatch &watch) {
        const std::size_t count = rows.size();
        // F before every row if that is little; else before some, and the rest computed again
        const bool little = (count + 1) * size <= STORED;
        const std::size_t stride =
            little ? count + 1 : std::max<std::size_t>(1, std::size_t(std::sqrt(double(count))));
        // kept between problems: fresh memory would cost more than the work on a small one
        static thread_local std::vector<double> kept;
        std::vector<double> own;
        std::vector<double> &segment = little ? kept : own;
        segment.resize(std::max(segment.size(), (little ? count + 1 : stride) * size));
        std::vector<std::vector<double>> saved;
        std::vector<double> table = leaks();
        if (little) std::memcpy(segment.data(), table.data(), size * sizeof(double));
        for (std::size_t k = 0; k < count; ++k) {
            if (little) {
                forward(k, segment.data() + k * size, segment.data() + (k + 1) * size);
                continue;
            }
            if (k % stride == 0) saved.push_back(table);
            forward(k, table.data(), table.data());
            if (size > 4096 && watch.expired()) return expire(answer);
        }
        const double *last = little ? segment.data() + count * size : table.data();
        const double total = last[size - 1];
        if (!(total > 0.0)) return -INFINITY;
        for (int b = 0; b < bits; ++b) {
            const std::size_t column = column_of_bit[b];
            answer.unexplained[column] = problem.leak[column] / problem.leak_fails[column] *
                                         tilt[b] * last[(size - 1) ^ (std::size_t(1) << b)] / total;
        }
        std::vector<double> after(size, 0.0);
        after[size - 1] = 1.0;
        for (std::size_t end = count; end > 0;) {
            const std::size_t begin = little ? 0 : (saved.size() - 1) * stride;
            if (!little) {
                std::memcpy(segment.data(), saved.back().data(), size * sizeof(double));
                saved.pop_back();
                for (std::size_t k = begin; k + 1 < end; ++k)
                    forward(k, segment.data() + (k - begin) * size,
                            segment.data() + (k - begin + 1) * size);
            }
            for (std::size_t k = end; k-- > begin;) {
                backward(k, segment.data() + (k - begin) * size, after.data(), total, answer);
                if (size > 4096 && watch.expired()) return expire(answer);
            }
            end = begin;
        }
        return std::log(total) - log_tilt + log_mass;
    }

  private:
    const Settled &problem;
    const std::vector<int> &rows, &columns;
    int bits;
    std::size_t size;
    std::vector<std::size_t> column_of_bit;
    std::vector<double> tilt;  // [bit] power of two; F[T] carries the product over T
    double log_tilt = 0.0, log_mass = 0.0;
    std::vector<double> off, on;  // [row] with sum 1, so that the mass of F stays 1
    std::vector<Mechanism> mechanisms;
    std::vector<std::size_t> start;  // [row + 1]
    std::vector<std::vector<Pass>> plans;
    std::vector<std::size_t> plan_of;  // [row] which of the plans
    std::vector<double> cube, other, spare;

    static double expire(Answer &answer) {
        answer.expired = true;
        return 0.0;
    }

    // Frequent bits high: their butterflies then run over long contiguous stretches.
    void order_bits() {
        std::vector<std::pair<int, std::size_t>> frequency;
        for (int column : columns) {
            int causes = 0;
            for (int row : rows) causes += problem.acts[row * problem.columns + column] > 0.0;
            frequency.push_back({causes, std::size_t(column)});
        }
        std::stable_sort(frequency.begin(), frequency.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &entry : frequency) column_of_bit.push_back(entry.second);
    }

    void list_mechanisms() {
        off.resize(rows.size());
        on.resize(rows.size());
        std::vector<double> miss(bits);
        for (int b = 0; b < bits; ++b) miss[b] = problem.leak_fails[column_of_bit[b]];
        start.push_back(0);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const double mass = problem.off[rows[k]] + problem.on[rows[k]];
            log_mass += std::log(mass);
            off[k] = problem.off[rows[k]] / mass;
            on[k] = problem.on[rows[k]] / mass;
            for (int b = 0; b < bits; ++b) {
                const std::size_t cell = rows[k] * problem.columns + column_of_bit[b];
                if (!(problem.acts[cell] > 0.0)) continue;
                mechanisms.push_back({b, problem.acts[cell], problem.fails[cell], 1.0, cell});
                miss[b] *= 1.0 - on[k] * problem.acts[cell];
            }
            start.push_back(mechanisms.size());
        }
        // F[T] is tilted by about 1 / P(s) per finding in T, so that nothing underflows.
        for (int b = 0; b < bits; ++b) {
            double mean = problem.leak[column_of_bit[b]];
            for (std::size_t k = 0; k < rows.size(); ++k)
                mean += on[k] * problem.acts[rows[k] * problem.columns + column_of_bit[b]];
            const double chance = miss[b] < 0.5 ? 1.0 - miss[b] : mean;
            const int power = chance > 0.0 ? std::clamp(int(-std::log2(chance)), 0, 40) : 0;
            tilt.push_back(std::ldexp(1.0, power));
            log_tilt += power * M_LN2;
        }
        for (auto &mechanism : mechanisms) {
            mechanism.tilt = tilt[mechanism.bit];
            mechanism.acts *= mechanism.tilt;
        }
    }

    // A plan depends on which bits a row touches only: with few bits, rows share plans.
    void plan_rows() {
        std::vector<std::size_t> known(bits <= CUBE_BITS ? size : 0);  // [set of bits] plan + 1
        plan_of.reserve(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            std::size_t touched = 0;
            for (std::size_t m = start[k]; m < start[k + 1]; ++m)
                touched |= std::size_t(1) << mechanisms[m].bit;
            if (known.empty() || !known[touched]) {
                plans.push_back(
                    plan(bits, mechanisms.data() + start[k], int(start[k + 1] - start[k])));
                if (!known.empty()) known[touched] = plans.size();
            }
            plan_of.push_back((known.empty() ? plans.size() : known[touched]) - 1);
        }
    }

    std::vector<double> leaks() const {
        std::vector<double> table(size);
        table[0] = 1.0;
        for (int b = 0; b < bits; ++b) {
            const double fails = problem.leak_fails[column_of_bit[b]];
            const double leak = problem.leak[column_of_bit[b]] * tilt[b];
            const std::size_t half = std::size_t(1) << b;
            for (std::size_t i = 0; i < half; ++i) {
                table[half + i] = table[i] * leak;
                table[i] *= fails;
            }
        }
        return table;
    }

    void forward(std::size_t k, const double *from, double *to) {
        const Mechanism *causes = mechanisms.data() + start[k];
        const auto &passes = plans[plan_of[k]];
        const double *source = from;
        if (passes.size() > 1) {
            spare.resize(size);
            for (std::size_t p = 0; p + 1 < passes.size(); ++p) {
                each_cube(passes[p], [&](std::size_t at) {
                    gather(passes[p], source, at, cube.data());
                    apply(passes[p], causes, produce, cube.data());
                    scatter(passes[p], cube.data(), at, spare.data());
                });
                source = spare.data();
            }
        }
        const Pass &pass = passes.back();
        each_cube(pass, [&](std::size_t at) {
            gather(pass, source, at, cube.data());
            apply(pass, causes, produce, cube.data());
            mix(pass, from, cube.data(), at, off[k], on[k], to);
        });
    }

    template <typename Step>
    void apply(const Pass &pass, const Mechanism *causes, Step step, double *values,
               int without = -1) const {
        for (std::size_t i = 0; i < pass.mechanism.size(); ++i) {
            const Mechanism &cause = causes[pass.mechanism[i]];
            if (pass.mechanism[i] != without)
                step(values, pass.cube(), pass.bit[i], cause.acts, cause.fails);
        }
    }

    // Reads the tables of row k off F before it and B after it, then moves B before it.
    void backward(std::size_t k, const double *before, double *after, double total,
                  Answer &answer) {
        const Mechanism *causes = mechanisms.data() + start[k];
        const int count = int(start[k + 1] - start[k]);
        const auto &passes = plans[plan_of[k]];
        stay.assign(count, 0.0);
        gain.assign(count, 0.0);
        double joint = 0.0;
        const bool single = passes.size() == 1;
        if (!single) {
            spare.resize(size);
            complete_all(passes, causes, after, -1);
        }
        each_cube(passes.back(), [&](std::size_t at) {
            gather(passes.back(), single ? after : spare.data(), at, cube.data());
            if (single) apply(passes.back(), causes, complete, cube.data());
            gather(passes.back(), before, at, other.data());
            joint += dot(other.data(), cube.data(), passes.back().cube());
            read_splits(passes.back());
            if (single) {
                read_without(passes.back(), causes, after, at);
                mix(passes.back(), after, cube.data(), at, off[k], on[k], after);
            }
        });
        for (std::size_t p = 0; p + 1 < passes.size(); ++p)
            each_cube(passes[p], [&](std::size_t at) {
                gather(passes[p], spare.data(), at, cube.data());
                gather(passes[p], before, at, other.data());
                read_splits(passes[p]);
            });
        const double scale = on[k] / total;
        answer.posterior[rows[k]] = scale * joint;
        for (int c = 0; c < count; ++c) {
            const Mechanism &cause = causes[c];
            const double strength = cause.acts / cause.tilt;
            const double gained = gain[c] * cause.tilt;
            answer.sustained[cause.cell] = scale * strength * (joint - stay[c] + gained);
            if (cause.fails >= SMALL_FAILS)
                answer.disabled[cause.cell] =
                    scale * strength / cause.fails * std::max(0.0, gained - stay[c]);
        }
        if (single) {
            for (int c = 0; c < count; ++c)
                if (causes[c].fails < SMALL_FAILS)
                    answer.disabled[causes[c].cell] = scale * causes[c].acts / causes[c].tilt *
                                                      std::max(0.0, alone[c]);
            return;
        }
        std::vector<double> next(size);
        for (std::size_t i = 0; i < size; ++i) next[i] = off[k] * after[i] + on[k] * spare[i];
        for (int c = 0; c < count; ++c) {
            if (causes[c].fails >= SMALL_FAILS) continue;
            complete_all(passes, causes, after, c);
            double kept = 0.0, gained = 0.0;
            split(before, spare.data(), size, causes[c].bit, kept, gained);
            answer.disabled[causes[c].cell] =
                scale * causes[c].acts / causes[c].tilt *
                std::max(0.0, gained * causes[c].tilt - kept);
        }
        std::memcpy(after, next.data(), size * sizeof(double));
    }

    void complete_all(const std::vector<Pass> &passes, const Mechanism *causes,
                      const double *after, int without) {
        const double *source = after;
        for (const Pass &pass : passes) {
            each_cube(pass, [&](std::size_t at) {
                gather(pass, source, at, cube.data());
                apply(pass, causes, complete, cube.data(), without);
                scatter(pass, cube.data(), at, spare.data());
            });
            source = spare.data();
        }
    }

    void read_splits(const Pass &pass) {
        for (std::size_t i = 0; i < pass.mechanism.size(); ++i)
            split(other.data(), cube.data(), pass.cube(), pass.bit[i], stay[pass.mechanism[i]],
                  gain[pass.mechanism[i]]);
    }

    // For mechanisms that hardly ever fail: Y without them, from scratch.
    void read_without(const Pass &pass, const Mechanism *causes, const double *after,
                      std::size_t at) {
        if (at == 0) alone.assign(pass.mechanism.size(), 0.0);
        for (std::size_t i = 0; i < pass.mechanism.size(); ++i) {
            const int c = pass.mechanism[i];
            if (causes[c].fails >= SMALL_FAILS) continue;
            without.resize(pass.cube());
            gather(pass, after, at, without.data());
            apply(pass, causes, complete, without.data(), c);
            double kept = 0.0, gained = 0.0;
            split(other.data(), without.data(), pass.cube(), pass.bit[i], kept, gained);
            alone[c] += gained * causes[c].tilt - kept;
        }
    }

    std::vector<double> without, alone, stay, gain;
};

}  // namespace hickam::settled
