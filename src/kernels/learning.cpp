// The expected statistics of learning: for every record, how often each mechanism acted and how
// often it could have. `learn/expect.py` says what each array is and derives the formulas.
#include "coupled_frontier.hpp"
#include "seam.hpp"
#include "settled.hpp"

#include <algorithm>
#include <cmath>

namespace hickam {
namespace {

using Bytes = Array<signed char, 2>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr double LONGEST = 1e8, MOST_BYTES = 1e9;  // operations and memory of one frontier
constexpr int TRIES = 50;                           // of orders, since each serves only once
constexpr double DONE = 0.0, HARD = 1.0, IMPOSSIBLE = 2.0;

// A chance with its odds multiplied, and the draws that the multiplication rejects on average:
// `on` of them were on, `off` of them off.
struct Turned {
    double chance, on = 0.0, off = 0.0;

    Turned(double chance_, double factor) : chance(chance_) {
        if (factor == 1.0) return;
        if (factor < 1.0) {
            const double lost = chance_ * (1.0 - factor);
            on = lost / (1.0 - lost);
        } else {
            const double lost = (1.0 - chance_) * (1.0 - 1.0 / factor);
            off = lost / (1.0 - lost);
        }
        chance = factor * chance_ / (factor * chance_ + 1.0 - chance_);
    }
};

struct Structure {
    Indices cause_from, cause_to;                  // [cause link]
    Indices effect_from, by_effect, effect_start;  // [effect link], [effect link], [finding + 1]
    std::size_t risks, diseases, findings;
    std::size_t leak_at, cause_at, own_at, effect_at, size;  // where each kind begins among all

    Structure(Indices from, Indices to, Indices of, Indices by, Indices start, std::size_t risks_,
              std::size_t diseases_)
        : cause_from(from), cause_to(to), effect_from(of), by_effect(by), effect_start(start),
          risks(risks_), diseases(diseases_), findings(start.shape(0) - 1), leak_at(risks),
          cause_at(leak_at + diseases), own_at(cause_at + from.shape(0)),
          effect_at(own_at + findings), size(effect_at + of.shape(0)) {
        need_shape("cause_to", to, {from.shape(0)});
        need_shape("by_effect", by, {of.shape(0)});
        need_indices("cause_from", from, risks);
        need_indices("cause_to", to, diseases);
        need_indices("effect_from", of, diseases);
        need_indices("by_effect", by, of.shape(0));
        need_indices("effect_start", start, of.shape(0) + 1, true);
    }
};

struct Batch {
    Bytes settings;  // [setting, risk factor] 1: on, 0: off, -1: says nothing
    Indices setting_start;
    Vector log_weight;  // [setting]
    Bytes diseases;     // [record, disease] 1: on, 0: off, -1: unknown
    Indices absent_start, absent, group_start, atom_start, atoms, person;
    Matrix risk_factor, disease_factor, leak_factor;  // [person, …]

    void check(const Structure &network) const {
        const std::size_t records = diseases.shape(0), people = risk_factor.shape(0);
        need_shape("settings", settings, {log_weight.shape(0), network.risks});
        need_shape("diseases", diseases, {records, network.diseases});
        need_shape("person", person, {records});
        need_shape("risk_factor", risk_factor, {people, network.risks});
        need_shape("disease_factor", disease_factor, {people, network.diseases});
        need_shape("leak_factor", leak_factor, {people, network.findings});
        need_indices("person", person, people);
        need_indices("absent", absent, network.findings);
        need_indices("atoms", atoms, network.findings);
        bounds("setting_start", setting_start, records, settings.shape(0));
        bounds("absent_start", absent_start, records, absent.shape(0));
        bounds("group_start", group_start, records, atom_start.shape(0) - 1);
        bounds("atom_start", atom_start, atom_start.shape(0) - 1, atoms.shape(0));
    }

    static void bounds(const char *name, const Indices &start, std::size_t count,
                       std::size_t end) {
        need_shape(name, start, {count + 1});
        need_indices(name, start, end + 1, true);
    }
};

// The statistics of one record, and the room to find them in.
class Expectation {
  public:
    std::vector<double> acted, could;  // [number]
    std::vector<double> posterior;     // [disease]
    double log_evidence = 0.0;

    Expectation(const Structure &network_, const Batch &batch_, const Vector &values,
                double cells_)
        : acted(network_.size), could(network_.size), posterior(network_.diseases),
          network(network_), batch(batch_), value(values.data()), cells(cells_),
          some_acted(network_.size), some_could(network_.size), some_posterior(network_.diseases),
          log_off(network_.diseases), log_lost(network_.diseases), reached(network_.diseases),
          row_of(network_.diseases), chance(network_.diseases), background(0) {
        for (std::size_t e = 0; e < network.cause_from.shape(0); ++e)
            cause_log.push_back(std::log1p(-value[network.cause_at + e]));
        for (std::size_t e = 0; e < network.effect_from.shape(0); ++e)
            effect_log.push_back(std::log1p(-value[network.effect_at + e]));
        for (std::size_t k = 0; k < network.diseases; ++k)
            leak_log.push_back(std::log1p(-value[network.leak_at + k]));
        const std::size_t people = batch.leak_factor.shape(0);
        leaks.reserve(people * network.findings);
        for (std::size_t at = 0; at < people * network.findings; ++at) {
            leaks.emplace_back(value[network.own_at + at % network.findings],
                               batch.leak_factor.data()[at]);
            leaks_log.push_back(std::log1p(-leaks.back().chance));
        }
    }

    double record(std::size_t n) {
        gather(n);
        const long long *start = batch.setting_start.data();
        if (start[n + 1] == start[n] + 1) {
            log_evidence = batch.log_weight.data()[start[n]];
            const double outcome = setting(n, std::size_t(start[n]), log_evidence);
            acted.swap(some_acted);
            could.swap(some_could);
            posterior.swap(some_posterior);
            return outcome;
        }
        std::fill(acted.begin(), acted.end(), 0.0);
        std::fill(could.begin(), could.end(), 0.0);
        std::fill(posterior.begin(), posterior.end(), 0.0);
        double peak = -INFINITY, total = 0.0;
        for (long long at = start[n]; at < start[n + 1]; ++at) {
            double log_chance = batch.log_weight.data()[at];
            const double outcome = setting(n, std::size_t(at), log_chance);
            if (outcome == HARD) return HARD;
            if (outcome == IMPOSSIBLE) continue;
            const double fade = log_chance > peak ? std::exp(peak - log_chance) : 1.0;
            peak = std::max(peak, log_chance);
            const double share = std::exp(log_chance - peak);
            total = total * fade + share;
            blend(acted, some_acted, fade, share);
            blend(could, some_could, fade, share);
            blend(posterior, some_posterior, fade, share);
        }
        log_evidence = peak + std::log(total);
        if (!(total > 0.0)) return IMPOSSIBLE;
        for (auto *all : {&acted, &could, &posterior})
            for (double &one : *all) one /= total;
        return DONE;
    }

  private:
    struct Cell {
        std::size_t disease, group;
        double acts, fails;
    };

    const Structure &network;
    const Batch &batch;
    const double *value;
    double cells;
    std::vector<double> some_acted, some_could, some_posterior;  // of one setting
    std::vector<double> cause_log, effect_log, leak_log;
    std::vector<Turned> leaks;      // [person, finding]
    std::vector<double> leaks_log;  // [person, finding] log of the chance that it fails
    std::vector<double> log_off, log_lost;
    std::vector<char> reached;
    std::vector<long long> row_of;
    std::vector<double> chance;
    std::vector<Cell> mechanisms;         // of diseases on present groups
    std::vector<double> background;       // [group] P(nothing but diseases of unknown state fails)
    std::vector<double> leak_off;         // [group] P(its leaks fail)
    std::vector<double> off, on, leak;
    std::vector<const Cell *> only;   // [group] its one mechanism of unknown state, if it is one
    std::vector<long long> column;    // [group] its column, or -1
    std::vector<double> acts, fails;  // [row, column]
    std::vector<double> shared_leak, shared_background;  // [column]
    std::vector<std::size_t> rows;
    double log_scale = 0.0;

    static void blend(std::vector<double> &sum, const std::vector<double> &one, double fade,
                      double share) {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] * fade + share * one[i];
    }

    std::size_t leak_at(std::size_t n, std::size_t atom) const {
        return std::size_t(batch.person.data()[n]) * network.findings + atom;
    }

    const Turned &leak_of(std::size_t n, std::size_t atom) const { return leaks[leak_at(n, atom)]; }

    signed char state(std::size_t n, std::size_t k) const {
        return batch.diseases.data()[n * network.diseases + k];
    }

    template <typename F> void each_link(std::size_t atom, F visit) const {
        const long long *start = network.effect_start.data();
        for (long long l = start[atom]; l < start[atom + 1]; ++l) {
            const std::size_t e = std::size_t(network.by_effect.data()[l]);
            visit(e, std::size_t(network.effect_from.data()[e]));
        }
    }

    template <typename F> void each_absent(std::size_t n, F visit) const {
        const long long *start = batch.absent_start.data();
        for (long long i = start[n]; i < start[n + 1]; ++i)
            visit(std::size_t(batch.absent.data()[i]));
    }

    // visit(group, counted from 0, atom)
    template <typename F> void each_present(std::size_t n, F visit) const {
        const long long *group = batch.group_start.data(), *atom = batch.atom_start.data();
        for (long long g = group[n]; g < group[n + 1]; ++g)
            for (long long i = atom[g]; i < atom[g + 1]; ++i)
                visit(std::size_t(g - group[n]), std::size_t(batch.atoms.data()[i]));
    }

    // What is the same for every setting of the risk factors.
    void gather(std::size_t n) {
        std::fill(log_lost.begin(), log_lost.end(), 0.0);
        for (std::size_t k = 0; k < network.diseases; ++k) reached[k] = state(n, k) >= 0;
        log_scale = 0.0;
        each_absent(n, [&](std::size_t atom) {
            log_scale += leaks_log[leak_at(n, atom)];
            each_link(atom, [&](std::size_t e, std::size_t k) {
                log_lost[k] += effect_log[e];
                reached[k] = 1;
            });
        });
        const std::size_t groups =
            std::size_t(batch.group_start.data()[n + 1] - batch.group_start.data()[n]);
        leak_off.assign(groups, 1.0);
        mechanisms.clear();
        std::size_t group_begin = 0, last = groups;
        each_present(n, [&](std::size_t g, std::size_t atom) {
            if (g != last) {
                group_begin = mechanisms.size();
                last = g;
            }
            leak_off[g] *= 1.0 - leak_of(n, atom).chance;
            each_link(atom, [&](std::size_t e, std::size_t k) {
                reached[k] = 1;
                if (state(n, k) == 0) return;
                const double a = value[network.effect_at + e];
                for (std::size_t m = group_begin; m < mechanisms.size(); ++m)
                    if (mechanisms[m].disease == k) {
                        mechanisms[m].acts += mechanisms[m].fails * a;
                        mechanisms[m].fails *= 1.0 - a;
                        return;
                    }
                mechanisms.push_back({k, g, a, 1.0 - a});
            });
        });
        background = leak_off;
        std::fill(row_of.begin(), row_of.end(), -1);
        rows.clear();
        for (const Cell &cell : mechanisms) {
            if (state(n, cell.disease) == 1) background[cell.group] *= cell.fails;
            else if (row_of[cell.disease] < 0) {
                row_of[cell.disease] = (long long)rows.size();
                rows.push_back(cell.disease);
            }
        }
        leak.resize(groups);
        for (std::size_t g = 0; g < groups; ++g) leak[g] = 1.0 - background[g];
        off.resize(rows.size());
        on.resize(rows.size());
        part_columns(groups);
    }

    // A group that one disease of unknown state may cause is a weight on that disease; only those
    // that several may cause are columns of a problem.
    void part_columns(std::size_t groups) {
        only.assign(groups, nullptr);
        column.assign(groups, -1);
        shared_leak.clear();
        shared_background.clear();
        for (const Cell &cell : mechanisms) {
            if (row_of[cell.disease] < 0 || !(cell.acts > 0.0)) continue;
            if (only[cell.group] == nullptr && column[cell.group] < 0) {
                only[cell.group] = &cell;
            } else if (column[cell.group] < 0) {
                only[cell.group] = nullptr;
                column[cell.group] = (long long)shared_leak.size();
                shared_leak.push_back(leak[cell.group]);
                shared_background.push_back(background[cell.group]);
            }
        }
        acts.assign(rows.size() * shared_leak.size(), 0.0);
        fails.assign(rows.size() * shared_leak.size(), 1.0);
        for (const Cell &cell : mechanisms) {
            if (row_of[cell.disease] < 0 || column[cell.group] < 0) continue;
            const std::size_t at = std::size_t(row_of[cell.disease]) * shared_leak.size() +
                                   std::size_t(column[cell.group]);
            acts[at] = cell.acts;
            fails[at] = cell.fails;
        }
    }

    double setting(std::size_t n, std::size_t at, double &log_chance) {
        const std::size_t person = std::size_t(batch.person.data()[n]);
        const signed char *risk = batch.settings.data() + at * network.risks;
        std::fill(some_acted.begin(), some_acted.end(), 0.0);
        std::fill(some_could.begin(), some_could.end(), 0.0);
        log_chance += log_scale;
        for (std::size_t j = 0; j < network.risks; ++j) {
            if (risk[j] < 0) continue;
            const Turned prior(value[j], batch.risk_factor.data()[person * network.risks + j]);
            log_chance += risk[j] ? std::log(prior.chance) : std::log1p(-prior.chance);
            some_acted[j] += risk[j] + prior.on;
            some_could[j] += 1.0 + prior.on + prior.off;
        }
        log_off = leak_log;
        for (std::size_t e = 0; e < network.cause_from.shape(0); ++e)
            if (risk[network.cause_from.data()[e]] == 1)
                log_off[network.cause_to.data()[e]] += cause_log[e];
        const double *factor = batch.disease_factor.data() + person * network.diseases;
        for (std::size_t k = 0; k < network.diseases; ++k) {
            some_posterior[k] = chance[k] = Turned(-std::expm1(log_off[k]), factor[k]).chance;
            if (!reached[k]) continue;
            if (state(n, k) >= 0) {
                log_chance += state(n, k) ? std::log(chance[k]) + log_lost[k]
                                          : std::log1p(-chance[k]);
                some_posterior[k] = state(n, k);
            } else if (row_of[k] >= 0) {
                on[row_of[k]] = chance[k] * std::exp(log_lost[k]);
                off[row_of[k]] = 1.0 - chance[k];
            } else {
                const double yes = chance[k] * std::exp(log_lost[k]);
                some_posterior[k] = yes / (yes + 1.0 - chance[k]);
                log_chance += std::log(yes + 1.0 - chance[k]);
            }
        }
        for (std::size_t g = 0; g < leak.size(); ++g) {
            if (column[g] >= 0) continue;
            if (only[g] == nullptr) {
                log_chance += std::log(leak[g]);
                continue;
            }
            const std::size_t row = std::size_t(row_of[only[g]->disease]);
            on[row] *= leak[g] + background[g] * only[g]->acts;
            off[row] *= leak[g];
        }
        if (!(log_chance > -INFINITY)) return IMPOSSIBLE;
        const settled::Settled problem{rows.size(),        shared_leak.size(),      off.data(),
                                       on.data(),          acts.data(),             fails.data(),
                                       shared_leak.data(), shared_background.data()};
        Answer tables;
        if (!solve(problem, tables)) return HARD;
        if (!(tables.log_evidence > -INFINITY)) return IMPOSSIBLE;
        if (std::isnan(tables.log_evidence)) return HARD;
        log_chance += tables.log_evidence;
        for (std::size_t row = 0; row < rows.size(); ++row)
            some_posterior[rows[row]] = std::min(std::max(tables.posterior[row], 0.0), 1.0);
        count_diseases(risk, factor);
        count_findings(n, tables);
        return DONE;
    }

    // By COVER where it is small, by the frontier where that is not too long; false where it is.
    bool solve(const settled::Settled &problem, Answer &tables) const {
        if (small(problem)) {
            tables = settled::cover(problem, Stopwatch(0.0));
            return true;
        }
        const std::vector<double> ones(problem.rows, 1.0);
        const std::vector<char> all(problem.rows, 1);
        const coupled::Coupled open{
            problem.rows,      problem.columns, 0,       0,       problem.on,
            problem.off,       ones.data(),     ones.data(), (const bool *)all.data(),
            problem.acts,      problem.fails,   problem.leak, problem.leak_fails,
            nullptr,           nullptr,         nullptr, nullptr, nullptr};
        coupled::FrontierLimits limits{LONGEST, MOST_BYTES};
        limits.tries = TRIES;
        const coupled::FrontierPlan plan = coupled::plan_frontier(open, limits);
        if (!plan.fits) return false;
        tables = coupled::frontier(open, plan, Stopwatch(0.0)).answer;
        return true;
    }

    bool small(const settled::Settled &problem) const {
        if (std::ldexp(double(problem.rows), int(std::min<std::size_t>(problem.columns, 1000))) <=
            cells)
            return true;
        const auto parts =
            settled::components(problem, std::vector<char>(problem.columns, 1));
        std::vector<int> wide(parts.count, 0), high(parts.count, 0);
        for (int part : parts.of_column) ++wide[part];
        for (int part : parts.of_row)
            if (part >= 0) ++high[part];
        for (std::size_t part = 0; part < parts.count; ++part)
            if (std::ldexp(double(high[part]), std::min(wide[part], 1000)) > cells) return false;
        return true;
    }

    void count_diseases(const signed char *risk, const double *factor) {
        for (std::size_t k = 0; k < network.diseases; ++k) {
            if (!reached[k]) continue;
            const double by_cause = -std::expm1(log_off[k]);
            const Turned turned(by_cause, factor[k]);
            const double each = by_cause > 0.0 ? (some_posterior[k] + turned.on) / by_cause : 0.0;
            const double draws = 1.0 + turned.on + turned.off;
            some_acted[network.leak_at + k] = each * value[network.leak_at + k];
            some_could[network.leak_at + k] = draws;
            chance[k] = each;  // from here on: how often the disease was on, by its chance
            log_off[k] = draws;
        }
        for (std::size_t e = 0; e < network.cause_from.shape(0); ++e) {
            const std::size_t k = std::size_t(network.cause_to.data()[e]);
            if (risk[network.cause_from.data()[e]] != 1 || !reached[k]) continue;
            some_acted[network.cause_at + e] = chance[k] * value[network.cause_at + e];
            some_could[network.cause_at + e] = log_off[k];
        }
    }

    // P(the one disease that may cause a group does so): `sustained` in closed form.
    double kept_up(std::size_t g) const {
        const double acts_ = only[g]->acts, any = leak[g] + background[g] * acts_;
        return any > 0.0 ? some_posterior[only[g]->disease] * acts_ / any : 0.0;
    }

    void count_findings(std::size_t n, const Answer &tables) {
        const std::size_t shared = shared_leak.size();
        each_absent(n, [&](std::size_t atom) {
            const Turned &turned = leak_of(n, atom);
            some_acted[network.own_at + atom] = turned.on;
            some_could[network.own_at + atom] = 1.0 + turned.on + turned.off;
            each_link(atom, [&](std::size_t e, std::size_t k) {
                some_could[network.effect_at + e] = some_posterior[k];
            });
        });
        each_present(n, [&](std::size_t g, std::size_t atom) {
            // something in the background acts if nothing else does, or as freely as ever
            const double kept = only[g] == nullptr ? 0.0 : kept_up(g);
            const double alone =
                column[g] < 0 ? 1.0 - kept
                              : std::min(std::max(tables.unexplained[column[g]], 0.0), 1.0);
            const double each =
                leak[g] > 0.0 ? (alone + (1.0 - alone) * leak[g]) / leak[g] : 0.0;
            const Turned &turned = leak_of(n, atom);
            some_acted[network.own_at + atom] = each * turned.chance + turned.on;
            some_could[network.own_at + atom] = 1.0 + turned.on + turned.off;
            each_link(atom, [&](std::size_t e, std::size_t k) {
                const double a = value[network.effect_at + e];
                some_could[network.effect_at + e] = some_posterior[k];
                if (state(n, k) == 1) some_acted[network.effect_at + e] = each * a;
                if (state(n, k) >= 0) return;
                if (column[g] < 0) {
                    if (a > 0.0) some_acted[network.effect_at + e] = kept * a / only[g]->acts;
                    return;
                }
                const std::size_t at = std::size_t(row_of[k]) * shared + std::size_t(column[g]);
                if (acts[at] > 0.0)
                    some_acted[network.effect_at + e] =
                        std::min(std::max(tables.sustained[at], 0.0), some_posterior[k]) * a /
                        acts[at];
            });
        });
    }
};

// Groups of numbers whose scores are multiplied with each other, and the sums of the products.
struct Families {
    Indices start, member;
    Out products;

    void check(std::size_t numbers) const {
        Batch::bounds("family_start", start, start.shape(0) - 1, member.shape(0));
        need_indices("family", member, numbers);
        std::size_t size = 0;
        for (std::size_t f = 0; f + 1 < start.shape(0); ++f) size += width(f) * width(f);
        need_shape("products", products, {size});
    }

    std::size_t width(std::size_t f) const {
        return std::size_t(start.data()[f + 1] - start.data()[f]);
    }

    void add(const std::vector<double> &score, double count, std::vector<double> &room) const {
        double *into = products.data();
        for (std::size_t f = 0; f + 1 < start.shape(0); ++f) {
            const std::size_t size = width(f);
            const long long *own = member.data() + start.data()[f];
            room.resize(size);
            for (std::size_t i = 0; i < size; ++i) room[i] = score[own[i]];
            for (std::size_t i = 0; i < size; ++i, into += size) {
                const double one = count * room[i];
                if (one == 0.0) continue;
                for (std::size_t j = 0; j < size; ++j) into[j] += one * room[j];
            }
        }
    }
};

nb::object expected(const Structure &network, const Batch &batch, const Vector &values,
                    const Vector &counts, double cells, Out acted, Out could, Out log_evidence,
                    Rows posterior, const Families &families) {
    batch.check(network);
    families.check(network.size);
    const std::size_t records = batch.diseases.shape(0);
    need_shape("values", values, {network.size});
    need_shape("counts", counts, {records});
    need_shape("acted", acted, {network.size});
    need_shape("could", could, {network.size});
    need_shape("log_evidence", log_evidence, {records});
    const bool wants_posterior = posterior.shape(0) > 0, wants_products = families.start.shape(0) > 1;
    if (wants_posterior) need_shape("posterior", posterior, {records, network.diseases});
    std::vector<double> outcomes(records);
    {
        nb::gil_scoped_release free;
        Expectation found(network, batch, values, cells);
        std::vector<double> score(network.size), room;
        for (std::size_t n = 0; n < records; ++n) {
            outcomes[n] = found.record(n);
            log_evidence.data()[n] = outcomes[n] == DONE ? found.log_evidence : -INFINITY;
            if (outcomes[n] != DONE) continue;
            const double count = counts.data()[n];
            for (std::size_t i = 0; i < network.size; ++i) {
                acted.data()[i] += count * found.acted[i];
                could.data()[i] += count * found.could[i];
            }
            if (wants_posterior)
                std::copy(found.posterior.begin(), found.posterior.end(),
                          posterior.data() + n * network.diseases);
            if (!wants_products) continue;
            for (std::size_t i = 0; i < network.size; ++i)
                score[i] = found.acted[i] - values.data()[i] * found.could[i];
            families.add(score, count, room);
        }
    }
    return owned(std::move(outcomes));
}

}  // namespace

// Python knows a class by its C++ name: the builds of the kernels must not share it.
inline namespace HICKAM_MODULE {

struct Learning : Structure {
    using Structure::Structure;

    nb::object expect(const Bytes &settings, const Indices &setting_start,
                      const Vector &log_weight, const Bytes &states, const Indices &absent_start,
                      const Indices &absent, const Indices &group_start,
                      const Indices &atom_start, const Indices &atoms, const Indices &person,
                      const Matrix &risk_factor, const Matrix &disease_factor,
                      const Matrix &leak_factor, const Vector &values, const Vector &counts,
                      double cells, Out acted, Out could, Out log_evidence, Rows posterior,
                      const Indices &family_start, const Indices &family, Out products) const {
        const Batch batch{settings,   setting_start, log_weight, states,
                          absent_start, absent,      group_start, atom_start,
                          atoms,      person,        risk_factor, disease_factor,
                          leak_factor};
        return expected(*this, batch, values, counts, cells, acted, could, log_evidence,
                        posterior, Families{family_start, family, products});
    }
};

}  // namespace HICKAM_MODULE

}  // namespace hickam

void bind_learning(nanobind::module_ &module) {
    using hickam::Indices;
    nanobind::class_<hickam::Learning>(module, "Learning")
        .def(nanobind::init<Indices, Indices, Indices, Indices, Indices, std::size_t,
                            std::size_t>())
        .def("expect", &hickam::Learning::expect,
             "Adds the expected statistics of records; for every record 0, or 1 where it needs "
             "more than so many cells, or 2 where it is impossible.");
}
