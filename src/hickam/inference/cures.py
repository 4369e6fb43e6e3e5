"""Cures of sets of diseases on a layered network: what each removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, WIDTH, Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.dial import Turned
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.coupled.cures import WeighedExplanations, weighed_explanations
from hickam.inference.engines import check_possible, finish
from hickam.inference.frontier.visit import exactly
from hickam.inference.problem import Problem, Solution, log_fails
from hickam.inference.reduce import reduce
from hickam.inference.sampling.cures import Explanations, explanations
from hickam.inference.single_fault import few_diseases
from hickam.inference.solve import solve
from hickam.issues import TooHard
from hickam.model.adapted import adapted
from hickam.model.network import Floats, Ints, Network

CHEAP = 0.03  # seconds that an exact probability of evidence may take
EFFORT = 0.3  # seconds for all of them together; a search goes on with sampled explanations


class NetworkCures:
    """A case, reduced and solved once, ready for questions. [CD expected-disablement]

    Curing one disease is its row of `disabled`, and so is a set of which only one member can cause
    the finding. For the rest, P(every active cause of s is in the set) is the ratio of two exact
    probabilities of evidence; where those cannot be had it is averaged over sampled explanations.
    """

    def __init__(self, network: Network, evidence: Evidence, limits: Limits) -> None:
        network = adapted(network, evidence.circumstances)
        check_possible(network, evidence)
        self.network = network
        self.limits = limits
        self.deadline = Deadline.after(limits.deadline)
        self.problem = reduce(network, evidence)
        self.solution = solve(self.problem, limits, self.deadline)
        self.present = tuple(network.findings[finding] for finding in evidence.present)
        self._row = {network.diseases[d]: row for row, d in enumerate(self.problem.rows.tolist())}
        self._whole: Solution | None = None  # exact, for probabilities of evidence
        self.effort = Deadline.after(EFFORT)
        self._sampled: WeighedExplanations | Explanations | None = None
        self._turned = None if evidence.dial == 1.0 else self._turn(evidence)

    def _turn(self, evidence: Evidence) -> Turned:
        """How the Occam–Hickam dial reweighs what the engines find under γ ** n."""
        beliefs = finish(self.network, evidence, self.problem, self.solution)
        expected, error = float(beliefs.posterior.sum()), beliefs.accuracy.error
        few = few_diseases(self.network, evidence)
        return Turned.of(few, beliefs.log_evidence, expected, error)

    @property
    def able(self) -> tuple[str, ...]:
        """The diseases that may be causing a present finding, the likeliest causes first."""
        produced = self.solution.tables.sustained.sum(axis=1)
        rows = np.argsort(-produced, kind="stable")
        return tuple(
            self.network.diseases[self.problem.rows[row]] for row in rows if produced[row] > 0.0
        )

    def at_most(self, diseases: Sequence[str]) -> float:
        """A bound on the expected number of findings that curing these together removes.

        A finding goes away if one member is its only cause, or if several are and nobody else;
        the latter is counted at least twice by "active, but not alone".
        """
        tables, rows = self.solution.tables, self._rows(diseases)
        alone = tables.disabled[rows].sum(axis=0)
        together = np.maximum(tables.sustained[rows] - tables.disabled[rows], 0.0).sum(axis=0) / 2.0
        slack = self.solution.accuracy.error * np.maximum(alone + together, 1e-3)
        total = 1.0 if self._turned is None else self._turned.total
        return float(np.minimum((alone + together + slack) / total, 1.0).sum())

    def removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """Present finding → P(it goes away when these are cured together), and the accuracy.

        Diseases that the evidence does not reach add nothing.
        """
        found, accuracy = self._removed(diseases)
        if self._turned is not None:
            positions = [self.network.index[disease] for disease in diseases]
            assert self._turned.few.disabled is not None
            alone = self._turned.only[positions] @ self._turned.few.disabled[positions]
            rest = np.clip(found - alone, 0.0, self._turned.several)
            found = np.clip((alone + rest) / self._turned.total, 0.0, 1.0)
            accuracy = self._turned.accuracy(accuracy)
        return dict(zip(self.present, found.tolist(), strict=True)), accuracy

    def _removed(self, diseases: Sequence[str]) -> tuple[Floats, Accuracy]:
        """[present] the same without the dial's last word on worlds that have no disease."""
        rows = self._rows(diseases)
        found = np.zeros(len(self.present))
        shared = []
        for column in range(len(self.present)):
            members = rows[self.problem.acts[rows, column] > 0.0]
            if len(members) == 1:
                found[column] = np.clip(self.solution.tables.disabled[members[0], column], 0.0, 1.0)
            elif len(members):
                shared.append(column)
        accuracy = self.solution.accuracy
        if accuracy.standard_errors is not None:
            error = WIDTH * float(accuracy.standard_errors[rows, 1].sum())
            accuracy = replace(accuracy, error=error / max(float(found.sum()), FLOOR))
        if shared:
            found[shared], accuracy = self._together(rows, shared)
        return found, accuracy

    def _rows(self, diseases: Sequence[str]) -> Ints:
        """The rows of the diseases that the evidence reaches."""
        rows = (self._row[disease] for disease in diseases if disease in self._row)
        return np.array(list(rows), dtype=np.int64)

    def _together(self, rows: Ints, columns: list[int]) -> tuple[Floats, Accuracy]:
        """[column] P(every active cause is in the rows), for findings that several can cause."""
        exact = self._exactly(rows, columns)
        if exact is not None:
            return exact
        if self._sampled is None:
            self._sampled = self._explain()
        removed, errors = self._sampled.cure(rows.tolist())
        known, least = self.solution.accuracy.standard_errors, self.solution.accuracy.error
        total = float(errors.sum())
        if known is not None and isinstance(self._sampled, WeighedExplanations):
            total, least = total + float(known[rows, 1].sum()), 0.0
        error = max(WIDTH * total / max(float(removed.sum()), FLOOR), least)
        notes = ("what several diseases remove together is sampled",)
        return removed[columns], Accuracy("sampled", error, notes=notes)

    def _explain(self) -> WeighedExplanations | Explanations:
        """Explanations of the case: weighed ones, or those that a sampler keeps."""
        if not self.problem.settled:
            tables = self.solution.tables
            weighed = weighed_explanations(self.problem, tables, self.limits, self.deadline)
            if weighed is not None:
                return weighed
        return explanations(self.problem, replace(self.limits, deadline=self.deadline.left))

    def _exactly(self, rows: Ints, columns: list[int]) -> tuple[Floats, Accuracy] | None:
        """The same from exact probabilities of evidence; None if they cannot be had quickly."""
        if self._sampled is not None or self.effort.over:
            return None
        if self._whole is None:
            exact = self.solution.accuracy.exact
            self._whole = self.solution if exact else self._solve_exactly(self.problem)
        if self._whole is None:
            return None
        worst = self._whole.accuracy
        found = np.zeros(len(columns))
        whole = self._whole.tables.log_evidence + self.problem.log_scale
        for place, column in enumerate(columns):
            only = only_caused_by(self.problem, rows, column)
            if only is None:
                continue
            solution = self._solve_exactly(only)
            if solution is None:
                return None
            worst = max(worst, solution.accuracy, key=lambda how: how.error)
            gap = solution.tables.log_evidence + only.log_scale - whole
            found[place] = min(1.0, float(np.exp(gap)))
        return found, worst

    def _solve_exactly(self, problem: Problem) -> Solution | None:
        """The exact solution if it is cheap."""
        if problem.settled:
            try:
                solution = solve(problem, self.limits, self.deadline)
            except TooHard:
                return None
            return solution if solution.accuracy.exact else None
        return exactly(problem, CHEAP, self.limits, self.deadline)


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
