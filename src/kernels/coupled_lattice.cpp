// The subsets of the present findings and the alternating sums over them.
#include "coupled.hpp"

#include <algorithm>
#include <limits>

namespace hickam {

Groups group(const long long *of, std::size_t items, std::size_t groups) {
    Groups result;
    result.start.assign(groups + 1, 0);
    result.item.resize(items);
    for (std::size_t i = 0; i < items; ++i) ++result.start[of[i] + 1];
    for (std::size_t g = 0; g < groups; ++g) result.start[g + 1] += result.start[g];
    std::vector<int> next(result.start.begin(), result.start.end() - 1);
    for (std::size_t i = 0; i < items; ++i) result.item[next[of[i]]++] = static_cast<int>(i);
    return result;
}

Lattice::Lattice(const Coupled &p)
    : problem(p), weight_on(p.rows), weight_off(p.rows), stay_off(p.rows),
      fails(p.rows * p.columns), children(p.rows, 0), never_fails(p.rows, 0),
      leak_fails(p.columns), count(std::max<std::uint64_t>(1, (1ull << p.columns) / LANES)),
      low(p.rows) {
    std::vector<double> mean_off(p.off, p.off + p.rows);
    for (std::size_t e = 0; e < p.edges; ++e)
        mean_off[p.edge_row[e]] *= 1.0 - p.risk_prior[p.edge_risk[e]] * p.edge_acts[e];
    for (std::size_t k = 0; k < p.rows; ++k) {
        const double typical =
            p.weight_on[k] * (1.0 - mean_off[k]) + p.weight_off[k] * mean_off[k];
        int exponent = 0;
        if (typical > 0.0) std::frexp(typical, &exponent);
        weight_on[k] = std::ldexp(p.weight_on[k], -exponent);
        weight_off[k] = std::ldexp(p.weight_off[k], -exponent);
        log_scale += exponent * std::log(2.0);
        stay_off[k] = complement(p.on[k], p.off[k]);
        for (std::size_t s = 0; s < p.columns; ++s) {
            const double acts = p.acts[k * p.columns + s], fail = p.fails[k * p.columns + s];
            fails[k * p.columns + s] = fail > 0.0 ? complement(acts, fail) : Num{1.0, 0.0};
            if (acts > 0.0) children[k] |= 1u << s;
            if (fail == 0.0) never_fails[k] |= 1u << s;
        }
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        leak_fails[s] =
            p.leak_fails[s] > 0.0 ? complement(p.leak[s], p.leak_fails[s]) : Num{1.0, 0.0};
        if (p.leak_fails[s] == 0.0) certain |= 1u << s;
    }
    const std::size_t low_columns = std::min<std::size_t>(LANE_BITS, p.columns);
    const auto pattern = [&](const Num *of, double minus) {
        DD result = lift<DD>({1.0, 0.0});
        for (int lane = 0; lane < LANES; ++lane) {
            Num value{1.0, 0.0};
            for (std::size_t s = 0; s < low_columns; ++s)
                if (lane >> s & 1) value = value * Num{minus * of[s].hi, minus * of[s].lo};
            if (lane >> low_columns) value = {0.0, 0.0};  // lanes beyond a tiny lattice
            result.hi[lane] = value.hi;
            result.lo[lane] = value.lo;
        }
        return result;
    };
    for (std::size_t k = 0; k < p.rows; ++k) low[k] = pattern(&fails[k * p.columns], 1.0);
    low_sign = pattern(leak_fails.data(), -1.0);
}

template <class T> T Lattice::sign(std::uint64_t block) const {
    Num high{1.0, 0.0};
    for (std::uint64_t left = block << LANE_BITS; left; left &= left - 1) {
        const Num &factor = leak_fails[__builtin_ctzll(left)];
        high = high * Num{-factor.hi, -factor.lo};
    }
    return narrow<T>(low_sign) * lift<T>(high);
}

template <class T> T Lattice::bare(std::size_t row, std::uint64_t block) const {
    Num high{weight_on[row], 0.0};
    for (std::uint64_t left = (block << LANE_BITS) & children[row]; left; left &= left - 1)
        high = high * fails[row * problem.columns + __builtin_ctzll(left)];
    return narrow<T>(low[row]) * lift<T>(high);
}

template <class T> T Lattice::a(std::size_t row, std::uint64_t block) const {
    const T value = bare<T>(row, block);
    if (!never_fails[row]) return value;
    return where(meets(block, never_fails[row], 0), value, lift<T>({0.0, 0.0}));
}

Mask Lattice::meets(std::uint64_t block, std::uint32_t columns, std::uint32_t meet) const {
    Mask mask;
    for (int lane = 0; lane < LANES; ++lane) {
        const std::uint64_t z = block << LANE_BITS | static_cast<std::uint64_t>(lane);
        mask[lane] = (z & columns) == meet ? -1 : 0;
    }
    return mask;
}

Sums::Sums(const Lattice &of) : lattice(of) {
    const Coupled &p = lattice.problem;
    const V zero = fill(0.0);
    rows.assign(p.rows + 1, Row{{zero, zero}, zero, zero});
    inside.assign((p.rows + 1) * p.columns, DD{zero, zero});
    more_inside.assign((p.rows + 1) * p.columns, zero);
    for (std::size_t k = 0; k <= p.rows; ++k)
        for (std::uint32_t left = k < p.rows ? lattice.never_fails[k] : lattice.certain; left;
             left &= left - 1)
            dead.push_back({k, std::size_t(__builtin_ctz(left)), {zero, zero}, zero});
}

template <class T>
void Sums::add_row(std::size_t row, std::uint64_t high, T value, V more) {
    const std::size_t columns = lattice.problem.columns;
    const DD term = exact(value);
    rows[row].total += term;
    rows[row].more += more;
    rows[row].size += magnitude(term.hi);
    for (; high; high &= high - 1) {
        const std::size_t at = row * columns + __builtin_ctzll(high);
        inside[at] += term;
        more_inside[at] += more;
    }
}

template <class T>
void Sums::add(std::uint64_t block, T phi, const T *slope, V more_phi, const V *more_slope) {
    const Coupled &p = lattice.problem;
    const T zero = lift<T>({0.0, 0.0});
    const T sign = lattice.sign<T>(block);
    const T weight =
        lattice.certain ? where(lattice.meets(block, lattice.certain, 0), sign, zero) : sign;
    const std::uint64_t high = block << LANE_BITS;
    for (std::size_t k = 0; k < p.rows; ++k) {
        T value = weight * lattice.a<T>(k, block);
        const V more = more_slope ? lanes_of(value) * more_slope[k] : fill(0.0);
        add_row(k, high & lattice.children[k], T(value * slope[k]), more);
    }
    add_row(p.rows, high, T(weight * phi), lanes_of(weight) * more_phi);
    for (Dead &d : dead) {
        const bool leak = d.row == p.rows;
        const std::uint32_t all = leak ? lattice.certain : lattice.never_fails[d.row];
        const Mask alone = lattice.meets(block, all, 1u << d.column);
        const T at = leak ? sign : T(weight * lattice.bare<T>(d.row, block));
        const T value = where(alone, T(at * (leak ? phi : slope[d.row])), zero);
        d.total += exact(value);
        if (more_slope)
            d.more += where(alone, lanes_of(at) * (leak ? more_phi : more_slope[d.row]), fill(0.0));
    }
}

namespace {

// The sum of the lanes whose subset holds `column` (any lane if it is no lane column).
Num reduce(DD value, std::size_t column = LANE_BITS) {
    Num sum;
    for (int lane = 0; lane < LANES; ++lane)
        if (column >= LANE_BITS || (lane >> column & 1))
            sum = sum + Num{value.hi[lane], value.lo[lane]};
    return sum;
}
Num reduce(V value, std::size_t column = LANE_BITS) { return reduce(exact(value), column); }

double relative_change(double before, double after) {
    return std::abs(before - after) / std::max(std::abs(after), 1e-3);
}

}  // namespace

Outcome Sums::conclude(double epsilon) const {
    const Coupled &p = lattice.problem;
    Outcome out;
    Answer &answer = out.answer;
    answer.posterior.assign(p.rows, 0.0);
    answer.disabled.assign(p.rows * p.columns, 0.0);
    answer.sustained.assign(p.rows * p.columns, 0.0);
    answer.unexplained.assign(p.columns, 0.0);
    answer.log_evidence = -std::numeric_limits<double>::infinity();
    const Num plain = reduce(rows[p.rows].total);
    const double before = plain.hi, after = (plain + reduce(rows[p.rows].more)).hi;
    out.condition = reduce(rows[p.rows].size).hi / std::abs(after);
    out.rounding = std::numeric_limits<double>::infinity();
    if (!(after > 0.0) || !(before > 0.0)) return out;
    answer.log_evidence = std::log(after) + lattice.log_scale;

    const auto within = [&](std::size_t row, std::size_t s) -> std::pair<double, double> {
        const bool lane = s < LANE_BITS;
        const std::size_t at = row * p.columns + s;
        const Num base = lane ? reduce(rows[row].total, s) : reduce(inside[at]);
        const Num more = lane ? reduce(rows[row].more, s) : reduce(more_inside[at]);
        return {base.hi, (base + more).hi};
    };
    double worst = out.condition;
    for (std::size_t k = 0; k < p.rows; ++k) {
        const Num total = reduce(rows[k].total);
        const double on[2] = {total.hi, (total + reduce(rows[k].more)).hi};
        const double size = reduce(rows[k].size).hi;
        answer.posterior[k] = on[1] / after;
        double change = relative_change(on[0] / before, on[1] / after);
        double disabled[2] = {0.0, 0.0}, sustained[2] = {0.0, 0.0};
        for (std::uint32_t left = lattice.children[k]; left; left &= left - 1) {
            const std::size_t s = __builtin_ctz(left), at = k * p.columns + s;
            const auto [off_before, off_after] = within(k, s);
            const double acts = p.acts[at], fail = lattice.fails[at].hi;
            if (!(lattice.never_fails[k] >> s & 1)) {
                disabled[0] -= acts / fail * off_before / before;
                answer.disabled[at] = -acts / fail * off_after / after;
            }
            sustained[0] += acts * (on[0] - off_before) / before;
            answer.sustained[at] = acts * (on[1] - off_after) / after;
        }
        for (const Dead &d : dead)
            if (d.row == k) {
                const Num base = reduce(d.total);
                disabled[0] -= base.hi / before;
                answer.disabled[k * p.columns + d.column] = -(base + reduce(d.more)).hi / after;
            }
        for (std::size_t s = 0; s < p.columns; ++s) {
            disabled[1] += answer.disabled[k * p.columns + s];
            sustained[1] += answer.sustained[k * p.columns + s];
        }
        change = std::max(change, relative_change(disabled[0], disabled[1]));
        change = std::max(change, relative_change(sustained[0], sustained[1]));
        out.change = std::max(out.change, change);
        worst = std::max(worst, size / after / std::max(answer.posterior[k], 1e-3));
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        double off = within(p.rows, s).second, divisor = lattice.leak_fails[s].hi;
        for (const Dead &d : dead)
            if (d.row == p.rows && d.column == s)
                off = (reduce(d.total) + reduce(d.more)).hi, divisor = 1.0;
        answer.unexplained[s] = -p.leak[s] / divisor * off / after;
    }
    out.rounding = 300.0 * epsilon * worst;
    return out;
}

template void Sums::add<V>(std::uint64_t, V, const V *, V, const V *);
template void Sums::add<DD>(std::uint64_t, DD, const DD *, V, const V *);
template V Lattice::a<V>(std::size_t, std::uint64_t) const;
template DD Lattice::a<DD>(std::size_t, std::uint64_t) const;

}  // namespace hickam
