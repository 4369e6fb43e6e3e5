"""The choice among the engines for diseases that unobserved risk factors couple.

Exact elimination where it is cheap; message passing with loop corrections where it is not; and if
the error it states is too large, more exact elimination, then message passing with the most
entangled risk factors settled in every way, for as long as the limits allow. All of these go
through the subsets of the present findings; where those are too many, sampling.
"""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.bethe import LONGER_LOOPS, bethe, rounding_goal, stated_error
from hickam.inference.coupled.conditioning import by_conditioning, condition
from hickam.inference.coupled.elimination import CELL_BYTES, eliminate
from hickam.inference.coupled.subsets import Outcome
from hickam.inference.kernels import compiled
from hickam.inference.problem import Problem, Solution, Tables, impossible
from hickam.inference.sampling.sampled import by_sampling
from hickam.issues import TooHard, error
from hickam.model.network import Floats, Ints

QUICK_CELLS = 2.0**15  # table cells over all subsets that take about a millisecond
FAIR_CELLS = 2.0**22  # about a tenth of a second
MOST_CELLS = 2.0**29  # about half a minute
PATIENCE = 30.0  # seconds that message passing may take when no deadline is given
WORTH_TRYING = 0.02  # seconds, however short the deadline: the kernel watches the clock
EDGE_SECONDS = 5e-8  # of an edge on one subset, in double-double
NUMPY_FACTOR = 30.0  # how much slower without compiled kernels
EDGE_BYTES = 2000.0  # of an edge, likewise
MOST_FINDINGS = 26
FEW_RISKS, FEW_FINDINGS = 8, 14  # that conditioning with COVER takes
MOST_SETTLED = 10  # risk factors settled in every way


def coupled(problem: Problem, limits: Limits, clock: Deadline = NEVER) -> Solution:
    """The tables of a coupled problem, the engine that gave them, and how accurate they are."""
    if not possible(problem):
        return Solution(impossible(problem), "elimination", Accuracy("exact", 0.0))
    subsets = 2.0 ** len(problem.leak)
    exact = _exact(problem, QUICK_CELLS / subsets, limits, clock)
    if exact is not None:
        return exact
    if not _affordable(problem, limits, clock):
        return _without_subsets(problem, limits, clock)
    first = bethe(problem, rounding_goal(limits), clock.seconds)
    if first is None:
        raise _too_hard(f"takes longer than {limits.deadline:g} seconds", "give more time")
    if first.rounding > limits.tolerance:
        return _without_subsets(problem, limits, clock)
    stated = stated_error(first)
    if stated <= limits.tolerance:
        return Solution(first.tables, "bethe", Accuracy("estimated", stated, first.condition))
    exact = _exact(problem, FAIR_CELLS / subsets, limits, clock)
    if exact is not None:
        return exact
    answer = _settle_some(problem, first, limits, clock)
    if answer.accuracy.error <= limits.tolerance:
        return answer
    return _exact(problem, MOST_CELLS / subsets, limits, clock) or answer


def _exact(problem: Problem, most_cells: float, limits: Limits, clock: Deadline) -> Solution | None:
    """The answer by elimination, or None if that costs more than allowed or loses its digits."""
    most_cells = min(most_cells, limits.memory / CELL_BYTES)
    goal = min(1e-10, limits.tolerance)
    outcome = eliminate(problem, most_cells, goal, clock.seconds)
    if outcome is None or outcome.rounding > min(limits.tolerance, 1e-6):
        return None
    accuracy = Accuracy("exact", max(outcome.rounding, 1e-14), outcome.condition)
    return Solution(outcome.tables, "elimination", accuracy)


def _without_subsets(problem: Problem, limits: Limits, clock: Deadline) -> Solution:
    """The answer of engines that nothing cancels in: exact for few risk factors, else sampled."""
    if len(problem.risks) <= FEW_RISKS and len(problem.leak) <= FEW_FINDINGS:
        return by_conditioning(problem, limits, clock)
    return by_sampling(problem, limits, clock)


def possible(problem: Problem) -> bool:
    """Whether the evidence has a chance at all: every finding a cause, no row without a state."""
    risky = np.zeros(len(problem.rows), dtype=bool)
    risky[problem.edge_row[problem.risk_prior[problem.edge_risk] > 0.0]] = True
    can_be_on = (problem.weight_on > 0.0) & ((problem.on > 0.0) | risky)
    can_be_off = (problem.weight_off > 0.0) & (problem.off > 0.0)
    caused = (problem.leak > 0.0) | (problem.acts[can_be_on] > 0.0).any(axis=0)
    return bool((can_be_on | can_be_off).all() and caused.all())


def _settle_some(problem: Problem, first: Outcome, limits: Limits, clock: Deadline) -> Solution:
    """The best of message passing with more and more risk factors settled in every way."""
    tables, stated, ranked = first.tables, stated_error(first), entanglement(problem)
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
    return Solution(tables, "bethe", Accuracy("estimated", stated, first.condition, notes))


def _condition(
    problem: Problem, chosen: Ints, limits: Limits, clock: Deadline
) -> tuple[Tables, float] | None:
    """Tables and stated error with the chosen risk factors settled; None when time is up."""

    def engine(settled: Problem) -> tuple[Tables, float]:
        outcome = None if clock.over else bethe(settled, rounding_goal(limits), clock.seconds)
        if outcome is None:
            raise TimeoutError
        return outcome.tables, stated_error(outcome)

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


def _affordable(problem: Problem, limits: Limits, clock: Deadline) -> bool:
    """Whether message passing is predicted to fit the limits."""
    subsets = 2.0 ** len(problem.leak)
    edges = 10.0 + len(problem.edge_row) + len(problem.rows)
    seconds = EDGE_SECONDS * subsets * edges * (1.0 if compiled() else NUMPY_FACTOR)
    # The compiled kernel works on one block of subsets at a time.
    memory = EDGE_BYTES * edges * (1.0 if compiled() else subsets)
    allowed = PATIENCE if clock.left is None else max(clock.left, WORTH_TRYING)
    return len(problem.leak) <= MOST_FINDINGS and seconds <= allowed and memory <= limits.memory


def _too_hard(what: str, fix: str) -> TooHard:
    where = "inference with unobserved risk factors"
    return TooHard([error(where, what, f"{fix}, or say which risk factors the patient has")])
