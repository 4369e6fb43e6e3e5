// Which sets of risk factors a table of an expansion has, and where.
#pragma once
#include "coupled_expansion.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace hickam::coupled {

// The slots of a table, and which sets are in them.
class Expansion::Slots {
  public:
    Slots() { add(0); }

    int find(Set set) const {
        for (std::size_t i = home(set);; i = (i + 1) & (table.size() - 1)) {
            if (table[i] < 0) return -1;
            if (sets[table[i]] == set) return table[i];
        }
    }

    // The slot of a set that is not there yet.
    int add(Set set) {
        int slot;
        if (empty.empty()) {
            slot = int(sets.size());
            sets.push_back(set);
            used.push_back(1);
        } else {
            slot = empty.back();
            empty.pop_back();
            sets[slot] = set;
            used[slot] = 1;
        }
        if (4 * sets.size() > table.size()) rebuild();
        else insert(slot);
        return slot;
    }

    // Leaves out sets whose deviations' product is below the least; the slots that go on, if many are
    // empty then.
    std::vector<int> drop(const Deviating &deviating, double least) {
        std::array<double, 64> size{};
        for (std::size_t i = 0; i < deviating.member.size(); ++i)
            size[deviating.member[i]] = deviating.size[i];
        bool any = false;
        for (std::size_t slot = 1; slot < sets.size(); ++slot) {
            if (!used[slot]) continue;
            double product = 1.0;
            for (Set left = sets[slot]; left; left &= left - 1) product *= size[__builtin_ctzll(left)];
            if (product > 0.0 && product >= least) continue;
            used[slot] = 0;
            empty.push_back(int(slot));
            any = true;
        }
        std::vector<int> kept;
        if (double(sets.size() - empty.size()) < SPARSE * double(sets.size())) {
            for (std::size_t slot = 0; slot < sets.size(); ++slot)
                if (used[slot]) kept.push_back(int(slot));
            for (std::size_t i = 0; i < kept.size(); ++i) sets[i] = sets[kept[i]];
            sets.resize(kept.size());
            used.assign(kept.size(), 1);
            empty.clear();
        }
        if (any) rebuild();
        return kept;
    }

    std::size_t size() const { return sets.size(); }
    std::size_t count() const { return sets.size() - empty.size(); }
    bool in_use(std::size_t slot) const { return used[slot]; }
    Set set(std::size_t slot) const { return sets[slot]; }

  private:
    static constexpr double SPARSE = 0.6;  // share of slots in use, below which sets are put together
    std::vector<Set> sets;    // [slot]
    std::vector<char> used;   // [slot]
    std::vector<int> empty, table = std::vector<int>(64, -1);

    std::size_t home(Set set) const {
        return std::size_t((set * 0x9e3779b97f4a7c15ull) >> 32) & (table.size() - 1);
    }
    void insert(int slot) {
        std::size_t i = home(sets[slot]);
        while (table[i] >= 0) i = (i + 1) & (table.size() - 1);
        table[i] = slot;
    }
    void rebuild() {
        std::size_t size = table.size();
        while (4 * sets.size() > size) size *= 2;
        table.assign(size, -1);
        for (std::size_t slot = 0; slot < sets.size(); ++slot)
            if (used[slot]) insert(int(slot));
    }
};

}  // namespace hickam::coupled
