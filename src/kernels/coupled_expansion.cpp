// The sweep of an expansion over its rows, forward and back, and the chance of one explanation.
#include "coupled_expansion.hpp"
#include "coupled_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hickam::coupled {
namespace {

using settled::complete;
using settled::dot;
using settled::Mechanism;
using settled::produce;
using settled::SMALL_FAILS;

constexpr std::size_t BLOCK = 64;     // cells of a set that are turned at a time
constexpr std::size_t CHUNK = 4096;   // cells that findings are produced in at a time
constexpr double KEPT = 1 << 21;      // doubles that are kept rather than computed again

// What a row hears of a risk factor, on `width` numbers of every set at work.
template <std::size_t fixed = 0>
void turn(const Turn &one, const Turn::Pair &by, double *sets, std::size_t given) {
    const std::size_t width = fixed ? fixed : given;
    for (int i : one.alone) {
        double *here = sets + std::size_t(i) * width;
#pragma omp simd
        for (std::size_t n = 0; n < width; ++n) here[n] *= by.mean;
    }
    for (std::size_t i = 0; i < one.low.size(); ++i) {
        double *low = sets + std::size_t(one.low[i]) * width;
        double *high = sets + std::size_t(one.high[i]) * width;
#pragma omp simd
        for (std::size_t n = 0; n < width; ++n) {
            const double x = low[n], y = high[n];
            low[n] = by.mean * x + by.slope * y;
            high[n] = by.slope * x + by.far * y;
        }
    }
}

class Sweep {
  public:
    Sweep(const Coupled &p, const std::vector<Visit> &visits, Answer &answer, const Stopwatch &watch)
        : p(p), visits(visits), answer(answer), watch(watch) {
        std::size_t largest = 0;
        for (const Visit &visit : visits) largest = std::max(largest, visit.work);
        both.resize(largest * BLOCK);
        off.resize(largest * BLOCK);
    }

    // log of the evidence; nan if the time or the memory was not enough, or nothing is left of it
    double solve(double most_bytes) {
        if (!forward_all(most_bytes) || !(total > 0.0)) return NAN;
        after.assign(1, 1.0);
        for (std::size_t segment = starts.size(); segment-- > 0;) {
            const std::size_t begin = starts[segment];
            const std::size_t end = segment + 1 < starts.size() ? starts[segment + 1] : visits.size();
            if (starts.size() > 1) fill_segment(segment, begin, end);
            for (std::size_t t = end; t-- > begin;) {
                if (watch.expired()) return NAN;
                backward(t, store.data() + place[t]);
            }
        }
        return std::log(total) + power.back() * M_LN2;
    }

  private:
    const Coupled &p;
    const std::vector<Visit> &visits;
    Answer &answer;
    const Stopwatch &watch;
    Table both, off;                  // [set at work, block]
    Table caused, next, after, spare, completed, without;
    Table store;                      // tables before the rows of a segment
    std::vector<Table> saved;         // the first of each segment
    std::vector<std::size_t> starts, place;
    std::vector<int> power;           // [visit + 1] exponents divided out of tables
    int after_power = 0;
    double total = 0.0;

    // The sets after a row: the parts in which it is off, and on before it causes anything.
    void act(const Visit &visit, const double *table, double *is_off, double *is_on) {
        const std::size_t k = visit.row, cells = std::size_t(1) << visit.findings;
        const std::size_t block = std::min(cells, BLOCK);
        const double stay = p.off[k], weight_off = p.weight_off[k], weight_on = p.weight_on[k];
        if (visit.turns.empty()) {
#pragma omp simd
            for (std::size_t i = 0; i < visit.work * cells; ++i) {
                is_off[i] = weight_off * stay * table[i];
                is_on[i] = weight_on * p.on[k] * table[i];
            }
            return;
        }
        for (std::size_t at = 0; at < cells; at += block) {
            for (std::size_t i = 0; i < visit.before; ++i)
                std::memcpy(off.data() + i * block, table + i * cells + at, block * sizeof(double));
            std::fill(off.begin() + visit.before * block, off.begin() + visit.work * block, 0.0);
            std::copy(off.begin(), off.begin() + visit.work * block, both.begin());
            for (const Turn &one : visit.turns) {
                turn_by(one, one.both, both.data(), block);
                turn_by(one, one.off, off.data(), block);
            }
            for (std::size_t a = 0; a < visit.after.size(); ++a) {
                const double *o = off.data() + visit.after[a] * block;
                const double *b = both.data() + visit.after[a] * block;
                double *to_off = is_off + a * cells + at, *to_on = is_on + a * cells + at;
#pragma omp simd
                for (std::size_t n = 0; n < block; ++n) {
                    const double stays = stay * o[n];
                    to_off[n] = weight_off * stays;
                    to_on[n] = weight_on * (b[n] - stays);
                }
            }
        }
    }

    static void turn_by(const Turn &one, const Turn::Pair &by, double *sets, std::size_t block) {
        if (block == BLOCK) turn<BLOCK>(one, by, sets, block);
        else turn(one, by, sets, block);
    }

    static std::size_t sets_after(const Visit &visit) {
        return visit.turns.empty() ? visit.work : visit.after.size();
    }

    // Calls work(first cell, cells) for the cells of a few sets at a time.
    template <typename Work> static void each_chunk(const Visit &visit, const Work &work) {
        const std::size_t cells = std::size_t(1) << visit.findings, all = sets_after(visit) * cells;
        const std::size_t chunk = cells < 4 ? cells : std::max(cells, CHUNK);
        for (std::size_t at = 0; at < all; at += chunk) work(at, std::min(chunk, all - at));
    }

    void enter(std::size_t t, Table &table) {
        int bit = visits[t].findings - int(visits[t].opens.size());
        for (int s : visits[t].opens) split(table, bit++, p.leak_fails[s], p.leak[s], spare);
    }

    void advance(std::size_t t, Table &table, int &exponent) {
        const Visit &visit = visits[t];
        const std::size_t all = sets_after(visit) << visit.findings;
        next.resize(all), caused.resize(all);
        act(visit, table.data(), next.data(), caused.data());
        each_chunk(visit, [&](std::size_t at, std::size_t size) {
            for (const Mechanism &link : visit.links)
                produce(caused.data() + at, size, link.bit, link.acts, link.fails);
#pragma omp simd
            for (std::size_t i = at; i < at + size; ++i) next[i] += caused[i];
        });
        table.swap(next);
        for (int bit : visit.closes) fold(table, bit, 0.0, 1.0);
        exponent += rescale(table);
    }

    bool forward_all(double most_bytes) {
        double cells = 0.0, largest = 0.0;
        for (const Visit &visit : visits) {
            const double here = double(visit.cells());
            cells += here, largest = std::max(largest, here);
        }
        const double most = cells <= KEPT ? INFINITY : std::sqrt(cells * largest);
        if (8.0 * (std::min(cells, 2.0 * most) + 6.0 * largest) > most_bytes) return false;
        power.assign(visits.size() + 1, 0);
        place.assign(visits.size(), 0);
        std::size_t used = 0, needed = 0;
        for (std::size_t t = 0; t < visits.size(); ++t) {
            const std::size_t here = visits[t].before << visits[t].findings;
            if (starts.empty() || double(used + here) > std::max(most, double(here))) {
                starts.push_back(t);
                used = 0;
            }
            place[t] = used;
            used += here;
            needed = std::max(needed, used);
        }
        store.resize(needed);
        Table table(1, 1.0);
        for (std::size_t t = 0; t < visits.size(); ++t) {
            if (watch.expired()) return false;
            enter(t, table);
            if (starts.size() == 1) std::copy(table.begin(), table.end(), store.begin() + place[t]);
            else if (saved.size() < starts.size() && starts[saved.size()] == t) saved.push_back(table);
            power[t + 1] = power[t];
            advance(t, table, power[t + 1]);
        }
        total = table[0];
        return true;
    }

    void fill_segment(std::size_t segment, std::size_t begin, std::size_t end) {
        Table table = std::move(saved[segment]);
        int ignored = 0;
        for (std::size_t t = begin; t < end; ++t) {
            if (t > begin) enter(t, table);
            std::copy(table.begin(), table.end(), store.begin() + place[t]);
            if (t + 1 < end) advance(t, table, ignored);
        }
    }

    // Reads the tables of a row off the table before it and the derivatives after it, then moves the
    // derivatives before it.
    void backward(std::size_t t, const double *before) {
        const Visit &visit = visits[t];
        const std::size_t all = sets_after(visit) << visit.findings, count = visit.links.size();
        for (std::size_t i = visit.closes.size(); i-- > 0;) split(after, visit.closes[i], 0.0, 1.0, spare);
        next.resize(all), caused.resize(all);
        act(visit, before, next.data(), caused.data());
        completed = after;
        double joint = 0.0;
        std::vector<double> stay(count, 0.0), gain(count, 0.0), kept(count, 0.0), more(count, 0.0);
        each_chunk(visit, [&](std::size_t at, std::size_t size) {
            double *y = completed.data() + at;
            const double *f = caused.data() + at;
            for (const Mechanism &link : visit.links) complete(y, size, link.bit, link.acts, link.fails);
            joint += dot(f, y, size);
            for (std::size_t c = 0; c < count; ++c) {
                settled::split(f, y, size, visit.links[c].bit, stay[c], gain[c]);
                if (visit.links[c].fails >= SMALL_FAILS) continue;
                without.assign(after.begin() + at, after.begin() + at + size);
                for (std::size_t o = 0; o < count; ++o)
                    if (o != c)
                        complete(without.data(), size, visit.links[o].bit, visit.links[o].acts,
                                 visit.links[o].fails);
                settled::split(f, without.data(), size, visit.links[c].bit, kept[c], more[c]);
            }
        });
        const double by = std::ldexp(1.0 / total, power[t] + after_power - power.back());
        answer.posterior[visit.row] = by * joint;
        for (std::size_t c = 0; c < count; ++c) {
            const Mechanism &link = visit.links[c];
            const bool small = link.fails < SMALL_FAILS;
            const double strength = by * link.acts;
            answer.sustained[link.cell] = strength * (joint - stay[c] + gain[c]);
            answer.disabled[link.cell] =
                small ? strength * (more[c] - kept[c]) : strength / link.fails * (gain[c] - stay[c]);
        }
        act_back(visit);
        for (std::size_t i = 0; i < visit.opens.size(); ++i)
            explain(visit, visit.findings - int(visit.opens.size() - i), visit.opens[i], before, by);
        for (std::size_t i = visit.opens.size(); i-- > 0;) {
            const int s = visit.opens[i], bit = visit.findings - int(visit.opens.size() - i);
            fold(after, bit, p.leak_fails[s], p.leak[s]);
        }
        after_power += rescale(after);
    }

    // The transpose of `act`, from `after` and `completed` to `after`.
    void act_back(const Visit &visit) {
        const std::size_t k = visit.row, cells = std::size_t(1) << visit.findings;
        const std::size_t block = std::min(cells, BLOCK);
        const double stay = p.off[k], weight_off = p.weight_off[k], weight_on = p.weight_on[k];
        if (visit.turns.empty()) {
#pragma omp simd
            for (std::size_t i = 0; i < visit.work * cells; ++i)
                after[i] = weight_off * stay * after[i] + weight_on * p.on[k] * completed[i];
            return;
        }
        next.resize(visit.before * cells);
        for (std::size_t at = 0; at < cells; at += block) {
            std::fill(off.begin(), off.begin() + visit.work * block, 0.0);
            std::fill(both.begin(), both.begin() + visit.work * block, 0.0);
            for (std::size_t a = 0; a < visit.after.size(); ++a) {
                double *o = off.data() + visit.after[a] * block;
                double *b = both.data() + visit.after[a] * block;
                const double *x = after.data() + a * cells + at, *y = completed.data() + a * cells + at;
#pragma omp simd
                for (std::size_t n = 0; n < block; ++n) {
                    b[n] = weight_on * y[n];
                    o[n] = stay * (weight_off * x[n] - b[n]);
                }
            }
            for (std::size_t i = visit.turns.size(); i-- > 0;) {
                turn_by(visit.turns[i], visit.turns[i].both, both.data(), block);
                turn_by(visit.turns[i], visit.turns[i].off, off.data(), block);
            }
            for (std::size_t i = 0; i < visit.before; ++i)
                for (std::size_t n = 0; n < block; ++n)
                    next[i * cells + at + n] = both[i * block + n] + off[i * block + n];
        }
        after.swap(next);
    }

    // P(no disease causes the finding | evidence), at the row where it opens.
    void explain(const Visit &visit, int bit, int column, const double *before, double by) {
        const std::size_t half = std::size_t(1) << bit, all = visit.before << visit.findings;
        double with = 0.0, rest = 0.0;
        for (std::size_t base = 0; base < all; base += 2 * half) {
            rest += dot(before + base, after.data() + base, half);
            with += dot(before + base + half, after.data() + base + half, half);
        }
        answer.unexplained[column] = by * (with - p.leak[column] / p.leak_fails[column] * rest);
    }
};

}  // namespace

Answer Expansion::solve(double most_bytes, const Stopwatch &watch) const {
    Answer answer;
    answer.posterior.assign(p.rows, 0.0);
    answer.disabled.assign(p.rows * p.columns, 0.0);
    answer.sustained.assign(p.rows * p.columns, 0.0);
    answer.unexplained.assign(p.columns, 0.0);
    answer.log_evidence = log_shared + Sweep(p, visits, answer, watch).solve(most_bytes);
    for (int s : lone) {
        answer.log_evidence += std::log(p.leak[s]);
        answer.unexplained[s] = 1.0;
    }
    answer.expired = !std::isfinite(answer.log_evidence);
    return answer;
}

std::array<double, Expansion::TOGETHER> Expansion::weigh(const std::vector<int> *explanations,
                                                         std::size_t count,
                                                         const Reference &reference) const {
    std::vector<std::array<bool, TOGETHER>> is_on(p.rows, std::array<bool, TOGETHER>{});
    std::vector<char> any(p.rows, 0);
    for (std::size_t lane = 0; lane < count; ++lane)
        for (int k : explanations[lane]) is_on[k][lane] = true, any[k] = 1;
    Table sets(most_sets * TOGETHER, 0.0), next(most_sets * TOGETHER), both(most_sets * TOGETHER);
    std::fill_n(sets.begin(), TOGETHER, 1.0);
    for (const Visit &visit : visits) {
        if (visit.turns.empty()) continue;  // as in the reference
        const std::size_t k = visit.row, work = visit.work * TOGETHER;
        std::fill(sets.begin() + visit.before * TOGETHER, sets.begin() + work, 0.0);
        if (any[k]) {
            std::copy(sets.begin(), sets.begin() + work, both.begin());
            for (const Turn &one : visit.turns) turn<TOGETHER>(one, one.both, both.data(), TOGETHER);
        }
        for (const Turn &one : visit.turns) turn<TOGETHER>(one, one.off, sets.data(), TOGETHER);
        const double stay = p.off[k], if_off = reference.off[k] > 0.0 ? stay / reference.off[k] : 0.0;
        for (std::size_t a = 0; a < visit.after.size(); ++a) {
            const double *o = sets.data() + visit.after[a] * TOGETHER;
            const double *b = both.data() + visit.after[a] * TOGETHER;
            double *to = next.data() + a * TOGETHER;
#pragma omp simd
            for (std::size_t n = 0; n < TOGETHER; ++n) to[n] = if_off * o[n];
            if (!any[k]) continue;
            for (std::size_t n = 0; n < TOGETHER; ++n)
                if (is_on[k][n]) to[n] = (b[n] - stay * o[n]) / reference.on[k];
        }
        sets.swap(next);
    }
    std::array<double, TOGETHER> found;
    for (std::size_t n = 0; n < TOGETHER; ++n) found[n] = sets[n] * std::exp(log_shared);
    return found;
}

}  // namespace hickam::coupled
