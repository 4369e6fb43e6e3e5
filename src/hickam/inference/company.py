"""Two diseases at once on a layered network: how likely both are, and what each then causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hickam.beliefs.deadline import Deadline
from hickam.beliefs.dial import Turned
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.engines import check_possible, finish
from hickam.inference.problem import Problem, Solution
from hickam.inference.reduce import reduce
from hickam.inference.single_fault import few_diseases
from hickam.inference.solve import solve
from hickam.issues import TooHard
from hickam.model.adapted import adapted
from hickam.model.network import Floats, Network

LEADING_SHARE = 0.7  # of the time, for the diseases that pairs are made of
FEWEST = 2  # diseases that make a pair


class NetworkCompany:
    """A case, reduced and solved once, in which some diseases are then taken for certain.

    With D_i certain an engine's tables speak of the worlds that have it: row j of `disabled` is
    P(D_j = 1, the finding goes away with j | D_i = 1). So one inference for each leading disease
    holds every pair with it. Two certain diseases are one cause, with λ = λ_i λ_j: one more
    inference for what curing both removes.
    """

    def __init__(self, network: Network, evidence: Evidence, limits: Limits) -> None:
        network = adapted(network, evidence.circumstances)
        check_possible(network, evidence)
        self.network, self.limits = network, limits
        self.deadline = Deadline.after(limits.deadline)
        self.problem = reduce(network, evidence)
        self.solution = solve(self.problem, limits, self.deadline)
        self.present = tuple(network.findings[finding] for finding in evidence.present)
        self.accuracy = self.solution.accuracy
        self._row = {network.diseases[d]: row for row, d in enumerate(self.problem.rows.tolist())}
        self._given: dict[str, Solution] = {}  # disease → the case among those who have it
        self._turned: Turned | None = None
        if evidence.dial != 1.0:
            beliefs = finish(network, evidence, self.problem, self.solution)
            expected = float(beliefs.posterior.sum())
            few = few_diseases(network, evidence)
            stated = beliefs.accuracy.error
            self._turned = Turned.of(few, beliefs.log_evidence, expected, stated)

    def leading(self, count: int) -> tuple[str, ...]:
        """The diseases that explain most, and those that explain what the first leaves over.

        Near twins of the first disease explain the same again; so half of the places go to the
        best cures among the patients who have the first. As many as there is time for.
        """
        tables = self.solution.tables
        clock = self.deadline.share(LEADING_SHARE)
        ready: list[str] = []
        able = self._best(tables.sustained)
        for place in range(min(count, len(able))):
            if place == count // 2:
                beside = self._best(self._given[ready[0]].tables.disabled)
                able = [*ready, *(disease for disease in beside if disease not in ready)]
            if place >= len(able):
                break
            try:
                problem = certain(self.problem, [self._row[able[place]]])
                self._given[able[place]] = self._solve(problem, clock)
            except TooHard:
                if len(ready) < FEWEST:
                    raise
                break
            ready.append(able[place])
        return tuple(ready)

    def _best(self, table: Floats) -> list[str]:
        """The diseases with the largest rows of a table, without those that have nothing."""
        total = table.sum(axis=1)
        order = np.argsort(-total, kind="stable")
        diseases, rows = self.network.diseases, self.problem.rows
        return [diseases[rows[row]] for row in order if total[row] > 0.0]

    def chance(self, one: str, other: str) -> float:
        """P(both diseases | evidence)."""
        first = float(self.solution.tables.posterior[self._row[one]])
        both = first * float(self._given[one].tables.posterior[self._row[other]])
        # two diseases count γ once, not twice; worlds without a disease are not among these
        return both if self._turned is None else min(both / self._turned.total, 1.0)

    def removed(self, cured: str, beside: str) -> Floats:
        """[present] P(the finding goes away with one of two diseases | both, evidence)."""
        tables, row = self._given[beside].tables, self._row[cured]
        return _share(tables.disabled[row], float(tables.posterior[row]))

    def removed_together(self, one: str, other: str) -> Floats:
        """[present] P(the finding goes away when both are cured | both, evidence)."""
        row = self._row[one]
        solution = self._solve(merged(self.problem, row, self._row[other]), self.deadline)
        return _share(solution.tables.disabled[row], float(solution.tables.posterior[row]))

    def _solve(self, problem: Problem, deadline: Deadline) -> Solution:
        """A solution, whose accuracy counts for the whole."""
        solution = solve(problem, self.limits, deadline)
        self.accuracy = max(self.accuracy, solution.accuracy, key=lambda how: how.error)
        return solution


def certain(problem: Problem, rows: Sequence[int]) -> Problem:
    """The problem among the worlds that have the diseases of these rows."""
    weight_off = problem.weight_off.copy()
    weight_off[list(rows)] = 0.0
    return replace(problem, weight_off=weight_off, single_fault=None)


def merged(problem: Problem, one: int, other: int) -> Problem:
    """The problem among the worlds that have both, with the links of both on one of the rows."""
    both = certain(problem, [one, other])
    acts, fails = problem.acts.copy(), problem.fails.copy()
    fails[one] = problem.fails[one] * problem.fails[other]
    acts[one] = problem.acts[one] + problem.fails[one] * problem.acts[other]
    acts[other], fails[other] = 0.0, 1.0
    return replace(both, acts=acts, fails=fails)


def _share(part: Floats, whole: float) -> Floats:
    """A part of a chance, relative to it."""
    return np.clip(part / whole, 0.0, 1.0) if whole > 0.0 else np.zeros_like(part)
