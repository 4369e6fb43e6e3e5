// The frontier's sweep over one component: forward over the rows, then back, reading tables off.
//
// The way back carries the derivative of P(evidence) in every table entry: COVER's completion
// probability.
#include "coupled_frontier.hpp"
#include "coupled_table.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hickam::coupled {
namespace {

using settled::complete;
using settled::CUBE_BITS;
using settled::dot;
using settled::each_cube;
using settled::gather;
using settled::make_pass;
using settled::Mechanism;
using settled::Pass;
using settled::produce;
using settled::RUN_BITS;
using settled::SMALL_FAILS;

constexpr double KEPT = 1 << 21;  // doubles that are kept rather than computed again
constexpr double EPSILON = 0x1p-53;
constexpr std::size_t GRAIN = 3;  // with fewer findings open, weights are kept per cell

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

// A row's weights of being off and on, per state of the risk factors or per cell.
struct Weights {
    Table off, on;
};

class Sweep {
  public:
    Sweep(const Coupled &p, const FrontierPlan &plan, const Part &part, Answer &answer,
          Table &heard, const Stopwatch &watch)
        : p(p), plan(plan), part(part), answer(answer), heard(heard), watch(watch) {
        measure();
        list_mechanisms();
    }

    // log P(evidence of this component); -inf if it is impossible
    double solve() {
        const std::size_t count = part.steps.size();
        forward_all();
        if (answer.expired) return 0.0;
        if (!(total > 0.0)) return -INFINITY;
        after.assign(1, 1.0);
        after_power = 0;
        for (std::size_t segment = starts.size(); segment-- > 0;) {
            const std::size_t begin = starts[segment];
            const std::size_t end = segment + 1 < starts.size() ? starts[segment + 1] : count;
            if (starts.size() > 1) fill_segment(segment, begin, end);
            for (std::size_t t = end; t-- > begin;) {
                if (watch.expired()) return expire();
                backward(t, store.data() + place[t]);
            }
        }
        return std::log(total) + power[count] * M_LN2 - log_tilt + log_scale;
    }

    // The same without the tables, the rows' weights of being on times `weight_factor`.
    double evidence(const double *weight_factor) {
        factor = weight_factor;
        Table table(1, 1.0);
        int exponent = 0;
        for (std::size_t t = 0; t < part.steps.size(); ++t) {
            enter(t, table);
            advance(t, table, exponent);
        }
        factor = nullptr;
        return std::log(table[0]) + exponent * M_LN2 - log_tilt + log_scale;
    }

    // [column] P(every active cause of it is among the rows that are visited last | evidence): the
    // others and the leak have not produced it, and the last complete what is missing.
    void cure(Cured &found) {
        Table table(1, 1.0);
        int ignored = 0;
        for (std::size_t t = 0; t < part.tail; ++t) {
            if ((found.expired = watch.expired())) return;
            enter(t, table);
            advance(t, table, ignored);
        }
        enter(part.tail, table);
        after.assign(1, 1.0);
        for (std::size_t t = part.steps.size(); t-- > part.tail;) {
            if ((found.expired = watch.expired())) return;
            reopen(t, after);
            weigh(t);
            move_back(t, after);
            rescale(after);
        }
        const auto &findings = part.steps[part.tail].findings;
        const double whole = dot(table.data(), after.data(), table.size());
        for (std::size_t b = 0; b < findings.size(); ++b) {
            double absent = 0.0, unused = 0.0;
            settled::split(table.data(), after.data(), table.size(), int(b), absent, unused);
            found.removed[findings[b]] = whole > 0.0 ? absent / whole : 0.0;
        }
    }

    double rounding() const { return units * EPSILON * worst; }

  private:
    const Coupled &p;
    const FrontierPlan &plan;
    const Part &part;
    Answer &answer;
    Table &heard;  // [row] expectation of a listener's factor, so far
    const Stopwatch &watch;
    std::vector<double> tilt;  // [column] a power of two; F carries it for findings produced
    double log_tilt = 0.0, log_scale = 0.0;
    std::vector<double> shrink;  // [step] power of two that keeps the mass near 1
    std::vector<Mechanism> mechanisms;
    std::vector<std::size_t> start;  // [step + 1]
    std::vector<Pass> pass_of;       // [step]
    const double *factor = nullptr;  // [row] times weight_on
    double units = 64.0, worst = 1.0;  // roundings, and what multiplies them at most

    Table store, spare, after, next;
    std::vector<std::size_t> starts;  // first step of each segment
    std::vector<Table> saved;         // the table at each of them
    std::vector<std::size_t> place;   // [step] of its table in the store
    std::vector<int> power;           // [step + 1] exponent divided out of the table before it
    int after_power = 0;
    double total = 0.0;
    Table cube, other, without;
    Weights weights;
    Table if_off, if_on;
    struct Tilted {
        const Listening *of;
        Table table;
        int power;
        std::vector<char> met;  // [voice]
    };
    std::vector<Tilted> tilted;

    double expire() {
        answer.expired = true;
        return 0.0;
    }

    int bits(std::size_t t) const {
        return int(part.steps[t].findings.size() + part.steps[t].risks.size());
    }
    std::size_t cells(std::size_t t) const { return std::size_t(1) << bits(t); }

    // Powers of two by which rows and findings are scaled, so that nothing underflows.
    void measure() {
        std::vector<double> miss(p.leak_fails, p.leak_fails + p.columns);
        std::vector<double> mean(p.leak, p.leak + p.columns);
        tilt.assign(p.columns, 1.0);
        for (const Step &step : part.steps) {
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
            for (int s : step.findings) {
                const double acts = p.acts[k * p.columns + s];
                miss[s] *= 1.0 - chance * acts;
                mean[s] += chance * acts;
            }
            units += 4.0 + step.links + double(step.risks.size() + step.before.size());
        }
        for (const Step &step : part.steps)
            for (const Event &event : step.before) {
                if (event.kind != Event::open_finding) continue;
                const int s = event.id;
                const double chance = miss[s] < 0.5 ? 1.0 - miss[s] : mean[s];
                const int exponent = chance > 0.0 ? std::clamp(int(-std::log2(chance)), 0, 40) : 0;
                tilt[s] = std::ldexp(1.0, exponent);
                log_tilt += exponent * M_LN2;
            }
    }

    void list_mechanisms() {
        std::size_t largest = std::size_t(1) << CUBE_BITS;
        start.push_back(0);
        for (std::size_t t = 0; t < part.steps.size(); ++t) {
            const Step &step = part.steps[t];
            for (std::size_t b = 0; b < step.findings.size(); ++b) {
                const std::size_t s = step.findings[b], cell = step.row * p.columns + s;
                if (p.acts[cell] > 0.0)
                    mechanisms.push_back(
                        {int(b), p.acts[cell] * tilt[s], p.fails[cell], tilt[s], cell});
            }
            start.push_back(mechanisms.size());
            pass_of.push_back(single_pass(bits(t), mechanisms.data() + start[t],
                                          int(start[t + 1] - start[t])));
            largest = std::max(largest, pass_of.back().cube());
        }
        cube.resize(largest);
        other.resize(largest);
        without.resize(largest);
    }

    // ---- cubes: a small table as a whole, or a part of a large one that a row's mechanisms need

    template <typename Work> void each_part(std::size_t t, const Work &work) const {
        if (bits(t) > CUBE_BITS) each_cube(pass_of[t], work);
        else work(std::size_t(0));
    }

    void load(std::size_t t, std::size_t at, const double *table, double *to) const {
        if (bits(t) > CUBE_BITS) gather(pass_of[t], table, at, to);
        else std::memcpy(to, table, pass_of[t].cube() * sizeof(double));
    }

    // Calls work(index in the cube, cell, length, off, on, whether the weights are per cell) for
    // stretches that lie together.
    template <typename Work>
    void weighed(std::size_t t, std::size_t at, const Work &work) const {
        const Pass &pass = pass_of[t];
        const std::size_t findings = part.steps[t].findings.size();
        const bool per_cell = weights.off.size() == cells(t);
        const std::size_t run = std::size_t(1) << pass.run_bits;
        const std::size_t step = per_cell ? run : std::min(run, std::size_t(1) << findings);
        std::size_t index = 0;
        for (std::size_t offset : pass.offsets)
            for (std::size_t n = 0; n < run; n += step, index += step) {
                const std::size_t cell = at + offset + n, x = per_cell ? cell : cell >> findings;
                work(index, cell, step, weights.off.data() + x, weights.on.data() + x, per_cell);
            }
    }

    template <typename Step>
    void apply(std::size_t t, Step step, double *values, int but = -1) const {
        const Pass &pass = pass_of[t];
        const Mechanism *causes = mechanisms.data() + start[t];
        for (std::size_t i = 0; i < pass.mechanism.size(); ++i) {
            const Mechanism &cause = causes[pass.mechanism[i]];
            if (pass.mechanism[i] != but)
                step(values, pass.cube(), pass.bit[i], cause.acts, cause.fails);
        }
    }

    // ---- the weights of a row

    // Weights of the row of step t. `of`: with the factors of that listener's voices that are to be
    // met here (all of them, or those that close).
    void weigh(std::size_t t, Tilted *of = nullptr, bool all_voices = false) {
        const Step &step = part.steps[t];
        const std::size_t k = step.row;
        const double weigh_off = p.weight_off[k] * shrink[t];
        const double weigh_on = p.weight_on[k] * shrink[t] * (factor ? factor[k] : 1.0);
        const auto voice = [&](int risk) {
            if (!of) return 1.0;
            for (std::size_t v = 0; v < of->of->voices.size(); ++v) {
                const auto &one = of->of->voices[v];
                if (one.risk != risk || of->met[v]) continue;
                if (!all_voices && one.last != int(t) && plan.open[risk]) continue;
                of->met[v] = 1;
                return one.fails;
            }
            return 1.0;
        };
        double off = p.off[k], on = p.on[k];
        for (int e : plan.edges_of_row[k]) {
            const int j = int(p.edge_risk[e]);
            if (plan.open[j]) continue;
            const double prior = p.risk_prior[j], keep = voice(j);
            on = (1.0 - prior) * on + prior * keep * (on + off * p.edge_acts[e]);
            off = off * ((1.0 - prior) + prior * keep * p.edge_fails[e]);
        }
        const bool per_cell = step.findings.size() < GRAIN;
        const std::size_t least = per_cell ? std::size_t(1) << step.findings.size() : 1;
        const std::size_t whole = least << step.risks.size();
        weights.off.resize(whole);
        weights.on.resize(whole);
        std::fill_n(weights.off.begin(), least, off);
        std::fill_n(weights.on.begin(), least, on);
        std::size_t filled = least;
        for (int risk : step.risks) {
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
        for (std::size_t i = 0; i < whole; ++i) {
            weights.off[i] *= weigh_off;
            weights.on[i] *= weigh_on;
        }
    }

    // ---- forward

    // The events before row t.
    void enter(std::size_t t, Table &table) {
        for (const Event &event : part.steps[t].before) {
            const auto [first, second] = halves(event);
            split(table, event.at, first, second, spare);
        }
    }

    // What multiplies the lower and the upper half of a bit that opens, or of one that closes.
    std::pair<double, double> halves(const Event &event) const {
        switch (event.kind) {
        case Event::open_finding:
            return {p.leak_fails[event.id], p.leak[event.id] * tilt[event.id]};
        case Event::open_risk:
            return {1.0 - p.risk_prior[event.id], p.risk_prior[event.id]};
        case Event::close_finding:
            return {0.0, 1.0};
        default:
            return {1.0, 1.0};
        }
    }

    // Row t and the events after it.
    void advance(std::size_t t, Table &table, int &exponent) {
        weigh(t);
        next.resize(table.size());
        each_part(t, [&](std::size_t at) {
            load(t, at, table.data(), cube.data());
            weighed(t, at, [&](std::size_t i, std::size_t, std::size_t run,
                                  const double *, const double *on, bool per_cell) {
                scale(cube.data() + i, on, run, per_cell);
            });
            apply(t, produce, cube.data());
            weighed(t, at, [&](std::size_t i, std::size_t cell, std::size_t run,
                                  const double *off, const double *, bool per_cell) {
                add_scaled(cube.data() + i, table.data() + cell, off, run, per_cell,
                           next.data() + cell);
            });
        });
        table.swap(next);
        for (const Event &event : part.steps[t].after) {
            const auto [first, second] = halves(event);
            fold(table, event.at, first, second);
        }
        exponent += rescale(table);
    }

    static void scale(double *values, const double *by, std::size_t run, bool per_cell) {
        if (per_cell) {
#pragma omp simd
            for (std::size_t n = 0; n < run; ++n) values[n] *= by[n];
        } else {
            const double one = *by;
#pragma omp simd
            for (std::size_t n = 0; n < run; ++n) values[n] *= one;
        }
    }

    // to = values + by * from
    static void add_scaled(const double *values, const double *from, const double *by,
                           std::size_t run, bool per_cell, double *to) {
        if (per_cell) {
#pragma omp simd
            for (std::size_t n = 0; n < run; ++n) to[n] = values[n] + by[n] * from[n];
        } else {
            const double one = *by;
#pragma omp simd
            for (std::size_t n = 0; n < run; ++n) to[n] = values[n] + one * from[n];
        }
    }

    void forward_all() {
        const std::size_t count = part.steps.size();
        power.assign(count + 1, 0);
        place.assign(count, 0);
        const bool little = part.cells <= KEPT;
        const double most = little ? INFINITY : std::sqrt(part.cells * part.largest);
        std::size_t used = 0, largest = 0;
        for (std::size_t t = 0; t < count; ++t) {
            if (starts.empty() || double(used + cells(t)) > std::max(most, double(cells(t)))) {
                starts.push_back(t);
                used = 0;
            }
            place[t] = used;
            used += cells(t);
            largest = std::max(largest, used);
        }
        store.resize(largest);
        Table table(1, 1.0);
        std::size_t segment = 0;
        for (std::size_t t = 0; t < count; ++t) {
            if (watch.expired()) {
                expire();
                return;
            }
            enter(t, table);
            if (starts.size() == 1) {
                std::memcpy(store.data() + place[t], table.data(), table.size() * sizeof(double));
            } else if (segment < starts.size() && starts[segment] == t) {
                saved.push_back(table);
                ++segment;
            }
            power[t + 1] = power[t];
            advance(t, table, power[t + 1]);
        }
        total = table[0];
    }

    void fill_segment(std::size_t segment, std::size_t begin, std::size_t end) {
        Table table = std::move(saved[segment]);
        saved[segment] = Table();
        int ignored = 0;
        for (std::size_t t = begin; t < end; ++t) {
            if (t > begin) enter(t, table);
            std::memcpy(store.data() + place[t], table.data(), table.size() * sizeof(double));
            if (t + 1 < end) advance(t, table, ignored);
        }
    }

    // ---- backward

    // Undoes the events after row t on a table of derivatives.
    void reopen(std::size_t t, Table &table) {
        const auto &events = part.steps[t].after;
        for (std::size_t i = events.size(); i-- > 0;) {
            const auto [first, second] = halves(events[i]);
            split(table, events[i].at, first, second, spare);
        }
    }

    // Undoes the events before row t.
    void leave(std::size_t t, Table &table) {
        const auto &events = part.steps[t].before;
        for (std::size_t i = events.size(); i-- > 0;) {
            const auto [first, second] = halves(events[i]);
            fold(table, events[i].at, first, second);
        }
    }

    // Reads the tables of row t off the tables before it and the derivatives after it, then moves
    // the derivatives before it.
    void backward(std::size_t t, const double *before) {
        const Step &step = part.steps[t];
        const Pass &pass = pass_of[t];
        const std::size_t all = pass.cube();
        const Mechanism *causes = mechanisms.data() + start[t];
        const int count = int(start[t + 1] - start[t]);
        reopen(t, after);
        if (!part.listening.empty()) follow_listeners(t, before);
        weigh(t);
        std::vector<double> stay(count, 0.0), gain(count, 0.0), kept(count, 0.0), more(count, 0.0);
        double joint = 0.0;
        each_part(t, [&](std::size_t at) {
            load(t, at, after.data(), cube.data());
            apply(t, complete, cube.data());
            load(t, at, before, other.data());
            weighed(t, at, [&](std::size_t i, std::size_t, std::size_t run,
                                  const double *, const double *on, bool per_cell) {
                scale(other.data() + i, on, run, per_cell);
            });
            joint += dot(other.data(), cube.data(), all);
            for (int c = 0; c < count; ++c) {
                settled::split(other.data(), cube.data(), all, pass.bit[c], stay[c], gain[c]);
                if (causes[c].fails >= SMALL_FAILS) continue;
                load(t, at, after.data(), without.data());
                apply(t, complete, without.data(), c);
                settled::split(other.data(), without.data(), all, pass.bit[c], kept[c], more[c]);
            }
            weighed(t, at, [&](std::size_t i, std::size_t cell, std::size_t run,
                                  const double *off, const double *on, bool per_cell) {
                scale(cube.data() + i, on, run, per_cell);
                double *here = after.data() + cell;
                add_scaled(cube.data() + i, here, off, run, per_cell, here);
            });
        });
        const double by = std::ldexp(1.0 / total, power[t] + after_power - power[part.steps.size()]);
        answer.posterior[step.row] = by * joint;
        double disablement = 0.0, sufficiency = 0.0, doubt = 0.0, loss = 0.0;
        for (int c = 0; c < count; ++c) {
            const Mechanism &cause = causes[c];
            const double strength = by * cause.acts / cause.tilt;
            const double gained = gain[c] * cause.tilt;
            const double sustained = strength * (joint - stay[c] + gained);
            double divisor = cause.fails, one = gained, two = stay[c];
            if (cause.fails < SMALL_FAILS) divisor = 1.0, one = more[c] * cause.tilt, two = kept[c];
            const double disabled = strength / divisor * (one - two);
            answer.sustained[cause.cell] = sustained;
            answer.disabled[cause.cell] = disabled;
            sufficiency += sustained;
            disablement += disabled;
            loss += strength * (joint + stay[c] + gained);
            doubt += strength / divisor * (one + two);
        }
        worst = std::max({worst, loss / std::max(sufficiency, 1e-3),
                          doubt / std::max(disablement, 1e-3)});
        for (const Event &event : step.before)
            if (event.kind == Event::open_finding) explain(t, event.id, before, by);
        leave(t, after);
        after_power += rescale(after);
    }

    // Moves a table of derivatives before row t, by the weights of that row.
    void move_back(std::size_t t, Table &table) {
        each_part(t, [&](std::size_t at) {
            load(t, at, table.data(), cube.data());
            apply(t, complete, cube.data());
            weighed(t, at, [&](std::size_t i, std::size_t cell, std::size_t run,
                                  const double *off, const double *on, bool per_cell) {
                scale(cube.data() + i, on, run, per_cell);
                double *here = table.data() + cell;
                add_scaled(cube.data() + i, here, off, run, per_cell, here);
            });
        });
    }

    // P(no disease causes the finding | evidence), at the step where it opens.
    void explain(std::size_t t, int column, const double *before, double by) {
        const auto &findings = part.steps[t].findings;
        const int bit = int(std::find(findings.begin(), findings.end(), column) - findings.begin());
        const std::size_t half = std::size_t(1) << bit;
        double with = 0.0, rest = 0.0;
        for (std::size_t base = 0; base < cells(t); base += 2 * half) {
            rest += dot(before + base, after.data() + base, half);
            with += dot(before + base + half, after.data() + base + half, half);
        }
        answer.unexplained[column] =
            by * std::max(0.0, with - p.leak[column] / p.leak_fails[column] * rest);
    }

    // ---- listeners

    // Starts, moves and ends the tilted tables of the listeners at step t; `after` is over the
    // states open at t.
    void follow_listeners(std::size_t t, const double *before) {
        for (Tilted &one : tilted) {
            reopen(t, one.table);
            pass_back(t, one, before, false);
        }
        bool read = false;
        for (const Listening &one : part.listening) {
            if (one.begin != int(t)) continue;
            if (one.end == one.begin) {
                if (!read) read_states(t, before);
                read = true;
                answer_at_once(t, one);
                continue;
            }
            tilted.push_back({&one, after, after_power, std::vector<char>(one.voices.size(), 0)});
            pass_back(t, tilted.back(), before, true);
        }
        tilted.erase(std::remove_if(tilted.begin(), tilted.end(),
                                    [](const Tilted &one) { return one.of == nullptr; }),
                     tilted.end());
    }

    void pass_back(std::size_t t, Tilted &one, const double *before, bool first) {
        weigh(t, &one, first || one.of->end == int(t));
        move_back(t, one.table);
        if (one.of->end == int(t)) {
            const double joint = dot(before, one.table.data(), cells(t));
            heard[one.of->row] *=
                std::ldexp(joint / total, power[t] + one.power - power[part.steps.size()]);
            one.of = nullptr;
            return;
        }
        leave(t, one.table);
        one.power += rescale(one.table);
    }

    // What the row of step t being off or on contributes to P(evidence), up to its weights.
    void read_states(std::size_t t, const double *before) {
        weigh(t);
        if_off.assign(weights.off.size(), 0.0);
        if_on.assign(weights.off.size(), 0.0);
        each_part(t, [&](std::size_t at) {
            load(t, at, after.data(), cube.data());
            apply(t, complete, cube.data());
            weighed(t, at, [&](std::size_t i, std::size_t cell, std::size_t run,
                                  const double *off, const double *, bool per_cell) {
                const std::size_t w = std::size_t(off - weights.off.data());
                const double *f = before + cell, *b = after.data() + cell, *y = cube.data() + i;
                if (per_cell) {
                    for (std::size_t n = 0; n < run; ++n) {
                        if_off[w + n] = f[n] * b[n];
                        if_on[w + n] = f[n] * y[n];
                    }
                } else {
                    if_off[w] += dot(f, b, run);
                    if_on[w] += dot(f, y, run);
                }
            });
        });
    }

    // A listener all of whose voices are open at step t.
    void answer_at_once(std::size_t t, const Listening &one) {
        Tilted here{&one, {}, 0, std::vector<char>(one.voices.size(), 0)};
        weigh(t, &here, true);
        const double joint = dot(weights.off.data(), if_off.data(), if_off.size()) +
                             dot(weights.on.data(), if_on.data(), if_on.size());
        heard[one.row] *=
            std::ldexp(joint / total, power[t] + after_power - power[part.steps.size()]);
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
    Table heard(p.rows, 1.0);
    for (std::size_t e = 0; e < p.edges; ++e)  // of risk factors that no evidence reaches
        if (!plan.heard[p.edge_risk[e]])
            heard[p.edge_row[e]] *= 1.0 - p.risk_prior[p.edge_risk[e]] * p.edge_acts[e];
    double lone = 0.0;
    for (const Part &part : plan.parts) {
        for (int s : part.lone) {
            lone += std::log(p.leak[s]);
            answer.unexplained[s] = 1.0;
        }
        if (part.steps.empty()) continue;
        Sweep sweep(p, plan, part, answer, heard, watch);
        answer.log_evidence += sweep.solve();
        if (answer.expired) return out;
        out.rounding = std::max(out.rounding, sweep.rounding());
        if (!(answer.log_evidence > -INFINITY)) break;
    }
    answer.log_evidence += lone;
    if (!(answer.log_evidence > -INFINITY)) {
        answer.log_evidence = -INFINITY;
        return out;
    }
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        answer.posterior[k] = p.on[k] + p.off[k] * std::max(0.0, 1.0 - heard[k]);
        out.rounding =
            std::max(out.rounding, 500.0 * EPSILON / std::max(answer.posterior[k], 1e-3));
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        if (plan.in_lattice[s]) continue;
        Table silent(p.rows);
        for (std::size_t k = 0; k < p.rows; ++k) {
            const std::size_t cell = k * p.columns + s;
            answer.sustained[cell] = p.acts[cell] * answer.posterior[k];
            silent[k] = p.fails[cell];
        }
        double log_chance = lone;
        for (const Part &part : plan.parts)
            if (!part.steps.empty())
                log_chance += Sweep(p, plan, part, answer, heard, watch).evidence(silent.data());
        answer.unexplained[s] = std::exp(log_chance - answer.log_evidence);
    }
    return out;
}

Cured cured(const Coupled &p, const FrontierPlan &plan, const Stopwatch &watch) {
    Cured found;
    found.removed.assign(p.columns, 0.0);
    Answer unused;
    Table nothing;
    for (const Part &part : plan.parts) {
        if (part.steps.empty()) continue;
        Sweep sweep(p, plan, part, unused, nothing, watch);
        sweep.cure(found);
        if (found.expired) return found;
        found.rounding = std::max(found.rounding, sweep.rounding());
    }
    return found;
}

}  // namespace hickam::coupled
