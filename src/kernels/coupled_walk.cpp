#include "coupled_walk.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hickam::coupled {
namespace {

using settled::produce;

constexpr std::size_t BLOCK = 1024;  // cells that are visited at a time

std::size_t insert_bit(std::size_t cell, int at, std::size_t bit) {
    const std::size_t low = (std::size_t(1) << at) - 1;
    return (cell & low) | (bit << at) | ((cell & ~low) << 1);
}

std::size_t remove_bit(std::size_t cell, int at) {
    const std::size_t low = (std::size_t(1) << at) - 1;
    return (cell & low) | ((cell >> 1) & ~low);
}

bool closes_risk(const Step &step) {
    return std::any_of(step.after.begin(), step.after.end(),
                       [](const Event &event) { return event.kind == Event::close_risk; });
}

std::size_t cells_of(const Step &step) {
    return std::size_t(1) << (step.findings.size() + step.risks.size());
}

}  // namespace

double Walk::cells(const Part &part) {
    double found = 0.0;
    for (const Step &step : part.steps) {
        const double extra = step.links > int(TOGETHER) ? (step.links - 1) / int(TOGETHER) : 0;
        found += double(cells_of(step)) * (1.0 + extra + closes_risk(step));
    }
    return found;
}

Walk::Walk(const Coupled &p, const FrontierPlan &plan, const Part &part,
           const std::vector<double> &boost, const Stopwatch &watch)
    : p(p), part(part), tilt(p.columns, 1.0) {
    describe(plan, boost);
    const double log_scale = set_tilt();
    if (!forward(watch)) return;
    log_total = std::log(total) + log_scale;
}

void Walk::describe(const FrontierPlan &plan, const std::vector<double> &boost) {
    std::size_t size = 0;
    for (const Step &step : part.steps) {
        const std::size_t k = step.row, cells = cells_of(step);
        Stop stop;
        stop.place = size;
        size += cells;
        for (std::size_t b = 0; b < step.findings.size(); ++b) {
            const std::size_t s = step.findings[b], cell = k * p.columns + s;
            if (p.acts[cell] > 0.0)
                stop.links.push_back({int(b), p.acts[cell], p.fails[cell], int(s)});
        }
        for (std::size_t done = TOGETHER; done < stop.links.size(); done += TOGETHER) {
            stop.later.push_back(size);
            size += cells;
        }
        stop.off = p.off[k], stop.on = p.on[k];
        for (int e : plan.edges_of_row[k]) {
            const int j = int(p.edge_risk[e]);
            if (plan.open[j]) {
                const auto at = std::find(step.risks.begin(), step.risks.end(), j);
                const int bit = int(step.findings.size() + (at - step.risks.begin()));
                stop.voices.push_back({bit, p.edge_acts[e], p.edge_fails[e]});
                continue;
            }
            const double push = p.risk_prior[j] * p.edge_acts[e];
            stop.on += stop.off * push;
            stop.off *= (1.0 - p.risk_prior[j]) + p.risk_prior[j] * p.edge_fails[e];
        }
        stop.weight_off = p.weight_off[k];
        stop.weight_on = p.weight_on[k] * boost[k];
        stop.closes = closes_risk(step);
        if (stop.closes) {
            stop.shut = size;
            size += cells;
        }
        stops.push_back(std::move(stop));
    }
    store.resize(size);
}

// Powers of two that make findings likely and rows weigh about one, so that nothing underflows; minus
// the log of all.
double Walk::set_tilt() {
    std::vector<double> chance_of(p.columns, 1.0);
    double log_tilt = 0.0;
    for (std::size_t t = 0; t < part.steps.size(); ++t) {
        Stop &stop = stops[t];
        for (const Event &event : part.steps[t].before)
            if (event.kind == Event::open_finding) chance_of[event.id] = p.leak[event.id];
        double off = stop.off, on = stop.on;
        for (const Voice &voice : stop.voices) {
            const double prior = p.risk_prior[part.steps[t].risks[voice.bit - part.steps[t].findings.size()]];
            on += off * prior * voice.acts;
            off *= (1.0 - prior) + prior * voice.fails;
        }
        const double up = stop.weight_on * on, down = stop.weight_off * off;
        if (!(up + down > 0.0)) continue;
        for (const Link &link : stop.links)
            chance_of[link.column] += up > 0.0 ? link.acts * up / (up + down) : 0.0;
        int exponent;
        std::frexp(up + down, &exponent);
        stop.weight_on = std::ldexp(stop.weight_on, -exponent);
        stop.weight_off = std::ldexp(stop.weight_off, -exponent);
        log_tilt += exponent * M_LN2;
    }
    for (std::size_t s = 0; s < p.columns; ++s) {
        const double one = chance_of[s];
        const int exponent = one > 0.0 && one < 1.0 ? std::min(200, int(-std::log2(one))) : 0;
        tilt[s] = std::ldexp(1.0, exponent);
        log_tilt -= exponent * M_LN2;
    }
    return log_tilt;
}

// False if the time was up or the evidence is impossible.
bool Walk::forward(const Stopwatch &watch) {
    table.assign(1, 1.0);
    for (std::size_t t = 0; t < part.steps.size(); ++t) {
        if (watch.expired()) return false;
        const Step &step = part.steps[t];
        const Stop &stop = stops[t];
        for (const Event &event : step.before) {
            const double prior = event.kind == Event::open_risk ? p.risk_prior[event.id] : 0.0;
            if (event.kind == Event::open_risk) open(event.at, 1.0 - prior, prior);
            else open(event.at, p.leak_fails[event.id], p.leak[event.id] * tilt[event.id]);
        }
        std::copy(table.begin(), table.end(), store.begin() + stop.place);
        weigh(step, stop);
        const std::size_t run = std::size_t(1) << step.findings.size();
        const std::size_t block = std::min(table.size(), std::max(run, BLOCK));
        for (std::size_t at = 0; at < table.size(); at += block) visit(stop, run, at, block);
        if (stop.closes) std::copy(table.begin(), table.end(), store.begin() + stop.shut);
        for (const Event &event : step.after) close(event);
    }
    total = table[0];
    return total > 0.0;
}

// The row of a stop, on a block of the table that holds whole sets of findings.
void Walk::visit(const Stop &stop, std::size_t run, std::size_t at, std::size_t block) {
    caused.resize(block);
    double *here = table.data() + at, *to = caused.data();
    for (std::size_t i = 0; i < block; i += run) {
        const double on = risk_on[(at + i) / run];
#pragma omp simd
        for (std::size_t n = i; n < i + run; ++n) to[n] = on * here[n];
    }
    for (std::size_t n = 0; n < stop.links.size(); ++n) {
        const Link &link = stop.links[n];
        if (n && n % TOGETHER == 0)
            std::copy(to, to + block, store.begin() + stop.later[n / TOGETHER - 1] + at);
        produce(to, block, link.bit, link.acts * tilt[link.column], link.fails);
    }
    for (std::size_t i = 0; i < block; i += run) {
        const double off = risk_off[(at + i) / run];
#pragma omp simd
        for (std::size_t n = i; n < i + run; ++n) here[n] = off * here[n] + to[n];
    }
}

// The row's weights in each state of the open risk factors.
void Walk::weigh(const Step &step, const Stop &stop) {
    const std::size_t states = std::size_t(1) << step.risks.size();
    const int findings = int(step.findings.size());
    risk_off.resize(states), risk_on.resize(states);
    for (std::size_t x = 0; x < states; ++x)
        std::tie(risk_off[x], risk_on[x]) = weights(stop, x << findings);
}

std::pair<double, double> Walk::weights(const Stop &stop, std::size_t cell) const {
    double off = stop.off, on = stop.on;
    for (const Voice &voice : stop.voices) {
        if (!(cell >> voice.bit & 1)) continue;
        on += off * voice.acts;
        off *= voice.fails;
    }
    return {off * stop.weight_off, on * stop.weight_on};
}

void Walk::open(int at, double first, double second) {
    const std::size_t half = std::size_t(1) << at;
    spare.resize(2 * table.size());
    for (std::size_t base = 0; base < table.size(); base += half)
        for (std::size_t i = 0; i < half; ++i) {
            spare[2 * base + i] = first * table[base + i];
            spare[2 * base + half + i] = second * table[base + i];
        }
    table.swap(spare);
}

void Walk::close(const Event &event) {
    const std::size_t half = std::size_t(1) << event.at;
    const bool sum = event.kind == Event::close_risk;
    for (std::size_t base = 0; base < table.size(); base += 2 * half) {
        const double *low = table.data() + base, *high = low + half;
        double *to = table.data() + base / 2;
        for (std::size_t i = 0; i < half; ++i) to[i] = sum ? low[i] + high[i] : high[i];
    }
    table.resize(table.size() / 2);
}

void Walk::draw(Random &random, std::vector<int> &rows) {
    std::size_t cell = 0;
    double value = total;  // of the table after row t
    for (std::size_t t = part.steps.size(); t-- > 0;) {
        const Step &step = part.steps[t];
        const Stop &stop = stops[t];
        value = reopen(t, random, cell, value);
        const double *before = store.data() + stop.place;
        const auto [off, on] = weights(stop, cell);
        const double stays = off * before[cell];
        if (random() * value >= stays) {
            rows.push_back(step.row);
            step_back(stop, on, value - stays, random, cell);
        }
        value = before[cell];
        for (std::size_t e = step.before.size(); e-- > 0;) {
            const Event &event = step.before[e];
            const bool set = cell >> event.at & 1;
            if (event.kind == Event::open_risk)
                value /= set ? p.risk_prior[event.id] : 1.0 - p.risk_prior[event.id];
            else value /= set ? p.leak[event.id] * tilt[event.id] : p.leak_fails[event.id];
            cell = remove_bit(cell, event.at);
        }
    }
}

// The cell before findings and risk factors were closed: of the former only those that were produced
// went on, the states of the latter are drawn. Returns the weight of the cell.
double Walk::reopen(std::size_t t, Random &random, std::size_t &cell, double value) {
    const auto &events = part.steps[t].after;
    for (std::size_t e = events.size(); e-- > 0;)
        cell = insert_bit(cell, events[e].at, events[e].kind == Event::close_finding);
    if (!stops[t].closes) return value;
    closing.clear();  // each at its place at this step: the highest bits close first
    for (const Event &event : events)
        if (event.kind == Event::close_risk) closing.push_back(std::size_t(1) << event.at);
    const double *after = store.data() + stops[t].shut;
    std::size_t chosen = cell;
    double left = random() * value;
    for (std::size_t i = 0; i < std::size_t(1) << closing.size(); ++i) {
        std::size_t here = cell;
        for (std::size_t b = 0; b < closing.size(); ++b)
            if (i >> b & 1) here |= closing[b];
        if (!(after[here] > 0.0)) continue;
        chosen = here;
        left -= after[here];
        if (left < 0.0) break;
    }
    cell = chosen;
    return after[cell];
}

// Which findings the row, being on, was the first to produce; `value` is the weight of all
// possibilities. A few links at a time, the last ones first.
void Walk::step_back(const Stop &stop, double on, double value, Random &random, std::size_t &cell) {
    const auto &links = stop.links;
    for (std::size_t chunk = (links.size() + TOGETHER - 1) / TOGETHER; chunk-- > 0;) {
        const double *from = store.data() + (chunk ? stop.later[chunk - 1] : stop.place);
        const double scale = chunk ? 1.0 : on;
        std::size_t count = 1;
        bits[0] = 0;
        chance[0] = scale;
        const std::size_t end = std::min(links.size(), (chunk + 1) * TOGETHER);
        for (std::size_t n = chunk * TOGETHER; n < end; ++n) {
            const std::size_t bit = std::size_t(1) << links[n].bit;
            if (!(cell & bit)) {
                value /= links[n].fails;
                continue;
            }
            const double acts = links[n].acts * tilt[links[n].column];
            for (std::size_t i = 0; i < count; ++i) {
                bits[count + i] = bits[i] | bit;
                chance[count + i] = chance[i] * acts;
            }
            count *= 2;
        }
        // most often the row has produced most of them, so the search begins there
        double left = random() * value;
        std::size_t chosen = 0;
        for (std::size_t i = count; i-- > 0;) {
            const double weight = chance[i] * from[cell & ~bits[i]];
            if (!(weight > 0.0)) continue;
            chosen = i;
            left -= weight;
            if (left < 0.0) break;
        }
        cell &= ~bits[chosen];
        value = scale * from[cell];
    }
}

}  // namespace hickam::coupled
