"""How sure a learnt number is: standard errors of its log odds.

The information is the sum over patients of the outer product of their scores, the score of the log
odds of a number being acted - number * could, and the curvature of the belief. Up to `ALL_TOGETHER`
numbers it is inverted as a whole. Beyond, each family alone (the leak and links of one node), which
leaves out that families are uncertain together: those errors are somewhat too small.

A finding with kinds is stated together with them: t = 1 - product of (1 - x) over its own number
and theirs. The log odds of t move by x / t for one of x; that carries the errors over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hickam.learn.belief import Belief
from hickam.learn.em import Totals, log_odds
from hickam.learn.expect import Expected
from hickam.learn.numbers import Numbers
from hickam.model.network import Floats

ALL_TOGETHER = 1500  # numbers
WIDTH = 1.959964  # standard errors on either side of 95 %


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """[number] its standard error in log odds and the 95 % interval; of fixed ones 0."""

    errors: Floats
    low: Floats
    high: Floats
    together: bool  # whether all numbers were inverted together


class Sums:
    """Statistics and information, batch by batch."""

    def __init__(self, numbers: Numbers, values: Floats, belief: Belief) -> None:
        self.values, self.free = values, np.flatnonzero(belief.free)
        self.together = len(self.free) <= ALL_TOGETHER
        families = [self.free]
        if not self.together:
            rates = [[number] for number in range(numbers.size, len(values))]
            families = [_free(family, belief) for family in (*numbers.families, *rates)]
        self.families = [family for family in families if len(family)]
        curved = belief.weight * values * (1.0 - values)
        self.information = [np.diag(curved[family]) for family in self.families]
        self.acted, self.could = np.zeros(len(values)), np.zeros(len(values))
        self.log_evidence = 0.0

    def add(self, expected: Expected, counts: Floats) -> None:
        """Add a batch, with the products of its scores."""
        self.acted += expected.acted
        self.could += expected.could
        self.log_evidence += float((expected.log_evidence * counts).sum())
        for at, product in enumerate(expected.products):
            self.information[at] += product

    def totals(self) -> Totals:
        """The statistics of all batches."""
        return Totals(self.acted, self.could, self.log_evidence)

    def certainty(self) -> Certainty:
        """How sure the numbers are."""
        errors = np.zeros(len(self.values))
        for family, covariance in zip(self.families, self.covariances, strict=True):
            errors[family] = np.sqrt(np.diag(covariance))
        return _interval(self.values, errors, self.together)

    def whole(self, numbers: Numbers) -> Certainty:
        """How sure the numbers are as a file states them, findings together with their kinds."""
        size = numbers.size
        errors, whole = self.certainty().errors[:size], numbers.whole(self.values[:size])
        place = {
            int(n): (at, i) for at, some in enumerate(self.families) for i, n in enumerate(some)
        }
        for number, parts in numbers.together.items():
            by_family: dict[int, list[tuple[int, float]]] = {}
            for part in parts:
                if part in place:
                    at, inside = place[part]
                    share = float(self.values[part] / whole[number])
                    by_family.setdefault(at, []).append((inside, share))
            variance = 0.0
            for at, some in by_family.items():
                rows, shares = [row for row, _ in some], np.array([share for _, share in some])
                variance += float(shares @ self.covariances[at][np.ix_(rows, rows)] @ shares)
            errors[number] = np.sqrt(max(variance, 0.0))
        return _interval(whole, errors, self.together)

    @cached_property
    def covariances(self) -> list[Floats]:
        """The covariance of the log odds of each family, once all batches are added."""
        return [_covariance(total) for total in self.information]


def _free(family: list[int], belief: Belief) -> np.ndarray:
    return np.array([number for number in family if belief.free[number]], dtype=np.int64)


def _interval(values: Floats, errors: Floats, together: bool) -> Certainty:
    """The 95 % intervals of values that are neither 0 nor 1, from errors of their log odds."""
    low, high = values.copy(), values.copy()
    free = (errors > 0.0) & (values > 0.0) & (values < 1.0)
    middle, off = log_odds(values[free]), WIDTH * errors[free]
    with np.errstate(over="ignore"):
        low[free] = 1.0 / (1.0 + np.exp(off - middle))
        high[free] = 1.0 / (1.0 + np.exp(-off - middle))
    return Certainty(errors, low, high, together)


def _covariance(information: Floats) -> Floats:
    """The inverse of an information matrix; infinite variances where it says nothing."""
    scale = np.sqrt(np.diag(information))
    known = scale > 0.0
    found = np.where(np.eye(len(scale), dtype=bool), np.inf, 0.0)
    if known.any():
        outer = np.outer(scale[known], scale[known])
        inverse = np.linalg.pinv(information[np.ix_(known, known)] / outer, 1e-12, hermitian=True)
        np.fill_diagonal(inverse, np.maximum(np.diag(inverse), 1.0))
        found[np.ix_(known, known)] = inverse / outer
    return found
