"""How likely it is that several diseases, and nothing else, are what causes a finding."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Solution
from hickam.inference.solve import solve
from hickam.model.network import Floats

# Tolerance that is tried first: the worlds that have a whole set of diseases are few among all, and
# so is what an error in them amounts to.
ROUGH = 0.1


class Joint(NamedTuple):
    """[present] P(the active causes of the finding are exactly these | evidence), and its error."""

    chance: Floats
    error: Floats  # absolute, as far as it is stated
    accuracy: Accuracy | None  # of the inference behind it; None: it is impossible


class JointCauses:
    """A solved problem, ready for questions about sets of diseases; each takes one inference.

    Among the worlds that have all diseases of a set, their links are as good as leaks: what no
    other disease causes there, one of them or the leak does, and which of these did is a matter of
    their own chances alone.
    """

    def __init__(
        self, problem: Problem, solution: Solution, limits: Limits, deadline: Deadline
    ) -> None:
        self.problem, self.limits, self.deadline = problem, limits, deadline
        self._log_evidence = solution.tables.log_evidence + problem.log_scale
        self._log_error = _stated(solution.accuracy.log_evidence, solution.accuracy)
        self._disabled, self._sustained = solution.tables.disabled, solution.tables.sustained
        self._error = solution.accuracy.error
        self._known: dict[tuple[int, ...], Joint] = {}

    def of(self, rows: Sequence[int]) -> Joint:
        """What exactly the diseases of these rows cause together."""
        key = tuple(sorted(rows))
        if key not in self._known:
            wanted = self.limits.tolerance
            joint = self._infer(key, max(wanted, ROUGH))
            alone = float(self._disabled[list(key)].sum())
            enough = wanted * max(alone + float(joint.chance.sum()), FLOOR)
            if wanted < ROUGH and float(joint.error.sum()) > enough:
                joint = self._infer(key, wanted)
            self._known[key] = joint
        return self._known[key]

    def _infer(self, rows: tuple[int, ...], tolerance: float) -> Joint:
        """The same with an inference of this tolerance."""
        problem = self.problem
        nothing = np.zeros(len(problem.leak))
        among = having(problem, rows)
        found = solve(among, replace(self.limits, tolerance=tolerance), self.deadline)
        if not np.isfinite(found.tables.log_evidence):
            return Joint(nothing, nothing, None)
        log_share = found.tables.log_evidence + among.log_scale - self._log_evidence
        share = min(1.0, float(np.exp(log_share)))
        exactly = problem.leak_fails * np.prod(problem.acts[list(rows)], axis=0)
        weight = share * np.divide(exactly, among.leak, out=nothing.copy(), where=exactly > 0.0)
        chance = weight * np.clip(found.tables.unexplained, 0.0, 1.0)
        how = found.accuracy
        relative = _stated(how.log_evidence, how) + self._log_error
        error = weight * _stated(how.unexplained, how) + chance * relative
        return Joint(chance, error, how)

    def at_most(self, rows: Sequence[int]) -> Floats:
        """[present] a bound on what curing these rows removes, without any inference.

        A finding goes away if one member is its only cause, or if several are and nobody else;
        the latter is counted at least twice by "active, but not alone".
        """
        rows = list(rows)
        alone = self._disabled[rows].sum(axis=0)
        several = np.maximum(self._sustained[rows] - self._disabled[rows], 0.0)
        together = several.sum(axis=0) / 2.0
        if 2 <= len(rows) <= 3:
            together = np.minimum(together, self._few_at_most(rows, several))
        return alone + together + self._error * np.maximum(alone + together, FLOOR)

    def _few_at_most(self, rows: Sequence[int], several: Floats) -> Floats:
        """[present] a bound on what two or three rows cause together, by what is known of pairs.

        What all three cause is less than what any of them does beside being alone and in a pair.
        """
        total, left = np.zeros(several.shape[1]), several.copy()
        for one, other in itertools.combinations(range(len(rows)), 2):
            joint = self._known.get(tuple(sorted((rows[one], rows[other]))))
            if joint is None:
                total += several[[one, other]].min(axis=0)
            else:
                total += joint.chance + joint.error
                left[[one, other]] -= joint.chance - joint.error
        return total if len(rows) == 2 else total + np.maximum(left, 0.0).min(axis=0)


def having(problem: Problem, rows: Sequence[int]) -> Problem:
    """The problem among the worlds that have these diseases, with their links as leaks."""
    acts, fails = problem.acts.copy(), problem.fails.copy()
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    weight_off = problem.weight_off.copy()
    for row in rows:
        leak, leak_fails = leak + leak_fails * acts[row], leak_fails * fails[row]
        acts[row], fails[row], weight_off[row] = 0.0, 1.0, 0.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        weight_off=weight_off,
        single_fault=None,
    )


def _stated(own: float | None, accuracy: Accuracy) -> float:
    """The error that is stated of one quantity, or else of all."""
    return accuracy.error if own is None else own
