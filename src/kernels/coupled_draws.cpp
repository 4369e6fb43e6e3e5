// Explanations drawn from the leaves of a mixture, weighed, and what they tell.
#include "coupled_mixture.hpp"
#include "settled_butterfly.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace hickam::coupled {
namespace {

using settled::produce;

constexpr int WIDEST = 16;           // diseases that are on, or their risk factors, open at a time
constexpr std::size_t TOGETHER = 8;  // links of a disease whose subsets are looked at at once
constexpr double BOOSTED = 0.6, MOST_BOOST = 100.0;
constexpr double RARE = 1e-3;        // scores below this are compared absolutely
constexpr long long LISTEN = 1500;    // draws in which the listeners are asked
constexpr long long LOOK = 256;      // draws between looks at the clock
// Likely explanations that are looked around, draws among which they are found, rows that are turned
// on or off, how few of them are turned three at a time, and how often listeners are asked about it.
constexpr std::size_t LIKELY = 6, TURNED = 24, FEW = 12, ASKED = 10000;
constexpr long long AMONG = 64;

// xoshiro256++, seeded by splitmix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t &word : state) {
            std::uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            word = z ^ (z >> 31);
        }
    }
    double operator()() {
        const std::uint64_t result = turn(state[0] + state[3], 23) + state[0];
        const std::uint64_t t = state[1] << 17;
        state[2] ^= state[0], state[3] ^= state[1], state[1] ^= state[2], state[0] ^= state[3];
        state[2] ^= t;
        state[3] = turn(state[3], 45);
        return double(result >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state[4];
    static std::uint64_t turn(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
};

std::size_t insert_bit(std::size_t cell, int at, std::size_t bit) {
    const std::size_t low = (std::size_t(1) << at) - 1;
    return (cell & low) | (bit << at) | ((cell & ~low) << 1);
}

std::size_t remove_bit(std::size_t cell, int at) {
    const std::size_t low = (std::size_t(1) << at) - 1;
    return (cell & low) | ((cell >> 1) & ~low);
}

}  // namespace

// Forward tables of one component of one leaf, and the way back through them at random.
class Walk {
  public:
    Walk(const Mixture &mixture, const Part &part) : p(mixture.problem.view), part(part) {
        for (const Step &step : part.steps) {
            place.push_back(size);
            size += std::size_t(1) << step.findings.size();
            std::vector<Link> links;
            for (std::size_t b = 0; b < step.findings.size(); ++b) {
                const std::size_t s = step.findings[b], cell = step.row * p.columns + s;
                if (p.acts[cell] > 0.0) links.push_back({int(b), p.acts[cell], p.fails[cell], int(s)});
            }
            later.emplace_back();
            for (std::size_t done = TOGETHER; done < links.size(); done += TOGETHER) {
                later.back().push_back(size);
                size += std::size_t(1) << step.findings.size();
            }
            links_of.push_back(std::move(links));
        }
        tilt.assign(p.columns, 1.0);
        off.resize(part.steps.size()), on.resize(part.steps.size());
        store.resize(size);
    }

    // log P(findings) of the leaf, with every row's weight of being on times its boost.
    double enter(const Leaf &leaf, const std::vector<double> &boost) {
        double log_scale = set_tilt(leaf);
        table.assign(1, 1.0);
        for (std::size_t t = 0; t < part.steps.size(); ++t) {
            const Step &step = part.steps[t];
            const std::size_t k = step.row;
            for (const Event &event : step.before)
                open(event.at, p.leak_fails[event.id], p.leak[event.id] * tilt[event.id]);
            std::memcpy(store.data() + place[t], table.data(), table.size() * sizeof(double));
            double stay = p.weight_off[k] * leaf.off[k], go = p.weight_on[k] * leaf.on[k] * boost[k];
            const double mass = stay + go;
            if (!(mass > 0.0)) return -INFINITY;
            stay /= mass, go /= mass;
            log_scale += std::log(mass);
            off[t] = stay, on[t] = go;
            caused = table;
            for (double &value : caused) value *= go;
            for (std::size_t n = 0; n < links_of[t].size(); ++n) {
                const Link &link = links_of[t][n];
                if (n && n % TOGETHER == 0)
                    std::memcpy(store.data() + later[t][n / TOGETHER - 1], caused.data(),
                                caused.size() * sizeof(double));
                produce(caused.data(), caused.size(), link.bit, link.acts * tilt[link.column],
                        link.fails);
            }
            for (std::size_t i = 0; i < table.size(); ++i) table[i] = stay * table[i] + caused[i];
            for (const Event &event : step.after) close(event.at);
        }
        total = table[0];
        return std::log(total) + log_scale;
    }

    // Adds the rows of one explanation that are on.
    void draw(Random &random, std::vector<int> &rows) {
        std::size_t cell = 0;
        double value = total;  // of the table after row t
        for (std::size_t t = part.steps.size(); t-- > 0;) {
            const Step &step = part.steps[t];
            for (std::size_t e = step.after.size(); e-- > 0;)
                cell = insert_bit(cell, step.after[e].at, 1);
            const double *before = store.data() + place[t];
            const double stays = off[t] * before[cell];
            if (random() * value >= stays) {
                rows.push_back(step.row);
                step_back(t, value - stays, random, cell);
            }
            value = before[cell];
            for (std::size_t e = step.before.size(); e-- > 0;) {
                const Event &event = step.before[e];
                const bool produced = cell >> event.at & 1;
                value /= produced ? p.leak[event.id] * tilt[event.id] : p.leak_fails[event.id];
                cell = remove_bit(cell, event.at);
            }
        }
    }

  private:
    struct Link {
        int bit;
        double acts, fails;
        int column;
    };
    const Coupled &p;
    const Part &part;
    std::size_t size = 0;
    std::vector<std::size_t> place;
    std::vector<std::vector<Link>> links_of;
    std::vector<std::vector<std::size_t>> later;  // [step] tables of what the first links caused
    std::vector<double> tilt, off, on, store, table, caused, spare;
    double chance[1 << TOGETHER];
    std::size_t bits[1 << TOGETHER];
    double total = 0.0;

    // Powers of two that make findings likely, so that nothing underflows; minus the log of all.
    double set_tilt(const Leaf &leaf) {
        std::fill(tilt.begin(), tilt.end(), 1.0);
        for (std::size_t t = 0; t < part.steps.size(); ++t) {
            for (const Event &event : part.steps[t].before) tilt[event.id] = p.leak[event.id];
            const std::size_t k = part.steps[t].row;
            const double up = p.weight_on[k] * leaf.on[k], down = p.weight_off[k] * leaf.off[k];
            for (const Link &link : links_of[t])
                tilt[link.column] += up > 0.0 ? link.acts * up / (up + down) : 0.0;
        }
        double log_tilt = 0.0;
        for (double &one : tilt) {
            const int exponent = one > 0.0 && one < 1.0 ? std::min(200, int(-std::log2(one))) : 0;
            one = std::ldexp(1.0, exponent);
            log_tilt -= exponent * M_LN2;
        }
        return log_tilt;
    }

    void open(int at, double first, double second) {
        const std::size_t half = std::size_t(1) << at;
        spare.resize(2 * table.size());
        for (std::size_t base = 0; base < table.size(); base += half)
            for (std::size_t i = 0; i < half; ++i) {
                spare[2 * base + i] = first * table[base + i];
                spare[2 * base + half + i] = second * table[base + i];
            }
        table.swap(spare);
    }

    void close(int at) {
        const std::size_t half = std::size_t(1) << at;
        for (std::size_t base = 0; base < table.size(); base += 2 * half)
            std::memmove(table.data() + base / 2, table.data() + base + half, half * sizeof(double));
        table.resize(table.size() / 2);
    }

    // Which findings the row of step t, being on, was the first to produce; `value` is the weight
    // of all possibilities. A few links at a time, the last ones first.
    void step_back(std::size_t t, double value, Random &random, std::size_t &cell) {
        const auto &links = links_of[t];
        for (std::size_t chunk = (links.size() + TOGETHER - 1) / TOGETHER; chunk-- > 0;) {
            const double *table = store.data() + (chunk ? later[t][chunk - 1] : place[t]);
            const double scale = chunk ? 1.0 : on[t];
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
                const double weight = chance[i] * table[cell & ~bits[i]];
                if (!(weight > 0.0)) continue;
                chosen = i;
                left -= weight;
                if (left < 0.0) break;
            }
            cell &= ~bits[chosen];
            value = scale * table[cell];
        }
    }
};

// P(A) and Q(A), both relative to the product of the root's probabilities.
class Scales {
  public:
    explicit Scales(const Mixture &mixture) : m(mixture), p(mixture.problem.view) {
        mean_on = m.problem.on;
        mean_off = m.problem.off;
        edges_of.resize(p.rows);
        log_silence.assign(p.risks, 0.0);
        silencers.assign(p.risks, 0);
        for (std::size_t e = 0; e < p.edges; ++e) {
            const std::size_t j = p.edge_risk[e], k = p.edge_row[e];
            edges_of[k].push_back(int(e));
            mean_on[k] += mean_off[k] * p.risk_prior[j] * p.edge_acts[e];
            mean_off[k] *= (1.0 - p.risk_prior[j]) + p.risk_prior[j] * p.edge_fails[e];
            if (!p.reached[k]) continue;
            if (p.edge_fails[e] > 0.0) log_silence[j] += log_of(e);
            else ++silencers[j];
        }
        quiet.resize(p.risks);
        for (std::size_t j = 0; j < p.risks; ++j) {
            quiet[j] = silencers[j] ? 0.0 : std::exp(log_silence[j]);
            log_all_off += std::log((1.0 - p.risk_prior[j]) + p.risk_prior[j] * quiet[j]);
        }
        log_off.assign(p.rows, 0.0);
        for (std::size_t k = 0; k < p.rows; ++k)
            if (p.reached[k] && p.off[k] > 0.0 && mean_off[k] > 0.0) {
                log_off[k] = std::log(p.off[k] / mean_off[k]);
                log_all_off += log_off[k];
            }
        weigh_leaves();
        touch.assign(p.risks, -1);
    }

    // w = P(A) / Q(A); negative if too many of the diseases share risk factors.
    double weigh(const std::vector<int> &rows) {
        const double on_all = chance(rows);
        if (on_all < 0.0) return -1.0;
        chance_mixed = mixture_chance(rows);
        return chance_mixed > 0.0 ? std::exp(log_base) * on_all / chance_mixed : 0.0;
    }

    // After weigh: log Q(A), with the weights of all rows.
    double log_mixed(const std::vector<int> &rows) {
        double log = std::log(chance_mixed);
        for (int k : rows) is_on[k] = 1;
        for (std::size_t k = 0; k < p.rows; ++k)
            if (p.reached[k])
                log += std::log(is_on[k] ? mean_on[k] * p.weight_on[k] : mean_off[k] * p.weight_off[k]);
        for (int k : rows) is_on[k] = 0;
        return log;
    }

    // After weigh: E[prod of edge_fails over risk factors that are on | A] of a listener.
    double heard(std::size_t row) {
        double factor = 1.0;
        bool again = false;
        for (int e : edges_of[row]) {
            const std::size_t j = p.edge_risk[e];
            if (touch[j] >= 0) {
                risks[touch[j]].on *= p.edge_fails[e];
                again = true;
                continue;
            }
            const double off = 1.0 - p.risk_prior[j], on = p.risk_prior[j] * quiet[j];
            factor *= (off + on * p.edge_fails[e]) / (off + on);
        }
        if (!again) return factor;
        const double with = cover();
        for (int e : edges_of[row]) {
            const int at = touch[p.edge_risk[e]];
            if (at >= 0) risks[at].on = risks[at].kept;
        }
        return factor * with / covered;
    }

    // After weigh: the chance that a listener is off as the leaves have it, by their share in Q(A).
    double guessed(std::size_t row) const {
        double sum = 0.0, all = 0.0;
        for (std::size_t i = 0; i < mixed.size(); ++i) {
            sum += mixed[i] * m.leaves[i].off[row];
            all += mixed[i];
        }
        return sum / all;
    }

  private:
    const Mixture &m;
    const Coupled &p;
    std::vector<double> mean_on, mean_off;  // [row] of the root
    std::vector<std::vector<int>> edges_of;
    std::vector<double> log_silence, quiet;  // [risk] all reached rows stay off in spite of it
    std::vector<int> silencers;              // [risk] rows that never do
    std::vector<double> log_off;             // [row]
    double log_all_off = 0.0, log_base = 0.0;
    std::vector<double> base;                       // [leaf]
    std::vector<std::vector<double>> odds;          // [row][leaf] of on, against the root
    std::vector<int> awkward;                       // rows that a leaf is certain of
    std::vector<std::vector<double>> up, down;      // [awkward][leaf]
    std::vector<int> awkward_at;                    // [row] or -1
    std::vector<double> mixed;                      // [leaf] of the last explanation
    double chance_mixed = 0.0;                      // of all of them
    std::vector<char> is_on;

    struct Meeting {
        int row;  // position among the rows that are on and have risk factors
        double acts, fails;
    };
    struct Risk {
        double off, on, kept;
        std::vector<Meeting> meetings;
    };
    struct Member {
        double on, off;
        int left, bit;
    };
    std::vector<int> touch;  // [risk] position in `risks`, or -1
    std::vector<int> touched;
    std::vector<Risk> risks;
    std::vector<Member> members, fresh;
    std::vector<double> states, active, stay;
    double covered = 0.0;

    double log_of(std::size_t e) const {
        return p.edge_acts[e] < 0.5 ? std::log1p(-p.edge_acts[e]) : std::log(p.edge_fails[e]);
    }

    void weigh_leaves() {
        const std::size_t count = m.leaves.size();
        odds.resize(p.rows);
        awkward_at.assign(p.rows, -1);
        std::vector<double> log_base_of(count);
        for (std::size_t i = 0; i < count; ++i) log_base_of[i] = m.log_weight(m.leaves[i]);
        for (std::size_t k = 0; k < p.rows; ++k) {
            if (!p.reached[k]) continue;
            bool certain = !(mean_off[k] > 0.0);
            for (const Leaf &leaf : m.leaves) certain |= !(leaf.off[k] > 0.0);
            if (certain) {
                awkward_at[k] = int(awkward.size());
                awkward.push_back(int(k));
                up.emplace_back(), down.emplace_back();
                for (const Leaf &leaf : m.leaves) {
                    up.back().push_back(mean_on[k] > 0.0 ? leaf.on[k] / mean_on[k] : 0.0);
                    down.back().push_back(mean_off[k] > 0.0 ? leaf.off[k] / mean_off[k] : 0.0);
                }
                continue;
            }
            odds[k].resize(count);
            for (std::size_t i = 0; i < count; ++i) {
                const Leaf &leaf = m.leaves[i];
                const double down_by = leaf.off[k] / mean_off[k];
                log_base_of[i] += std::log(down_by);
                odds[k][i] = mean_on[k] > 0.0 ? leaf.on[k] / mean_on[k] / down_by : 0.0;
            }
        }
        for (double log : log_base_of) base.push_back(std::exp(log));
        is_on.assign(p.rows, 0);
    }

    double mixture_chance(const std::vector<int> &rows) {
        mixed = base;
        const std::size_t count = mixed.size();
        double *to = mixed.data();
        for (int k : rows) {
            is_on[k] = 1;
            if (awkward_at[k] >= 0) continue;
            const double *by = odds[k].data();
#pragma omp simd
            for (std::size_t i = 0; i < count; ++i) to[i] *= by[i];
        }
        for (std::size_t a = 0; a < awkward.size(); ++a) {
            const double *by = (is_on[awkward[a]] ? up : down)[a].data();
            for (std::size_t i = 0; i < count; ++i) to[i] *= by[i];
        }
        for (int k : rows) is_on[k] = 0;
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) sum += to[i];
        return sum;
    }

    // P(A) over the root's probabilities and exp(log_base).
    double chance(const std::vector<int> &rows) {
        for (int j : touched) touch[j] = -1;
        touched.clear();
        members.clear();
        double alone = 1.0;
        log_base = log_all_off;
        for (int k : rows) {
            log_base -= log_off[k];
            if (edges_of[k].empty()) {
                alone *= p.on[k] / mean_on[k];
                continue;
            }
            const int number = int(members.size());
            members.push_back({p.on[k] / mean_on[k], p.off[k] / mean_on[k],
                               int(edges_of[k].size()), -1});
            for (int e : edges_of[k]) {
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
        for (std::size_t at = 0; at < touched.size(); ++at) {
            const int j = touched[at];
            Risk &risk = risks[at];
            const double stay = risk.on > 0.5 ? 0.0 : std::exp(std::min(risk.off, 0.0));
            risk.off = 1.0 - p.risk_prior[j];
            risk.on = risk.kept = p.risk_prior[j] * stay;
            log_base -= std::log(risk.off + p.risk_prior[j] * quiet[j]);
        }
        covered = cover();
        return covered < 0.0 ? covered : alone * covered;
    }

    // Sum over the risk factors of the diseases that are on, by the states of whichever are fewer.
    double cover() {
        return touched.size() < members.size() && int(touched.size()) <= WIDEST ? by_risks() : by_rows();
    }

    // By the states of the risk factors: every disease must be on in each.
    double by_risks() {
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

    // By the diseases: which of them have been activated, each open from its first risk factor to
    // its last.
    double by_rows() {
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
            for (const Meeting &one : risk.meetings) {
                const int bit = fresh[one.row].bit;
                if (bit >= 0) produce(active.data(), active.size(), bit, one.acts, one.fails);
            }
            for (std::size_t i = 0; i < states.size(); ++i)
                states[i] = off * states[i] + on * active[i];
            for (const Meeting &one : risk.meetings) {
                Member &member = fresh[one.row];
                if (--member.left > 0 || member.bit < 0) continue;
                const std::size_t half = std::size_t(1) << member.bit;
                for (std::size_t base = 0; base < states.size(); base += 2 * half)
                    std::memmove(states.data() + base / 2, states.data() + base + half,
                                 half * sizeof(double));
                states.resize(states.size() / 2);
                for (Member &other : fresh)
                    if (other.bit > member.bit) --other.bit;
                member.bit = -1;
                --width;
            }
        }
        return states[0];
    }
};

// What an explanation says about every score.
class Count {
  public:
    explicit Count(const Mixture &mixture) : p(mixture.problem.view), links(p.rows) {
        for (std::size_t i = 0; i < mixture.link_row.size(); ++i)
            links[mixture.link_row[i]].push_back(mixture.link_column[i]);
    }

    void add(const std::vector<int> &rows, double weight, double counts, Draws &draws) {
        const double surplus = weight - 1.0;
        draws.count += 1.0;
        draws.counts += counts;
        draws.all.add(1.0, surplus, counts);
        draws.heaviest = std::max(draws.heaviest, counts * std::abs(surplus));
        look(rows);
        for (std::size_t s = 0; s < p.columns; ++s)
            draws.unexplained[s].add(silent[s] * p.leak[s] / present[s], surplus, counts);
        for (int k : rows) {
            double disablement = 0.0, sufficiency = 0.0;
            for (int s : links[k]) {
                const std::size_t cell = std::size_t(k) * p.columns + s;
                const double sustained = p.acts[cell] / present[s];
                const double disabled = sustained * p.leak_fails[s] * others(rows, k, s);
                disablement += disabled;
                sufficiency += sustained;
                draws.disabled[cell] += counts * disabled;
                draws.disabled_excess[cell] += counts * surplus * disabled;
                draws.sustained[cell] += counts * sustained;
                draws.sustained_excess[cell] += counts * surplus * sustained;
            }
            draws.rows[3 * k].add(1.0, surplus, counts);
            draws.rows[3 * k + 1].add(disablement, surplus, counts);
            draws.rows[3 * k + 2].add(sufficiency, surplus, counts);
        }
    }

    // log P(findings | A)
    double log_present(const std::vector<int> &rows) {
        look(rows);
        double log = 0.0;
        for (double chance : present) log += std::log(chance);
        return log;
    }

  private:
    const Coupled &p;
    std::vector<std::vector<int>> links;  // [row] columns
    std::vector<double> present, silent;  // [column] P(it is there), P(no disease causes it)

    void look(const std::vector<int> &rows) {
        present.assign(p.leak, p.leak + p.columns);
        silent.assign(p.columns, 1.0);
        for (int k : rows)
            for (int s : links[k]) {
                const std::size_t cell = std::size_t(k) * p.columns + s;
                present[s] = p.acts[cell] + p.fails[cell] * present[s];
                silent[s] *= p.fails[cell];
            }
    }

    // P(no other disease of the explanation causes the finding)
    double others(const std::vector<int> &rows, int row, int column) const {
        const double own = p.fails[std::size_t(row) * p.columns + column];
        if (own > 1e-3) return silent[column] / own;
        double product = 1.0;
        for (int k : rows)
            if (k != row) product *= p.fails[std::size_t(k) * p.columns + column];
        return product;
    }
};

// Calls work(explanation) once for every explanation that differs from a likely one in at most two
// of the rows to turn, or three where these are few; those that differ least first.
template <typename Work>
void each_around(const std::vector<std::vector<int>> &likely, const std::vector<int> &turned,
                 const Work &work) {
    std::set<std::vector<int>> known;
    std::vector<int> rows;
    const auto visit = [&](const std::vector<int> &centre, std::initializer_list<int> flipped) {
        rows = centre;
        for (int k : flipped) {
            const auto at = std::find(rows.begin(), rows.end(), k);
            if (at == rows.end()) rows.push_back(k);
            else rows.erase(at);
        }
        std::sort(rows.begin(), rows.end());
        if (known.insert(rows).second) work(rows);
    };
    for (const auto &centre : likely) visit(centre, {});
    for (const auto &centre : likely)
        for (int k : turned) visit(centre, {k});
    for (const auto &centre : likely)
        for (std::size_t a = 0; a < turned.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) visit(centre, {turned[a], turned[b]});
    if (turned.size() > FEW) return;
    for (const auto &centre : likely)
        for (std::size_t a = 0; a < turned.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                for (std::size_t c = 0; c < b; ++c) visit(centre, {turned[a], turned[b], turned[c]});
}

// [row] Factors by which rare rows are drawn more often than they are believed in. All of them
// together are drawn some BOOSTED times in an explanation.
std::vector<double> Mixture::boosts() const {
    const Coupled &p = problem.view;
    std::vector<double> mean(p.rows, 0.0), boost(p.rows, 1.0);
    for (std::size_t i = 0; i < leaves.size(); ++i)
        for (std::size_t k = 0; k < p.rows; ++k)
            if (p.reached[k]) mean[k] += share[i] * leaves[i].posterior[k];
    const auto wanted = [&](std::size_t k, double most) {
        return most * std::min(1.0, std::sqrt(mean[k] / RARE));
    };
    double low = 0.0, high = 1.0;
    for (int turn = 0; turn < 40; ++turn) {
        const double middle = 0.5 * (low + high);
        double sum = 0.0;
        for (std::size_t k = 0; k < p.rows; ++k) sum += std::max(0.0, wanted(k, middle) - mean[k]);
        (sum < BOOSTED ? low : high) = middle;
    }
    for (std::size_t k = 0; k < p.rows; ++k)
        if (mean[k] > 0.0) boost[k] = std::clamp(wanted(k, low) / mean[k], 1.0, MOST_BOOST);
    return boost;
}

// The reached rows that may be turned to look around an explanation: the likeliest.
std::vector<int> Mixture::rows_to_turn() const {
    const Coupled &p = problem.view;
    std::vector<double> mean(p.rows, 0.0);
    std::vector<int> rows;
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        rows.push_back(int(k));
        for (std::size_t i = 0; i < leaves.size(); ++i) mean[k] += share[i] * leaves[i].posterior[k];
    }
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) { return mean[a] > mean[b]; });
    if (rows.size() > TURNED) rows.resize(TURNED);
    return rows;
}

Draws Mixture::draw(long long count, std::uint64_t seed, bool keep, const Stopwatch &watch) const {
    const Coupled &p = problem.view;
    Draws draws;
    draws.rows.resize(3 * p.rows);
    draws.unexplained.resize(p.columns);
    for (auto *cells : {&draws.disabled, &draws.disabled_excess, &draws.sustained,
                        &draws.sustained_excess})
        cells->assign(p.rows * p.columns, 0.0);
    draws.listener.assign(p.rows, 0.0);
    draws.listener2.assign(p.rows, 0.0);
    if (keep) draws.kept_start.push_back(0);
    std::vector<int> listeners;
    std::vector<double> listener_off(p.rows, 0.0);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (p.reached[k] || !(p.off[k] > 0.0)) continue;
        listeners.push_back(int(k));
        for (std::size_t i = 0; i < leaves.size(); ++i) listener_off[k] += share[i] * leaves[i].off[k];
    }
    const long long every = std::max(1LL, count / LISTEN);
    double log_lone = 0.0;
    for (const Part &part : plan.parts)
        for (int s : part.lone) log_lone += std::log(p.leak[s]);
    std::vector<Walk> walks;
    for (const Part &part : plan.parts)
        if (!part.steps.empty()) walks.emplace_back(*this, part);
    Scales scales(*this);
    Count tally(*this);
    std::vector<int> rows;
    const std::vector<double> boost = boosts();
    // the leaves' shares once the rows are boosted
    std::vector<double> part(leaves.size(), -INFINITY);
    double peak = -INFINITY, total = 0.0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (!(share[i] > 0.0)) continue;
        part[i] = log_weight(leaves[i]) + log_lone;
        for (Walk &walk : walks) part[i] += walk.enter(leaves[i], boost);
        peak = std::max(peak, part[i]);
        if (watch.expired()) {
            draws.expired = true;
            return draws;
        }
    }
    if (!(peak > -INFINITY)) return draws;
    for (double &one : part) total += one = std::exp(one - peak);
    const double most_counts = std::exp(peak + std::log(total) - log_total);
    double before = Random(seed)();  // where the shares are cut into draws
    long long done = 0;
    std::vector<std::vector<int>> likely;
    const long long spaced = std::max(1LL, count / AMONG);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const double after = before + part[i] / total * double(count);
        const long long here = (long long)(std::floor(after)) - (long long)(std::floor(before));
        before = after;
        if (here == 0) continue;
        for (Walk &walk : walks) walk.enter(leaves[i], boost);
        Random random(seed * 0x9e3779b97f4a7c15ull + i + 1);
        for (long long n = 0; n < here; ++n, ++done) {
            if (done % LOOK == 0 && watch.expired()) {
                draws.expired = true;
                return draws;
            }
            rows.clear();
            for (Walk &walk : walks) walk.draw(random, rows);
            const double weight = scales.weigh(rows);
            if (!(weight >= 0.0)) {
                draws.too_wide = true;
                return draws;
            }
            double counts = most_counts;
            for (int k : rows) counts /= boost[k];
            tally.add(rows, weight, counts, draws);
            if (done % spaced == 0 && likely.size() < LIKELY &&
                std::find(likely.begin(), likely.end(), rows) == likely.end())
                likely.push_back(rows);
            if (!listeners.empty() && done % every == 0) {
                draws.listened += counts;
                for (int k : listeners) {
                    const double guess = scales.guessed(k);
                    const double more =
                        counts * (weight * (p.off[k] * scales.heard(k) - guess) +
                                  (weight - 1.0) * (guess - listener_off[k]));
                    draws.listener[k] += more;
                    draws.listener2[k] += more * more;
                }
            }
            if (keep) {
                draws.kept_rows.insert(draws.kept_rows.end(), rows.begin(), rows.end());
                draws.kept_start.push_back((long long)draws.kept_rows.size());
                draws.kept_weight.push_back(counts * weight);
            }
        }
    }
    draws.missed_row.assign(p.rows, 0.0);
    draws.missed_square.assign(p.rows, 0.0);
    const auto miss = [&](int k, double change, double chance) {
        draws.missed_row[k] += change * chance;
        draws.missed_square[k] += change * change * chance;
    };
    std::size_t left = ASKED;
    each_around(likely, rows_to_turn(), [&](const std::vector<int> &one) {
        const double weight = scales.weigh(one);
        if (!(weight >= 0.0)) return;
        const double share_of_it = std::exp(scales.log_mixed(one) + tally.log_present(one) - log_total);
        if (!(share_of_it > 0.0)) return;
        double counts = most_counts;
        for (int k : one) counts /= boost[k];
        const double expected = double(done) * share_of_it / counts;
        const double change = share_of_it * (weight - 1.0), unmet = std::exp(-expected);
        draws.looked += share_of_it;
        draws.missed += std::abs(change) * unmet;
        for (int k : one) miss(k, change, unmet);
        const double unasked = std::exp(-expected / double(every));
        if (left < listeners.size() || unasked < 1e-9) return;
        left -= listeners.size();
        for (int k : listeners) {
            const double guess = scales.guessed(k);
            const double more = weight * (p.off[k] * scales.heard(k) - guess) +
                                (weight - 1.0) * (guess - listener_off[k]);
            miss(k, share_of_it * more, unasked);
        }
    });
    return draws;
}

}  // namespace hickam::coupled
