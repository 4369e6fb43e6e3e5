// Exact elimination of risk factors and rows, one at a time, on every subset of the findings.
//
// A deputy y_k in {0, 1} per row makes all factors pairwise: f_k = a_k [y = 0] + (o_k - a_k) L_k
// prod_j l_jk^(r_j) [y = 1]. A backward pass over the tables gives the slopes of all rows at once.
#include "coupled.hpp"

#include <algorithm>
#include <limits>

namespace hickam::coupled {

namespace {

// Sets of variables as bits.
class Bits {
  public:
    explicit Bits(std::size_t size = 0) : words((size + 63) / 64, 0) {}
    void add(int i) { words[i >> 6] |= 1ull << (i & 63); }
    void remove(int i) { words[i >> 6] &= ~(1ull << (i & 63)); }
    int count() const {
        int n = 0;
        for (std::uint64_t w : words) n += __builtin_popcountll(w);
        return n;
    }
    int common(const Bits &other) const {
        int n = 0;
        for (std::size_t i = 0; i < words.size(); ++i)
            n += __builtin_popcountll(words[i] & other.words[i]);
        return n;
    }
    void join(const Bits &other) {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
    }
    template <class Each> void visit(Each each) const {
        for (std::size_t i = 0; i < words.size(); ++i)
            for (std::uint64_t w = words[i]; w; w &= w - 1)
                each(static_cast<int>(i * 64) + __builtin_ctzll(w));
    }

  private:
    std::vector<std::uint64_t> words;
};

int fill_of(int v, const std::vector<Bits> &near) {
    const int degree = near[v].count();
    int missing = 0;
    near[v].visit([&](int x) { missing += degree - 1 - near[v].common(near[x]); });
    return missing / 2;
}

}  // namespace

Plan plan_elimination(const Coupled &p, double most_cells) {
    Plan plan;
    plan.cells = 4.0 * static_cast<double>(p.edges);  // at the least
    if (plan.cells > most_cells) return plan;
    plan.cells = 0.0;
    const std::size_t size = p.risks + p.rows;
    std::vector<Bits> near(size, Bits(size));
    Bits left(size);
    for (std::size_t e = 0; e < p.edges; ++e) {
        const int j = static_cast<int>(p.edge_risk[e]), k = static_cast<int>(p.risks + p.edge_row[e]);
        near[j].add(k), near[k].add(j), left.add(j), left.add(k);
    }
    std::vector<int> missing(size, 0), degree(size, 0);
    const auto refresh = [&](int v) { missing[v] = fill_of(v, near), degree[v] = near[v].count(); };
    left.visit(refresh);
    std::vector<Bits> scopes;
    while (left.count()) {
        int best = -1;
        left.visit([&](int v) {
            if (best < 0 || missing[v] < missing[best] ||
                (missing[v] == missing[best] && degree[v] < degree[best]))
                best = v;
        });
        plan.cells += std::ldexp(2.0, degree[best]);
        if (plan.cells > most_cells) return plan;
        plan.order.push_back(best);
        scopes.push_back(near[best]);
        left.remove(best);
        Bits stale = near[best];
        near[best].visit([&](int x) {
            near[x].join(near[best]);
            near[x].remove(x), near[x].remove(best);
        });
        if (missing[best]) near[best].visit([&](int x) { stale.join(near[x]); });
        stale.visit(refresh);
    }
    std::vector<int> position(size, -1);
    for (std::size_t i = 0; i < plan.order.size(); ++i) position[plan.order[i]] = static_cast<int>(i);
    for (const Bits &scope : scopes) {
        std::vector<int> places;
        scope.visit([&](int v) { places.push_back(position[v]); });
        std::sort(places.begin(), places.end());
        plan.scopes.push_back(std::move(places));
    }
    return plan;
}

namespace {

// Where a message enters the table of a later variable.
struct Entry {
    int from;
    std::vector<std::uint32_t> index;  // [x] of the message's cell with the variable off
};

// The parts of a plan that do not depend on the subset.
struct Steps {
    Steps(const Coupled &, const Plan &);
    struct Step {
        int variable, width;
        std::vector<int> alone;    // messages about this variable only
        std::vector<Entry> mixed;  // messages about others as well
        std::vector<Num> pair;     // [x] product of pair factors with the variable on
    };
    std::vector<Step> steps;
    std::vector<int> roots;
    std::vector<int> loners;  // rows without coupling
};

Steps::Steps(const Coupled &p, const Plan &plan) : steps(plan.order.size()) {
    std::vector<int> position(p.risks + p.rows, -1);
    for (std::size_t i = 0; i < plan.order.size(); ++i) position[plan.order[i]] = static_cast<int>(i);
    for (std::size_t k = 0; k < p.rows; ++k)
        if (position[p.risks + k] < 0) loners.push_back(static_cast<int>(k));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i].variable = plan.order[i];
        steps[i].width = static_cast<int>(plan.scopes[i].size());
        steps[i].pair.assign(1u << steps[i].width, Num{1.0, 0.0});
    }
    for (std::size_t e = 0; e < p.edges; ++e) {
        int first = position[p.edge_risk[e]], second = position[p.risks + p.edge_row[e]];
        if (first > second) std::swap(first, second);
        const auto &scope = plan.scopes[first];
        const auto bit = std::find(scope.begin(), scope.end(), second) - scope.begin();
        const Num fails = complement(p.edge_acts[e], p.edge_fails[e]);
        for (std::uint32_t x = 0; x < steps[first].pair.size(); ++x)
            if (x >> bit & 1) steps[first].pair[x] = steps[first].pair[x] * fails;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto &scope = plan.scopes[i];
        if (scope.empty()) roots.push_back(static_cast<int>(i));
        if (scope.empty()) continue;
        Step &into = steps[scope[0]];
        if (scope.size() == 1) {
            into.alone.push_back(static_cast<int>(i));
            continue;
        }
        const auto &target = plan.scopes[scope[0]];
        Entry entry{static_cast<int>(i), std::vector<std::uint32_t>(1u << target.size(), 0)};
        std::vector<int> bits;
        for (std::size_t m = 1; m < scope.size(); ++m)
            bits.push_back(static_cast<int>(
                std::find(target.begin(), target.end(), scope[m]) - target.begin()));
        for (std::uint32_t x = 0; x < entry.index.size(); ++x)
            for (std::size_t m = 0; m < bits.size(); ++m)
                entry.index[x] |= (x >> bits[m] & 1u) << (m + 1);
        into.mixed.push_back(std::move(entry));
    }
}

template <class T> class Elimination {
  public:
    Elimination(const Lattice &lattice, const Steps &of)
        : slope(lattice.problem.rows), lattice(lattice), all(of), message(of.steps.size()),
          adjoint(of.steps.size()), own(of.steps.size()), weight(of.steps.size()) {
        for (std::size_t i = 0; i < all.steps.size(); ++i) {
            message[i].resize(1u << all.steps[i].width);
            adjoint[i].resize(1u << all.steps[i].width);
        }
    }
    void run(std::uint64_t block) {
        forward(block);
        roots(block);
        for (int i = static_cast<int>(all.steps.size()) - 1; i >= 0; --i) backward(i);
    }
    T phi;
    std::vector<T> slope;

  private:
    struct Two {
        T value[2];
    };
    void forward(std::uint64_t block);
    void roots(std::uint64_t block);
    void backward(int step);

    const Lattice &lattice;
    const Steps &all;
    std::vector<std::vector<T>> message, adjoint;
    std::vector<Two> own, weight;  // a variable's own weights, and with the messages about it alone
    std::vector<T> before;
};

template <class T> void Elimination<T>::forward(std::uint64_t block) {
    const Coupled &p = lattice.problem;
    for (std::size_t i = 0; i < all.steps.size(); ++i) {
        const Steps::Step &step = all.steps[i];
        const std::size_t v = step.variable;
        if (v < p.risks) {
            own[i] = {lift<T>(two_sum(1.0, -p.risk_prior[v])), lift<T>({p.risk_prior[v], 0.0})};
        } else {
            const T a = lattice.a<T>(v - p.risks, block);
            own[i] = {a, (lattice.o<T>(v - p.risks) - a) * lattice.off<T>(v - p.risks)};
        }
        weight[i] = own[i];
        for (int m : step.alone)
            for (int on = 0; on < 2; ++on) weight[i].value[on] = weight[i].value[on] * message[m][on];
        for (std::uint32_t x = 0; x < message[i].size(); ++x) {
            T off = weight[i].value[0], on = weight[i].value[1] * lift<T>(step.pair[x]);
            for (const Entry &entry : step.mixed) {
                const T *cell = &message[entry.from][entry.index[x]];
                off *= cell[0];
                on *= cell[1];
            }
            message[i][x] = off + on;
        }
    }
}

template <class T> void Elimination<T>::roots(std::uint64_t block) {
    // Phi is the product over roots and uncoupled rows; each sees the product of all others.
    const std::size_t count = all.roots.size(), size = count + all.loners.size();
    std::vector<T> factor(size), prefix(size + 1);
    for (std::size_t r = 0; r < count; ++r) factor[r] = message[all.roots[r]][0];
    for (std::size_t r = count; r < size; ++r) {
        const int k = all.loners[r - count];
        const T a = lattice.a<T>(k, block);
        factor[r] = a + (lattice.o<T>(k) - a) * lattice.off<T>(k);
    }
    prefix[0] = lift<T>({1.0, 0.0});
    for (std::size_t r = 0; r < size; ++r) prefix[r + 1] = prefix[r] * factor[r];
    phi = prefix[size];
    T after = lift<T>({1.0, 0.0});
    for (std::size_t r = size; r-- > 0; after = after * factor[r]) {
        const T others = prefix[r] * after;
        if (r < count) {
            adjoint[all.roots[r]][0] = others;
        } else {
            const int k = all.loners[r - count];
            slope[k] = others * (lift<T>({1.0, 0.0}) - lattice.off<T>(k));
        }
    }
}

template <class T> void Elimination<T>::backward(int i) {
    const Steps::Step &step = all.steps[i];
    const T zero = lift<T>({0.0, 0.0});
    const std::size_t mixed = step.mixed.size();
    for (const Entry &entry : step.mixed)
        std::fill(adjoint[entry.from].begin(), adjoint[entry.from].end(), zero);
    before.resize(mixed + 1);
    Two bar{{zero, zero}};  // of the variable's whole weight
    for (std::uint32_t x = 0; x < message[i].size(); ++x) {
        for (int on = 0; on < 2; ++on) {
            T product = adjoint[i][x];
            if (on) product *= lift<T>(step.pair[x]);
            const T seed = product * weight[i].value[on];
            T prefix = lift<T>({1.0, 0.0});
            for (std::size_t m = 0; m < mixed; ++m) {
                before[m] = prefix;
                prefix *= message[step.mixed[m].from][step.mixed[m].index[x] + on];
            }
            bar.value[on] += product * prefix;
            T after = seed;
            for (std::size_t m = mixed; m-- > 0;) {
                const std::uint32_t at = step.mixed[m].index[x] + on;
                adjoint[step.mixed[m].from][at] += before[m] * after;
                if (m) after *= message[step.mixed[m].from][at];
            }
        }
    }
    const std::size_t alone = step.alone.size();
    before.resize(alone + 1);
    Two bare;  // of the variable's own weight
    for (int on = 0; on < 2; ++on) {
        T prefix = bar.value[on];
        for (std::size_t m = 0; m < alone; ++m) {
            before[m] = prefix;
            prefix *= message[step.alone[m]][on];
        }
        bare.value[on] = prefix;
        T after = own[i].value[on];
        for (std::size_t m = alone; m-- > 0;) {
            adjoint[step.alone[m]][on] = before[m] * after;
            after *= message[step.alone[m]][on];
        }
    }
    const std::size_t risks = lattice.problem.risks, v = step.variable;
    if (v >= risks) slope[v - risks] = bare.value[0] - lattice.off<T>(v - risks) * bare.value[1];
}

template <class T>
Outcome run(const Lattice &lattice, const Steps &steps, double epsilon, const Stopwatch &watch) {
    Sums sums(lattice);
    Elimination<T> elimination(lattice, steps);
    for (std::uint64_t block = 0; block < lattice.blocks(); ++block) {
        if (watch.expired()) {
            Outcome late;
            late.answer.expired = true;
            return late;
        }
        elimination.run(block);
        sums.add<T>(block, elimination.phi, elimination.slope.data(), {}, nullptr);
    }
    return sums.conclude(epsilon);
}

}  // namespace

Outcome eliminate(const Coupled &problem, const Plan &plan, double goal, const Stopwatch &watch) {
    const Steps steps(problem, plan);
    const Lattice lattice(problem);
    const double slack = 10.0;  // the slopes are differences of nearly equal numbers
    if (!(lattice.roundings() * slack * 0x1p-53 * lattice.likely_condition() > goal)) {
        const Outcome coarse = run<V>(lattice, steps, slack * 0x1p-53, watch);
        if (coarse.answer.expired || coarse.rounding <= goal) return coarse;
    }
    return run<DD>(lattice, steps, slack * 0x1p-102, watch);
}

}  // namespace hickam::coupled
