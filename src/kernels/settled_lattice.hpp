#pragma once
#include "settled.hpp"

namespace hickam::settled {

struct LatticeAnswer {
    Answer answer;
    double condition = 0.0;  // infinite: no digit can be vouched for
};

// For one connected component whose leaks can all fail; parts: doubles per number, 1, 2 or 4.
LatticeAnswer lattice(const Settled &, int parts, const Stopwatch &);

}  // namespace hickam::settled
