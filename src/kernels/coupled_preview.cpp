// What every unasked finding would tell: its chance, and the scores after either answer.
//
// If finding f is absent, row k's weight of being on shrinks by its l_kf; if it is present, the
// sums over the subsets are those of now without those of f absent. So one run per finding over the
// subsets of the present findings gives both answers, and it starts from the messages of now.
#include "coupled_bethe.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace hickam::coupled {
namespace {

constexpr int MOST_SWEEPS = 60, FINE_SWEEPS = 2;
constexpr double CLOSE = 1e-14;
constexpr double LEAST_FAILS = 1e-30;   // instead of 0: the slope must not be multiplied away
constexpr double LEAST_CHANCE = 1e-13;  // below, an answer is taken to be impossible
constexpr std::size_t MEASURES = 3;

template <class T> constexpr double epsilon_of = sizeof(T) > sizeof(V) ? 0x1p-90 : 0x1p-53;

// A run over all subsets. `heard` holds the float64 messages of each block: where they start from
// and, for the run that others start from, where they are kept.
template <class T>
Sums run(const Lattice &lattice, const Graph &g, std::vector<V> &heard, bool keep) {
    Sums sums(lattice);
    Messages<V> coarse(lattice.problem, g);
    Messages<T> exactly(lattice.problem, g);
    std::vector<T> slope(lattice.problem.rows);
    const std::size_t edges = g.edges.size();
    for (std::uint64_t block = 0; block < lattice.blocks(); ++block) {
        std::copy_n(heard.begin() + block * edges, edges, coarse.heard.begin());
        coarse.start(lattice, block);
        double change = 1.0;
        for (int sweep = 0; sweep < MOST_SWEEPS && change > CLOSE && edges; ++sweep) {
            coarse.ask_rows(lattice, g);
            change = coarse.ask_risks(lattice, g);
        }
        if (keep) std::copy_n(coarse.heard.begin(), edges, heard.begin() + block * edges);
        Messages<T> *messages;
        if constexpr (sizeof(T) > sizeof(V)) {
            exactly.start(lattice, block);
            for (std::size_t i = 0; i < edges; ++i) exactly.heard[i] = exact(coarse.heard[i]);
            for (int sweep = 0; sweep < FINE_SWEEPS; ++sweep) {
                exactly.ask_rows(lattice, g);
                exactly.ask_risks(lattice, g);
            }
            messages = &exactly;
        } else {
            messages = &coarse;
        }
        messages->ask_rows(lattice, g);
        messages->finish(lattice, g);
        for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = messages->phi * messages->slope[k];
        sums.add<T>(block, messages->phi, slope.data(), {}, nullptr);
    }
    return sums;
}

void write_scores(const Outcome &out, std::size_t rows, std::size_t columns, double *into) {
    for (std::size_t k = 0; k < rows; ++k) {
        double disabled = 0.0, sustained = 0.0;
        for (std::size_t s = 0; s < columns; ++s) {
            disabled += out.answer.disabled[k * columns + s];
            sustained += out.answer.sustained[k * columns + s];
        }
        into[k] = out.answer.posterior[k];
        into[rows + k] = disabled;
        into[2 * rows + k] = sustained;
    }
}

class Asking {
  public:
    Asking(const Coupled &p, const Asked &asked, double goal)
        : p(p), asked(asked), goal(goal), graph(p), lattice(p),
          heard(graph.edges.size() * lattice.blocks()) {
        for (std::size_t i = 0; i < heard.size(); ++i)
            heard[i] = fill(p.risk_prior[p.edge_risk[graph.edges[i % graph.edges.size()]]]);
        now = std::make_unique<Sums>(run<V>(lattice, graph, heard, true));
        const Outcome out = now->conclude(epsilon_of<V>);
        if (out.rounding > goal) result.rounding = fine().conclude(epsilon_of<DD>).rounding;
        else result.rounding = out.rounding;
        result.now.resize(MEASURES * p.rows);
        write_scores(out.rounding > goal ? fine().conclude(epsilon_of<DD>) : out, p.rows, p.columns,
                     result.now.data());
        result.chance.assign(asked.count, 0.0);
        result.if_present.resize(asked.count * MEASURES * p.rows);
        result.if_absent.resize(asked.count * MEASURES * p.rows);
    }

    void work() {
        for (std::size_t f; (f = next++) < asked.count;) {
            double rounding = ask<V>(f, *now);
            if (rounding > goal) rounding = ask<DD>(f, fine());
            const std::lock_guard<std::mutex> hold(lock);
            result.rounding = std::max(result.rounding, rounding);
        }
    }
    Previews result;

  private:
    const Sums &fine() {
        std::call_once(once, [&] {
            std::vector<V> start = heard;
            now_fine = std::make_unique<Sums>(run<DD>(lattice, graph, start, false));
        });
        return *now_fine;
    }

    // Fills in both answers to one finding; returns the rounding error of the worse.
    template <class T> double ask(std::size_t f, const Sums &base) {
        Lattice told = lattice;
        for (std::size_t k = 0; k < p.rows; ++k)
            if (asked.acts[k * asked.count + f] > 0.0)
                told.weight_on[k] *= std::max(asked.fails[k * asked.count + f], LEAST_FAILS);
        const Sums absent = run<T>(told, graph, heard, false);
        const Num leak_fails = complement(asked.leak[f], asked.leak_fails[f]);
        const Sums present = base.without(absent, leak_fails);
        const double chance = present.evidence() / base.evidence();
        double *if_present = result.if_present.data() + f * MEASURES * p.rows;
        double *if_absent = result.if_absent.data() + f * MEASURES * p.rows;
        double rounding = 0.0;
        result.chance[f] = std::clamp(chance, 0.0, 1.0);
        if (chance > LEAST_CHANCE) {
            const Outcome out = present.conclude(epsilon_of<T>);
            rounding = std::max(rounding, out.rounding);
            write_scores(out, p.rows, p.columns, if_present);
            add_own(f, base, absent, present.evidence(), leak_fails.hi, if_present);
        } else {
            result.chance[f] = 0.0;
            std::copy(result.now.begin(), result.now.end(), if_present);
        }
        if (chance < 1.0 - LEAST_CHANCE) {
            const Outcome out = absent.conclude(epsilon_of<T>);
            rounding = std::max(rounding, out.rounding);
            write_scores(out, p.rows, p.columns, if_absent);
        } else {
            result.chance[f] = 1.0;
            std::copy(result.now.begin(), result.now.end(), if_absent);
        }
        return rounding;
    }

    // What the finding itself adds to disablement and sufficiency once it is present.
    void add_own(std::size_t f, const Sums &base, const Sums &absent, double evidence,
                 double leak_fails, double *scores) const {
        for (std::size_t k = 0; k < p.rows; ++k) {
            const double acts = asked.acts[k * asked.count + f];
            if (acts == 0.0) continue;
            const double fails = std::max(asked.fails[k * asked.count + f], LEAST_FAILS);
            scores[p.rows + k] += acts / fails * leak_fails * absent.on(k) / evidence;
            scores[2 * p.rows + k] += acts * base.on(k) / evidence;
        }
    }

    const Coupled &p;
    const Asked &asked;
    const double goal;
    const Graph graph;
    const Lattice lattice;
    std::vector<V> heard;  // [block, edge] the messages of now
    std::unique_ptr<Sums> now, now_fine;
    std::once_flag once;
    std::atomic<std::size_t> next{0};
    std::mutex lock;
};

}  // namespace

Previews preview(const Coupled &problem, const Asked &asked, double goal) {
    Asking asking(problem, asked, goal);
    std::vector<std::thread> helpers;
    const std::size_t crew =
        std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), asked.count);
    for (std::size_t i = 1; i < crew; ++i) helpers.emplace_back([&] { asking.work(); });
    asking.work();
    for (std::thread &helper : helpers) helper.join();
    return std::move(asking.result);
}

}  // namespace hickam::coupled
