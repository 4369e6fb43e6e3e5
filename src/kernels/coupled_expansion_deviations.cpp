// By how much risk factors deviate from their means in an expansion: what each row tells them, on average
// and beyond, and how far rows to come will ask.
#include "coupled_expansion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hickam::coupled {
namespace {

constexpr std::size_t MEMBERS = 64;  // risk factors that are ever in a set
// Beyond this deviations are no larger: otherwise a larger set would matter more than a smaller one.
constexpr double LARGEST = 0.95;
constexpr double SMALLEST = 1e-12;  // deviation
constexpr double TOLD = 30.0;  // what a row tells a risk factor is within this and its inverse
// By how much what a row tells may differ from what it tells by being off, if it is steady; how much of
// that may come together before it is given to all sets.
constexpr double STEADY = 0.05, DRIFT = 0.02;

}  // namespace

double bounded(double told) { return std::clamp(told, 1.0 / TOLD, TOLD); }

Factor factor(double chance, double off, double on) {
    return {(1.0 - chance) * off + chance * on, std::sqrt(chance * (1.0 - chance)) * (on - off),
            chance * off + (1.0 - chance) * on};
}

void Expansion::Deviating::sort() {
    std::vector<std::pair<double, int>> both(member.size());
    for (std::size_t i = 0; i < member.size(); ++i) both[i] = {-size[i], member[i]};
    std::sort(both.begin(), both.end());
    for (std::size_t i = 0; i < member.size(); ++i) size[i] = -both[i].first, member[i] = both[i].second;
}

// Which rows are steady, and what all tell on the whole. Those that only listen tell nothing.
void Expansion::judge(const std::vector<int> &order, const std::vector<double> &told) {
    std::vector<double> log_told(p.risks, 0.0);
    for (int k : order) {
        bool still = p.off[k] > 0.0 && p.weight_off[k] > 0.0;
        for (int e : edges_of[k]) {
            const double log = std::log(bounded(told[e]));
            log_told[p.edge_risk[e]] += log;
            still = still && p.edge_fails[e] * TOLD > 1.0 &&
                    std::abs(log - std::log(p.edge_fails[e])) < STEADY;
        }
        steady[k] = still;
    }
    for (std::size_t k = 0; k < p.rows; ++k) steady[k] = steady[k] || !p.reached[k];
    set_tilt(log_told);
}

// Every row is divided by what it tells, and that is given to the risk factors before.
void Expansion::set_tilt(const std::vector<double> &log_told) {
    log_shared = 0.0;
    for (std::size_t j = 0; j < p.risks; ++j) {
        const double prior = p.risk_prior[j], on = prior * std::exp(log_told[j]);
        tilted[j] = on / (1.0 - prior + on);
        log_shared += std::log(1.0 - prior + on);
    }
}

// [edge] By how much what a row says of a risk factor deviates, on the average over its states: the
// slope over the mean. Being off a row says it of each risk factor by itself, and what it tells beforehand is
// taken off; being on it leaves open which of them it was, so that they deviate together even if each
// by itself is what was expected.
std::vector<double> Expansion::squares(const std::vector<double> &told,
                                       const std::vector<double> &posterior) const {
    std::vector<double> square(p.edges, 0.0);
    for (std::size_t k = 0; k < p.rows; ++k) {
        double off = p.off[k];
        for (int e : edges_of[k]) off *= 1.0 - tilted[p.edge_risk[e]] * p.edge_acts[e];
        const double m = std::clamp(posterior[k], 0.0, 1.0);
        for (int e : edges_of[k]) {
            const double chance = tilted[p.edge_risk[e]], own = 1.0 - chance * p.edge_acts[e];
            const double others = own > 0.0 ? std::min(off / own, 1.0) : p.off[k];
            const double tells = steady[k] ? p.edge_fails[e] : bounded(told[e]);
            const auto deviation = [&](double without, double with) {
                const Factor found = factor(chance, without, with);
                return found.mean > 0.0 ? std::pow(found.slope / found.mean, 2) : 0.0;
            };
            const auto on = [&](double all_others) {
                const double without = 1.0 - all_others;
                return deviation(without, without + all_others * p.edge_acts[e]);
            };
            double most = on(others);
            for (int f : edges_of[k]) {  // what another risk factor hides if it is there, and not if not
                if (f == e) continue;
                const double share = tilted[p.edge_risk[f]];
                const double absent = std::min(others / (1.0 - share * p.edge_acts[f]), p.off[k]);
                if (!(share < 1.0)) continue;
                const double hidden = on(absent * p.edge_fails[f]);
                most = std::max(most, share * hidden + (1.0 - share) * on(absent));
            }
            square[e] = m * most + (1.0 - m) * deviation(1.0, p.edge_fails[e] / tells);
        }
    }
    return square;
}

// A risk factor deviates together with others by what rows before have said of it, as far as rows
// to come, or a drift, will ask: the geometric mean of both. Listeners ask of what comes and came.
void Expansion::deviate(const std::vector<double> &square, const Drifts &drifts) {
    struct Voices {
        double said, heard;  // by rows that speak, and to rows that only listen
    };
    std::vector<Voices> all(p.risks), past(p.risks);
    const auto ask = [&](const Drift &drift) {
        return std::pow(factor(tilted[drift.risk], 1.0, std::exp(-drift.log)).slope, 2);
    };
    const auto add = [&](const Visit &visit, int e, std::vector<Voices> &to) {
        Voices &here = to[p.edge_risk[e]];
        (visit.listens ? here.heard : here.said) += square[e];
    };
    for (std::size_t t = 0; t < visits.size(); ++t) {
        for (int e : edges_of[visits[t].row]) add(visits[t], e, all);
        for (const Drift &drift : drifts[t]) all[drift.risk].said += ask(drift);
    }
    std::vector<double> size(p.risks), seen(p.risks);
    const auto go = [&](const auto &work) {  // calls work(visit) with what is seen during it, and the size after
        std::fill(past.begin(), past.end(), Voices{});
        std::fill(size.begin(), size.end(), 0.0);
        for (std::size_t t = 0; t < visits.size(); ++t) {
            seen = size;
            const auto measure = [&](std::size_t j) {
                const double said = std::max(all[j].said - past[j].said, 0.0);
                const double heard = std::max(all[j].heard - past[j].heard, 0.0);
                const double both = past[j].said * (said + heard) + past[j].heard * said;
                size[j] = t < span[j].second ? std::sqrt(both) : 0.0;
                return size[j];
            };
            for (int e : edges_of[visits[t].row]) {
                const std::size_t j = p.edge_risk[e];
                add(visits[t], e, past);
                seen[j] = std::max(seen[j], measure(j));
            }
            for (const Drift &drift : drifts[t]) {
                past[drift.risk].said += ask(drift);
                measure(drift.risk);
            }
            work(t);
        }
    };
    std::vector<double> most(p.risks, 0.0);
    go([&](std::size_t t) {
        for (int e : edges_of[visits[t].row]) {
            const std::size_t j = p.edge_risk[e];
            most[j] = std::max(most[j], seen[j]);
        }
    });
    std::vector<int> strongest(p.risks);
    std::iota(strongest.begin(), strongest.end(), 0);
    std::stable_sort(strongest.begin(), strongest.end(), [&](int a, int b) { return most[a] > most[b]; });
    unsaid = p.risks > MEMBERS ? most[strongest[MEMBERS]] : 0.0;
    for (std::size_t i = 0; i < p.risks; ++i) member_of[strongest[i]] = i < MEMBERS ? int(i) : -1;
    const auto list = [&](const std::vector<double> &sizes) {
        Deviating found;
        for (std::size_t j = 0; j < p.risks; ++j)
            if (sizes[j] >= SMALLEST && member_of[j] >= 0)
                found.member.push_back(member_of[j]), found.size.push_back(std::min(sizes[j], LARGEST));
        found.sort();
        return found;
    };
    during.assign(visits.size(), {}), after.assign(visits.size(), {});
    go([&](std::size_t t) {
        if (edges_of[visits[t].row].empty() && t) during[t] = after[t] = after[t - 1];
        else during[t] = list(seen), after[t] = list(size);
    });
}

// After which visits steady rows have told much of a risk factor on average.
Expansion::Drifts Expansion::drifting(const std::vector<double> &told) const {
    Drifts found(visits.size());
    std::vector<double> pending(p.risks, 0.0);
    for (std::size_t t = 0; t < visits.size(); ++t) {
        if (visits[t].listens || !steady[visits[t].row]) continue;
        for (int e : edges_of[visits[t].row]) {
            const std::size_t j = p.edge_risk[e];
            pending[j] += std::log(bounded(told[e])) - std::log(p.edge_fails[e]);
            if (std::abs(pending[j]) < DRIFT || span[j].second <= t) continue;
            found[t].push_back({int(j), pending[j]});
            pending[j] = 0.0;
        }
    }
    return found;
}

// Leaves out drifts of risk factors that are not carried then: a row would hear on average what it has
// said itself. The others, and what rows tell by themselves, are given to the risk factors beforehand.
void Expansion::settle(Drifts &drifts, const std::vector<double> &told) {
    std::vector<double> log_told(p.risks, 0.0);
    for (std::size_t t = 0; t < visits.size(); ++t) {
        const int k = visits[t].row;
        if (visits[t].listens) continue;
        for (int e : edges_of[k])
            log_told[p.edge_risk[e]] += std::log(steady[k] ? p.edge_fails[e] : bounded(told[e]));
        const auto carried = [&](const Drift &drift) {
            const auto &[member, size] = during[t];
            for (std::size_t i = 0; i < member.size(); ++i)
                if (member[i] == member_of[drift.risk]) return size[i] >= least;
            return false;
        };
        auto &here = drifts[t];
        here.erase(std::stable_partition(here.begin(), here.end(), carried), here.end());
        for (const Drift &drift : here) log_told[drift.risk] += drift.log;
    }
    set_tilt(log_told);
}

}  // namespace hickam::coupled
