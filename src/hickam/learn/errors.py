"""How sure a learnt number is: standard errors of its log odds.

The information is the sum over patients of the outer product of their scores, the score of the log
odds of a number being acted - number * could, and the curvature of the belief. Up to `ALL_TOGETHER`
numbers it is inverted as a whole. Beyond, each family alone (the leak and links of one node), which
leaves out that families are uncertain together: those errors are somewhat too small.
"""

from __future__ import annotations

from dataclasses import dataclass

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
            families = [_free(family, belief) for family in numbers.families]
        self.families = [family for family in families if len(family)]
        curved = belief.weight * values * (1.0 - values)
        self.information = [np.diag(curved[family]) for family in self.families]
        self.acted, self.could = np.zeros(numbers.size), np.zeros(numbers.size)
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
        for family, total in zip(self.families, self.information, strict=True):
            errors[family] = _errors(total)
        low, high = self.values.copy(), self.values.copy()
        middle, off = log_odds(self.values[self.free]), WIDTH * errors[self.free]
        with np.errstate(over="ignore"):
            low[self.free] = 1.0 / (1.0 + np.exp(off - middle))
            high[self.free] = 1.0 / (1.0 + np.exp(-off - middle))
        return Certainty(errors, low, high, self.together)


def _free(family: list[int], belief: Belief) -> np.ndarray:
    return np.array([number for number in family if belief.free[number]], dtype=np.int64)


def _errors(information: Floats) -> Floats:
    """Standard errors from an information matrix; infinite where it says nothing."""
    scale = np.sqrt(np.diag(information))
    known = scale > 0.0
    errors = np.full(len(scale), np.inf)
    if known.any():
        part = information[np.ix_(known, known)] / np.outer(scale[known], scale[known])
        inverse = np.linalg.pinv(part, rcond=1e-12, hermitian=True)
        errors[known] = np.sqrt(np.maximum(np.diag(inverse), 1.0)) / scale[known]
    return errors
