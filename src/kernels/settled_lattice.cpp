// SPARSE-LATTICE: inclusion–exclusion over the subsets z of the present findings,
//     P(evidence) = sum over z of (-1)^|z| leak_fails(z) prod_k f_k(z),
// where f_k depends only on the m_k findings that disease k can cause. Products over subsets and
// their quotients replace logarithms. The sum cancels: the condition number says how much.
#include "settled_lattice.hpp"
#include "wide_number.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hickam::settled {
namespace {

// 1 - x to full precision from whichever of x and 1 - x is the smaller
template <typename T> T complement(double acts, double fails) {
    return acts < 0.5 ? T(1.0) - T(acts) : T(fails);
}

template <typename T> struct Group {  // the rows that can cause exactly these findings
    std::vector<int> bits;
    std::vector<int> rows;
};

template <typename T> class Lattice {
  public:
    Lattice(const Settled &problem, const Stopwatch &watch)
        : problem(problem), watch(watch), bits(int(problem.columns)),
          size(std::size_t(1) << bits) {
        std::map<std::size_t, Group<T>> found;
        for (std::size_t k = 0; k < problem.rows; ++k) {
            if (!(problem.on[k] > 0.0)) continue;
            std::size_t mask = 0;
            for (int s = 0; s < bits; ++s)
                if (problem.acts[k * bits + s] > 0.0) mask |= std::size_t(1) << s;
            auto &group = found[mask];
            group.rows.push_back(int(k));
            if (group.rows.size() == 1)
                for (int s = 0; s < bits; ++s)
                    if (mask >> s & 1) group.bits.push_back(s);
        }
        for (auto &entry : found) groups.push_back(std::move(entry.second));
    }

    LatticeAnswer solve() {
        const std::size_t cells = problem.rows * problem.columns;
        LatticeAnswer result;
        result.answer = {0.0, std::vector<double>(problem.rows), std::vector<double>(cells),
                         std::vector<double>(cells), std::vector<double>(problem.columns)};
        if (!products()) return lost(result);
        if (watch.expired()) return expired(result);
        double positive = 0.0;
        for (std::size_t z = 0; z < size; ++z) {
            positive += magnitude(table[z]);
            if (__builtin_popcountll(z) & 1) table[z] = -table[z];
        }
        std::vector<T> signed_terms;
        if (any_wide()) signed_terms = table;
        superset_sums(table.data(), bits);
        if (watch.expired()) return expired(result);
        total = table[0];
        if (!(double(total) > 0.0)) return lost(result);
        result.condition = positive / double(total);
        result.answer.log_evidence = std::log(double(total));
        for (std::size_t k = 0; k < problem.rows; ++k)
            result.answer.log_evidence += std::log(problem.on[k] + problem.off[k]);
        for (int s = 0; s < bits; ++s)
            result.answer.unexplained[s] = -problem.leak[s] / problem.leak_fails[s] *
                                           double(table[std::size_t(1) << s] / total);
        for (const auto &group : groups) {
            read(group, signed_terms, result.answer);
            if (watch.expired()) return expired(result);
        }
        return result;
    }

  private:
    const Settled &problem;
    const Stopwatch &watch;
    int bits;
    std::size_t size;
    std::vector<Group<T>> groups;
    std::vector<T> table;
    T total;

    static LatticeAnswer lost(LatticeAnswer &result) {
        result.condition = INFINITY;
        return result;
    }
    static LatticeAnswer expired(LatticeAnswer &result) {
        result.answer.expired = true;
        return result;
    }

    // A row that causes most findings is cheaper handled on the whole lattice.
    bool wide(const Group<T> &group) const {
        const std::size_t m = group.bits.size();
        return m > 6 && (m << m) / 2 > 2 * group.rows.size() * size;
    }
    bool any_wide() const {
        return std::any_of(groups.begin(), groups.end(), [&](const auto &g) { return wide(g); });
    }

    // off and on with sum 1
    void chances(int k, T &off, T &on) const {
        const T mass = T(problem.off[k]) + T(problem.on[k]);
        if (problem.on[k] < problem.off[k]) {
            on = T(problem.on[k]) / mass;
            off = T(1.0) - on;
        } else {
            off = T(problem.off[k]) / mass;
            on = T(1.0) - off;
        }
    }

    // survive[y] = prod over y of λ
    void survival(int k, const std::vector<int> &children, std::vector<T> &survive) const {
        survive.assign(std::size_t(1) << children.size(), T(1.0));
        for (std::size_t i = 0; i < children.size(); ++i) {
            const std::size_t cell = std::size_t(k) * bits + children[i];
            const T fails = complement<T>(problem.acts[cell], problem.fails[cell]);
            const std::size_t half = std::size_t(1) << i;
            for (std::size_t y = 0; y < half; ++y) survive[half + y] = survive[y] * fails;
        }
    }

    static std::vector<std::size_t> embedding(const std::vector<int> &children) {
        std::vector<std::size_t> at(std::size_t(1) << children.size(), 0);
        for (std::size_t i = 0; i < children.size(); ++i) {
            const std::size_t half = std::size_t(1) << i;
            for (std::size_t y = 0; y < half; ++y)
                at[half + y] = at[y] | (std::size_t(1) << children[i]);
        }
        return at;
    }

    static void superset_sums(T *values, int count) {
        const std::size_t length = std::size_t(1) << count;
        for (int s = 0; s < count; ++s) {
            const std::size_t half = std::size_t(1) << s;
            for (std::size_t base = 0; base < length; base += 2 * half)
                for (std::size_t i = base; i < base + half; ++i)
                    values[i] = values[i] + values[i + half];
        }
    }

    // table[z] = leak_fails(z) prod_k f_k(z); false where a factor is 0 and cannot be divided by
    bool products() {
        table.assign(size, T(1.0));
        std::vector<T> survive, factor;
        for (const auto &group : groups) {
            if (wide(group)) continue;
            const std::size_t m = group.bits.size(), length = std::size_t(1) << m;
            factor.assign(length, T(1.0));
            for (int k : group.rows) {
                T off, on;
                chances(k, off, on);
                survival(k, group.bits, survive);
                for (std::size_t y = 0; y < length; ++y)
                    factor[y] = factor[y] * (off + on * survive[y]);
            }
            for (std::size_t y = 0; y < length; ++y)
                if (!(double(factor[y]) > 1e-280)) return false;
            for (std::size_t i = 0; i < m; ++i) {
                const std::size_t half = std::size_t(1) << i;
                for (std::size_t base = 0; base < length; base += 2 * half)
                    for (std::size_t y = base; y < base + half; ++y)
                        factor[y + half] = factor[y + half] / factor[y];
            }
            const auto at = embedding(group.bits);
            for (std::size_t y = 0; y < length; ++y) table[at[y]] = table[at[y]] * factor[y];
        }
        for (int s = 0; s < bits; ++s)
            table[std::size_t(1) << s] = table[std::size_t(1) << s] *
                                         complement<T>(problem.leak[s], problem.leak_fails[s]);
        for (int s = 0; s < bits; ++s) {
            const std::size_t half = std::size_t(1) << s;
            for (std::size_t base = 0; base < size; base += 2 * half)
                for (std::size_t i = base; i < base + half; ++i)
                    table[i + half] = table[i + half] * table[i];
        }
        for (const auto &group : groups) {
            if (!wide(group)) continue;
            for (int k : group.rows) {
                std::vector<T> full = on_lattice(k);
                T off, on;
                chances(k, off, on);
                for (std::size_t z = 0; z < size; ++z) {
                    const T f = off + on * full[z];
                    if (!(double(f) > 1e-280)) return false;
                    table[z] = table[z] * f;
                }
            }
        }
        return double(table[size - 1]) > 1e-280;
    }

    std::vector<T> on_lattice(int k) const {
        std::vector<int> all(bits);
        for (int s = 0; s < bits; ++s) all[s] = s;
        std::vector<T> survive;
        survival(k, all, survive);
        return survive;
    }

    void read(const Group<T> &group, const std::vector<T> &terms, Answer &answer) const {
        std::vector<int> children = group.bits;
        std::vector<T> exact;
        if (wide(group)) {
            children.resize(bits);
            for (int s = 0; s < bits; ++s) children[s] = s;
            exact = terms;
        } else {
            const auto at = embedding(children);
            exact.resize(at.size());
            for (std::size_t y = 0; y < at.size(); ++y) exact[y] = table[at[y]];
            for (std::size_t i = 0; i < children.size(); ++i) {  // sum over z ∩ children == y
                const std::size_t half = std::size_t(1) << i;
                for (std::size_t base = 0; base < exact.size(); base += 2 * half)
                    for (std::size_t y = base; y < base + half; ++y)
                        exact[y] = exact[y] - exact[y + half];
            }
        }
        std::vector<T> survive, rest(exact.size());
        for (int k : group.rows) {
            T off, on;
            chances(k, off, on);
            survival(k, children, survive);
            T joint = 0.0;
            for (std::size_t y = 0; y < exact.size(); ++y) {
                rest[y] = exact[y] / (off + on * survive[y]);  // the sum without disease k
                joint = joint + rest[y] * survive[y];
            }
            answer.posterior[k] = double(on * joint / total);
            for (std::size_t i = 0; i < children.size(); ++i) {
                const std::size_t cell = std::size_t(k) * bits + children[i];
                if (!(problem.acts[cell] > 0.0)) continue;
                const std::size_t half = std::size_t(1) << i;
                T off_with = 0.0, off_without = 0.0;  // P(D_k, s off), with the link k → s or not
                for (std::size_t base = 0; base < exact.size(); base += 2 * half)
                    for (std::size_t y = base; y < base + half; ++y) {
                        off_with = off_with - rest[y + half] * survive[y + half];
                        off_without = off_without - rest[y + half] * survive[y];
                    }
                answer.sustained[cell] =
                    problem.acts[cell] * double(on * (joint + off_with) / total);
                answer.disabled[cell] = problem.acts[cell] * double(on * off_without / total);
            }
        }
    }
};

}  // namespace

LatticeAnswer lattice(const Settled &problem, int parts, const Stopwatch &watch) {
    if (parts == 1) return Lattice<double>(problem, watch).solve();
    if (parts == 2) return Lattice<Two>(problem, watch).solve();
    return Lattice<Four>(problem, watch).solve();
}

}  // namespace hickam::settled
