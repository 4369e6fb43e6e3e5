"""How sure a learnt number is: standard errors of its log odds.

The information is the sum over patients of the outer product of their scores, the score of the log
odds of a number being acted - number * could, and the curvature of the belief. Up to `ALL_TOGETHER`
numbers it is inverted as a whole. Beyond, each family alone (the leak and links of one node), which
leaves out that families are uncertain together: those errors are somewhat too small.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hickam.learn.belief import Belief
from hickam.learn.em import log_odds
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


def certainty_of(
    numbers: Numbers, values: Floats, belief: Belief, found: Iterable[tuple[Expected, Floats]]
) -> Certainty:
    """The certainty of learnt numbers from (statistics with scores, counts) of all batches."""
    free = np.flatnonzero(belief.free)
    together = len(free) <= ALL_TOGETHER
    families = [free] if together else [_free(family, belief) for family in numbers.families]
    families = [family for family in families if len(family)]
    sums = [np.diag((belief.weight * values * (1.0 - values))[family]) for family in families]
    for expected, counts in found:
        assert expected.scores is not None
        weighed = expected.scores * np.sqrt(counts)[:, None]
        for family, total in zip(families, sums, strict=True):
            part = weighed[:, family]
            total += part.T @ part
    errors = np.zeros(numbers.size)
    for family, total in zip(families, sums, strict=True):
        errors[family] = _errors(total)
    low, high = values.copy(), values.copy()
    middle, off = log_odds(values[free]), WIDTH * errors[free]
    with np.errstate(over="ignore"):
        low[free] = 1.0 / (1.0 + np.exp(off - middle))
        high[free] = 1.0 / (1.0 + np.exp(-off - middle))
    return Certainty(errors, low, high, together)


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
