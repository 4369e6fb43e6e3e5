// The sweep of an expansion over its rows, forward and back, and the chance of one explanation.
#include "coupled_expansion.hpp"
#include "coupled_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hickam::coupled {
namespace {

using settled::complete;
using settled::dot;
using settled::Mechanism;
using settled::produce;
using settled::SMALL_FAILS;

constexpr std::size_t BLOCK = 64;     // cells of a set that are shifted at a time
constexpr double LEAP = 0x1p20;       // a weight after which a table is scaled anew

// One factor on `width` numbers of every set, which begin `stride` apart.
template <std::size_t fixed = 0>
void turn(const Partners &sets, const Factor &by, double *table, std::size_t given,
          std::size_t stride) {
    const std::size_t width = fixed ? fixed : given;
    for (int i : sets.alone) {
        double *here = table + std::size_t(i) * stride;
#pragma omp simd
        for (std::size_t n = 0; n < width; ++n) here[n] *= by.mean;
    }
    for (std::size_t i = 0; i < sets.low.size(); ++i) {
        double *low = table + std::size_t(sets.low[i]) * stride;
        double *high = table + std::size_t(sets.high[i]) * stride;
#pragma omp simd
        for (std::size_t n = 0; n < width; ++n) {
            const double x = low[n], y = high[n];
            low[n] = by.mean * x + by.slope * y;
            high[n] = by.slope * x + by.far * y;
        }
    }
}

void turn_by(const Partners &sets, const Factor &by, double *table, std::size_t width,
             std::size_t stride) {
    switch (width) {
    case 128: return turn<128>(sets, by, table, width, stride);
    case 64: return turn<64>(sets, by, table, width, stride);
    case 32: return turn<32>(sets, by, table, width, stride);
    case 16: return turn<16>(sets, by, table, width, stride);
    case 8: return turn<8>(sets, by, table, width, stride);
    default: return turn(sets, by, table, width, stride);
    }
}

// Factors for a whole table; their transpose is the same in the opposite order.
void shift(const std::vector<Shift> &shifts, double *table, std::size_t cells, bool back) {
    const std::size_t block = std::min(cells, BLOCK);
    for (std::size_t at = 0; at < cells && !shifts.empty(); at += block)
        for (std::size_t i = 0; i < shifts.size(); ++i) {
            const Shift &one = shifts[back ? shifts.size() - 1 - i : i];
            turn_by(one.sets, one.by, table + at, block, cells);
        }
}

class Sweep {
  public:
    Sweep(const Coupled &p, const std::vector<Visit> &visits, Answer &answer, const Stopwatch &watch)
        : p(p), visits(visits), answer(answer), watch(watch) {
        std::size_t largest = 0;
        for (const Visit &visit : visits)
            largest = std::max(largest, visit.family.size() * visit.pass.cube());
        both.resize(largest);
        held.resize(largest);
    }

    // log of the evidence; nan if the time or the memory was not enough, or nothing is left of it
    double solve(double most_bytes) {
        if (!forward_all(most_bytes) || !(total > 0.0)) return NAN;
        rest.assign(visits.empty() ? 1 : visits.back().slots, 0.0);
        rest[0] = 1.0;
        for (std::size_t segment = starts.size(); segment-- > 0;) {
            const std::size_t begin = starts[segment];
            const std::size_t end = segment + 1 < starts.size() ? starts[segment + 1] : visits.size();
            if (starts.size() > 1) fill_segment(segment, begin, end);
            for (std::size_t t = end; t-- > begin;) {
                if (watch.expired()) return NAN;
                backward(t);
            }
        }
        return std::log(total) + power.back() * M_LN2;
    }

    double amplified() const { return worst; }

  private:
    const Coupled &p;
    const std::vector<Visit> &visits;
    Answer &answer;
    const Stopwatch &watch;
    Table both, held;                 // [set of a family, cell of a cube]
    Table spare;
    Table rest;                       // the derivative of the evidence in every entry of a table
    Table store;                      // of a segment: families that are on, and tables where findings open
    std::vector<Table> saved;         // the table before each segment
    std::vector<std::size_t> starts, place;
    std::vector<int> power;           // [visit + 1] exponents divided out of tables
    int rest_power = 0;
    double total = 0.0;
    double worst = 1.0;  // what multiplies roundings at most

    // Calls work(first cell, part of the store or of what is caused) for every cube of the table: cells
    // that the row's mechanisms need together, few enough for those of the whole family to be at hand.
    template <typename Work> static void each_part(const Visit &visit, double *parts, const Work &work) {
        const std::size_t size = visit.family.size() * visit.pass.cube();
        settled::each_cube(visit.pass, [&](std::size_t at) {
            work(at, parts);
            parts += size;
        });
    }

    static void gather(const Visit &visit, const Table &table, std::size_t at, double *to) {
        for (int slot : visit.family) {
            settled::gather(visit.pass, table.data() + std::size_t(slot) * visit.cells(), at, to);
            to += visit.pass.cube();
        }
    }

    static void add(const Visit &visit, const double *from, std::size_t at, Table &table) {
        const std::size_t run = std::size_t(1) << visit.pass.run_bits;
        for (int slot : visit.family)
            for (std::size_t offset : visit.pass.offsets) {
                double *to = table.data() + std::size_t(slot) * visit.cells() + at + offset;
#pragma omp simd
                for (std::size_t n = 0; n < run; ++n) to[n] += from[n];
                from += run;
            }
    }

    // From `held`, a part of the family as it was, the part with the row on; or the transpose of that.
    void act(const Visit &visit, double *to, bool back) {
        const std::size_t width = visit.pass.cube(), size = visit.family.size() * width;
        if (visit.turns.empty()) {
            const double on = visit.weight_on * (p.on[visit.row] / visit.unit);
            for (std::size_t n = 0; n < size; ++n) to[n] = on * held[n];
            return;
        }
        const bool steady = visit.spread.empty();
        std::copy_n(held.begin(), size, both.begin());
        if (visit.listens) {
            for (const Turn &one : visit.turns) turn_by(one.sets, one.off, held.data(), width, width);
            for (std::size_t n = 0; n < size; ++n) to[n] = both[n] - visit.stay * held[n];
            return;
        }
        for (std::size_t i = 0; i < visit.turns.size(); ++i) {
            const Turn &one = visit.turns[back ? visit.turns.size() - 1 - i : i];
            turn_by(one.sets, one.both, both.data(), width, width);
            if (!steady) turn_by(one.sets, one.off, held.data(), width, width);
        }
        const double by = visit.weight_on / visit.unit, less = visit.weight_on * visit.stay;
#pragma omp simd
        for (std::size_t n = 0; n < size; ++n) to[n] = by * both[n] - less * held[n];
    }

    // Calls work(first number, numbers) for a part of a family, set by set where sets are tiny.
    template <typename Work> static void each_stretch(const Visit &visit, const Work &work) {
        const std::size_t width = visit.pass.cube(), size = visit.family.size() * width;
        const std::size_t step = width < 4 ? width : size;
        for (std::size_t at = 0; at < size; at += step) work(at, step);
    }

    void cause(const Visit &visit, const double *is_on, std::size_t at, Table &table) {
        const std::size_t size = visit.family.size() * visit.pass.cube();
        std::copy_n(is_on, size, both.begin());
        each_stretch(visit, [&](std::size_t from, std::size_t length) {
            for (std::size_t c = 0; c < visit.links.size(); ++c)
                produce(both.data() + from, length, visit.pass.bit[c], visit.links[c].acts,
                        visit.links[c].fails);
        });
        add(visit, both.data(), at, table);
    }

    static bool changes_nothing(const Visit &visit) {  // while the row is off
        return visit.listens || (visit.spread.empty() && visit.weight_off * visit.stay == 1.0);
    }

    // The row being off, on all sets.
    static void stay(const Visit &visit, Table &table, bool back) {
        const double by = visit.weight_off * visit.stay;
        if (by != 1.0)
            for (double &value : table) value *= by;
        shift(visit.spread, table.data(), visit.cells(), back);
    }

    // The table as the row finds it.
    void enter(std::size_t t, Table &table) {
        const Visit &visit = visits[t];
        const std::size_t cells = visit.cells() >> visit.opens.size();
        shift(visit.shifts, table.data(), cells, false);
        if (!visit.kept.empty()) {
            spare.resize(visit.kept.size() * cells);
            for (std::size_t i = 0; i < visit.kept.size(); ++i)
                std::memcpy(spare.data() + i * cells, table.data() + visit.kept[i] * cells,
                            cells * sizeof(double));
            table.swap(spare);
        }
        table.resize(visit.slots * cells);
        for (int slot : visit.fresh) std::fill_n(table.begin() + slot * cells, cells, 0.0);
        int bit = visit.findings - int(visit.opens.size());
        for (int s : visit.opens) split(table, bit++, p.leak_fails[s], p.leak[s], spare);
    }

    // The row, and the findings that close. What the row does by being on is also left in `is_on`.
    void advance(std::size_t t, Table &table, int &exponent, double *is_on) {
        const Visit &visit = visits[t];
        const bool steady = changes_nothing(visit);
        each_part(visit, is_on, [&](std::size_t at, double *part) {
            gather(visit, table, at, held.data());
            act(visit, part, false);
            if (steady && !visit.listens) cause(visit, part, at, table);
        });
        if (!steady) {
            stay(visit, table, false);
            each_part(visit, is_on, [&](std::size_t at, double *part) { cause(visit, part, at, table); });
        }
        for (int bit : visit.closes) fold(table, bit, 0.0, 1.0);
        if (scaled(visit)) exponent += rescale(table);
    }

    static bool scaled(const Visit &visit) {
        return !visit.closes.empty() || !visit.opens.empty() || visit.weight_on > LEAP;
    }

    static std::size_t stored(const Visit &visit) {
        return (visit.family.size() + (visit.opens.empty() ? 0 : visit.slots)) * visit.cells();
    }

    bool forward_all(double most_bytes) {
        ExpansionMemory memory;
        for (const Visit &visit : visits)
            memory.add(double(stored(visit)), double(visit.slots * visit.cells()));
        if (memory.bytes() > most_bytes) return false;
        const double most = memory.stretch();
        power.assign(visits.size() + 1, 0);
        place.assign(visits.size(), 0);
        std::size_t used = 0, needed = 0;
        for (std::size_t t = 0; t < visits.size(); ++t) {
            const std::size_t here = stored(visits[t]);
            if (starts.empty() || double(used + here) > most) {
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
            if (starts.size() > 1 && saved.size() < starts.size() && starts[saved.size()] == t)
                saved.push_back(table);
            power[t + 1] = power[t];
            pass(t, table, power[t + 1]);
        }
        total = table[0];
        return true;
    }

    void pass(std::size_t t, Table &table, int &exponent) {
        enter(t, table);
        double *here = store.data() + place[t];
        const std::size_t family = visits[t].family.size() * visits[t].cells();
        if (!visits[t].opens.empty()) std::copy(table.begin(), table.end(), here + family);
        advance(t, table, exponent, here);
    }

    void fill_segment(std::size_t segment, std::size_t begin, std::size_t end) {
        Table table = std::move(saved[segment]);
        int ignored = 0;
        for (std::size_t t = begin; t < end; ++t) pass(t, table, ignored);
    }

    // Reads the tables of a row off its family and the derivatives after it, then moves the derivatives
    // before it.
    void backward(std::size_t t) {
        const Visit &visit = visits[t];
        const std::size_t cells = visit.cells(), all = visit.family.size() * cells;
        const std::size_t count = visit.links.size();
        double *is_on = store.data() + place[t];
        for (std::size_t i = visit.closes.size(); i-- > 0;) split(rest, visit.closes[i], 0.0, 1.0, spare);
        const bool steady = changes_nothing(visit);
        const std::size_t size = visit.family.size() * visit.pass.cube();
        double joint = 0.0;
        std::vector<double> stays(count, 0.0), gain(count, 0.0), kept(count, 0.0), more(count, 0.0);
        const auto completes = [&](double *y, std::size_t but) {
            each_stretch(visit, [&](std::size_t from, std::size_t length) {
                for (std::size_t c = 0; c < count; ++c)
                    if (c != but)
                        complete(y + from, length, visit.pass.bit[c], visit.links[c].acts,
                                 visit.links[c].fails);
            });
        };
        const auto splits = [&](const double *f, const double *y, std::size_t c, double &one, double &two) {
            each_stretch(visit, [&](std::size_t from, std::size_t length) {
                settled::split(f + from, y + from, length, visit.pass.bit[c], one, two);
            });
        };
        each_part(visit, is_on, [&](std::size_t at, double *f) {
            gather(visit, rest, at, held.data());
            completes(held.data(), count);
            joint += dot(f, held.data(), size);
            for (std::size_t c = 0; c < count; ++c) {
                splits(f, held.data(), c, stays[c], gain[c]);
                if (visit.links[c].fails >= SMALL_FAILS) continue;
                gather(visit, rest, at, both.data());
                completes(both.data(), c);
                splits(f, both.data(), c, kept[c], more[c]);
            }
            if (visit.listens) return;
            // What was caused has been read: its place takes what goes back.
            act(visit, f, true);
            if (steady) add(visit, f, at, rest);
        });
        const double by = std::ldexp(1.0 / total, power[t] + rest_power - power.back());
        answer.posterior[visit.row] = by * joint;
        double disablement = 0.0, sufficiency = 0.0, loss = 0.0, doubt = 0.0;
        for (std::size_t c = 0; c < count; ++c) {
            const Mechanism &link = visit.links[c];
            const double strength = by * link.acts;
            double divisor = link.fails, one = gain[c], two = stays[c];
            if (link.fails < SMALL_FAILS) divisor = 1.0, one = more[c], two = kept[c];
            answer.sustained[link.cell] = strength * (joint - stays[c] + gain[c]);
            answer.disabled[link.cell] = strength / divisor * (one - two);
            sufficiency += answer.sustained[link.cell];
            disablement += answer.disabled[link.cell];
            loss += strength * (std::abs(joint) + std::abs(stays[c]) + std::abs(gain[c]));
            doubt += strength / divisor * (std::abs(one) + std::abs(two));
        }
        worst = std::max({worst, loss / std::max(sufficiency, 1e-3), doubt / std::max(disablement, 1e-3)});
        if (!steady) {
            stay(visit, rest, true);
            each_part(visit, is_on, [&](std::size_t at, double *part) { add(visit, part, at, rest); });
        }
        for (std::size_t i = 0; i < visit.opens.size(); ++i)
            explain(visit, visit.findings - int(visit.opens.size() - i), visit.opens[i], is_on + all, by);
        leave(t);
        if (scaled(visit)) rest_power += rescale(rest);
    }

    // The transpose of `enter`.
    void leave(std::size_t t) {
        const Visit &visit = visits[t];
        for (std::size_t i = visit.opens.size(); i-- > 0;) {
            const int s = visit.opens[i], bit = visit.findings - int(visit.opens.size() - i);
            fold(rest, bit, p.leak_fails[s], p.leak[s]);
        }
        const std::size_t cells = visit.cells() >> visit.opens.size();
        for (int slot : visit.fresh) std::fill_n(rest.begin() + slot * cells, cells, 0.0);
        rest.resize(visit.before * cells);
        if (!visit.kept.empty()) {
            spare.assign(visit.came * cells, 0.0);
            for (std::size_t i = 0; i < visit.kept.size(); ++i)
                std::memcpy(spare.data() + visit.kept[i] * cells, rest.data() + i * cells,
                            cells * sizeof(double));
            rest.swap(spare);
        }
        shift(visit.shifts, rest.data(), cells, true);
    }

    // P(no disease causes the finding | evidence), at the row where it opens.
    void explain(const Visit &visit, int bit, int column, const double *table, double by) {
        const std::size_t half = std::size_t(1) << bit, all = visit.slots * visit.cells();
        double with = 0.0, others = 0.0;
        for (std::size_t base = 0; base < all; base += 2 * half) {
            others += dot(table + base, rest.data() + base, half);
            with += dot(table + base + half, rest.data() + base + half, half);
        }
        answer.unexplained[column] = by * (with - p.leak[column] / p.leak_fails[column] * others);
    }
};

}  // namespace

Answer Expansion::solve(const Stopwatch &watch) {
    Answer answer;
    answer.posterior.assign(p.rows, 0.0);
    answer.disabled.assign(p.rows * p.columns, 0.0);
    answer.sustained.assign(p.rows * p.columns, 0.0);
    answer.unexplained.assign(p.columns, 0.0);
    Sweep sweep(p, visits, answer, watch);
    answer.log_evidence = log_shared + sweep.solve(most_bytes);
    bound_rounding(answer);
    rounding *= sweep.amplified();
    for (const Visit &visit : visits) {
        if (visit.listens) continue;
        const double weight = p.weight_off[visit.row] > 0.0 ? p.weight_off[visit.row] : 1.0;
        answer.log_evidence += std::log(visit.unit * weight);
    }
    for (int s : lone) {
        answer.log_evidence += std::log(p.leak[s]);
        answer.unexplained[s] = 1.0;
    }
    answer.expired = !std::isfinite(answer.log_evidence);
    return answer;
}

// Lanes of the explanations that are weighed at once.
using Lanes = std::array<double, Expansion::TOGETHER>;

std::array<double, Expansion::TOGETHER> Expansion::weigh(const std::vector<int> *explanations,
                                                         std::size_t count,
                                                         const Reference &reference) const {
    constexpr std::size_t N = TOGETHER;
    std::vector<Lanes> is_off(p.rows);
    std::vector<char> any(p.rows, 0);
    for (Lanes &lanes : is_off) lanes.fill(1.0);
    for (std::size_t lane = 0; lane < count; ++lane)
        for (int k : explanations[lane]) is_off[k][lane] = 0.0, any[k] = 1;
    std::vector<Lanes> sets(most_slots, Lanes{}), spare, both, off;
    sets[0].fill(1.0);
    for (const Visit &visit : visits) {
        const std::size_t k = visit.row;
        shift(visit.shifts, sets[0].data(), N, false);
        if (!visit.kept.empty()) {
            spare.resize(visit.kept.size());
            for (std::size_t i = 0; i < visit.kept.size(); ++i) spare[i] = sets[visit.kept[i]];
            std::copy(spare.begin(), spare.end(), sets.begin());
        }
        for (int slot : visit.fresh) sets[slot].fill(0.0);
        if (visit.listens) continue;
        if (any[k]) {
            both.resize(visit.family.size());
            for (std::size_t i = 0; i < both.size(); ++i) both[i] = sets[visit.family[i]];
            off = both;
            for (const Turn &one : visit.turns) {
                turn<N>(one.sets, one.both, both[0].data(), N, N);
                if (!visit.spread.empty()) turn<N>(one.sets, one.off, off[0].data(), N, N);
            }
        }
        shift(visit.spread, sets[0].data(), N, false);
        if (!any[k] && visit.stay == 1.0) continue;
        Lanes stays = is_off[k], first, less;
        const bool can_be_off = reference.off[k] > 0.0;
        const double by = (can_be_off ? reference.off[k] : visit.unit) / reference.on[k];
        for (std::size_t n = 0; n < N; ++n) {
            first[n] = (1.0 - stays[n]) * by * (visit.turns.empty() ? p.on[k] : 1.0) / visit.unit;
            less[n] = visit.turns.empty() ? 0.0 : (1.0 - stays[n]) * by * visit.stay;
            stays[n] *= visit.stay;
        }
        for (std::size_t i = 0; i < visit.slots; ++i)
            for (std::size_t n = 0; n < N; ++n) sets[i][n] *= stays[n];
        if (!any[k]) continue;
        for (std::size_t i = 0; i < both.size(); ++i) {
            double *to = sets[visit.family[i]].data();
            for (std::size_t n = 0; n < N; ++n)
                to[n] += first[n] * both[i][n] - less[n] * off[i][n];
        }
    }
    double log_all_off = log_shared;
    for (const Visit &visit : visits)
        if (!visit.listens && reference.off[visit.row] > 0.0)
            log_all_off += std::log(visit.unit / reference.off[visit.row]);
    Lanes found = sets[0];
    for (double &chance : found) chance *= std::exp(log_all_off);
    return found;
}

}  // namespace hickam::coupled
