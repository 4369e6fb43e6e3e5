"""Binomial probabilities and intervals, exact and without dependencies."""

from __future__ import annotations

import math

Z95 = 1.959963984540054


def binomial_tail(successes: int, trials: int, chance: float) -> float:
    """P(X >= successes) for X ~ Binomial(trials, chance).

    >>> round(binomial_tail(9, 10, 0.5), 6)
    0.010742
    """
    if successes <= 0:
        return 1.0
    if successes > trials or chance <= 0.0:
        return 0.0
    if chance >= 1.0:
        return 1.0
    log_odds = math.log(chance) - math.log1p(-chance)
    term = (
        math.lgamma(trials + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(trials - successes + 1)
        + successes * math.log(chance)
        + (trials - successes) * math.log1p(-chance)
    )
    terms = []
    for count in range(successes, trials + 1):
        terms.append(term)
        if count < trials:
            term += math.log(trials - count) - math.log(count + 1) + log_odds
    return min(1.0, math.fsum(math.exp(value) for value in terms))


def two_sided_coin(heads: int, tails: int) -> float:
    """Two-sided exact p-value that a fair coin falls this unevenly; 1 without any toss.

    >>> two_sided_coin(5, 0)
    0.0625
    """
    tosses = heads + tails
    if tosses == 0:
        return 1.0
    return min(1.0, 2.0 * binomial_tail(max(heads, tails), tosses, 0.5))


def standard_error(successes: float, trials: int) -> float:
    """Standard error of a proportion, sqrt(p (1 - p) / n), as in the paper's tables."""
    if trials == 0:
        return 0.0
    share = successes / trials
    return math.sqrt(share * (1.0 - share) / trials)


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """95 % interval of a proportion by Wilson's score; sensible at 0 and 1 as well.

    >>> low, high = wilson(10, 10)
    >>> round(low, 3), round(high, 3)
    (0.722, 1.0)
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    spread = Z95**2 / trials
    centre = (share + spread / 2.0) / (1.0 + spread)
    half = (
        Z95 * math.sqrt(share * (1.0 - share) / trials + spread / (4.0 * trials)) / (1.0 + spread)
    )
    return max(0.0, centre - half), min(1.0, centre + half)


def clopper_pearson(successes: int, trials: int) -> tuple[float, float]:
    """Exact 95 % interval of a proportion: it holds one half unless `two_sided_coin` is below 0.05.

    >>> low, high = clopper_pearson(4, 4)
    >>> round(low, 3), high
    (0.398, 1.0)
    """
    if trials == 0:
        return 0.0, 1.0

    def solve(hits: int, level: float) -> float:
        """The chance at which P(X >= hits) is `level`."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2.0
            low, high = (
                (middle, high) if binomial_tail(hits, trials, middle) < level else (low, middle)
            )
        return (low + high) / 2.0

    low = 0.0 if successes == 0 else solve(successes, 0.025)
    high = 1.0 if successes == trials else solve(successes + 1, 0.975)
    return low, high
