// Explanations drawn from a mixture, weighed, and what they tell.
#include "coupled_chance.hpp"
#include "coupled_tally.hpp"
#include "coupled_walk.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace hickam::coupled {
namespace {

constexpr double BOOSTED = 0.6, MOST_BOOST = 100.0, MOST_COUNTS = 6.0;
constexpr double RARE = 1e-3;       // scores below this are compared absolutely
constexpr long long LISTEN = 400;   // draws in which the listeners are asked, the first
// Of the time, after which no more draws are taken; the rest is for looking around, if that is wanted.
// More where links are cut: there draws take long, and looking around as little as ever.
constexpr double DRAWING = 0.55, DRAWING_THINNED = 0.95;
constexpr long long FEWEST = 200;   // draws that say something
// Likely explanations that are looked around, draws between them, rows that are turned
// on or off, how few of them are turned three at a time, and how often listeners are asked about it.
constexpr std::size_t LIKELY = 4, TURNED = 16, FEW = 12, ASKED = 10000;
constexpr long long SPACED = 8;
// Those looked around next, how often in vain, and how many times as much the most surprising of them
// changes otherwise.
constexpr std::size_t SURPRISING = 4;
constexpr int PATIENCE = 2;
constexpr double GROWN = 4.0;
// Draws between looks at what they are worth, the leading rows that have to be known, and how well: so many
// standard errors.
constexpr long long ROUND = 256;
constexpr std::size_t LEADING = 10;
constexpr double WIDTH = 6.0;
constexpr double NEGLIGIBLE = 1e-10;  // share of the evidence that cannot change a score
constexpr std::size_t NOWHERE = ~std::size_t(0);

// An explanation A.
struct Weighed {
    std::vector<int> rows;
    double weight = 1.0;     // w = P(A) / Q(A)
    double log_mixed = 0.0;  // log Q(A), relative to the reference
    double counts = 1.0;
    std::size_t near = NOWHERE;  // its place among those near the likely ones
};

// Explanations that wait until there are enough to ask the expansion about all at once.
class Batch {
  public:
    Batch(const Expansion *expansion, const Reference &reference)
        : expansion(expansion), reference(reference) {}

    Weighed &next() { return waiting[count]; }
    // Calls work(explanation, w - R(A) / Q(A)) for each that waits, if no more can.
    template <typename Work> void add(const Work &work) {
        if (++count == waiting.size()) flush(work);
    }
    template <typename Work> void flush(const Work &work) {
        std::array<double, Expansion::TOGETHER> near;
        if (expansion && count) {
            for (std::size_t i = 0; i < count; ++i) rows[i] = waiting[i].rows;
            near = expansion->weigh(rows.data(), count, reference);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Weighed &one = waiting[i];
            work(one, one.weight - (expansion ? near[i] * std::exp(-one.log_mixed) : 1.0));
        }
        count = 0;
    }

  private:
    const Expansion *expansion;
    const Reference &reference;
    std::size_t count = 0;
    std::array<Weighed, Expansion::TOGETHER> waiting;
    std::array<std::vector<int>, Expansion::TOGETHER> rows;
};

// w = P(A) / Q(A), and what both networks say of the listeners.
class Scales {
  public:
    Scales(const Coupled &whole, const Coupled &thin, double log_shared)
        : reference(whole), p(whole), q(thin), log_shared(log_shared), true_chance(whole, reference),
          chance(thin, reference), log_on(p.rows, 0.0), log_off(p.rows, 0.0), is_on(p.rows, 0) {
        for (std::size_t k = 0; k < p.rows; ++k) {
            if (!p.reached[k]) continue;
            log_on[k] = std::log(reference.on[k] * p.weight_on[k]);
            log_off[k] = std::log(reference.off[k] * p.weight_off[k]);
        }
    }

    // False if too many of the diseases share risk factors.
    bool weigh(Weighed &one) {
        if (!true_chance.weigh(one.rows) || !chance.weigh(one.rows)) return false;
        one.log_mixed = log_chance();
        one.weight = std::exp(true_chance.log_chance() - one.log_mixed);
        return one.weight >= 0.0;
    }

    // After weigh: log Q(A), relative to the reference.
    double log_chance() const { return chance.log_chance() + log_shared; }

    // After weigh: log Q(A), with the weights of all rows.
    double log_mixed(const std::vector<int> &rows) {
        double log = log_chance();
        for (int k : rows) is_on[k] = 1;
        for (std::size_t k = 0; k < p.rows; ++k) log += is_on[k] ? log_on[k] : log_off[k];
        for (int k : rows) is_on[k] = 0;
        return log;
    }

    // After weigh: the chance that a listener is off, given A, and as the mixture has it.
    double off(std::size_t row) { return p.off[row] * true_chance.heard(row); }
    double guessed(std::size_t row) { return q.off[row] * chance.heard(row); }

    // That weighing has taken so far.
    double operations() const { return true_chance.operations + chance.operations; }

    const Reference reference;

  private:
    const Coupled &p, &q;
    double log_shared;
    Chance true_chance, chance;
    std::vector<double> log_on, log_off;  // [row]
    std::vector<char> is_on;
};

// Calls work(explanation) once for every explanation that differs from a likely one in at most two
// of the rows to turn, or three where these are few; those that differ least first.
template <typename Work>
void each_around(const std::vector<std::vector<int>> &likely, const std::vector<int> &turned,
                 std::set<std::vector<int>> &known, const Work &work) {
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
std::vector<double> boosts(const Coupled &p, const std::vector<double> &posterior) {
    std::vector<double> boost(p.rows, 1.0);
    const auto wanted = [&](std::size_t k, double most) {
        return most * std::min(1.0, std::sqrt(std::max(posterior[k], 0.0) / RARE));
    };
    double low = 0.0, high = 1.0;
    for (int turn = 0; turn < 40; ++turn) {
        const double middle = 0.5 * (low + high);
        double sum = 0.0;
        for (std::size_t k = 0; k < p.rows; ++k)
            if (p.reached[k]) sum += std::max(0.0, wanted(k, middle) - posterior[k]);
        (sum < BOOSTED ? low : high) = middle;
    }
    for (std::size_t k = 0; k < p.rows; ++k)
        if (p.reached[k] && posterior[k] > 0.0)
            boost[k] = std::clamp(wanted(k, low) / posterior[k], 1.0, MOST_BOOST);
    return boost;
}

}  // namespace

// Draws explanations and weighs them.
struct Drawing::Source {
    std::vector<double> boost;
    std::vector<Walk> walks;
    double most_counts = 0.0;  // of an explanation without boosted rows
    Scales scales;
    Count tally;
    Batch batch;
    Random random;

    Source(const Mixture &mixture, std::uint64_t seed, const Stopwatch &watch)
        : boost(boosts(mixture.problem.view, mixture.mean.answer.posterior)),
          scales(mixture.problem.view, mixture.thin.view, mixture.log_shared),
          tally(mixture.whole ? Count(mixture.problem.view, mixture.links, mixture.whole->view,
                                      mixture.whole_links)
                              : Count(mixture.problem.view, mixture.links)),
          batch(mixture.expansion.get(), scales.reference), random(seed) {
        most_counts = std::exp(walk_evenly(mixture, watch) - mixture.mean.answer.log_evidence);
    }
    // False if too many of the diseases share risk factors.
    bool draw(Weighed &one) {
        one.rows.clear();
        for (Walk &walk : walks) walk.draw(random, one.rows);
        one.counts = counts(one.rows);
        return weigh(one);
    }
    bool weigh(Weighed &one) {
        if (!scales.weigh(one)) return false;
        one.weight *= tally.likelier(one.rows);
        return true;
    }
    double counts(const std::vector<int> &rows) const {
        double found = most_counts;
        for (int k : rows) found /= boost[k];
        return found;
    }

  private:
    // Makes the walks through all components; log P(findings) with the boosts.
    double walk(const Mixture &mixture, const Stopwatch &watch) {
        double log_boosted = mixture.log_shared;
        for (const Part &part : mixture.plan.parts) {
            for (int s : part.lone) log_boosted += std::log(mixture.problem.view.leak[s]);
            if (part.steps.empty()) continue;
            walks.emplace_back(mixture.thin.view, mixture.plan, part, boost, watch);
            log_boosted += walks.back().log_evidence();
        }
        return log_boosted;
    }

    // The same with boosts lowered until draws count enough: those of rare rows that come together
    // multiply, and most draws could meet such rows, which hardly count.
    double walk_evenly(const Mixture &mixture, const Stopwatch &watch) {
        for (;;) {
            const double log_boosted = walk(mixture, watch);
            const double more = log_boosted - mixture.mean.answer.log_evidence;
            if (watch.expired() || !(more > std::log(MOST_COUNTS))) return log_boosted;
            walks.clear();
            for (double &one : boost) one = std::sqrt(one);
        }
    }
};

Drawing::Drawing(const Mixture &mixture, std::uint64_t seed, bool keep, const Stopwatch &watch)
    : mixture(mixture), keep(keep), expansion(mixture.expansion),
      near(expansion ? mixture.expanded : mixture.mean.answer) {
    const Coupled &p = mixture.problem.view;
    draws.rows.resize(3 * p.rows);
    draws.unexplained.resize(p.columns);
    for (auto *cells : {&draws.disabled, &draws.disabled_excess, &draws.sustained,
                        &draws.sustained_excess})
        cells->assign(p.rows * p.columns, 0.0);
    for (auto *row : {&draws.listener, &draws.listener1, &draws.listener2}) row->assign(p.rows, 0.0);
    for (auto *row : {&draws.missed_row, &draws.missed_square}) row->assign(3 * p.rows, 0.0);
    if (keep) draws.kept_start.push_back(0);
    for (std::size_t k = 0; k < p.rows; ++k)
        if (!p.reached[k] && p.off[k] > 0.0) listeners.push_back(int(k));
    source = std::make_unique<Source>(mixture, seed, watch);
    draws.expired = watch.expired();
    if (!(source->most_counts > 0.0)) source.reset();
}

Drawing::~Drawing() = default;

double Drawing::Near::unmet(double draws) const { return std::exp(-draws * share / counts); }

// What corrects a listener's mean, times W, of the explanation that was weighed last.
double Drawing::more_off(int k, double weight) const {
    const double guess = source->scales.guessed(k), known = 1.0 - mixture.mean.answer.posterior[k];
    return weight * (source->scales.off(k) - guess) + (weight - 1.0) * (guess - known);
}

void Drawing::listen(double counts, double weight) {
    draws.listened += counts;
    draws.listened2 += counts * counts;
    for (int k : listeners) {
        const double more = counts * more_off(k, weight);
        draws.listener[k] += more;
        draws.listener1[k] += counts * more;
        draws.listener2[k] += more * more;
    }
}

// Whether the scores of the leading rows are known to the goal: their standard errors as in
// `weighed.py`, around the scores of the nearer of both networks.
bool Drawing::reached_goal(double goal) const {
    const Coupled &p = mixture.problem.view;
    std::vector<std::pair<double, int>> leading;
    std::vector<double> disablement(p.rows, 0.0);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        for (int s : mixture.links[k]) disablement[k] += near.disabled[k * p.columns + s];
        leading.push_back({-disablement[k], int(k)});
    }
    const std::size_t count = std::min(LEADING, leading.size());
    std::partial_sort(leading.begin(), leading.begin() + std::ptrdiff_t(count), leading.end());
    const double surplus = draws.all.dx / draws.counts;
    const double scale =
        draws.counts * (std::exp(near.log_evidence - mixture.mean.answer.log_evidence) + surplus);
    const auto about = [&](const double *sums) {  // one of three: with d, d² and neither
        return sums[2] - 2.0 * surplus * sums[1] + surplus * surplus * sums[0];
    };
    const double all = about(draws.all.squares);
    double worst = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const int k = leading[i].second;
        double sufficiency = 0.0;
        for (int s : mixture.links[k]) sufficiency += near.sustained[k * p.columns + s];
        const double scores[] = {near.posterior[k], disablement[k], sufficiency};
        for (int m = 0; m < 3; ++m) {
            const double *squares = draws.rows[3 * k + m].squares, value = scores[m];
            const double square =
                about(squares + 3) - 2.0 * value * about(squares) + value * value * all;
            worst = std::max(worst, square / std::pow(std::max(value, RARE), 2));
        }
    }
    return WIDTH * std::sqrt(worst) <= goal * scale;
}

const Draws &Drawing::draw(long long count, double goal, long long fewest, double most_operations,
                           const Stopwatch &watch) {
    if (!source || draws.expired || draws.too_wide) return draws;
    const auto tell = [&](const Weighed &one, double surplus) {
        draws.mixed += std::pow(one.counts * (one.weight - 1.0), 2);
        source->tally.add(one.rows, surplus, one.weight, one.counts, draws);
    };
    const double until = (keep ? 1.0 : mixture.whole ? DRAWING_THINNED : DRAWING) * watch.limit();
    for (long long done = (long long)draws.count; done < count; ++done) {
        // the draws are independent: fewer of them are an answer too
        if (until > 0.0 && watch.elapsed() > until) break;
        if (done >= std::max(fewest, FEWEST) && source->scales.operations() > most_operations) break;
        if (goal > 0.0 && done >= fewest && done % ROUND == 0) {
            source->batch.flush(tell);
            if (reached_goal(goal)) break;
        }
        Weighed &one = source->batch.next();
        if (!source->draw(one)) {
            draws.too_wide = true;
            return draws;
        }
        if (!looked_around && done % SPACED == 0 && likely.size() < LIKELY &&
            std::find(likely.begin(), likely.end(), one.rows) == likely.end())
            likely.push_back(one.rows);
        if (done < LISTEN) listen(one.counts, one.weight);
        if (keep) {
            draws.kept_rows.insert(draws.kept_rows.end(), one.rows.begin(), one.rows.end());
            draws.kept_start.push_back((long long)draws.kept_rows.size());
            draws.kept_weight.push_back(one.counts * one.weight);
        }
        source->batch.add(tell);
    }
    source->batch.flush(tell);
    draws.expired = draws.count < double(FEWEST);
    if (keep) return draws;  // who asks for the explanations judges by them what they miss
    if (!looked_around) look_around(watch);
    miss();
    return draws;
}

// The reached rows that may be turned to look around an explanation: the likeliest.
std::vector<int> Drawing::rows_to_turn() const {
    const std::vector<double> &posterior = mixture.mean.answer.posterior;
    std::vector<int> rows;
    for (std::size_t k = 0; k < posterior.size(); ++k)
        if (mixture.problem.reached[k]) rows.push_back(int(k));
    std::stable_sort(rows.begin(), rows.end(),
                     [&](int a, int b) { return posterior[a] > posterior[b]; });
    if (rows.size() > TURNED) rows.resize(TURNED);
    return rows;
}

// Weighs the explanations that differ in one or two rows from a few likely ones, and then from those of
// them that would change most, as long as these change more and more: so an explanation that no draw
// meets and the nearer network does not know may be found, though it is unlike all likely ones.
void Drawing::look_around(const Stopwatch &watch) {
    looked_around = true;
    std::size_t left = ASKED;
    const auto look = [&](const Weighed &one, double surplus) {
        Near &near = near_likely[one.near];
        near.change = near.share * surplus;
        source->tally.look(one.rows);
        for (int k : one.rows) {
            const auto [disablement, sufficiency] =
                source->tally.excess(one.rows, k, surplus, one.weight);
            for (double change : {surplus, disablement, sufficiency})
                near.changes.push_back(near.share * change);
        }
    };
    const auto visit = [&](const std::vector<int> &rows) {
        // a thinned network says what is left as unseen
        if (watch.expired() && mixture.whole) return;
        draws.expired = draws.expired || watch.expired();
        if (draws.expired) return;
        Weighed &one = source->batch.next();
        one.rows = rows;
        if (!source->weigh(one)) return;
        Near near;
        near.share = std::exp(source->scales.log_mixed(rows) + source->tally.log_present(rows) -
                              mixture.mean.answer.log_evidence);
        if (!(near.share > 0.0)) return;
        near.rows = rows;
        near.counts = source->counts(rows);
        draws.looked += near.share;
        if (left >= listeners.size() && near.unmet(std::min(draws.count, double(LISTEN))) >= 1e-9) {
            left -= listeners.size();
            for (int k : listeners) near.listened.push_back(near.share * more_off(k, one.weight));
        }
        const bool matters =
            near.share * near.unmet(draws.count) * std::max(1.0, one.weight) > NEGLIGIBLE;
        if (!matters && near.listened.empty()) return;
        one.near = near_likely.size();
        near_likely.push_back(std::move(near));
        if (matters) source->batch.add(look);
    };
    const std::vector<int> turned = rows_to_turn();
    std::set<std::vector<int>> known;
    std::set<std::vector<int>> centres(likely.begin(), likely.end());
    double before = 0.0;
    for (int still = 0; still < PATIENCE && !likely.empty();) {
        each_around(likely, turned, known, visit);
        source->batch.flush(look);
        std::vector<std::pair<double, const Near *>> surprising;
        for (const Near &one : near_likely)
            if (const double change = std::abs(one.change) * one.unmet(draws.count); change > 0.0)
                surprising.push_back({change, &one});
        std::sort(surprising.begin(), surprising.end(), std::greater<>());
        const double most = surprising.empty() ? 0.0 : surprising[0].first;
        still = most > GROWN * before ? 0 : still + 1;
        before = std::max(before, most);
        likely.clear();
        for (const auto &[change, near] : surprising) {
            if (likely.size() == SURPRISING) break;
            if (centres.insert(near->rows).second) likely.push_back(near->rows);
        }
    }
}

// What the explanations near the likely ones would change, as far as no draw has met them.
void Drawing::miss() {
    draws.missed = 0.0;
    std::fill(draws.missed_row.begin(), draws.missed_row.end(), 0.0);
    std::fill(draws.missed_square.begin(), draws.missed_square.end(), 0.0);
    const auto add = [&](int score, double change, double chance) {
        draws.missed_row[score] += change * chance;
        draws.missed_square[score] += change * change * chance;
    };
    for (const Near &one : near_likely) {
        const double unmet = one.unmet(draws.count);
        draws.missed += std::abs(one.change) * unmet;
        for (std::size_t i = 0; i < one.changes.size(); ++i)
            add(3 * one.rows[i / 3] + int(i % 3), one.changes[i], unmet);
        const double unasked = one.unmet(std::min(draws.count, double(LISTEN)));
        for (std::size_t i = 0; i < one.listened.size(); ++i)
            add(3 * listeners[i], one.listened[i], unasked);
    }
}

}  // namespace hickam::coupled
