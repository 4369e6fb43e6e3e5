// What summing risk factors out needs on every subset of the findings alike.
#pragma once
#include "coupled_elimination.hpp"

#include <algorithm>

namespace hickam::coupled {

constexpr double WIDEST_RANGE = 900.0;  // bits between what products may be and underflow

// What does not depend on the subset: a row's chances of being on and off in every cell of its
// scope, and where each child's cells lie.
struct Fixed {
    const Coupled &p;
    const EliminationPlan &plan;
    std::vector<Num> on, off;               // [row, cell of its scope] from `first`
    std::vector<std::size_t> first;         // [row + 1]
    std::vector<std::uint32_t> where;       // [node, cell of the node above] from `where_first`
    std::vector<std::size_t> where_first;   // [node]
    std::vector<std::size_t> place, given;  // [node] of its table, of what it gives up
    std::vector<std::size_t> echo_place;    // [echo] of what is passed on
    std::size_t cells = 0, gifts = 0, echoes = 0;  // of all of them
    double silent = 1.0;  // the weights of the rows that only listen: a power of two

    Fixed(const Lattice &lattice, const EliminationPlan &plan) : p(lattice.problem), plan(plan) {
        place_tables();
        weigh_rows(lattice);
    }

    std::size_t size(std::size_t k) const { return first[k + 1] - first[k]; }
    const std::uint32_t *cells_below(int child) const { return where.data() + where_first[child]; }

    // Whether no product of factors can overflow or vanish.
    bool safe(const Lattice &lattice) const {
        const bool idle = p.columns < LANE_BITS;  // lanes without a subset: there a row's a is 0
        double least = 0.0, most = 0.0;
        for (std::size_t k = 0; k < p.rows; ++k) {
            if (!p.reached[k]) continue;
            double never = lattice.never_fails[k] || idle ? 0.0 : lattice.weight_on[k];
            for (std::size_t s = 0; s < p.columns; ++s) never *= lattice.fails[k * p.columns + s].hi;
            double low = INFINITY, high = 0.0;
            for (const double a : {never, lattice.weight_on[k]})
                for (const std::size_t cell : {first[k], first[k + 1] - 1}) {
                    const double f = a * on[cell].hi + lattice.weight_off[k] * off[cell].hi;
                    low = std::min(low, f);
                    high = std::max(high, f);
                }
            if (!(low > 0.0) || !std::isfinite(high)) return false;
            least += std::min(0.0, std::log2(low));
            most += std::max(0.0, std::log2(high));
        }
        return least > -WIDEST_RANGE && most < WIDEST_RANGE;
    }

  private:
    void place_tables() {
        const std::size_t count = plan.nodes.size();
        place.resize(count), given.resize(count), where_first.resize(count);
        std::size_t length = 0;
        for (std::size_t n = 0; n < count; ++n) {
            const Node &node = plan.nodes[n];
            place[n] = cells;
            given[n] = gifts;
            where_first[n] = length;
            cells += node.cells();
            gifts += node.gift();
            if (node.up >= 0) length += plan.nodes[node.up].cells();
        }
        where.resize(length);
        for (std::size_t n = 0; n + 1 < count; ++n)
            find_cells(plan.nodes[plan.nodes[n].up].scope, plan.nodes[n].given(),
                       where.data() + where_first[n]);
        echo_place.resize(plan.echoes.size());
        for (std::size_t i = 0; i < plan.echoes.size(); ++i) {
            echo_place[i] = echoes;
            if (plan.echoes[i].below >= 0) echoes += plan.nodes[plan.echoes[i].node].gift();
        }
    }

    // [cell of the outer scope] the cell of the inner one.
    static void find_cells(std::uint64_t outer, std::uint64_t inner, std::uint32_t *found) {
        std::size_t filled = 1;
        std::uint32_t bit = 1;
        found[0] = 0;
        for (; outer; outer &= outer - 1, filled *= 2) {
            const bool within = inner & outer & -outer;
            const std::uint32_t more = within ? bit : 0;
            for (std::size_t i = 0; i < filled; ++i) found[filled + i] = found[i] + more;
            if (within) bit *= 2;
        }
    }

    // The chances of each row over the cells of its scope; of a far listener with no risk factor on.
    void weigh_rows(const Lattice &lattice) {
        first.assign(p.rows + 1, 0);
        for (std::size_t k = 0; k < p.rows; ++k)
            first[k + 1] = std::size_t(1) << __builtin_popcountll(plan.scope[k]);
        for (const Way &way : plan.ways) first[way.row + 1] = 1;
        for (std::size_t k = 0; k < p.rows; ++k) first[k + 1] += first[k];
        on.resize(first[p.rows]);
        off.resize(first[p.rows]);
        for (std::size_t k = 0; k < p.rows; ++k) {
            if (!p.reached[k]) silent *= lattice.weight_off[k];
            Num *yes = on.data() + first[k], *no = off.data() + first[k];
            yes[0] = complement(p.off[k], p.on[k]);
            no[0] = lattice.stay_off[k];
            if (size(k) == 1) continue;
            std::size_t filled = 1;
            for (int e : members(plan.edges, k)) {
                const Num fails = complement(p.edge_acts[e], p.edge_fails[e]);
                const Num acts = complement(p.edge_fails[e], p.edge_acts[e]);
                for (std::size_t i = 0; i < filled; ++i) {
                    yes[filled + i] = yes[i] + no[i] * acts;
                    no[filled + i] = no[i] * fails;
                }
                filled *= 2;
            }
        }
    }
};

}  // namespace hickam::coupled
