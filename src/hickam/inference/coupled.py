"""The choice among the engines for diseases that unobserved risk factors couple.

Exact elimination where it is cheap; message passing with loop corrections where it is not; and if
the error it states is too large, more exact elimination, then message passing with the most
entangled risk factors settled in every way, for as long as the limits allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from hickam.inference.base import Accuracy
from hickam.inference.bethe import bethe
from hickam.inference.conditioning import condition
from hickam.inference.elimination import eliminate
from hickam.inference.kernels import compiled
from hickam.inference.options import Limits
from hickam.inference.reduce import Problem, Tables
from hickam.inference.subsets import Outcome
from hickam.issues import TooHard, error
from hickam.model.network import Floats, Ints

Answer = tuple[Tables, str, Accuracy]

QUICK_CELLS = 2.0**15  # table cells over all subsets that take about a millisecond
FAIR_CELLS = 2.0**22  # about a tenth of a second
MOST_CELLS = 2.0**29  # about half a minute
CELL_BYTES = 160.0  # of a cell in double-double, both directions, for one block of subsets
EDGE_BYTES = 2000.0  # of an edge, likewise
MOST_SETTLED = 10  # risk factors settled in every way
CAUTION = 0.7  # true error over the effect of the last loop corrections, 99 in 100 times
LONGER_LOOPS = 2e-6  # what the loops left out may add


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds left of a deadline."""

    end: float | None

    @property
    def left(self) -> float:
        """Seconds for a kernel, where 0 means any number."""
        return 0.0 if self.end is None else max(self.end - perf_counter(), 1e-3)

    @property
    def over(self) -> bool:
        """Whether the deadline has passed."""
        return self.end is not None and perf_counter() > self.end


def coupled(problem: Problem, limits: Limits) -> Answer:
    """The tables of a coupled problem, the engine that gave them, and how accurate they are."""
    clock = Clock(None if limits.deadline is None else perf_counter() + limits.deadline)
    subsets = 2.0 ** len(problem.leak)
    exact = _exact(problem, QUICK_CELLS / subsets, limits, clock)
    if exact is not None:
        return exact
    _check_memory(problem, limits)
    first = bethe(problem, _rounding_goal(limits), clock.left)
    if first is None:
        raise _too_hard(f"takes longer than {limits.deadline:g} seconds", "give more time")
    stated = _stated(first)
    if stated <= limits.tolerance:
        return first.tables, "bethe", Accuracy("estimated", stated, first.condition)
    exact = _exact(problem, FAIR_CELLS / subsets, limits, clock)
    if exact is not None:
        return exact
    answer = _settle_some(problem, first, limits, clock)
    if answer[2].error <= limits.tolerance:
        return answer
    return _exact(problem, MOST_CELLS / subsets, limits, clock) or answer


def _exact(problem: Problem, most_cells: float, limits: Limits, clock: Clock) -> Answer | None:
    """The answer by elimination, or None if that costs more than allowed or loses its digits."""
    most_cells = min(most_cells, limits.memory / CELL_BYTES)
    goal = min(1e-10, limits.tolerance)
    outcome = eliminate(problem, most_cells, goal, clock.left)
    if outcome is None or outcome.rounding > min(limits.tolerance, 1e-6):
        return None
    accuracy = Accuracy("exact", max(outcome.rounding, 1e-14), outcome.condition)
    return outcome.tables, "elimination", accuracy


def _settle_some(problem: Problem, first: Outcome, limits: Limits, clock: Clock) -> Answer:
    """The best of message passing with more and more risk factors settled in every way."""
    tables, stated, ranked = first.tables, _stated(first), entanglement(problem)
    settled = 0
    notes: tuple[str, ...] = ()
    for count in range(2, min(MOST_SETTLED, len(ranked)) + 1, 2):
        if not LONGER_LOOPS < limits.tolerance < stated or clock.over:
            break
        better = _condition(problem, ranked[:count], limits, clock)
        if better is None:
            break
        if better[1] < stated:
            (tables, stated), settled = better, count
    if settled:
        notes += (f"{settled} risk factors settled in every way",)
    if stated > limits.tolerance:
        notes += (f"the tolerance of {limits.tolerance:g} was not reached",)
    return tables, "bethe", Accuracy("estimated", stated, first.condition, notes)


def _condition(
    problem: Problem, chosen: Ints, limits: Limits, clock: Clock
) -> tuple[Tables, float] | None:
    """Tables and stated error with the chosen risk factors settled; None when time is up."""

    def engine(settled: Problem) -> tuple[Tables, float]:
        outcome = None if clock.over else bethe(settled, _rounding_goal(limits), clock.left)
        if outcome is None:
            raise TimeoutError
        return outcome.tables, _stated(outcome)

    try:
        return condition(problem, chosen, engine)
    except TimeoutError:
        return None


def entanglement(problem: Problem) -> Ints:
    """The risk factors, those that take part in the strongest loops first."""
    p = problem.risk_prior
    pull: Floats = problem.edge_acts * np.sqrt(p * (1.0 - p))[problem.edge_risk]
    pull = np.where(problem.reached[problem.edge_row], pull, 0.0)
    together = np.bincount(problem.edge_row, pull, len(problem.rows))[problem.edge_row] - pull
    score = np.bincount(problem.edge_risk, pull * together, len(problem.risks))
    return np.argsort(-score, kind="stable")


def _stated(outcome: Outcome) -> float:
    """The error to vouch for."""
    return CAUTION * outcome.change + LONGER_LOOPS + outcome.rounding + 100.0 * outcome.residual


def _rounding_goal(limits: Limits) -> float:
    return min(1e-6, 1e-2 * limits.tolerance)


def _check_memory(problem: Problem, limits: Limits) -> None:
    """Refuse what would not fit; the compiled kernel works on one block of subsets at a time."""
    subsets = 1.0 if compiled() else 2.0 ** len(problem.leak)
    need = EDGE_BYTES * subsets * (len(problem.edge_row) + len(problem.rows) + 1)
    if need > limits.memory:
        raise _too_hard(f"needs about {need / 1e6:.0f} MB", "allow more memory")


def _too_hard(what: str, fix: str) -> TooHard:
    where = "inference with unobserved risk factors"
    return TooHard([error(where, what, f"{fix}, or say which risk factors the patient has")])
