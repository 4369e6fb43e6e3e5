"""Exact for few findings: on every subset of them the risk factors are summed out one by one.

For a subset of the present findings every disease is one positive factor over its own risk factors.
Summing a risk factor out leaves a message over those it meets in a factor, so the cost is that of
the widest meeting, times the subsets. The alternating sum over the subsets cancels, which is the
only error; where float64 would lose too much, double-double numbers are used. Compiled only: the
frontier gives the same answer, and stands in where there are no kernels.
"""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.subsets import from_kernel
from hickam.inference.frontier.visit import PATIENCE, TRIFLE, by_frontier
from hickam.inference.kernels import compiled
from hickam.inference.problem import Problem, Solution, kernel_arguments

OPERATION_SECONDS = 0.25e-9
TRIFLING = TRIFLE / OPERATION_SECONDS  # operations that are never too many
EXACT = 2e-9  # rounding error up to which an answer is called exact
GOAL = 1e-8  # rounding error up to which float64 will do, where nobody asked for less
LEAST = 1e-12  # rounding error stated at the least: that of the reduced problem


def rounding_goal(limits: Limits) -> float:
    """The rounding error worth asking for."""
    return min(GOAL, 1e-2 * limits.tolerance)


def accuracy(rounding: float, condition: float) -> Accuracy:
    """What an answer with so much rounding is worth: exact, or estimated where much cancels."""
    rounding = max(rounding, LEAST)
    if rounding <= EXACT:
        return Accuracy("exact", rounding, condition)
    return Accuracy("estimated", rounding, condition, unexplained=rounding, log_evidence=rounding)


def eliminated(
    problem: Problem, seconds: float, limits: Limits, deadline: Deadline, goal: float | None = None
) -> Solution | None:
    """The solution if it is predicted to take at most so many seconds.

    `goal` is the rounding error allowed, by default `rounding_goal`.
    """
    kernels = compiled()
    if kernels is None:
        return None
    left = deadline.left
    if left is not None:
        seconds = min(seconds, max(0.7 * left, TRIFLE))
    answer = kernels.elimination(
        *kernel_arguments(problem),
        rounding_goal(limits) if goal is None else goal,
        seconds / OPERATION_SECONDS,
        limits.memory,
        deadline.seconds,
    )
    if answer is None:
        return None
    outcome = from_kernel(answer)
    if not np.isfinite(outcome.tables.log_evidence):
        return None
    how = accuracy(outcome.rounding, outcome.condition)
    return Solution(outcome.tables, "elimination", how)


def by_elimination(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution, by the frontier where there are too many findings or risk factors."""
    solution = eliminated(problem, PATIENCE, limits, deadline, EXACT)
    return by_frontier(problem, limits, deadline) if solution is None else solution
