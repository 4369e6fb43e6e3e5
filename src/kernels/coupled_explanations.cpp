#include "coupled_explanations.hpp"
#include "coupled_table.hpp"

#include <numeric>

namespace hickam::coupled {

namespace {

constexpr int MOST_BITS = 24;
constexpr double TABLES = 6.0;      // that are there at a time
constexpr double LEAST = 1e-200;    // evidence: terms that underflow do not count in it
constexpr double EPSILON = 0x1p-53;
constexpr std::size_t CHUNK = 1024;  // terms that are added before they are added to others

struct Link {
    int bit, row;
};

// The reached rows as bits of a set: those with most to do highest, where loops are long.
struct Sets {
    explicit Sets(const Coupled &p) : problem(p), bit_of_row(p.rows, -1) {
        std::vector<int> work(p.rows, 0);
        for (std::size_t e = 0; e < p.edges; ++e) ++work[p.edge_row[e]];
        for (std::size_t k = 0; k < p.rows; ++k) {
            if (!p.reached[k]) continue;
            row_of_bit.push_back(int(k));
            for (std::size_t s = 0; s < p.columns; ++s) work[k] += p.acts[k * p.columns + s] > 0.0;
        }
        std::stable_sort(row_of_bit.begin(), row_of_bit.end(),
                         [&](int one, int other) { return work[one] < work[other]; });
        for (std::size_t b = 0; b < row_of_bit.size(); ++b) bit_of_row[row_of_bit[b]] = int(b);
    }
    std::size_t size() const { return std::size_t(1) << row_of_bit.size(); }
    std::vector<Link> links(std::size_t column) const {
        std::vector<Link> found;
        for (std::size_t b = 0; b < row_of_bit.size(); ++b)
            if (problem.acts[std::size_t(row_of_bit[b]) * problem.columns + column] > 0.0)
                found.push_back({int(b), row_of_bit[b]});
        return found;
    }

    const Coupled &problem;
    std::vector<int> row_of_bit, bit_of_row;
};

// Moves what is off on one bit to on, with this chance.
void turn_on(Table &table, int bit, double acts, double fails) {
    const std::size_t half = std::size_t(1) << bit;
    for (std::size_t base = 0; base < table.size(); base += 2 * half) {
        double *off = table.data() + base, *on = off + half;
#pragma omp simd
        for (std::size_t i = 0; i < half; ++i) {
            on[i] += acts * off[i];
            off[i] *= fails;
        }
    }
}

// [set] the chance of every set; `fails` [risk] weighs risk factors that are on. False: time is up.
bool chances(const Sets &sets, const double *fails, Table &table, Table &spare,
             const Stopwatch &watch) {
    const Coupled &p = sets.problem;
    table.assign(1, 1.0);
    for (std::size_t b = 0; b < sets.row_of_bit.size(); ++b) {
        const int k = sets.row_of_bit[b];
        split(table, int(b), p.off[k], p.on[k], spare);
    }
    for (std::size_t j = 0, e = 0; j < p.risks; ++j) {
        spare = table;
        for (; e < p.edges && std::size_t(p.edge_risk[e]) == j; ++e)
            if (const int bit = sets.bit_of_row[p.edge_row[e]]; bit >= 0)
                turn_on(spare, bit, p.edge_acts[e], p.edge_fails[e]);
        const double on = p.risk_prior[j] * fails[j], off = 1.0 - p.risk_prior[j];
#pragma omp simd
        for (std::size_t i = 0; i < table.size(); ++i) table[i] = off * table[i] + on * spare[i];
        if (watch.expired()) return false;
    }
    return true;
}

// [set] the chance that nothing in it causes a finding, and that it is present.
struct Finding {
    Table silent, present;
    void of(const Sets &sets, std::size_t column, Table &spare) {
        const Coupled &p = sets.problem;
        silent.assign(1, 1.0);
        present.assign(1, p.leak[column]);
        for (std::size_t b = 0; b < sets.row_of_bit.size(); ++b) {
            const std::size_t at = std::size_t(sets.row_of_bit[b]) * p.columns + column;
            const std::size_t half = silent.size();
            split(present, int(b), 1.0, 1.0, spare);
            const double caused = p.acts[at] * p.leak_fails[column];
            double *on = present.data() + half;
#pragma omp simd
            for (std::size_t i = 0; i < half; ++i) on[i] += caused * silent[i];
            split(silent, int(b), 1.0, p.acts[at] > 0.0 ? p.fails[at] : 1.0, spare);
        }
    }
};

struct Pair {
    double on = 0.0, alone = 0.0;
};

// Over the sets with a bit: the sum of a table, and of it times another one without the bit.
Pair sum_with(const Table &table, const Table &without, int bit) {
    const std::size_t half = std::size_t(1) << bit, chunk = std::min(half, CHUNK);
    Pair total, some;
    std::size_t terms = 0;
    for (std::size_t base = 0; base < table.size(); base += 2 * half) {
        for (std::size_t begin = 0; begin < half; begin += chunk) {
            const double *on = table.data() + base + half + begin;
            const double *off = without.data() + base + begin;
            double sum = 0.0, product = 0.0;
#pragma omp simd reduction(+ : sum, product)
            for (std::size_t i = 0; i < chunk; ++i) {
                sum += on[i];
                product += on[i] * off[i];
            }
            some.on += sum, some.alone += product;
            if ((terms += chunk) >= CHUNK) {
                total.on += some.on, total.alone += some.alone;
                some = {}, terms = 0;
            }
        }
    }
    return {total.on + some.on, total.alone + some.alone};
}

// The sum of the products of two tables.
double dot(const Table &one, const Table &other) {
    double total = 0.0;
    for (std::size_t begin = 0; begin < one.size(); begin += CHUNK) {
        const std::size_t end = std::min(begin + CHUNK, one.size());
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = begin; i < end; ++i) sum += one[i] * other[i];
        total += sum;
    }
    return total;
}

}  // namespace

ExplanationsPrice price_explanations(const Coupled &p) {
    double bits = 0.0, edges = 0.0, links = 0.0, listeners = 0.0;
    for (std::size_t k = 0; k < p.rows; ++k) (p.reached[k] ? bits : listeners) += 1.0;
    if (bits > MOST_BITS) return {INFINITY, INFINITY};
    for (std::size_t e = 0; e < p.edges; ++e) edges += p.reached[p.edge_row[e]];
    for (std::size_t i = 0; i < p.rows * p.columns; ++i) links += p.acts[i] > 0.0;
    const double folding = 1.5 * edges + 3.0 * double(p.risks) + 4.0;
    const double cells = std::ldexp(1.0, int(bits));
    const double each = folding * (1.0 + listeners) + 14.0 * double(p.columns) + 1.5 * links + bits;
    return {cells * each, TABLES * 8.0 * cells};
}

Outcome explanations(const Coupled &p, const Stopwatch &watch) {
    Outcome out;
    Answer &answer = out.answer;
    const Sets sets(p);
    const std::size_t size = sets.size();
    Table joint, spare, evidence(1, 1.0);
    const std::vector<double> untold(p.risks, 1.0);
    const auto expired = [&] {
        answer.expired = true;
        return out;
    };
    if (!chances(sets, untold.data(), joint, spare, watch)) return expired();
    for (std::size_t b = 0; b < sets.row_of_bit.size(); ++b) {
        const int k = sets.row_of_bit[b];
        split(evidence, int(b), p.weight_off[k], p.weight_on[k], spare);
    }
    Finding finding;
    for (std::size_t s = 0; s < p.columns; ++s) {
        finding.of(sets, s, spare);
#pragma omp simd
        for (std::size_t i = 0; i < size; ++i) evidence[i] *= finding.present[i];
        if (watch.expired()) return expired();
    }
    const double total = dot(joint, evidence);
    answer.log_evidence = std::log(total);
    out.rounding = EPSILON * (double(2 * CHUNK) + 4.0 * double(p.edges + p.risks + p.rows) +
                              2.0 * double(p.columns * (sets.row_of_bit.size() + 4)));
    if (!(total > LEAST)) {
        out.rounding = INFINITY;
        return out;
    }
    answer.posterior.assign(p.rows, 0.0);
    answer.disabled.assign(p.rows * p.columns, 0.0);
    answer.sustained.assign(p.rows * p.columns, 0.0);
    answer.unexplained.assign(p.columns, 0.0);
    Table other;
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k]) continue;
        std::vector<double> fails(p.risks, 1.0);
        for (std::size_t e = 0; e < p.edges; ++e)
            if (std::size_t(p.edge_row[e]) == k) fails[p.edge_risk[e]] = p.edge_fails[e];
        if (!chances(sets, fails.data(), other, spare, watch)) return expired();
        const double off = std::min(dot(other, evidence) / total, 1.0);
        answer.posterior[k] = p.on[k] + p.off[k] * (1.0 - off);
    }
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i) joint[i] *= evidence[i] / total;
    for (std::size_t b = 0; b < sets.row_of_bit.size(); ++b)
        answer.posterior[sets.row_of_bit[b]] = sum_with(joint, joint, int(b)).on;
    Table &share = evidence;  // of a set, over the chance of the finding
    for (std::size_t s = 0; s < p.columns; ++s) {
        finding.of(sets, s, spare);
#pragma omp simd
        for (std::size_t i = 0; i < size; ++i)
            share[i] = joint[i] > 0.0 ? joint[i] / finding.present[i] : 0.0;
        answer.unexplained[s] = p.leak[s] * dot(share, finding.silent);
        for (const Link &link : sets.links(s)) {
            const std::size_t at = std::size_t(link.row) * p.columns + s;
            const Pair sum = sum_with(share, finding.silent, link.bit);
            answer.sustained[at] = p.acts[at] * sum.on;
            answer.disabled[at] = p.acts[at] * p.leak_fails[s] * sum.alone;
        }
        if (watch.expired()) return expired();
    }
    return out;
}

}  // namespace hickam::coupled
