// Explanations drawn from a mixture, weighed, and what they tell.
#include "coupled_chance.hpp"
#include "coupled_mixture.hpp"
#include "coupled_tally.hpp"
#include "coupled_walk.hpp"

#include <algorithm>
#include <cmath>
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
constexpr std::size_t LIKELY = 6, TURNED = 16, FEW = 12, ASKED = 10000;
constexpr long long SPACED = 8;
// Draws between looks at what they are worth, the leading rows that have to be known, and how well: so many
// standard errors.
constexpr long long ROUND = 256;
constexpr std::size_t LEADING = 10;
constexpr double WIDTH = 6.0;
constexpr double NEGLIGIBLE = 1e-10;  // share of the evidence that cannot change a score
// Draws that tell whether an expansion helps: its squared error is to be less than so much of the
// mixture's.
constexpr std::uint64_t TRIAL = 128;
constexpr double WORTH = 0.1;

// An explanation A.
struct Weighed {
    std::vector<int> rows;
    double weight = 1.0;     // w = P(A) / Q(A)
    double log_mixed = 0.0;  // log Q(A), relative to the reference
    double counts = 1.0;
    double share = 0.0, unmet = 0.0;  // of the evidence in Q; the chance that no draw met it
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

// How explanations are drawn.
struct Drawing {
    const std::vector<double> &boost;
    double most_counts;  // of an explanation without boosted rows
    Scales &scales;
    Count &tally;

    // False if too many of the diseases share risk factors.
    bool draw(std::vector<Walk> &walks, Random &random, Weighed &one) const {
        one.rows.clear();
        for (Walk &walk : walks) walk.draw(random, one.rows);
        one.counts = counts(one.rows);
        return weigh(one);
    }
    bool weigh(Weighed &one) const {
        if (!scales.weigh(one)) return false;
        one.weight *= tally.likelier(one.rows);
        return true;
    }
    double counts(const std::vector<int> &rows) const {
        double found = most_counts;
        for (int k : rows) found /= boost[k];
        return found;
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

}  // namespace

// [row] Factors by which rare rows are drawn more often than they are believed in. All of them
// together are drawn some BOOSTED times in an explanation.
std::vector<double> Mixture::boosts() const {
    const Coupled &p = problem.view;
    const std::vector<double> &posterior = mean.answer.posterior;
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

// The reached rows that may be turned to look around an explanation: the likeliest.
std::vector<int> Mixture::rows_to_turn() const {
    const std::vector<double> &posterior = mean.answer.posterior;
    std::vector<int> rows;
    for (std::size_t k = 0; k < posterior.size(); ++k)
        if (problem.reached[k]) rows.push_back(int(k));
    std::stable_sort(rows.begin(), rows.end(),
                     [&](int a, int b) { return posterior[a] > posterior[b]; });
    if (rows.size() > TURNED) rows.resize(TURNED);
    return rows;
}

// Makes the walks through all components; log P(findings) with the boosts.
double Mixture::walk(std::vector<Walk> &walks, const std::vector<double> &boost,
                     const Stopwatch &watch) const {
    double log_boosted = log_shared;
    for (const Part &part : plan.parts) {
        for (int s : part.lone) log_boosted += std::log(problem.view.leak[s]);
        if (part.steps.empty()) continue;
        walks.emplace_back(thin.view, plan, part, boost, watch);
        log_boosted += walks.back().log_evidence();
    }
    return log_boosted;
}

// The same with boosts lowered until draws count enough: those of rare rows that come together multiply,
// and most draws could meet such rows, which hardly count.
double Mixture::walk_evenly(std::vector<Walk> &walks, std::vector<double> &boost,
                            const Stopwatch &watch) const {
    for (;;) {
        const double log_boosted = walk(walks, boost, watch);
        if (watch.expired() || !(log_boosted - mean.answer.log_evidence > std::log(MOST_COUNTS)))
            return log_boosted;
        walks.clear();
        for (double &one : boost) one = std::sqrt(one);
    }
}

// Whether the expansion comes much closer to P than Q does, in a few draws.
bool Mixture::worth_expanding(const Stopwatch &watch) const {
    std::vector<double> boost = boosts();
    std::vector<Walk> walks;
    const double log_boosted = walk_evenly(walks, boost, watch);
    if (watch.expired() || !(log_boosted > -INFINITY)) return false;
    Scales scales(problem.view, thin.view, log_shared);
    Count tally = counting();
    const Drawing drawing{boost, std::exp(log_boosted - mean.answer.log_evidence), scales, tally};
    Batch batch(expansion.get(), scales.reference);
    Random random(TRIAL);
    double expanded = 0.0, mixed = 0.0;
    const auto compare = [&](const Weighed &one, double surplus) {
        expanded += std::pow(one.counts * surplus, 2);
        mixed += std::pow(one.counts * (one.weight - 1.0), 2);
    };
    for (std::uint64_t i = 0; i < TRIAL; ++i) {
        if (watch.expired()) return false;
        if (drawing.draw(walks, random, batch.next())) batch.add(compare);
    }
    batch.flush(compare);
    return expanded < WORTH * mixed;
}

// Whether the scores of the leading rows are known to the goal: their standard errors as in
// `weighed.py`, around the scores of the nearer of both networks.
bool Mixture::reached_goal(const Draws &draws, double goal) const {
    const Coupled &p = problem.view;
    const Answer &near = expansion ? expanded : mean.answer;
    std::vector<std::pair<double, int>> leading;
    std::vector<double> disablement(p.rows, 0.0);
    for (std::size_t k = 0; k < p.rows; ++k) {
        if (!p.reached[k]) continue;
        for (int s : links[k]) disablement[k] += near.disabled[k * p.columns + s];
        leading.push_back({-disablement[k], int(k)});
    }
    const std::size_t count = std::min(LEADING, leading.size());
    std::partial_sort(leading.begin(), leading.begin() + std::ptrdiff_t(count), leading.end());
    const double surplus = draws.all.dx / draws.counts;
    const double scale =
        draws.counts * (std::exp(near.log_evidence - mean.answer.log_evidence) + surplus);
    const auto about = [&](const double *sums) {  // one of three: with d, d² and neither
        return sums[2] - 2.0 * surplus * sums[1] + surplus * surplus * sums[0];
    };
    const double all = about(draws.all.squares);
    double worst = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const int k = leading[i].second;
        double sufficiency = 0.0;
        for (int s : links[k]) sufficiency += near.sustained[k * p.columns + s];
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

Count Mixture::counting() const {
    if (!whole) return Count(problem.view, links);
    return Count(problem.view, links, whole->view, whole_links);
}

Draws Mixture::draw(long long count, std::uint64_t seed, bool keep, double goal, long long fewest,
                    double most_operations, const Stopwatch &watch) const {
    const Coupled &p = problem.view;
    Draws draws;
    draws.rows.resize(3 * p.rows);
    draws.unexplained.resize(p.columns);
    for (auto *cells : {&draws.disabled, &draws.disabled_excess, &draws.sustained,
                        &draws.sustained_excess})
        cells->assign(p.rows * p.columns, 0.0);
    for (auto *row : {&draws.listener, &draws.listener1, &draws.listener2}) row->assign(p.rows, 0.0);
    for (auto *row : {&draws.missed_row, &draws.missed_square}) row->assign(3 * p.rows, 0.0);
    if (keep) draws.kept_start.push_back(0);
    std::vector<int> listeners;
    for (std::size_t k = 0; k < p.rows; ++k)
        if (!p.reached[k] && p.off[k] > 0.0) listeners.push_back(int(k));
    std::vector<double> boost = boosts();
    std::vector<Walk> walks;
    const double log_boosted = walk_evenly(walks, boost, watch);
    if (watch.expired()) {
        draws.expired = true;
        return draws;
    }
    if (!(log_boosted > -INFINITY)) return draws;
    const double most_counts = std::exp(log_boosted - mean.answer.log_evidence);
    Scales scales(p, thin.view, log_shared);
    Count tally = counting();
    // What corrects a listener's mean, times W.
    const auto more_off = [&](int k, double weight) {
        const double guess = scales.guessed(k), known = 1.0 - mean.answer.posterior[k];
        return weight * (scales.off(k) - guess) + (weight - 1.0) * (guess - known);
    };
    const Drawing drawing{boost, most_counts, scales, tally};
    Batch batch(expansion.get(), scales.reference);
    Random random(seed);
    std::vector<std::vector<int>> likely;
    const auto tell = [&](const Weighed &one, double surplus) {
        tally.add(one.rows, surplus, one.weight, one.counts, draws);
    };
    const double until = (keep ? 1.0 : whole ? DRAWING_THINNED : DRAWING) * watch.limit();
    for (long long done = 0; done < count; ++done) {
        if (until > 0.0 && watch.elapsed() > until) {
            count = done;  // the draws are independent: fewer of them are an answer too
            break;
        }
        if (done >= std::max(fewest, FEWEST) && scales.operations() > most_operations) {
            count = done;
            break;
        }
        if (goal > 0.0 && done >= fewest && done % ROUND == 0) {
            batch.flush(tell);
            if (reached_goal(draws, goal)) {
                count = done;
                break;
            }
        }
        Weighed &one = batch.next();
        if (!drawing.draw(walks, random, one)) {
            draws.too_wide = true;
            return draws;
        }
        if (done % SPACED == 0 && likely.size() < LIKELY &&
            std::find(likely.begin(), likely.end(), one.rows) == likely.end())
            likely.push_back(one.rows);
        if (done < LISTEN) {
            draws.listened += one.counts;
            draws.listened2 += one.counts * one.counts;
            for (int k : listeners) {
                const double more = one.counts * more_off(k, one.weight);
                draws.listener[k] += more;
                draws.listener1[k] += one.counts * more;
                draws.listener2[k] += more * more;
            }
        }
        if (keep) {
            draws.kept_rows.insert(draws.kept_rows.end(), one.rows.begin(), one.rows.end());
            draws.kept_start.push_back((long long)draws.kept_rows.size());
            draws.kept_weight.push_back(one.counts * one.weight);
        }
        batch.add(tell);
    }
    batch.flush(tell);
    draws.expired = count < FEWEST;
    if (keep) return draws;  // who asks for the explanations judges by them what they miss
    const auto miss = [&](int score, double change, double chance) {
        draws.missed_row[score] += change * chance;
        draws.missed_square[score] += change * change * chance;
    };
    std::size_t left = ASKED;
    const auto look = [&](const Weighed &one, double surplus) {
        const double change = one.share * surplus;
        draws.missed += std::abs(change) * one.unmet;
        tally.look(one.rows);
        for (int k : one.rows) {
            const auto [disablement, sufficiency] = tally.excess(one.rows, k, surplus, one.weight);
            miss(3 * k, change, one.unmet);
            miss(3 * k + 1, one.share * disablement, one.unmet);
            miss(3 * k + 2, one.share * sufficiency, one.unmet);
        }
    };
    each_around(likely, rows_to_turn(), [&](const std::vector<int> &rows) {
        // a thinned network says what is left as unseen
        if (watch.expired() && whole) return;
        draws.expired = draws.expired || watch.expired();
        if (draws.expired) return;
        Weighed &one = batch.next();
        one.rows = rows;
        if (!drawing.weigh(one)) return;
        one.share =
            std::exp(scales.log_mixed(rows) + tally.log_present(rows) - mean.answer.log_evidence);
        if (!(one.share > 0.0)) return;
        const double expected = double(count) * one.share / drawing.counts(rows);
        one.unmet = std::exp(-expected);
        draws.looked += one.share;
        if (one.share * one.unmet * std::max(1.0, one.weight) > NEGLIGIBLE) batch.add(look);
        const double unasked = std::exp(-expected * double(std::min(count, LISTEN)) / double(count));
        if (left < listeners.size() || unasked < 1e-9) return;
        left -= listeners.size();
        for (int k : listeners) miss(3 * k, one.share * more_off(k, one.weight), unasked);
    });
    batch.flush(look);
    return draws;
}

}  // namespace hickam::coupled
