// What the loop corrections leave out, one order further than they go.
//
// Each part is a number that is added to log Phi on every subset, like a correction: it passes
// through the same alternating sums, so that whatever these amplify they amplify here as well.
#include "coupled_bethe.hpp"

#include <utility>

namespace hickam::coupled {
namespace {

constexpr std::size_t MOST_THREESOMES = 20000;
// By how much each part is counted; see benchmarks/README.md, "Stated accuracy".
constexpr double LONGER = 1.5, THREES = 4.0, SKEW = 4.0, LONGEST = 3.0, UNHEARD = 1.0;

}  // namespace

void Meetings::count_threesomes(const Coupled &p) {
    threesome_start.assign(p.rows + 1, 0);
    std::size_t all = 0;
    for (std::size_t k = 0; k < p.rows; ++k) {
        const std::size_t size = of_row.start[k + 1] - of_row.start[k];
        if (size > 2) all += size * (size - 1) * (size - 2) / 6;
    }
    counted = all <= MOST_THREESOMES;
    if (!counted) return;
    struct Place {
        int first, second, row;
    };
    std::vector<int> from(pairs + 1, 0);  // [pair + 1] into `places`
    for (int one : pair) ++from[one + 1];
    for (int i = 0; i < pairs; ++i) from[i + 1] += from[i];
    std::vector<Place> places(pair.size());
    std::vector<int> next(from.begin(), from.end() - 1);
    for (std::size_t k = 0; k < p.rows; ++k) {
        const int *at = pair.data() + start[k];
        const int end = of_row.start[k + 1];
        for (int x = of_row.start[k]; x < end; ++x)
            for (int y = x + 1; y < end; ++y) places[next[*at++]++] = {x, y, int(k)};
    }
    std::vector<std::pair<int, Threesome>> found;  // with their rows
    std::vector<int> rows(p.risks, 0), number(p.risks, -1);  // [third risk factor]
    std::vector<char> speaks(p.risks, false);
    for (int i = 0; i < pairs; ++i) {
        if (from[i + 1] - from[i] < 2) continue;
        const auto visit = [&](const auto &each) {
            for (int l = from[i]; l < from[i + 1]; ++l)
                for (int z = places[l].second + 1; z < of_row.start[places[l].row + 1]; ++z)
                    each(places[l], z, p.edge_risk[of_row.item[z]]);
        };
        visit([&](const Place &at, int, long long third) {
            ++rows[third];
            speaks[third] |= p.reached[at.row];
        });
        visit([&](const Place &at, int z, long long third) {
            if (rows[third] < 2 || !speaks[third]) return;
            if (number[third] < 0) number[third] = sets++;
            found.push_back({at.row, {at.first, at.second, z, number[third]}});
            ++threesome_start[at.row + 1];
        });
        visit([&](const Place &, int, long long third) {
            rows[third] = 0, number[third] = -1, speaks[third] = false;
        });
    }
    for (std::size_t k = 0; k < p.rows; ++k) threesome_start[k + 1] += threesome_start[k];
    next.assign(threesome_start.begin(), threesome_start.end() - 1);
    threesomes.resize(found.size());
    for (const auto &[row, three] : found) threesomes[next[row]++] = three;
}

// Loops of four rows and more: at most half the square of all correlations' squares. Two rows that
// share three risk factors. Two pairs of risk factors that have one in common, whose distribution is
// skewed. A part of the loops of three rows, for their finer structure. For rows that only listen, the
// last three and paths one step longer.
void Loops::weigh_doubts(const Coupled &p) {
    const Groups &of_row = meetings.of_row;
    squares = fill(0.0);
    for (V &sum : near) sum = fill(0.0);
    for (std::size_t pair = 0; pair < total.size(); ++pair) {
        const V square = total[pair] * total[pair];
        squares += square;
        near[meetings.one[pair]] += square;
        near[meetings.two[pair]] += square;
    }
    for (V &one : near) one = root(one);
    doubt = fill(0.5 * LONGER) * squares * squares + fill(LONGEST) * longest;
    for (std::size_t k = 0; k < p.rows; ++k) {
        V sum = fill(0.0);
        const int end = of_row.start[k + 1];
        if (p.reached[k]) {
            for (int x = of_row.start[k]; x < end; ++x) sum += tilt[x] * around[x];  // each pair twice
            sum *= fill(LONGER) * squares;
        } else {
            const int *pair = meetings.pair.data() + meetings.start[k];
            for (int x = of_row.start[k]; x < end; ++x)
                for (int y = x + 1; y < end; ++y, ++pair) {
                    const V e = tilt[x], f = tilt[y], between = total[*pair];
                    around[x] += f * between;
                    around[y] += e * between;
                    const V one = near[meetings.one[*pair]], two = near[meetings.two[*pair]];
                    sum += fill(UNHEARD) * e * f *
                           (meetings.met[*pair] ? magnitude(between) * (one + two) : one * two);
                }
        }
        const V mix = p.reached[k] ? mixing[k] : fill(0.0);
        V skews = fill(0.0);
        for (int x = of_row.start[k]; x < end; ++x) {
            const V elsewhere = around[x] - mix * tilt[x] * (square[k] - tilt[x] * tilt[x]);
            skews += fill(0.5 * SKEW) * strength[x] * elsewhere * elsewhere;
        }
        doubt += mix * skews;
        // A reached row appears in three places of such a product.
        doubt_slope[k] = sum + (p.reached[k] ? fill(3.0) * skews : skews);
    }
    weigh_threesomes(p);
}

void Loops::weigh_threesomes(const Coupled &p) {
    const auto all_of = [&](const Meetings::Threesome &at) {
        return tilt[at.first] * tilt[at.second] * tilt[at.third];
    };
    const auto visit = [&](const auto &each) {
        for (std::size_t k = 0; k < p.rows; ++k)
            if (meetings.threesome_start[k] < meetings.threesome_start[k + 1])
                each(k, &meetings.threesomes[meetings.threesome_start[k]],
                     meetings.threesomes.data() + meetings.threesome_start[k + 1]);
    };
    for (V &sum : joint) sum = fill(0.0);
    visit([&](std::size_t k, const Meetings::Threesome *at, const Meetings::Threesome *end) {
        if (!p.reached[k]) return;
        for (; at < end; ++at) joint[at->set] += mixing[k] * all_of(*at);
    });
    V threes = fill(0.0);
    visit([&](std::size_t k, const Meetings::Threesome *at, const Meetings::Threesome *end) {
        const V mix = p.reached[k] ? mixing[k] : fill(0.0);
        V sum = fill(0.0);
        for (; at < end; ++at) {
            const V three = all_of(*at);
            sum += three * (joint[at->set] - mix * three);
        }
        threes += mix * sum;
        doubt_slope[k] += fill(THREES) * sum;
    });
    doubt += fill(0.5 * THREES) * threes;
}

}  // namespace hickam::coupled
