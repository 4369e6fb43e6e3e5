"""Cures of sets of diseases on a layered network: what each removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.dial import Turned
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.engines import check_possible, finish
from hickam.inference.problem import Problem, Solution, log_fails
from hickam.inference.reduce import reduce
from hickam.inference.single_fault import few_diseases
from hickam.inference.solve import solve
from hickam.model.network import Ints, Network


@dataclass(frozen=True, slots=True, eq=False)
class NetworkCures:
    """A case, reduced and solved once, ready for questions. [CD expected-disablement]"""

    network: Network
    evidence: Evidence
    problem: Problem
    solution: Solution
    limits: Limits
    turned: Turned | None = None  # how the Occam–Hickam dial reweighs, unless it is at 1

    @classmethod
    def of(cls, network: Network, evidence: Evidence, limits: Limits) -> NetworkCures:
        """The case ready for questions."""
        check_possible(network, evidence)
        problem = reduce(network, evidence)
        solution = solve(problem, limits)
        if evidence.dial == 1.0:
            return cls(network, evidence, problem, solution, limits)
        beliefs = finish(network, evidence, problem, solution)
        expected, error = float(beliefs.posterior.sum()), beliefs.accuracy.error
        few = few_diseases(network, evidence)
        turned = Turned.of(few, beliefs.log_evidence, expected, error)
        return cls(network, evidence, problem, solution, limits, turned)

    @property
    def present(self) -> tuple[str, ...]:
        """The present findings."""
        return tuple(self.network.findings[finding] for finding in self.evidence.present)

    @property
    def able(self) -> tuple[str, ...]:
        """The diseases that may be causing a present finding, the likeliest causes first."""
        produced = self.solution.tables.sustained.sum(axis=1)
        rows = np.argsort(-produced, kind="stable")
        return tuple(
            self.network.diseases[self.problem.rows[row]] for row in rows if produced[row] > 0.0
        )

    def removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """Present finding → P(it goes away when these are cured together), and the accuracy."""
        found, accuracy = self._removed(diseases)
        if self.turned is None:
            return found, accuracy
        positions = [self.network.index[disease] for disease in diseases]
        assert self.turned.few.disabled is not None
        alone = self.turned.only[positions] @ self.turned.few.disabled[positions]
        raw = np.array(list(found.values()))
        rest = np.clip(raw - alone, 0.0, self.turned.several)
        chances = np.clip((alone + rest) / self.turned.total, 0.0, 1.0)
        return dict(zip(found, chances.tolist(), strict=True)), self.turned.accuracy(accuracy)

    def _removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """The same without the dial's last word on worlds that have no disease.

        Of one disease this is its row of `disabled`; diseases that the evidence does not reach
        add nothing.
        """
        row_of = {int(disease): row for row, disease in enumerate(self.problem.rows)}
        positions = [self.network.index[disease] for disease in diseases]
        rows = np.array([row_of[d] for d in positions if d in row_of], dtype=np.int64)
        if len(rows) == 1:
            chances = np.clip(self.solution.tables.disabled[rows[0]], 0.0, 1.0)
            return dict(zip(self.present, chances.tolist(), strict=True)), self.solution.accuracy
        found, worst = {}, self.solution.accuracy
        for column, finding in enumerate(self.present):
            only = only_caused_by(self.problem, rows, column)
            if only is None:
                found[finding] = 0.0
                continue
            tables, _, accuracy = solve(only, self.limits)
            worst = max(worst, accuracy, key=lambda how: how.error)
            gap = tables.log_evidence + only.log_scale
            gap -= self.solution.tables.log_evidence + self.problem.log_scale
            found[finding] = min(1.0, float(np.exp(gap)))
        return found, worst


def only_caused_by(problem: Problem, rows: Ints, column: int) -> Problem | None:
    """The problem whose evidence is: as before, and every active cause of one finding is in a set.

    The mechanisms of all other causes must fail: each other disease k pays λ_ks when on, the leak
    pays its own λ_s, and the finding must be produced by the set alone. Positive throughout. None
    if that is impossible.
    """
    inside = np.zeros(len(problem.rows), dtype=bool)
    inside[rows] = True
    if problem.leak_fails[column] == 0.0 or not np.any(problem.acts[inside, column] > 0.0):
        return None
    acts, fails = problem.acts.copy(), problem.fails.copy()
    outside = ~inside
    weight_on = np.where(outside, problem.weight_on * fails[:, column], problem.weight_on)
    acts[outside, column], fails[outside, column] = 0.0, 1.0
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    paid = float(log_fails(leak[column : column + 1], leak_fails[column : column + 1])[0])
    leak[column], leak_fails[column] = 0.0, 1.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        weight_on=weight_on,
        log_scale=problem.log_scale + paid,
    )
