// Which couplings are kept, and the network that is left.
#include "coupled_mixture.hpp"
#include "coupled_walk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hickam::coupled {
namespace {

constexpr int SWEEPS = 4;  // of messages
constexpr int TURNS = 3;   // solutions of the averaged network, each with what the last one says
// Orders that are tried for each number of couplings, how long they are improved, and by how much more
// they may cost than a good one; the part of the couplings that is given up if that was too much.
constexpr int TRIES = 8;
constexpr double BRIEFLY = 0.02, ROUGHLY = 3.0;
constexpr std::size_t FEWER = 10;
// Within which a risk factor's average stays, so that no explanation is thought far too unlikely.
constexpr double LEAST_HEARD = 0.3, MOST_HEARD = 0.95;

// A rare disease's chance as it counts in the choice of couplings: scores are compared absolutely
// only below 1e-3, and above that relative to themselves.
double noticed(double chance) {
    return std::max(chance, 0.003 * std::min(1.0, std::sqrt(std::max(chance, 0.0) / 1e-3)));
}

template <typename T> std::vector<T> copy(const T *from, std::size_t count) {
    return std::vector<T>(from, from + count);
}

// [row] the columns of its links
std::vector<std::vector<int>> links_of(const Coupled &p) {
    std::vector<std::vector<int>> found(p.rows);
    for (std::size_t k = 0; k < p.rows; ++k)
        for (std::size_t s = 0; s < p.columns; ++s)
            if (p.reached[k] && p.acts[k * p.columns + s] > 0.0) found[k].push_back(int(s));
    return found;
}

double bounded(double share, double prior) {
    return std::clamp(share, LEAST_HEARD * prior, std::max(prior, MOST_HEARD));
}

}  // namespace

Owned::Owned(const Coupled &p)
    : on(copy(p.on, p.rows)), off(copy(p.off, p.rows)), weight_on(copy(p.weight_on, p.rows)),
      weight_off(copy(p.weight_off, p.rows)), acts(copy(p.acts, p.rows * p.columns)),
      fails(copy(p.fails, p.rows * p.columns)), leak(copy(p.leak, p.columns)),
      leak_fails(copy(p.leak_fails, p.columns)), risk_prior(copy(p.risk_prior, p.risks)),
      edge_risk(copy(p.edge_risk, p.edges)), edge_row(copy(p.edge_row, p.edges)),
      edge_acts(copy(p.edge_acts, p.edges)), edge_fails(copy(p.edge_fails, p.edges)),
      reached(p.reached, p.reached + p.rows) {
    look();
}

void Owned::look() {
    static_assert(sizeof(bool) == sizeof(unsigned char));
    view = {on.size(), leak.size(), risk_prior.size(), edge_risk.size(), on.data(), off.data(),
            weight_on.data(), weight_off.data(), reinterpret_cast<const bool *>(reached.data()),
            acts.data(), fails.data(), leak.data(), leak_fails.data(), risk_prior.data(),
            edge_risk.data(), edge_row.data(), edge_acts.data(), edge_fails.data()};
}

Mixture::Mixture(const Coupled &given, double most_operations, double most_bytes,
                 const Stopwatch &watch, const Uncut *uncut)
    : problem(given), thin(given), links(links_of(given)) {
    const Coupled &p = problem.view;
    if (uncut) {
        const std::size_t cells = p.rows * p.columns;
        whole = std::make_unique<Owned>(given);
        whole->weight_on = copy(uncut->weight_on, p.rows);
        whole->acts = copy(uncut->acts, cells);
        whole->fails = copy(uncut->fails, cells);
        whole->leak = copy(uncut->leak, p.columns);
        whole->leak_fails = copy(uncut->leak_fails, p.columns);
        whole->look();
        whole_links = links_of(whole->view);
        rank = copy(uncut->rank, p.rows);
    }
    const int *ranks = rank.empty() ? nullptr : rank.data();
    plan = plan_frontier(p, {most_operations, most_bytes, TRIES, false, BRIEFLY, nullptr, ranks});
    plan.fits = plan.fits && (!uncut || drawable(most_bytes));
    if (plan.fits) {
        complete = true;
        kept = p.edges;
        solve(watch);
        return;
    }
    if (!average(most_operations, most_bytes, watch)) return;
    const std::vector<double> weights = importance();
    std::vector<int> order(p.edges);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weights[a] > weights[b]; });
    const std::size_t useful = std::size_t(
        std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0.0; }));
    std::vector<char> chosen(p.edges, 0);
    const auto choose = [&](std::size_t count) {
        std::fill(chosen.begin(), chosen.end(), 0);
        for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = 1;
        keep(chosen);
    };
    std::size_t least = 0, most = useful;
    while (least < most && !watch.expired()) {
        const std::size_t count = (least + most + 1) / 2;
        choose(count);
        const FrontierLimits roughly{ROUGHLY * most_operations, most_bytes, TRIES, true,
                                     BRIEFLY, nullptr, ranks};
        if (plan_frontier(thin.view, roughly).fits) least = count;
        else most = count - 1;
    }
    for (std::size_t count = least;; count -= (count + FEWER - 1) / FEWER) {
        choose(count);
        FrontierLimits limits{most_operations, most_bytes};
        limits.rank = ranks;
        plan = plan_frontier(thin.view, limits);
        plan.fits = plan.fits && drawable(most_bytes);
        if (plan.fits || count == 0 || watch.expired()) break;
    }
    if (!plan.fits) return;
    add_what_is_free(chosen);
    plan_listeners(chosen);
    keep(chosen);
    for (auto &edges : plan.edges_of_row) edges.clear();
    for (std::size_t e = 0; e < thin.view.edges; ++e)
        plan.edges_of_row[thin.edge_row[e]].push_back(int(e));
    kept = thin.view.edges;
    complete = kept == p.edges;
    solve(watch);
}

// Whether the tables that draws walk through take no more bytes.
bool Mixture::drawable(double most_bytes) const {
    double cells = 0.0;
    for (const Part &part : plan.parts) cells += Walk::cells(part);
    return 8.0 * cells <= most_bytes;
}

// The averaged network, solved a few times; false if that takes too much.
bool Mixture::average(double most_operations, double most_bytes, const Stopwatch &watch) {
    Averages &found = averages;
    const Coupled &p = problem.view;
    Coupled settled = p;
    settled.risks = settled.edges = 0;
    FrontierLimits limits{most_operations, most_bytes};
    limits.times = TURNS;
    limits.rank = rank.empty() ? nullptr : rank.data();
    const FrontierPlan simple = plan_frontier(settled, limits);
    if (!simple.fits) return false;
    listen(std::vector<double>(p.rows, 0.5), std::vector<double>(p.rows, 0.5));
    for (int turn = 0; turn < TURNS; ++turn) {
        if (turn) hear();
        found.on = problem.on;
        found.off = problem.off;
        for (std::size_t e = 0; e < p.edges; ++e) {
            const std::size_t k = p.edge_row[e];
            found.on[k] += found.off[k] * found.heard[e] * p.edge_acts[e];
            found.off[k] *= (1.0 - found.heard[e]) + found.heard[e] * p.edge_fails[e];
        }
        settled.on = found.on.data();
        settled.off = found.off.data();
        Outcome out = frontier(settled, simple, watch);
        if (out.answer.expired) return false;
        found.posterior = std::move(out.answer.posterior);
        if (!(out.answer.log_evidence > -INFINITY)) break;
    }
    return true;
}

// What the diseases hear, given what is believed of them.
void Mixture::hear() {
    const std::size_t rows = problem.view.rows;
    std::vector<double> up(rows), down(rows);
    for (std::size_t k = 0; k < rows; ++k) {
        const double m = std::clamp(averages.posterior[k], 0.0, 1.0);
        const double yes = m * averages.off[k], no = (1.0 - m) * averages.on[k];
        up[k] = yes + no > 0.0 ? yes / (yes + no) : 0.5;
        down[k] = yes + no > 0.0 ? no / (yes + no) : 0.5;
    }
    listen(up, down);
}

// What the diseases hear about the risk factors: messages, given how the findings speak for each
// disease and against it. A disease does not hear itself; those that no evidence reaches say nothing.
void Mixture::listen(const std::vector<double> &up, const std::vector<double> &down) {
    const Coupled &p = problem.view;
    Averages &found = averages;
    found.told.assign(p.edges, 1.0);
    found.heard.resize(p.edges);
    for (std::size_t e = 0; e < p.edges; ++e) found.heard[e] = p.risk_prior[p.edge_risk[e]];
    std::vector<double> off;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        off = problem.off;
        for (std::size_t e = 0; e < p.edges; ++e)
            off[p.edge_row[e]] *= 1.0 - found.heard[e] * p.edge_acts[e];
        for (std::size_t e = 0; e < p.edges; ++e) {
            const std::size_t k = p.edge_row[e];
            if (!p.reached[k]) continue;
            const double own = 1.0 - found.heard[e] * p.edge_acts[e];
            const double others = own > 0.0 ? off[k] / own : 0.0;
            const double bias = down[k] - up[k];
            const double without = up[k] + bias * others;
            const double with = up[k] + bias * others * p.edge_fails[e];
            found.told[e] = without > 0.0 ? std::clamp(with / without, 1e-100, 1e100) : 1.0;
        }
        for (std::size_t first = 0; first < p.edges;) {
            const std::size_t j = p.edge_risk[first];
            std::size_t end = first;
            double log_all = 0.0;
            for (; end < p.edges && std::size_t(p.edge_risk[end]) == j; ++end)
                log_all += std::log(found.told[end]);
            const double prior = p.risk_prior[j];
            for (std::size_t e = first; e < end; ++e) {
                const double on =
                    prior * std::exp(std::min(log_all - std::log(found.told[e]), 300.0));
                found.heard[e] = bounded(on / (1.0 - prior + on), prior);
            }
            first = end;
        }
    }
}

// [edge] How much the weights vary if a link is averaged: by how much the state of the risk factor
// changes the chance of the disease, relative to what it is, over what is believed of both.
std::vector<double> Mixture::importance() const {
    const Coupled &p = problem.view;
    std::vector<double> log_all(p.risks, 0.0), found(p.edges, 0.0);
    for (std::size_t e = 0; e < p.edges; ++e)
        log_all[p.edge_risk[e]] += std::log(averages.told[e]);
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t k = p.edge_row[e], j = p.edge_risk[e];
        const double prior = p.risk_prior[j];
        if (!p.reached[k] || !(prior > 0.0) || !(prior < 1.0)) continue;
        const double on = prior * std::exp(std::min(log_all[j], 300.0));
        const double belief = bounded(on / (1.0 - prior + on), prior);
        const double mean = 1.0 - averages.heard[e] * p.edge_acts[e];
        const double change = mean > 0.0 ? averages.off[k] / mean * p.edge_acts[e] : averages.on[k];
        const double m = noticed(averages.posterior[k]);
        double square = 0.0;
        if (averages.on[k] > 0.0) square += m * std::pow(change / averages.on[k], 2);
        if (averages.off[k] > 0.0) square += (1.0 - m) * std::pow(change / averages.off[k], 2);
        found[e] = std::sqrt(belief * (1.0 - belief) * square);
    }
    return found;
}

// The network with the chosen couplings. A link that is averaged leaves with its risk factor what
// the disease has to say, and with the disease what it hears.
void Mixture::keep(const std::vector<char> &chosen) {
    const Coupled &p = problem.view;
    thin.off = problem.off;
    thin.on = problem.on;
    thin.edge_risk.clear(), thin.edge_row.clear();
    thin.edge_acts.clear(), thin.edge_fails.clear();
    std::vector<double> log_told(p.risks, 0.0);
    log_shared = 0.0;
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t j = p.edge_risk[e], k = p.edge_row[e];
        if (chosen[e]) {
            thin.edge_risk.push_back(p.edge_risk[e]);
            thin.edge_row.push_back(p.edge_row[e]);
            thin.edge_acts.push_back(p.edge_acts[e]);
            thin.edge_fails.push_back(p.edge_fails[e]);
            continue;
        }
        const double heard = averages.heard[e];
        thin.on[k] += thin.off[k] * heard * p.edge_acts[e];
        thin.off[k] *= (1.0 - heard) + heard * p.edge_fails[e];
        log_told[j] += std::log(averages.told[e]);
        log_shared -= std::log(1.0 - heard + heard * averages.told[e]);
    }
    for (std::size_t j = 0; j < p.risks; ++j) {
        const double prior = p.risk_prior[j], on = prior * std::exp(std::min(log_told[j], 300.0));
        thin.risk_prior[j] = bounded(on / (1.0 - prior + on), prior);
        log_shared += std::log(1.0 - prior + on);
    }
    thin.look();
}

// Links to risk factors that are open anyway when their disease is visited.
void Mixture::add_what_is_free(std::vector<char> &chosen) const {
    const Coupled &p = problem.view;
    std::vector<const Step *> step_of(p.rows, nullptr);
    for (const Part &part : plan.parts)
        for (const Step &step : part.steps) step_of[step.row] = &step;
    for (std::size_t e = 0; e < p.edges; ++e) {
        const Step *step = step_of[p.edge_row[e]];
        if (step && std::count(step->risks.begin(), step->risks.end(), int(p.edge_risk[e])))
            chosen[e] = 1;
    }
}

// A listener keeps its links to the risk factors that are open at one step: the step at which they
// say most. Reading them there costs next to nothing.
void Mixture::plan_listeners(std::vector<char> &chosen) {
    const Coupled &p = problem.view;
    std::vector<std::vector<int>> edges_of(p.rows);
    for (std::size_t e = 0; e < p.edges; ++e)
        if (!p.reached[p.edge_row[e]]) edges_of[p.edge_row[e]].push_back(int(e));
    for (Part &part : plan.parts) {
        part.listening.clear();
        for (std::size_t k = 0; k < p.rows; ++k) {
            double most = 0.0;
            std::vector<int> best;
            int at = -1;
            for (std::size_t t = 0; t < part.steps.size() && !edges_of[k].empty(); ++t) {
                const auto &open = part.steps[t].risks;
                double sum = 0.0;
                std::vector<int> here;
                for (int e : edges_of[k]) {
                    if (!std::count(open.begin(), open.end(), int(p.edge_risk[e]))) continue;
                    const double prior = p.risk_prior[p.edge_risk[e]];
                    sum += p.edge_acts[e] * std::sqrt(prior * (1.0 - prior));
                    here.push_back(e);
                }
                if (sum > most) most = sum, best = std::move(here), at = int(t);
            }
            if (at < 0) continue;
            Listening one{int(k), {}, at, at};
            for (int e : best) {
                chosen[e] = 1;
                one.voices.push_back({int(p.edge_risk[e]), p.edge_fails[e], at, at});
            }
            part.listening.push_back(std::move(one));
        }
    }
}

void Mixture::solve(const Stopwatch &watch) {
    operations = plan.operations;
    mean = frontier(thin.view, plan, watch);
    if (mean.answer.expired) plan.fits = false;
    mean.answer.log_evidence += log_shared;
}

bool Mixture::expand(const ExpansionLimits &limits, const Stopwatch &watch) {
    if (complete || !possible()) return false;
    averages.posterior = mean.answer.posterior;
    hear();
    std::vector<int> order;
    if (expansion) order = expansion->order_of_speakers;
    else
        for (const Part &part : plan.parts)
            for (const Step &step : part.steps) order.push_back(step.row);
    auto made = std::make_unique<Expansion>(problem.view, order, expansion != nullptr, averages.told,
                                            averages.posterior, limits);
    if (!made->fits) return false;
    Answer answer = made->solve(watch);
    if (answer.expired) return false;
    expanded = std::move(answer);
    expansion = std::move(made);
    return true;
}

}  // namespace hickam::coupled
