// Every explanation: for few diseases, the chance of each set of them that may be there.
//
// Risk factors are folded in one after the other: where one is on, each of its diseases that is off
// so far may turn on. With the chance of the findings for every set that gives all measures, in sums
// of non-negative terms. Neither the number of risk factors nor that of findings is in the exponent.
#pragma once
#include "coupled.hpp"

namespace hickam::coupled {

// Operations and bytes that all explanations take; infinite where there are too many.
struct ExplanationsPrice {
    double operations, bytes;
};
ExplanationsPrice price_explanations(const Coupled &);
// Without an answer, its rounding error infinite, where the evidence is too unlikely for float64.
Outcome explanations(const Coupled &, const Stopwatch &);

}  // namespace hickam::coupled
