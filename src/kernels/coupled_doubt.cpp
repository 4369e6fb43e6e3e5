// What the loop corrections leave out, one order further than they go.
//
// Each part is a number that is added to log Phi on every subset, like a correction: it passes
// through the same alternating sums, so that whatever these amplify they amplify here as well.
#include "coupled_bethe.hpp"

#include <algorithm>

namespace hickam::coupled {
namespace {

constexpr std::size_t MOST_THREESOMES = 20000;
// By how much each part is counted; see benchmarks/README.md, "Stated accuracy".
constexpr double LONGER = 1.5, THREES = 4.0, SKEW = 4.0, LONGEST = 3.0, UNHEARD = 1.0;

}  // namespace

void Meetings::count_threesomes(const Coupled &p, const Groups &of_row) {
    std::vector<std::pair<std::uint64_t, Threesome>> all;
    for (std::size_t k = 0; k < p.rows; ++k) {
        const int begin = of_row.start[k], end = of_row.start[k + 1];
        for (int x = begin; x < end; ++x)
            for (int y = x + 1; y < end; ++y)
                for (int z = y + 1; z < end; ++z) {
                    const int e = of_row.item[x], f = of_row.item[y], g = of_row.item[z];
                    const std::uint64_t key = std::uint64_t(p.edge_risk[e]) << 42 |
                                              std::uint64_t(p.edge_risk[f]) << 21 |
                                              std::uint64_t(p.edge_risk[g]);
                    all.push_back({key, {e, f, g, -1, int(k)}});
                }
        if (all.size() > MOST_THREESOMES) {
            counted = false;
            return;
        }
    }
    std::sort(all.begin(), all.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
    for (std::size_t i = 0, j; i < all.size(); i = j) {
        bool speaks = false;
        for (j = i; j < all.size() && all[j].first == all[i].first; ++j)
            speaks |= p.reached[all[j].second.row];
        if (!speaks || j == i + 1) continue;
        for (std::size_t l = i; l < j; ++l) {
            all[l].second.set = sets;
            threesomes.push_back(all[l].second);
        }
        ++sets;
    }
}

// Loops of four rows and more: at most half the square of all correlations' squares. Two rows that
// share three risk factors. Two pairs of risk factors that have one in common, whose distribution is
// skewed. A part of the loops of three rows, for their finer structure. For rows that only listen, the
// last three and paths one step longer.
void Loops::weigh_doubts(const Coupled &p) {
    std::fill(doubt_slope.begin(), doubt_slope.end(), fill(0.0));
    for (const Meeting &at : meetings.speaking)
        doubt_slope[at.row] += tilt[at.first] * tilt[at.second] * total[at.pair];
    for (V &one : doubt_slope) one *= fill(2.0 * LONGER) * squares;
    doubt = fill(0.5 * LONGER) * squares * squares + fill(LONGEST) * longest;

    std::fill(joint.begin(), joint.end(), fill(0.0));
    const auto all_of = [&](const Threesome &at) {
        return tilt[at.first] * tilt[at.second] * tilt[at.third];
    };
    for (const Threesome &at : meetings.threesomes)
        if (p.reached[at.row]) joint[at.set] += mixing[at.row] * all_of(at);
    V threes = fill(0.0);
    for (const V &sum : joint) threes += sum * sum;
    for (const Threesome &at : meetings.threesomes) {
        const V three = all_of(at), own = mixing[at.row] * three;
        if (p.reached[at.row]) threes -= own * own;
        doubt_slope[at.row] +=
            fill(THREES) * three * (p.reached[at.row] ? joint[at.set] - own : joint[at.set]);
    }
    doubt += fill(0.5 * THREES) * threes;

    std::fill(near.begin(), near.end(), fill(0.0));
    for (std::size_t pair = 0; pair < total.size(); ++pair) {
        near[meetings.one[pair]] += total[pair] * total[pair];
        near[meetings.two[pair]] += total[pair] * total[pair];
    }
    for (V &one : near) one = root(one);
    for (const Meeting &at : meetings.listening) {
        const V e = tilt[at.first], f = tilt[at.second], sum = total[at.pair];
        around[at.first] += f * sum;
        around[at.second] += e * sum;
        const V one = near[p.edge_risk[at.first]], two = near[p.edge_risk[at.second]];
        doubt_slope[at.row] +=
            fill(UNHEARD) * e * f * (meetings.met[at.pair] ? magnitude(sum) * (one + two) : one * two);
    }
    for (std::size_t e = 0; e < p.edges; ++e) {
        const std::size_t k = p.edge_row[e];
        const V mix = p.reached[k] ? mixing[k] : fill(0.0);
        const V elsewhere = around[e] - mix * tilt[e] * (square[k] - tilt[e] * tilt[e]);
        const V skew = fill(0.5 * SKEW) * strength[e] * elsewhere * elsewhere;
        doubt += mix * skew;
        // A reached row appears in three places of such a product.
        doubt_slope[k] += p.reached[k] ? fill(3.0) * skew : skew;
    }
}

}  // namespace hickam::coupled
