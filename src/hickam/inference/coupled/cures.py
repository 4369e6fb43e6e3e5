"""What curing sets of diseases would remove, from explanations drawn from a mixture and weighed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.beliefs.beliefs import UNSEEN
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.distant import distant
from hickam.inference.coupled.mixed import mixture_of
from hickam.inference.coupled.mixture import Mixture
from hickam.inference.problem import Problem, Tables, log_fails
from hickam.inference.sampling.cures import Removed
from hickam.inference.sampling.estimates import quantile
from hickam.issues import LostPrecision
from hickam.model.network import Floats, Ints

DRAWS = 3000  # a percent of what a set removes, for about the time of an inference
EFFORT = 0.03  # nominal seconds for the mixture: a larger one hardly makes the weights more even
MISSED = 3.0  # how often an explanation as heavy as the heaviest may have been missed
FAR = 0.95  # of the explanations are less far from the mean than such a one may be
SAME = 1e-3  # findings by which two explanations hardly differ: neither knows of one that does
DRAWING = 0.7  # of what is left until a deadline, for the draws
CERTAIN = -40.0  # log of the chance that a certain link fails: less than any digit shows


class WeighedExplanations:
    """Sets of diseases that are on, each with its weight, ready for any number of cures.

    What a set removes is more than what its members remove one by one, which is known; only the
    difference is averaged over the explanations, and only those count in which two members are on.
    """

    def __init__(
        self, problem: Problem, mixture: Mixture, known: Tables, seed: int, seconds: float = 0.0
    ) -> None:
        draws = mixture.drawing(seed, keep=True, seconds=seconds).draw(DRAWS, seconds=seconds)
        self.problem, self.known = problem, known
        start, rows = draws["kept_start"], draws["kept_rows"]
        self.weight = draws["kept_weight"] / draws["kept_weight"].sum()
        self.effective = 1.0 / float((self.weight**2).sum())
        draw = np.repeat(np.arange(len(start) - 1), np.diff(start))
        self.inside = np.zeros((len(problem.rows), len(start) - 1))  # [row, draw]
        self.inside[rows, draw] = 1.0
        silent = np.maximum(log_fails(problem.acts, problem.fails), CERTAIN)
        leak = np.maximum(log_fails(problem.leak, problem.leak_fails), CERTAIN)
        log_silent = self.inside.T @ silent + leak
        # [draw, present] P(no cause is active) over P(some cause is)
        self.nothing = np.exp(log_silent) / -np.expm1(log_silent)
        self.odds = np.expm1(-silent)  # [row, present] that the link of a disease that is on acts

    def cure(self, rows: Sequence[int]) -> Removed:
        """What curing the diseases in these rows removes.

        The errors are without those of what the members remove one by one.
        """
        shared = np.flatnonzero((self.problem.acts[rows] > 0.0).sum(axis=0) > 1)
        at = np.flatnonzero(self.inside[rows].sum(axis=0) > 1.0)
        weight, more = self.weight[at], self._together(rows, at)[:, shared]
        mean = weight @ more
        squares = weight**2
        rest = 1.0 / self.effective - float(squares.sum())  # of draws that add nothing
        removed = self.known.disabled[rows].sum(axis=0)
        removed[shared] += mean
        errors = np.zeros_like(removed)
        errors[shared] = np.sqrt(squares @ (more - mean) ** 2 + rest * mean**2)
        total = more.sum(axis=1)
        spread = squares @ (total - mean.sum()) ** 2 + rest * mean.sum() ** 2
        unseen = max(UNSEEN - self._unlike(total), 0.0) / self.effective * len(shared)
        unseen += MISSED * float(self.weight.max()) * self._usual_gap(total, float(mean.sum()))
        return Removed(np.clip(removed, 0.0, 1.0), errors, float(np.sqrt(spread)), unseen)

    def _unlike(self, total: Floats) -> int:
        """How many draws say something else than most; all but these say 0.

        Draws of one kind have no spread, and know nothing of what they have not met.
        """
        silent = len(self.weight) - len(total)
        usual = 0.0 if silent > len(total) else quantile(total, 0.5)
        unlike = int(np.count_nonzero(np.abs(total - usual) > SAME))
        return unlike + (silent if usual > SAME else 0)

    def _usual_gap(self, total: Floats, mean: float) -> float:
        """How far from the mean the explanations are that are far, but not the farthest."""
        gaps = np.full(len(self.weight), abs(mean))  # of those that say 0
        gaps[: len(total)] = np.abs(total - mean)
        return quantile(gaps, FAR)

    def with_one_more(self, rows: Sequence[int], others: Sequence[int]) -> Floats:
        """[other, present] what curing these rows and one other removes.

        One more disease that is on causes with any of the set what the set causes, times its odds.
        """
        everywhere = np.arange(len(self.weight))
        removed = self.known.disabled[rows].sum(axis=0)
        removed = removed + self.weight @ self._together(rows, everywhere)
        caused = self.nothing * (self._acting(rows, everywhere) - 1.0)
        more = self.inside[others] @ (self.weight[:, None] * caused) * self.odds[others]
        return np.clip(removed + self.known.disabled[others] + more, 0.0, 1.0)

    def _acting(self, rows: Sequence[int], at: Ints) -> Floats:
        """[draw, present] one over the chance that no disease of these rows causes the finding."""
        found = np.ones((len(at), len(self.problem.leak)))
        for row in rows:
            found *= 1.0 + np.outer(self.inside[row, at], self.odds[row])
        return found

    def _together(self, rows: Sequence[int], at: Ints) -> Floats:
        """[draw, present] P(several of these rows are active and nothing else | explanation)."""
        alone = self.inside[rows][:, at].T @ self.odds[rows]
        return self.nothing[at] * np.maximum(self._acting(rows, at) - 1.0 - alone, 0.0)


def weighed_explanations(
    problem: Problem, known: Tables, limits: Limits, deadline: Deadline
) -> WeighedExplanations | None:
    """Explanations of a problem; None where a mixture takes too long, or would not meet some."""
    if distant(problem):
        return None
    made = mixture_of(problem, limits, deadline, EFFORT) or mixture_of(problem, limits, deadline)
    if made is None:
        return None
    try:
        drawing = deadline.share(DRAWING)
        return WeighedExplanations(problem, made[0], known, limits.seed, drawing.seconds)
    except (LostPrecision, TimeoutError):
        return None
