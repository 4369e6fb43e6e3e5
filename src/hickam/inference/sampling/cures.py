"""What curing sets of diseases would remove, from the explanations that the sampler kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, log_fails
from hickam.inference.sampling.estimates import CAUTION, presence
from hickam.inference.sampling.sampled import draw
from hickam.model.network import Floats

NEVER = -800.0  # log of the chance that a certain link fails; its exponential is 0
TINY = 1e-300


class Removed(NamedTuple):
    """[present] what curing a set of diseases removes, and how far that may be off."""

    removed: Floats
    standard_errors: Floats
    standard_error: float  # of the sum
    unseen: float  # that explanations of which no sample knows may add to the sum


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """[set, present] P(every active cause of the finding is in the set | evidence)."""

    removed: Floats
    standard_errors: Floats


class Explanations:
    """Sets of present diseases as the chains met them, ready for any number of cures."""

    def __init__(self, problem: Problem, kept: Any) -> None:
        self.problem = problem
        self.rows, chains = presence(kept)
        self.inside = np.concatenate(chains).astype(np.float64)  # [sample, seen row]
        # halves of chains, whose means tell the standard error
        half = [n for chain in chains for n in (len(chain) - len(chain) // 2, len(chain) // 2)]
        self.group = np.repeat(np.arange(len(half)), half)
        self.log_fails = np.maximum(log_fails(problem.acts, problem.fails), NEVER)
        self.log_silent = self.inside @ self.log_fails[self.rows]  # [sample, present]
        leaks = np.maximum(log_fails(problem.leak, problem.leak_fails), NEVER)
        self.log_no_leak = leaks
        self.on = np.maximum(-np.expm1(self.log_silent + leaks), TINY)

    def cure(self, rows: Sequence[int]) -> Removed:
        """What curing the diseases in these rows removes.

        Given the diseases that are present, the mechanisms of a present finding are independent:
        all others must fail and one inside the set must act.
        """
        removed, errors = np.zeros((2, len(self.problem.leak)))
        touched = np.flatnonzero((self.problem.acts[list(rows)] > 0.0).any(axis=0))
        within = np.isin(self.rows, list(rows))
        inside = self.inside[:, within] @ self.log_fails[np.ix_(self.rows[within], touched)]
        others = self.log_silent[:, touched] - inside + self.log_no_leak[touched]
        chance = np.exp(others) * -np.expm1(inside) / self.on[:, touched]
        removed[touched] = chance.mean(axis=0)
        counts = np.bincount(self.group)
        sums = np.zeros((len(counts), len(touched)))
        np.add.at(sums, self.group, chance)
        halves = sums[counts > 0] / counts[counts > 0, None]
        for means in (halves, (halves[::2] + halves[1::2]) / 2.0):
            spread = CAUTION * means.std(axis=0, ddof=1) / np.sqrt(len(means))
            errors[touched] = np.maximum(errors[touched], spread)
        return Removed(removed, errors, float(errors.sum()), 0.0)

    def with_one_more(self, rows: Sequence[int], others: Sequence[int]) -> Floats:
        """[other, present] what curing these rows and one other removes."""
        found = [self.cure([*rows, other]).removed for other in others]
        return np.array(found).reshape(len(others), len(self.problem.leak))


def explanations(problem: Problem, limits: Limits, steps: int | None = None) -> Explanations:
    """Explanations of a problem, drawn once for any number of cures."""
    return Explanations(problem, draw(problem, limits, steps)["kept"])


def sampled_cures(
    problem: Problem, sets: Sequence[Sequence[int]], limits: Limits, steps: int | None = None
) -> Removal:
    """What curing each set of rows removes, all from one run."""
    known = explanations(problem, limits, steps)
    found = [known.cure(rows) for rows in sets]
    removed = np.array([each.removed for each in found])
    errors = np.array([each.standard_errors for each in found])
    shape = (len(sets), len(problem.leak))
    return Removal(removed.reshape(shape), errors.reshape(shape))
