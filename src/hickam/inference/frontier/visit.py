"""Exact and free of cancellation, with only what is open in the state: the frontier.

Diseases are visited one at a time. A present finding is open from the first disease that may cause
it to the last, an unobserved risk factor from the first disease it acts on to the last. The state
is the set of open findings produced so far and the states of the open risk factors; every term is
non-negative, so float64 keeps its digits for any priors, leaks and likelihood ratios. The cost
doubles with each node that is open at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Solution, Tables, kernel_arguments
from hickam.issues import LostPrecision, TooHard, error
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints

SECONDS = 0.7e-9  # of one operation
MARGIN = 10.0  # stated rounding error over what the kernel estimates, by benchmarks/truth.py
LEAST = 1e-13  # rounding error stated at the least
NUMPY_FACTOR = 30.0  # how much slower without compiled kernels
PREDICTED = 0.9  # of what is left until a deadline, that an answer may be predicted to take
TRIFLE = 2e-3  # predicted seconds that are never too long
GRACE = 5e-3  # seconds after which even such a trifle is given up
PATIENCE = 20.0  # seconds that an exact answer may take when it is asked for by name


class Visit(NamedTuple):
    """What a visit to all diseases found, or what it would have cost."""

    tables: Tables | None  # None: it does not fit the limits
    rounding: float  # bound on the rounding error, as `Accuracy.error`
    operations: float  # predicted; infinite where planning gave up


def frontier(
    problem: Problem,
    *,
    operations: float = np.inf,
    memory: float = np.inf,
    seconds: float = 0.0,
) -> Visit:
    """The tables by the frontier, unless it takes more operations or memory than allowed.

    TimeoutError after so many seconds (0: never).
    """
    kernels = compiled()
    if kernels is None:
        return _visit_numpy(problem, operations)
    answer, price = kernels.frontier(*kernel_arguments(problem), operations, memory, seconds)
    predicted, _, _, fits = price
    if answer is None:
        if fits:
            raise TimeoutError("the frontier did not finish before the deadline")
        return Visit(None, np.inf, predicted)
    tables, _, rounding, _, _ = answer
    return Visit(Tables(*tables), max(MARGIN * rounding, LEAST), predicted)


def price(problem: Problem, most: float = PATIENCE) -> tuple[float, float]:
    """Seconds and bytes that the exact tables are predicted to take; infinite above the most."""
    kernels = compiled()
    if kernels is None:
        from hickam.inference.frontier.twin import operations_numpy

        return SECONDS * NUMPY_FACTOR * operations_numpy(problem), 0.0
    _, found = kernels.frontier(*kernel_arguments(problem), most / SECONDS, 0.0, 0.0)
    return SECONDS * found[0], found[1]


def _visit_numpy(problem: Problem, operations: float) -> Visit:
    from hickam.inference.frontier.twin import frontier_numpy, operations_numpy

    price = NUMPY_FACTOR * operations_numpy(problem)
    if price > operations:
        return Visit(None, np.inf, price)
    tables = frontier_numpy(problem)
    return Visit(tables, 1e-10, price)


def exactly(
    problem: Problem, seconds: float, limits: Limits, deadline: Deadline
) -> Solution | None:
    """The exact solution if it is predicted to take at most so many seconds."""
    left = deadline.left
    if left is not None:
        seconds = min(seconds, max(PREDICTED * left, TRIFLE))
        left = max(left, GRACE)
    try:
        found = frontier(
            problem, operations=seconds / SECONDS, memory=limits.memory, seconds=left or 0.0
        )
    except TimeoutError:
        return None
    if found.tables is None:
        return None
    return Solution(found.tables, "frontier", Accuracy("exact", found.rounding))


def cured(
    problem: Problem, rows: Ints, seconds: float, limits: Limits, deadline: Deadline
) -> tuple[Floats, float] | None:
    """[present] P(every active cause is among these rows | evidence), and its rounding error.

    None if it is predicted to take more than so many seconds, or without compiled kernels. The
    rows are visited last: what they complete, nothing else has produced.
    """
    kernels = compiled()
    if kernels is None:
        return None
    if deadline.left is not None:
        seconds = min(seconds, 0.7 * deadline.left)
    chosen = np.zeros(len(problem.rows), dtype=bool)
    chosen[rows] = True
    removed, rounding = kernels.cured(
        *kernel_arguments(problem), chosen, seconds / SECONDS, limits.memory, deadline.seconds
    )
    return None if removed is None else (removed, max(MARGIN * rounding, LEAST))


def by_frontier(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution, or a refusal that says what it would take."""
    solution = exactly(problem, PATIENCE, limits, deadline)
    if solution is None:
        what = "would have too many risk factors and findings open at once for the limits"
        raise TooHard([error("engine 'frontier'", what, "raise the limits or use engine 'auto'")])
    if np.isnan(solution.tables.log_evidence):
        raise LostPrecision("the frontier underflowed")
    return solution
