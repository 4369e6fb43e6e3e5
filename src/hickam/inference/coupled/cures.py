"""What curing sets of diseases would remove, from explanations drawn from a mixture and weighed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.mixture import Mixture, mixture_of
from hickam.inference.problem import Problem, Tables, log_fails
from hickam.issues import LostPrecision
from hickam.model.network import Floats

DRAWS = 6000  # enough for a percent of what a set removes, few enough for hundreds of sets
NEVER = -800.0  # log of the chance that a certain link fails; its exponential is 0


class WeighedExplanations:
    """Sets of diseases that are on, each with its weight, ready for any number of cures.

    What a set removes is more than what its members remove one by one, which is known; only the
    difference is averaged over the explanations.
    """

    def __init__(self, problem: Problem, mixture: Mixture, known: Tables, seed: int) -> None:
        draws = mixture.draw(DRAWS, seed, keep=True)
        self.problem, self.known = problem, known
        start, rows = draws["kept_start"], draws["kept_rows"]
        self.weight = draws["kept_weight"] / draws["kept_weight"].sum()
        self.rows = np.unique(rows)
        self.inside = np.zeros((len(start) - 1, len(self.rows)))  # [draw, seen row]
        draw = np.repeat(np.arange(len(start) - 1), np.diff(start))
        self.inside[draw, np.searchsorted(self.rows, rows)] = 1.0
        self.log_fails = np.maximum(log_fails(problem.acts, problem.fails), NEVER)
        leak = np.maximum(log_fails(problem.leak, problem.leak_fails), NEVER)
        self.log_silent = self.inside @ self.log_fails[self.rows] + leak  # [draw, present]
        self.on = -np.expm1(self.log_silent)

    def cure(self, rows: Sequence[int]) -> tuple[Floats, Floats]:
        """[present] what curing the diseases in these rows removes, and its standard error.

        The latter without that of what the members remove one by one.
        """
        removed = self.known.disabled[list(rows)].sum(axis=0)
        errors = np.zeros_like(removed)
        touched = np.flatnonzero((self.problem.acts[list(rows)] > 0.0).sum(axis=0) > 1)
        at = np.flatnonzero(np.isin(self.rows, list(rows)))
        acts = self.inside[:, at, None] * self.log_fails[self.rows[at]][None, :, touched]
        together = acts.sum(axis=1)  # [draw, touched]
        silent, on = self.log_silent[:, touched], self.on[:, touched]
        more = np.exp(silent - together) * -np.expm1(together) / on
        for member in range(len(at)):
            more -= np.exp(silent - acts[:, member]) * -np.expm1(acts[:, member]) / on
        mean = self.weight @ more
        removed[touched] += mean
        errors[touched] = np.sqrt(self.weight**2 @ (more - mean) ** 2)
        return np.clip(removed, 0.0, 1.0), errors


def weighed_explanations(
    problem: Problem, known: Tables, limits: Limits, deadline: Deadline
) -> WeighedExplanations | None:
    """Explanations of a coupled problem; None where a mixture takes too long."""
    made = mixture_of(problem, limits, deadline)
    if made is None:
        return None
    try:
        return WeighedExplanations(problem, made[0], known, limits.seed)
    except (LostPrecision, TimeoutError):
        return None
