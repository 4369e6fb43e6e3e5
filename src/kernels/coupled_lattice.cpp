// The subsets of the present findings and the alternating sums over them.
#include "coupled.hpp"

#include <algorithm>
#include <limits>

namespace hickam::coupled {
namespace {

// Share of a row's own corrections that what they leave out is expected to be at most.
constexpr double FOUNDED = 0.2;
constexpr double LOOP_ROUNDINGS = 0x1p-49;  // in what loops add to a term, in float64

}  // namespace

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
      mean_off(p.off, p.off + p.rows), low(p.rows) {
    for (std::size_t e = 0; e < p.edges; ++e)
        mean_off[p.edge_row[e]] *= 1.0 - p.risk_prior[p.edge_risk[e]] * p.edge_acts[e];
    double drift = 0.0;  // log2 of the typical product so far; thousands of rows must not underflow
    for (std::size_t k = 0; k < p.rows; ++k) {
        const double typical =
            p.weight_on[k] * (1.0 - mean_off[k]) + p.weight_off[k] * mean_off[k];
        int exponent = 0;
        if (typical > 0.0) {
            drift += std::log2(typical);
            exponent = static_cast<int>(std::lround(drift));
            drift -= exponent;
        }
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
    const std::vector<Num> never(p.columns, Num{1.0, 0.0});
    const DD unmoved = pattern(never.data(), 1.0);  // by any finding
    for (std::size_t k = 0; k < p.rows; ++k)
        low[k] = children[k] ? pattern(fails.data() + k * p.columns, 1.0) : unmoved;
    low_sign = pattern(leak_fails.data(), -1.0);
}

double Lattice::likely_condition() const {
    V size = fill(0.0), sum = fill(0.0);
    for (std::uint64_t block = 0; block < count; ++block) {
        V term = sign<V>(block);
        if (certain) term = where(meets(block, certain, 0), term, fill(0.0));
        for (std::size_t k = 0; k < problem.rows; ++k) {
            if (!problem.reached[k]) continue;  // the same on every subset
            const V on = a<V>(k, block);
            term *= on + (o<V>(k) - on) * fill(mean_off[k]);
        }
        sum += term;
        size += magnitude(term);
    }
    double total = 0.0, whole = 0.0;
    for (int lane = 0; lane < LANES; ++lane) total += sum[lane], whole += size[lane];
    return whole / std::abs(total);
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

Sums::Sums(const Lattice &of, bool messages) : lattice(of), messages(messages) {
    const Coupled &p = lattice.problem;
    const V zero = fill(0.0);
    rows.assign(p.rows + 1, Row{{zero, zero}, {}, zero, zero});
    inside.assign((p.rows + 1) * p.columns, DD{zero, zero});
    if (messages) more_inside.assign((p.rows + 1) * p.columns, More{});
    for (std::size_t k = 0; k <= p.rows; ++k)
        for (std::uint32_t left = k < p.rows ? lattice.never_fails[k] : lattice.certain; left;
             left &= left - 1)
            dead.push_back({k, std::size_t(__builtin_ctz(left)), {zero, zero}, {}});
}

template <class T>
void Sums::add_row(std::size_t row, std::uint64_t high, T value, const More &more) {
    const std::size_t columns = lattice.problem.columns;
    const DD term = exact(value);
    rows[row].total += term;
    rows[row].more += more;
    rows[row].size += magnitude(term.hi);
    rows[row].more_size += magnitude(more.all);
    for (; high; high &= high - 1) {
        const std::size_t at = row * columns + __builtin_ctzll(high);
        inside[at] += term;
        if (messages) more_inside[at] += more;
    }
}

template <class T>
void Sums::add(std::uint64_t block, T phi, const T *a, const T *slope, const More &more_phi,
               const More *more_slope) {
    const Coupled &p = lattice.problem;
    const T zero = lift<T>({0.0, 0.0});
    const T sign = lattice.sign<T>(block);
    const T weight =
        lattice.certain ? where(lattice.meets(block, lattice.certain, 0), sign, zero) : sign;
    const std::uint64_t high = block << LANE_BITS;
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!messages && !p.reached[k]) continue;
        const T value = weight * (a ? a[k] : lattice.a<T>(k, block));
        const More more = more_slope ? more_slope[k].times(lanes_of(value)) : More{};
        add_row(k, high & lattice.children[k], T(value * slope[k]), more);
    }
    add_row(p.rows, high, T(weight * phi), more_phi.times(lanes_of(weight)));
    for (Dead &d : dead) {
        const bool leak = d.row == p.rows;
        const std::uint32_t all = leak ? lattice.certain : lattice.never_fails[d.row];
        const Mask alone = lattice.meets(block, all, 1u << d.column);
        const T at = leak ? sign : T(weight * lattice.bare<T>(d.row, block));
        const T value = where(alone, T(at * (leak ? phi : slope[d.row])), zero);
        d.total += exact(value);
        if (more_slope)
            d.more += (leak ? more_phi : more_slope[d.row])
                          .times(where(alone, lanes_of(at), fill(0.0)));
    }
}

void Sums::listen(std::size_t row, Num total, double size) {
    rows[row].total.hi[0] += total.hi;
    rows[row].total.lo[0] += total.lo;
    rows[row].size[0] += size;
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

// A sum without loops, less what may be missing from it, and as it is.
struct Three {
    double bare = 0.0, doubted = 0.0, value = 0.0;
    Three operator/(Three other) const {
        return {bare / other.bare, doubted / other.doubted, value / other.value};
    }
    Three operator-(Three other) const {
        return {bare - other.bare, doubted - other.doubted, value - other.value};
    }
    Three operator*(double x) const { return {bare * x, doubted * x, value * x}; }
    void operator+=(Three other) {
        bare += other.bare, doubted += other.doubted, value += other.value;
    }
    double doubt() const { return std::abs(doubted - value) / std::max(std::abs(value), 1e-3); }
    double correction() const { return std::abs(bare - value) / std::max(std::abs(value), 1e-3); }
};

Three reduce(DD total, const Sums::More &more, std::size_t column = LANE_BITS) {
    const Num bare = reduce(total, column), sum = bare + reduce(more.all, column);
    return {bare.hi, (sum - reduce(more.doubt, column)).hi, sum.hi};
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
    const Three evidence = reduce(rows[p.rows].total, rows[p.rows].more);
    out.condition = reduce(rows[p.rows].size).hi / std::abs(evidence.value);
    out.rounding = std::numeric_limits<double>::infinity();
    if (!(evidence.value > 0.0)) return out;
    answer.log_evidence = std::log(evidence.value) + lattice.log_scale;
    out.doubt_evidence = evidence.doubted > 0.0 ? std::abs(std::log(evidence.doubted / evidence.value))
                                                : std::numeric_limits<double>::infinity();

    const auto share = [&](DD total, const More *more, std::size_t column = LANE_BITS) {
        if (messages) return reduce(total, *more, column) / evidence;
        const double value = reduce(total, column).hi / evidence.value;  // there are no loops
        return Three{value, value, value};
    };
    const auto within = [&](std::size_t row, std::size_t s) {  // over the subsets that hold s
        if (s < LANE_BITS) return share(rows[row].total, &rows[row].more, s);
        const std::size_t at = row * p.columns + s;
        return share(inside[at], messages ? &more_inside[at] : nullptr);
    };
    double worst = out.condition;
    double more = reduce(rows[p.rows].more_size).hi / evidence.value;
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!messages && !p.reached[k]) {  // told by `listen`, in one lane
            const double on = rows[k].total.hi[0] / evidence.value;
            answer.posterior[k] = on;
            worst = std::max(worst, rows[k].size[0] / evidence.value / std::max(on, 1e-3));
            continue;
        }
        const Three on = share(rows[k].total, &rows[k].more);
        answer.posterior[k] = on.value;
        Three disablement, sufficiency;
        for (std::uint32_t left = lattice.children[k]; left; left &= left - 1) {
            const std::size_t s = __builtin_ctz(left), at = k * p.columns + s;
            const Three off = within(k, s);
            Three disabled = off * (-p.acts[at] / lattice.fails[at].hi);
            for (const Dead &d : dead)
                if (d.row == k && d.column == s)
                    disabled = reduce(d.total, d.more) / evidence * -1.0;
            const Three sustained = (on - off) * p.acts[at];
            answer.disabled[at] = disabled.value;
            answer.sustained[at] = sustained.value;
            disablement += disabled;
            sufficiency += sustained;
        }
        double doubt = 0.0, correction = 0.0;
        for (const Three &score : {on, disablement, sufficiency}) {
            doubt = std::max(doubt, score.doubt());
            correction = std::max(correction, score.correction());
        }
        out.doubt = std::max(out.doubt, doubt);
        out.correction = std::max(out.correction, correction);
        out.unfounded = std::max(out.unfounded, doubt - FOUNDED * correction);
        const double size = reduce(rows[k].size).hi / evidence.value;
        worst = std::max(worst, size / std::max(on.value, 1e-3));
        if (!messages) continue;
        const double more_size = reduce(rows[k].more_size).hi / evidence.value;
        more = std::max(more, more_size / std::max(on.value, 1e-3));
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        Three off = within(p.rows, s) * (1.0 / lattice.leak_fails[s].hi);
        for (const Dead &d : dead)
            if (d.row == p.rows && d.column == s) off = reduce(d.total, d.more) / evidence;
        answer.unexplained[s] = -p.leak[s] * off.value;
        out.doubt_unexplained =
            std::max(out.doubt_unexplained, p.leak[s] * std::abs(off.value - off.doubted));
    }
    out.rounding = lattice.roundings() * epsilon * worst + LOOP_ROUNDINGS * more;
    return out;
}

template void Sums::add<V>(std::uint64_t, V, const V *, const V *, const More &, const More *);
template void Sums::add<DD>(std::uint64_t, DD, const DD *, const DD *, const More &, const More *);
template V Lattice::sign<V>(std::uint64_t) const;
template DD Lattice::sign<DD>(std::uint64_t) const;
template V Lattice::a<V>(std::size_t, std::uint64_t) const;
template DD Lattice::a<DD>(std::size_t, std::uint64_t) const;

}  // namespace hickam::coupled
