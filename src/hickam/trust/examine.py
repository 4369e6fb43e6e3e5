"""One case with one number after another inferred elsewhere, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.engines import check_possible
from hickam.inference.problem import Problem, Solution, Tables
from hickam.inference.reduce import reduce_links
from hickam.inference.solve import solve
from hickam.issues import ImpossibleEvidence, LostPrecision, TooHard, error, invalid
from hickam.model.network import Floats, Network
from hickam.trust.curves import Curve, Lines, with_odds
from hickam.trust.knobs import Knob, elsewhere, turned, turners, value_of
from hickam.trust.numbers import Number
from hickam.trust.queue import Queue
from hickam.trust.reach import RiskSeen

MEASURED = ("posterior", "disablement", "sufficiency")


def check_measure(measure: str) -> None:
    """Refuse a measure whose scores do not come from the tables."""
    if measure not in MEASURED:
        fix = f"use {', '.join(MEASURED)}"
        raise invalid(f"measure {measure!r}", "is none that follows the numbers here", fix)


class Examination:
    """The case as it is, and with each knob examined so far at another place."""

    def __init__(
        self,
        network: Network,
        evidence: Evidence,
        measure: str,
        factor: float,
        limits: Limits,
        deadline: Deadline,
    ) -> None:
        check_possible(network, evidence)
        self._measure = measure
        self._factor = factor
        self._limits = limits
        self._deadline = deadline
        self._problem = reduce_links(network, evidence)
        self._base = self._solve(self._problem)
        self._turners = turners(network, evidence, self._problem)
        self._lines: dict[Knob, Lines] = {}
        self._queue: Queue
        self.scores = self._scored(self._base.tables)
        self.posterior = self._problem.elsewhere.copy()
        self.posterior[self._problem.rows] = self._base.tables.posterior
        self.engine, self.accuracy = self._base.engine, self._base.accuracy

    @property
    def size(self) -> int:
        """How many numbers bear on the case."""
        return len(self._turners)

    def examine(self, target: int, leader: int, top: int) -> tuple[float, bool]:
        """Examine numbers until the strongest are certain or the time is over.

        (bound on the swing of the target's score by a number that was not examined, whether all
        that could take the first place away within the factor were).
        """
        queue = self._queue = Queue(self._turners, self._factor, self._problem, self._base.tables)
        most, lead = self._most(), self._lead(leader)
        reach = most[leader] + most.max(initial=0.0)
        swings: list[float] = []
        while queue and not self._deadline.over:
            far = queue.farthest
            known = len(swings) >= top and most[target] * far <= sorted(swings)[-top]
            if known and reach * far < lead:
                if queue.sure:
                    return float(most[target] * far), True
                self._see(queue.next_guess())
                continue
            place, risk = queue.pop()
            if risk is not None:
                self._see(risk)
                continue
            turner = self._turners[place]
            self._examine(turner.knob)
            curve = Curve(self._lines[turner.knob], turner.number.value, turner.rate)
            swings.append(self._swing(curve, target))
        if not queue:
            return 0.0, True
        far = queue.farthest if queue.sure else 1.0
        return float(most[target] * far), bool(queue.sure and reach * far < lead)

    def curve(self, cause: str, effect: str) -> Curve | None:
        """All scores as functions of one number; None if it does not bear on the case."""
        for turner in self._turners:
            if (turner.number.cause, turner.number.effect) == (cause, effect):
                self._examine(turner.knob)
                return Curve(self._lines[turner.knob], turner.number.value, turner.rate)
        return None

    def curves(self) -> Iterator[tuple[Number, Curve]]:
        """Every number whose knob was examined, with all scores as functions of it."""
        for turner in self._turners:
            lines = self._lines.get(turner.knob)
            if lines is not None:
                yield turner.number, Curve(lines, turner.number.value, turner.rate)

    def _swing(self, curve: Curve, target: int) -> float:
        ends = [
            curve.scores(with_odds(curve.value, by))[target]
            for by in (1.0 / self._factor, self._factor)
        ]
        return float(abs(ends[1] - ends[0]))

    def _examine(self, knob: Knob) -> Tables | None:
        """Infer with a knob elsewhere, once."""
        if knob in self._lines:
            return None
        to = elsewhere(self._problem, knob)
        other = self._solve(turned(self._problem, knob, to)).tables
        gap = other.log_evidence - self._base.tables.log_evidence
        at = value_of(self._problem, knob)
        self._lines[knob] = Lines.through(at, to, self.scores, self._scored(other), gap)
        return other

    def _see(self, risk: int) -> None:
        """Infer with another prior of an open risk factor, and tell the queue what it shows."""
        knob = Knob("risk", risk)
        other = self._examine(knob)
        assert other is not None
        base, lines = self._base.tables, self._lines[knob]
        sure = (1.0 - lines.at) / (lines.to - lines.at)  # the place where the prior is 1
        chance = 1.0 + sure * lines.gain  # P(evidence | on) / P(evidence)
        lifted = other.posterior * (1.0 + lines.gain) - base.posterior
        on = np.clip((base.posterior + sure * lifted) / chance, 0.0, 1.0)
        self._queue.see(risk, RiskSeen(min(max(lines.at * chance, 0.0), 1.0), on))

    def _solve(self, problem: Problem) -> Solution:
        """The answer, refused where it is not sharp enough to be compared with another."""
        where = "the sensitivity of this case"
        try:
            solution = solve(problem, self._limits)
        except LostPrecision as lost:
            fix = "ask about fewer findings"
            raise TooHard([error(where, f"cannot be told: {lost}", fix)]) from None
        except TimeoutError:
            raise TooHard([error(where, "takes too long", "give more time")]) from None
        if solution.accuracy.kind == "sampled":
            fix = "give more time, or say which risk factors there are"
            raise TooHard([error(where, "could only be sampled, too roughly to compare", fix)])
        if not np.isfinite(solution.tables.log_evidence):
            what = "has a probability too small to be told from zero"
            raise ImpossibleEvidence([error("the evidence", what, "check the findings")])
        return solution

    def _scored(self, tables: Tables) -> Floats:
        """[disease] the scores by the measure."""
        if self._measure == "posterior":
            scores = self._problem.elsewhere.copy()
            scores[self._problem.rows] = tables.posterior
            return scores
        table = tables.disabled if self._measure == "disablement" else tables.sustained
        scores = np.zeros(self._problem.size)
        scores[self._problem.rows] = table.sum(axis=1)
        return scores

    def _most(self) -> Floats:
        """[disease] the largest value that its score can take in any world."""
        if self._measure == "posterior":
            return np.ones(self._problem.size)
        most = np.zeros(self._problem.size)
        most[self._problem.rows] = (self._problem.acts > 0.0).sum(axis=1)
        return most

    def _lead(self, leader: int) -> float:
        """How far the first is ahead of the second."""
        others = np.delete(self.scores, leader)
        return float(self.scores[leader] - others.max(initial=0.0))
