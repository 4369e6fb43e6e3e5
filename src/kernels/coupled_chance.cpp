#include "coupled_chance.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hickam::coupled {
namespace {

using settled::produce;

constexpr int WIDEST = 16;         // diseases that are on, or their risk factors, open at a time
constexpr std::size_t EASY = 8;  // of them, whatever their order

}  // namespace

Reference::Reference(const Coupled &p) : on(p.on, p.on + p.rows), off(p.off, p.off + p.rows) {
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t j = p.edge_risk[e], k = p.edge_row[e];
        on[k] += off[k] * p.risk_prior[j] * p.edge_acts[e];
        off[k] *= (1.0 - p.risk_prior[j]) + p.risk_prior[j] * p.edge_fails[e];
    }
}

Chance::Chance(const Coupled &problem, const Reference &given)
    : p(problem), reference(given), edges_of(p.rows), log_silence(p.risks, 0.0), quiet(p.risks),
      silencers(p.risks, 0), log_off(p.rows, 0.0), touch(p.risks, -1) {
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t j = p.edge_risk[e], k = p.edge_row[e];
        edges_of[k].push_back(int(e));
        if (!p.reached[k]) continue;
        if (p.edge_fails[e] > 0.0) log_silence[j] += log_of(e);
        else ++silencers[j];
    }
    for (std::size_t j = 0; j < p.risks; ++j) {
        quiet[j] = silencers[j] ? 0.0 : std::exp(log_silence[j]);
        log_all_off += std::log((1.0 - p.risk_prior[j]) + p.risk_prior[j] * quiet[j]);
    }
    for (std::size_t k = 0; k < p.rows; ++k)
        if (p.reached[k] && p.off[k] > 0.0 && reference.off[k] > 0.0) {
            log_off[k] = std::log(p.off[k] / reference.off[k]);
            log_all_off += log_off[k];
        }
}

double Chance::log_of(std::size_t e) const {
    return p.edge_acts[e] < 0.5 ? std::log1p(-p.edge_acts[e]) : std::log(p.edge_fails[e]);
}

bool Chance::weigh(const std::vector<int> &rows) {
    for (int j : touched) touch[j] = -1;
    touched.clear();
    together.clear();
    members.clear();
    double alone = 1.0;
    log = log_all_off;
    for (int k : rows) {
        log -= log_off[k];
        const double on = p.on[k] / reference.on[k];
        if (edges_of[k].empty()) {
            alone *= on;
            continue;
        }
        members.push_back({on, p.off[k] / reference.on[k], int(edges_of[k].size()), -1});
        meet(k, int(members.size()) - 1);
    }
    for (std::size_t at = 0; at < touched.size(); ++at) {
        const int j = touched[at];
        Risk &risk = risks[at];
        const double silent = risk.on > 0.5 ? 0.0 : std::exp(std::min(risk.off, 0.0));
        risk.off = 1.0 - p.risk_prior[j];
        risk.on = risk.kept = p.risk_prior[j] * silent;
        log -= std::log(risk.off + p.risk_prior[j] * quiet[j]);
    }
    if (members.size() > EASY) arrange();
    covered = cover();
    if (covered < 0.0) return false;
    log += std::log(alone * covered);
    return true;
}

// The risk factors of a row that is on.
void Chance::meet(int row, int number) {
    for (int e : edges_of[row]) {
        const int j = int(p.edge_risk[e]);
        if (touch[j] < 0) {
            touch[j] = int(touched.size());
            touched.push_back(j);
            if (risks.size() < touched.size()) risks.emplace_back();
            Risk &risk = risks[touch[j]];
            risk.meetings.clear();
            risk.off = log_silence[j];  // for now: the logarithm, and how many never fail
            risk.on = silencers[j];
        }
        Risk &risk = risks[touch[j]];
        risk.meetings.push_back({number, p.edge_acts[e], p.edge_fails[e]});
        if (p.edge_fails[e] > 0.0) risk.off -= log_of(e);
        else risk.on -= 1.0;
    }
}

// Puts the risk factors in an order in which few diseases are open: each time the one that opens
// least and closes most.
void Chance::arrange() {
    left.resize(members.size());
    opened.assign(members.size(), 0);
    for (std::size_t number = 0; number < members.size(); ++number) left[number] = members[number].left;
    for (std::size_t at = 0; at + 1 < touched.size(); ++at) {
        std::size_t best = at;
        int least = 1 << 20;
        for (std::size_t i = at; i < touched.size(); ++i) {
            int price = 0;
            for (const Meeting &one : risks[i].meetings)
                price += 2 * (!opened[one.row] && left[one.row] > 1) -
                         2 * (opened[one.row] && left[one.row] == 1);
            if (price < least) least = price, best = i;
        }
        std::swap(touched[at], touched[best]);
        std::swap(risks[at], risks[best]);
        for (const Meeting &one : risks[at].meetings) opened[one.row] = 1, --left[one.row];
    }
    for (std::size_t at = 0; at < touched.size(); ++at) touch[touched[at]] = int(at);
}

double Chance::heard(std::size_t row) {
    double factor = 1.0;
    heard_edges.clear();
    for (int e : edges_of[row]) {
        const std::size_t j = p.edge_risk[e];
        if (touch[j] >= 0) {
            heard_edges.push_back(e);
            continue;
        }
        const double off = 1.0 - p.risk_prior[j], on = p.risk_prior[j] * quiet[j];
        factor *= (off + on * p.edge_fails[e]) / (off + on);
    }
    if (heard_edges.empty()) return factor;
    const int one = touch[p.edge_risk[heard_edges[0]]];
    const double acts = p.edge_acts[heard_edges[0]];
    if (heard_edges.size() == 1) return factor * (1.0 - acts * both_on(one, one));
    if (heard_edges.size() == 2) {
        const int two = touch[p.edge_risk[heard_edges[1]]];
        const double more = p.edge_acts[heard_edges[1]];
        const double either = acts * both_on(one, one) + more * both_on(two, two);
        return factor * (1.0 - either + acts * more * both_on(one, two));
    }
    for (int e : heard_edges) risks[touch[p.edge_risk[e]]].on *= p.edge_fails[e];
    const double with = cover();
    for (int e : heard_edges) {
        Risk &risk = risks[touch[p.edge_risk[e]]];
        risk.on = risk.kept;
    }
    return factor * with / covered;
}

// P(both risk factors are on | the rows), of two that they touch. Many listeners ask for the same two.
double Chance::both_on(int one, int two) {
    const std::size_t count = touched.size();
    if (together.empty()) together.assign(count * count, -1.0);
    double &known = together[std::size_t(std::min(one, two)) * count + std::max(one, two)];
    if (known >= 0.0) return known;
    const double first = risks[one].off, second = risks[two].off;
    risks[one].off = risks[two].off = 0.0;
    known = cover() / covered;
    risks[one].off = first;
    risks[two].off = second;
    return known;
}

// Sum over the risk factors of the diseases that are on, by the states of whichever are fewer.
double Chance::cover() {
    const bool few = touched.size() < members.size() && int(touched.size()) <= WIDEST;
    if (few) operations += std::exp2(double(touched.size())) * 4.0 * double(members.size());
    return few ? by_risks() : by_rows();
}

// By the states of the risk factors: every disease must be on in each.
double Chance::by_risks() {
    states.assign(1, 1.0);
    for (std::size_t at = 0; at < touched.size(); ++at) {
        const std::size_t count = states.size();
        states.resize(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            states[count + i] = risks[at].on * states[i];
            states[i] *= risks[at].off;
        }
    }
    for (std::size_t number = 0; number < members.size(); ++number) {
        active.assign(1, members[number].on);
        stay.assign(1, members[number].off);
        for (std::size_t at = 0; at < touched.size(); ++at) {
            double acts = 0.0, fails = 1.0;
            for (const Meeting &one : risks[at].meetings)
                if (one.row == int(number)) acts = one.acts, fails = one.fails;
            const std::size_t count = active.size();
            active.resize(2 * count), stay.resize(2 * count);
            for (std::size_t i = 0; i < count; ++i) {
                active[count + i] = active[i] + stay[i] * acts;
                stay[count + i] = stay[i] * fails;
            }
        }
        for (std::size_t i = 0; i < states.size(); ++i) states[i] *= active[i];
    }
    double sum = 0.0;
    for (double value : states) sum += value;
    return sum;
}

// By the diseases: which of them have been activated, each open from its first risk factor to its
// last.
double Chance::by_rows() {
    fresh = members;
    states.assign(1, 1.0);
    int width = 0;
    for (std::size_t at = 0; at < touched.size(); ++at) {
        Risk &risk = risks[at];
        double off = risk.off, on = risk.on;
        for (const Meeting &one : risk.meetings) {
            Member &member = fresh[one.row];
            if (member.bit >= 0) continue;
            if (member.left == 1) {
                off *= member.on;
                on *= member.on + member.off * one.acts;
                continue;
            }
            if (width >= WIDEST) return -1.0;
            member.bit = width++;
            const std::size_t count = states.size();
            states.resize(2 * count);
            for (std::size_t i = 0; i < count; ++i) {
                states[count + i] = member.on * states[i];
                states[i] *= member.off;
            }
        }
        active = states;
        operations += double(states.size() * (2 + risk.meetings.size()));
        for (const Meeting &one : risk.meetings) {
            const int bit = fresh[one.row].bit;
            if (bit >= 0) produce(active.data(), active.size(), bit, one.acts, one.fails);
        }
        for (std::size_t i = 0; i < states.size(); ++i)
            states[i] = off * states[i] + on * active[i];
        for (const Meeting &one : risk.meetings) {
            Member &member = fresh[one.row];
            if (--member.left > 0 || member.bit < 0) continue;
            forget(member.bit);
            --width;
        }
    }
    return states[0];
}

// Only the states in which the disease of this bit has been activated go on.
void Chance::forget(int bit) {
    const std::size_t half = std::size_t(1) << bit;
    for (std::size_t base = 0; base < states.size(); base += 2 * half)
        std::memmove(states.data() + base / 2, states.data() + base + half, half * sizeof(double));
    states.resize(states.size() / 2);
    for (Member &other : fresh) {
        if (other.bit == bit) other.bit = -1;
        else if (other.bit > bit) --other.bit;
    }
}

}  // namespace hickam::coupled
