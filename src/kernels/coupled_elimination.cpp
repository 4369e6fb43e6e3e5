// Sums the risk factors out on one subset of the findings after the other, and goes back.
#include "coupled_elimination.hpp"
#include "coupled_elimination_fixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace hickam::coupled {
namespace {

constexpr double EPSILON = 0x1p-53, FINE_EPSILON = 0x1p-102;
constexpr std::size_t MOST_KEPT = 1 << 24;  // bytes
constexpr double OF_ROWS = 4.0;             // condition of the worst row over that of the evidence
constexpr double UNITS = 30.0;              // of rounding: fifteen times what is usual

// Room for tables, kept by each thread from one case to the next: fresh pages from the system cost
// more than the arithmetic.
class Room {
  public:
    ~Room() { release(); }
    // So many vectors of doubles, not initialised; what was taken before is lost.
    V *take(std::size_t vectors) {
        if (vectors > size) {
            release();
            kept = static_cast<V *>(operator new[](vectors * sizeof(V), std::align_val_t(64)));
            size = vectors;
        }
        return kept;
    }
    void shrink() {
        if (size * sizeof(V) > MOST_KEPT) release();
    }

  private:
    V *kept = nullptr;
    std::size_t size = 0;

    void release() {
        if (kept) operator delete[](kept, std::align_val_t(64));
        kept = nullptr;
        size = 0;
    }
};
thread_local Room room;

double scalar(V x) {
    double sum = 0.0;
    for (int lane = 0; lane < LANES; ++lane) sum += x[lane];
    return sum;
}
Num scalar(DD x) {
    Num sum;
    for (int lane = 0; lane < LANES; ++lane) sum = sum + Num{x.hi[lane], x.lo[lane]};
    return sum;
}
Num as_num(double x) { return {x, 0.0}; }
Num as_num(Num x) { return x; }
template <class Scalar> Scalar as_scalar(Num x);
template <> double as_scalar<double>(Num x) { return x.hi; }
template <> Num as_scalar<Num>(Num x) { return x; }

// Sums a table over the risk factors that are not to be kept.
template <class Scalar>
void narrow_to(std::uint64_t scope, std::uint64_t kept, std::vector<Scalar> &table) {
    for (std::uint64_t gone = scope & ~kept; gone;) {
        const std::uint64_t last = 1ull << (63 - __builtin_clzll(gone));
        const std::size_t half = std::size_t(1) << __builtin_popcountll(scope & (last - 1));
        std::size_t to = 0;
        for (std::size_t base = 0; base < table.size(); base += 2 * half)
            for (std::size_t i = base; i < base + half; ++i) table[to++] = table[i] + table[i + half];
        table.resize(to);
        gone &= ~last;
        scope &= ~last;
    }
}

// `wide` blocks of subsets at a time, in one precision.
template <class T, int wide> class Elimination {
  public:
    Elimination(const Lattice &lattice, const Fixed &fixed, Sums &sums)
        : lattice(lattice), p(lattice.problem), plan(fixed.plan), fixed(fixed), sums(sums),
          a(p.rows * wide, zero()), slope(p.rows * wide, zero()), far(plan.ways.size(), zero()),
          far_size(plan.ways.size(), fill(0.0)) {
        const std::size_t tables = fixed.cells * wide, gifts = fixed.gifts * wide;
        const std::size_t echoes = fixed.echoes * wide;
        std::size_t widest = 1;
        for (const Node &node : plan.nodes) widest = std::max(widest, node.cells());
        constexpr std::size_t vectors = sizeof(T) / sizeof(V);
        V *next = room.take(vectors * (tables + 4 * gifts + echoes + widest * wide + fixed.cells) +
                            fixed.cells);
        const auto take = [&](std::size_t count) {
            T *taken = reinterpret_cast<T *>(next);
            next += vectors * count;
            return taken;
        };
        table = take(tables);
        message = take(gifts);
        chance = take(gifts);
        ahead = take(gifts);
        passed = take(gifts);
        echo = take(echoes);
        spare = take(widest * wide);
        heard = take(fixed.cells);
        size = next;
        for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
            if (members(plan.listeners, n).empty()) continue;
            std::fill_n(heard + fixed.place[n], plan.nodes[n].cells(), zero());
            std::fill_n(size + fixed.place[n], plan.nodes[n].cells(), fill(0.0));
        }
    }

    void run(std::uint64_t block) {
        for (std::size_t k = 0; k < p.rows; ++k)
            for (int w = 0; w < wide && p.reached[k]; ++w)
                a[w * p.rows + k] = lattice.a<T>(k, block + w);
        for (int n = 0; n < int(plan.nodes.size()); ++n) multiply(n);
        const T *phi = cells_of(int(plan.nodes.size()) - 1);
        for (int w = 0; w < wide; ++w) {
            weight[w] = lattice.sign<T>(block + w);
            if (lattice.certain)
                weight[w] = where(lattice.meets(block + w, lattice.certain, 0), weight[w], zero());
            whole[w] = phi[w];
        }
        for (int n = int(plan.nodes.size()); n-- > 0;) go_back(n);
        for (std::size_t i = 0; i < plan.echoes.size(); ++i) pass_echo(i);
        for (std::size_t i = 0; i < plan.ways.size(); ++i) follow(i);
        for (int w = 0; w < wide; ++w)
            sums.add<T>(block + w, whole[w], a.data() + w * p.rows, slope.data() + w * p.rows, {},
                        nullptr);
    }

    // What the listeners have heard on all subsets.
    void tell() {
        std::vector<Scalar> told, sum;
        std::vector<double> sizes, all;
        for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
            const Node &node = plan.nodes[n];
            if (members(plan.listeners, n).empty()) continue;
            told.clear(), sizes.clear();
            for (std::size_t c = fixed.place[n]; c < fixed.place[n] + node.cells(); ++c)
                told.push_back(scalar(heard[c])), sizes.push_back(scalar(size[c]));
            for (int k : members(plan.listeners, n)) {
                narrow_to(node.scope, plan.scope[k], sum = told);
                narrow_to(node.scope, plan.scope[k], all = sizes);
                const Num *on = fixed.on.data() + fixed.first[k];
                Num total;
                double terms = 0.0;
                for (std::size_t c = 0; c < sum.size(); ++c) {
                    total = total + as_num(sum[c]) * on[c];
                    terms += all[c] * on[c].hi;
                }
                sums.listen(k, total, terms);
            }
        }
        for (std::size_t i = 0; i < plan.ways.size(); ++i)
            sums.listen(plan.ways[i].row, as_num(scalar(far[i])), scalar(far_size[i]));
    }

  private:
    using Scalar = decltype(scalar(std::declval<T>()));

    const Lattice &lattice;
    const Coupled &p;
    const EliminationPlan &plan;
    const Fixed &fixed;
    Sums &sums;
    T *table;    // [node, cell, block] the product, then the belief
    T *message;  // [node, cell that it gives, block] the product summed over its risk factor
    T *chance;   // the same: P(risk factor on | the others of its scope)
    T *ahead;    // the same: the belief
    T *passed;   // the same: what is passed on to a far listener
    T *echo;     // [echo, cell that its node gives, block] P(its risk factor on | that cell)
    T *spare;    // [cell of the widest table, block]
    T *heard;    // [node, cell] the belief over all subsets, with their signs
    V *size;     // the same without
    std::vector<T> a, slope;  // [block, row]
    std::vector<T> far;       // [way]
    std::vector<V> far_size;
    std::vector<Scalar> loud, quiet;
    T weight[wide], whole[wide];

    static T zero() { return lift<T>({0.0, 0.0}); }
    static T one() { return lift<T>({1.0, 0.0}); }
    T *cells_of(int n) const { return table + fixed.place[n] * wide; }
    T *given(T *all, int n) const { return all + fixed.given[n] * wide; }
    const T *gift(int n) const {
        return plan.nodes[n].risk < 0 ? cells_of(n) : given(message, n);
    }
    static std::size_t half(const Node &node) { return node.cells() / 2; }

    // The chances of the risk factor that a node sums out to be off and on.
    std::pair<T, T> prior(const Node &node) const {
        const double on = p.risk_prior[plan.risk_of[node.risk]];
        return {lift<T>(two_sum(1.0, -on)), lift<T>({on, 0.0})};
    }

    // Calls work(cell, block, P(on), factor of the row) for every cell of its node.
    template <typename Work> void each_factor(const Node &node, int k, const Work &work) const {
        const T o = lattice.o<T>(k);
        const Num *on = fixed.on.data() + fixed.first[k], *off = fixed.off.data() + fixed.first[k];
        T own[wide];
        for (int w = 0; w < wide; ++w) own[w] = a[w * p.rows + k];
        for (std::size_t c = 0; c < node.cells(); ++c) {
            const T yes = lift<T>(on[c]), no = o * lift<T>(off[c]);
            for (int w = 0; w < wide; ++w) work(c, w, yes, multiply_add(own[w], yes, no));
        }
    }

    // A table of a node's child, read at the cells of the node.
    struct Heard {
        const T *__restrict from;
        const std::uint32_t *__restrict cell;
        T operator()(std::size_t c, int w) const { return from[cell[c] * wide + w]; }
    };

    void multiply(int n) {
        const Node &node = plan.nodes[n];
        T *__restrict to = cells_of(n);
        bool begun = false;
        for (int k : members(plan.rows, n)) {
            if (begun)
                each_factor(node, k, [&](std::size_t c, int w, T, T f) { to[c * wide + w] *= f; });
            else each_factor(node, k, [&](std::size_t c, int w, T, T f) { to[c * wide + w] = f; });
            begun = true;
        }
        const Members below = members(plan.children, n);
        for (const int *child = below.begin(); child < below.end();) {
            const bool two = child + 1 < below.end();
            const Heard x{gift(child[0]), fixed.cells_below(child[0])};
            const Heard y{gift(child[two]), fixed.cells_below(child[two])};
            const auto each = [&](const auto &product) {
                for (std::size_t c = 0; c < node.cells(); ++c)
                    for (int w = 0; w < wide; ++w) to[c * wide + w] = product(c, w);
            };
            const auto own = [&](std::size_t c, int w) { return to[c * wide + w]; };
            if (begun && two)
                each([&](std::size_t c, int w) { return own(c, w) * x(c, w) * y(c, w); });
            else if (begun) each([&](std::size_t c, int w) { return own(c, w) * x(c, w); });
            else if (two) each([&](std::size_t c, int w) { return x(c, w) * y(c, w); });
            else each(x);
            begun = true;
            child += two ? 2 : 1;
        }
        if (!begun) std::fill_n(to, node.cells() * wide, one());
        if (node.up < 0)
            for (int w = 0; w < wide; ++w) to[w] *= lift<T>({fixed.silent, 0.0});
        if (node.risk < 0) return;
        const auto [no, yes] = prior(node);
        const std::size_t end = half(node) * wide;
        T *__restrict sum = given(message, n);
        for (std::size_t i = 0; i < end; ++i) sum[i] = multiply_add(yes, to[end + i], no * to[i]);
    }

    // From the belief in what node n gives to the belief in its cells, its rows and its children.
    void go_back(int n) {
        const Node &node = plan.nodes[n];
        T *__restrict belief = cells_of(n);
        if (node.risk >= 0) {
            const auto [no, yes] = prior(node);
            const std::size_t end = half(node) * wide;
            const T *__restrict sum = given(message, n), *__restrict outside = given(ahead, n);
            T *__restrict q = given(chance, n);
            for (std::size_t i = 0; i < end; ++i) {
                const T share = one() / sum[i];
                q[i] = yes * belief[end + i] * share;
                belief[i] = no * belief[i] * share * outside[i];
                belief[end + i] = q[i] * outside[i];
            }
        }
        for (int k : members(plan.rows, n)) {
            T sum[wide];
            std::fill_n(sum, wide, zero());
            each_factor(node, k, [&](std::size_t c, int w, T on, T f) {
                sum[w] = multiply_add(belief[c * wide + w] / f, on, sum[w]);
            });
            for (int w = 0; w < wide; ++w) slope[w * p.rows + k] = sum[w];
        }
        for (int child : members(plan.children, n)) {
            const Node &below = plan.nodes[child];
            T *to = below.risk < 0 ? cells_of(child) : given(ahead, child);
            sum_out(belief, node.scope, below.given(), to);
        }
        if (!members(plan.listeners, n).empty()) hear(n);
    }

    // Sums a table over the risk factors that are not to be kept.
    void sum_out(const T *from, std::uint64_t scope, std::uint64_t kept, T *to) {
        std::uint64_t gone = scope & ~kept;
        if (!gone) std::copy_n(from, (std::size_t(1) << __builtin_popcountll(scope)) * wide, to);
        while (gone) {
            const std::uint64_t last = 1ull << (63 - __builtin_clzll(gone));
            gone &= ~last;
            const std::size_t half = wide << __builtin_popcountll(scope & (last - 1));
            const std::size_t end = wide << __builtin_popcountll(scope);
            T *sum = gone ? spare : to;
            for (std::size_t base = 0; base < end; base += 2 * half, sum += half) {
                const T *low = from + base, *high = low + half;
                for (std::size_t i = 0; i < half; ++i) sum[i] = low[i] + high[i];
            }
            scope &= ~last;
            from = spare;
        }
    }

    void hear(int n) {
        const T *__restrict belief = cells_of(n);
        for (std::size_t c = 0; c < plan.nodes[n].cells(); ++c) {
            T sum = heard[fixed.place[n] + c];
            V all = size[fixed.place[n] + c];
            for (int w = 0; w < wide; ++w) {
                const T term = weight[w] * belief[c * wide + w];
                sum += term;
                all += magnitude(lanes_of(term));
            }
            heard[fixed.place[n] + c] = sum;
            size[fixed.place[n] + c] = all;
        }
    }

    const T *echo_cells(int number) const {
        const Echo &one = plan.echoes[number];
        return one.below < 0 ? given(chance, one.node) : echo + fixed.echo_place[number] * wide;
    }

    // P(a risk factor is on), given what a node gives: the mean over the one that is summed out here.
    void pass_echo(int number) {
        const Echo &one = plan.echoes[number];
        if (one.below < 0) return;
        const std::size_t end = half(plan.nodes[one.node]);
        const T *__restrict from = echo_cells(one.below), *__restrict q = given(chance, one.node);
        const std::uint32_t *__restrict cell = fixed.cells_below(plan.echoes[one.below].node);
        T *__restrict to = echo + fixed.echo_place[number] * wide;
        for (std::size_t c = 0; c < end; ++c)
            for (int w = 0; w < wide; ++w) {
                const T low = from[cell[c] * wide + w], high = from[cell[end + c] * wide + w];
                to[c * wide + w] = multiply_add(q[c * wide + w], high - low, low);
            }
    }

    // What comes to a node on the way to a listener.
    struct Coming {
        const T *from;
        const std::uint32_t *cell;
        T acts;
        T operator()(std::size_t c, int w) const { return from[cell[c] * wide + w] * acts; }
    };
    Coming coming(const Source &source) const {
        const std::uint32_t *cell = fixed.cells_below(source.node);
        if (source.echo < 0) return {given(passed, source.node), cell, one()};
        const int e = source.edge;
        return {echo_cells(source.echo), cell,
                lift<T>(complement(p.edge_fails[e], p.edge_acts[e]))};
    }

    // The chance that a far listener is on, passed up from node to node, given what each node does
    // not sum out. Chances of several causes add up as 1 - (1 - x) (1 - y) = x + (1 - x) y.
    void follow(std::size_t number) {
        const Way &way = plan.ways[number];
        for (int i = way.begin; i < way.end; ++i) {
            const Stage &stage = plan.stages[i];
            const Node &node = plan.nodes[stage.node];
            const bool last = i + 1 == way.end;
            if (last) speak(node.scope, way.row, stage.met, fixed.first[way.row]);
            else speak(1ull << node.risk, way.row, stage.met);
            const auto go_on = [&](const auto &so_far) {
                if (last) finish(number, stage.node, so_far);
                else pass(stage.node, stage.met, so_far);
            };
            const Coming x = coming(plan.sources[stage.sources_begin]);
            const int count = stage.sources_end - stage.sources_begin;
            if (count == 1) {
                go_on(x);
                continue;
            }
            const Coming y = coming(plan.sources[stage.sources_begin + 1]);
            const auto both = [&](std::size_t c, int w) { return either(x(c, w), y(c, w)); };
            if (count == 2) {
                go_on(both);
                continue;
            }
            T *all = spare;
            for (std::size_t c = 0; c < node.cells(); ++c)
                for (int w = 0; w < wide; ++w) all[c * wide + w] = both(c, w);
            for (int s = stage.sources_begin + 2; s < stage.sources_end; ++s) {
                const Coming more = coming(plan.sources[s]);
                for (std::size_t c = 0; c < node.cells(); ++c)
                    for (int w = 0; w < wide; ++w)
                        all[c * wide + w] = either(all[c * wide + w], more(c, w));
            }
            go_on([&](std::size_t c, int w) { return all[c * wide + w]; });
        }
    }

    static T either(T x, T y) { return x + (one() - x) * y; }

    static constexpr std::size_t NOTHING = ~std::size_t(0);

    // [cell of the scope] the chance that one of the risk factors met there turns the listener on,
    // and that none does; at its last stage also what turns it on without any.
    void speak(std::uint64_t scope, std::size_t k, std::uint64_t met, std::size_t first = NOTHING) {
        const bool last = first != NOTHING;
        loud.assign(1, last ? as_scalar<Scalar>(fixed.on[first]) : Scalar{});
        quiet.assign(1, as_scalar<Scalar>(last ? fixed.off[first] : Num{1.0, 0.0}));
        const int *edge = members(plan.edges, k).begin();
        for (std::uint64_t left = scope; left; left &= left - 1) {
            const std::uint64_t bit = left & -left;
            const std::size_t filled = loud.size();
            loud.resize(2 * filled);
            quiet.resize(2 * filled);
            if (!(met & bit)) {
                std::copy_n(loud.begin(), filled, loud.begin() + filled);
                std::copy_n(quiet.begin(), filled, quiet.begin() + filled);
                continue;
            }
            while (plan.label[p.edge_risk[*edge]] != __builtin_ctzll(bit)) ++edge;
            const int e = *edge;
            const auto acts = as_scalar<Scalar>(complement(p.edge_fails[e], p.edge_acts[e]));
            const auto fails = as_scalar<Scalar>(complement(p.edge_acts[e], p.edge_fails[e]));
            for (std::size_t c = 0; c < filled; ++c) {
                loud[filled + c] = loud[c] + quiet[c] * acts;
                quiet[filled + c] = quiet[c] * fails;
            }
        }
    }

    // On to the node above: the mean over the risk factor that is summed out here.
    template <typename Before> void pass(int n, bool met, const Before &so_far) {
        const std::size_t end = half(plan.nodes[n]);
        const T acts = lift<T>(as_num(loud[1])), fails = lift<T>(as_num(quiet[1]));
        const T *__restrict q = given(chance, n);
        T *__restrict to = given(passed, n);
        for (std::size_t c = 0; c < end; ++c)
            for (int w = 0; w < wide; ++w) {
                const T low = so_far(c, w);
                T high = so_far(end + c, w);
                if (met) high = multiply_add(high, fails, acts);
                to[c * wide + w] = multiply_add(q[c * wide + w], high - low, low);
            }
    }

    // Where all have met: the chance by the belief, with its sign. No term of one subset cancels.
    template <typename Before> void finish(std::size_t number, int n, const Before &so_far) {
        const T *__restrict belief = cells_of(n);
        T sum[wide];
        std::fill_n(sum, wide, zero());
        for (std::size_t c = 0; c < plan.nodes[n].cells(); ++c) {
            const T acts = lift<T>(as_num(loud[c])), fails = lift<T>(as_num(quiet[c]));
            for (int w = 0; w < wide; ++w) {
                const T on = multiply_add(so_far(c, w), fails, acts);
                sum[w] = multiply_add(belief[c * wide + w], on, sum[w]);
            }
        }
        for (int w = 0; w < wide; ++w) {
            const T term = weight[w] * sum[w];
            far[number] += term;
            far_size[number] += magnitude(lanes_of(term));
        }
    }
};

template <class T, int wide>
bool sweep(const Lattice &lattice, const Fixed &fixed, Sums &sums, const Stopwatch &watch) {
    Elimination<T, wide> elimination(lattice, fixed, sums);
    for (std::uint64_t block = 0; block < lattice.blocks(); block += wide) {
        if (watch.expired()) return false;
        elimination.run(block);
    }
    elimination.tell();
    room.shrink();
    return true;
}

template <class T>
Outcome run(const Lattice &lattice, const Fixed &fixed, double epsilon, const Stopwatch &watch) {
    Sums sums(lattice, false);
    const bool done = lattice.blocks() >= 4 ? sweep<T, 4>(lattice, fixed, sums, watch)
                                            : sweep<T, 1>(lattice, fixed, sums, watch);
    if (done) return sums.conclude(epsilon);
    Outcome late;
    late.answer.expired = true;
    return late;
}

}  // namespace

std::optional<Outcome> eliminate(const Coupled &p, const EliminationPlan &plan, double goal,
                                 double most_operations, const Stopwatch &watch) {
    if (!plan.possible || plan.operations > most_operations) return std::nullopt;
    const Lattice lattice(p);
    const double unit = UNITS / lattice.roundings();  // of what `Sums` counts
    const bool coarse = EPSILON * UNITS * OF_ROWS * lattice.likely_condition() <= goal;
    const bool fine = FINE_OPERATIONS * plan.operations <= most_operations;
    if (!coarse && !fine) return std::nullopt;
    const Fixed fixed(lattice, plan);
    if (!fixed.safe(lattice)) return std::nullopt;
    if (coarse) {
        const Outcome out = run<V>(lattice, fixed, unit * EPSILON, watch);
        if (out.answer.expired || out.rounding <= goal) return out;
    }
    if (!fine) return std::nullopt;
    const Outcome out = run<DD>(lattice, fixed, unit * FINE_EPSILON, watch);
    if (out.answer.expired || out.rounding <= goal) return out;
    return std::nullopt;
}

}  // namespace hickam::coupled
