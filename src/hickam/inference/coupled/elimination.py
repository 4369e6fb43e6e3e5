"""Exact for few findings: on every subset of them the risk factors are summed out one by one.

For a subset of the present findings every disease is one positive factor over its own risk factors.
Summing a risk factor out leaves a message over those it meets in a factor, so the cost is that of
the widest meeting, times the subsets. The alternating sum over the subsets cancels; where float64
would lose too much, double-double numbers are used. Compiled only: the frontier gives the same
answer, and stands in where there are no kernels.
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
ROUNDING = 2e-9  # error at which float64 is left for double-double
SHARE = 1e-2  # of the tolerance that rounding may take up


def rounding_allowed(limits: Limits) -> float:
    """The rounding error that an answer may have."""
    return min(ROUNDING, SHARE * limits.tolerance)


def eliminated(
    problem: Problem, seconds: float, limits: Limits, deadline: Deadline
) -> Solution | None:
    """The exact solution if it is predicted to take at most so many seconds."""
    kernels = compiled()
    if kernels is None:
        return None
    left = deadline.left
    if left is not None:
        seconds = min(seconds, max(0.7 * left, TRIFLE))
    answer = kernels.elimination(
        *kernel_arguments(problem),
        rounding_allowed(limits),
        seconds / OPERATION_SECONDS,
        limits.memory,
        deadline.seconds,
    )
    if answer is None:
        return None
    outcome = from_kernel(answer)
    if not np.isfinite(outcome.tables.log_evidence):
        return None
    accuracy = Accuracy("exact", outcome.rounding, outcome.condition)
    return Solution(outcome.tables, "elimination", accuracy)


def by_elimination(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution, by the frontier where there are too many findings or risk factors."""
    solution = eliminated(problem, PATIENCE, limits, deadline)
    return by_frontier(problem, limits, deadline) if solution is None else solution
