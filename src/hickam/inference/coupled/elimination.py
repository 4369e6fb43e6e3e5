"""Exact for few findings: on every subset of them the risk factors are summed out one by one.

For a subset of the present findings every disease is one positive factor over its own risk factors.
Summing a risk factor out leaves a message over those it meets in a factor, so the cost is that of
the widest meeting, times the subsets. The alternating sum over the subsets cancels, which is the
only error; where float64 would lose too much, double-double numbers are used. Compiled only: the
frontier gives the same answer, and stands in where there are no kernels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.subsets import from_kernel, rounding_goal
from hickam.inference.frontier.visit import PATIENCE, PREDICTED, SECONDS, TRIFLE, exactly
from hickam.inference.problem import Problem, Solution, kernel_arguments
from hickam.issues import LostPrecision, TooHard, error
from hickam.kernels import compiled

OPERATION_SECONDS = 0.25e-9
TRIFLING = TRIFLE / OPERATION_SECONDS  # operations that are never too many
FRONTIER_CELL = 20.0  # the frontier's operations for a cell on one subset: 7 to 270 on `clinic`
MOST_LOOPS = 60  # beyond a tree, with too many risk factors to price: the frontier takes long
EXACT = 1.6e-8  # rounding error up to which an answer is called exact
MARGIN = 8.0  # stated rounding error over what the kernel estimates: it was off by 5.8 once
STOOD_IN = "elimination does not fit here: the frontier stood in for it"
LEAST = 2e-11  # rounding error stated at the least: links that hardly fail divide by little


def accuracy(rounding: float, condition: float) -> Accuracy:
    """What an answer with so much rounding is worth: exact, or estimated where much cancels."""
    rounding = max(MARGIN * rounding, LEAST)
    if rounding <= EXACT:
        return Accuracy("exact", rounding, condition)
    return Accuracy("estimated", rounding, condition, unexplained=rounding, log_evidence=rounding)


class Elimination(NamedTuple):
    """What came of summing risk factors out."""

    solution: Solution | None  # None: it does not fit the limits
    frontier_seconds: float  # that the frontier takes at the least, by experience; 0: unknown


def eliminated(
    problem: Problem, seconds: float, limits: Limits, deadline: Deadline, goal: float | None = None
) -> Elimination:
    """The solution if it is predicted to take at most so many seconds.

    `goal` is the rounding error allowed, by default `rounding_goal`.
    """
    kernels = compiled()
    if kernels is None:
        return Elimination(None, 0.0)
    left = deadline.left
    if left is not None:
        seconds = min(seconds, max(PREDICTED * left, TRIFLE))
    answer, cells = kernels.elimination(
        *kernel_arguments(problem),
        rounding_goal(limits) if goal is None else goal,
        seconds / OPERATION_SECONDS,
        limits.memory,
        deadline.seconds,
    )
    if not cells and _loops(problem) > MOST_LOOPS:
        return Elimination(None, np.inf)
    frontier_seconds = SECONDS * FRONTIER_CELL * cells * 2.0 ** len(problem.leak)
    if answer is None:
        return Elimination(None, frontier_seconds)
    outcome = from_kernel(answer)
    if not np.isfinite(outcome.tables.log_evidence):
        return Elimination(None, frontier_seconds)
    how = accuracy(outcome.rounding, outcome.condition)
    return Elimination(Solution(outcome.tables, "elimination", how), frontier_seconds)


def _loops(problem: Problem) -> int:
    """How many links between risk factors and reached diseases there are beyond those of a tree."""
    speaking = problem.reached[problem.edge_row]
    rows, risks = problem.edge_row[speaking], problem.edge_risk[speaking]
    met = np.count_nonzero(np.bincount(rows)) + np.count_nonzero(np.bincount(risks))
    return len(rows) - int(met)


def by_elimination(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution; where there are too many findings or risk factors the frontier's."""
    solution, _ = eliminated(problem, PATIENCE, limits, deadline, EXACT / MARGIN)
    if solution is not None:
        return solution
    solution = exactly(problem, PATIENCE, limits, deadline)
    if solution is None:
        what = (
            "cannot sum out the risk factors of this case within the limits, nor can the frontier"
        )
        fix = "raise the limits or use engine 'auto'"
        raise TooHard([error("engine 'elimination'", what, fix)])
    if np.isnan(solution.tables.log_evidence):
        raise LostPrecision("the frontier, which stands in for it, underflowed")
    how = solution.accuracy
    return solution._replace(accuracy=replace(how, notes=(*how.notes, STOOD_IN)))
