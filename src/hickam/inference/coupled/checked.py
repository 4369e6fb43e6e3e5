"""Message passing, and the error that it makes on a problem whose answer is known.

The terms that message passing leaves out pass through an alternating sum over subsets, and how much
that amplifies them cannot be told from their size. So the error is measured: on the same evidence
with only the strongest couplings, which the frontier solves exactly. Couplings that are left out of
this check are allowed for by their share in the last loop corrections.
"""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.difference import breach, difference
from hickam.inference.coupled.strongest import importance, strongest
from hickam.inference.coupled.subsets import Outcome
from hickam.inference.frontier import SECONDS, frontier
from hickam.inference.kernels import compiled
from hickam.inference.problem import Problem, Solution
from hickam.issues import TooHard, error

MOST_FINDINGS = 26
EDGE_SECONDS = 5e-8  # of an edge on one subset, in double-double
NUMPY_FACTOR = 30.0  # how much slower without compiled kernels
EDGE_BYTES = 2000.0  # of an edge, for one block of subsets
CHECK = 4e5  # operations that a check may take at least
SHARE = 0.4  # of the time of message passing that a check may take
MORE = 8.0  # times as much for a second check
CAUTION = 4.0  # stated over measured error
UNMEASURED = 1.0  # stated over the last loop corrections, for couplings that were not measured


def message_seconds(problem: Problem) -> float:
    """Seconds that message passing and its check are predicted to take."""
    if len(problem.leak) > MOST_FINDINGS:
        return np.inf
    edges = 10.0 + len(problem.edge_row) + len(problem.rows)
    slow = 1.0 if compiled() else NUMPY_FACTOR
    return 2.0 ** len(problem.leak) * EDGE_SECONDS * edges * slow


def message_bytes(problem: Problem) -> float:
    """Memory that message passing is predicted to take."""
    edges = 10.0 + len(problem.edge_row) + len(problem.rows)
    # The compiled kernel works on one block of subsets at a time.
    return EDGE_BYTES * edges * (1.0 if compiled() else 2.0 ** len(problem.leak))


def by_messages(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by message passing, with the error that a check measures."""
    if len(problem.leak) > MOST_FINDINGS:
        what = f"has {len(problem.leak)} present findings (at most {MOST_FINDINGS})"
        raise TooHard([error("engine 'bethe'", what, "use engine 'auto'")])
    outcome = bethe(problem, rounding_goal(limits), deadline.seconds)
    if outcome is None:
        raise TimeoutError
    stated = _own_error(outcome) + _measured_error(problem, outcome, limits, deadline)
    return Solution(outcome.tables, "bethe", Accuracy("estimated", stated, outcome.condition))


def rounding_goal(limits: Limits) -> float:
    """The rounding error worth asking for."""
    return min(1e-6, 1e-2 * limits.tolerance)


def _own_error(outcome: Outcome) -> float:
    """What the answer itself shows: rounding, unconverged messages, broken laws."""
    return outcome.rounding + 100.0 * outcome.residual + 2.0 * breach(outcome.tables)


def _measured_error(
    problem: Problem, outcome: Outcome, limits: Limits, deadline: Deadline
) -> float:
    """The error made with the strongest couplings only, and an allowance for the others."""
    weights = importance(problem, outcome.tables.posterior)
    total = float((weights**2).sum())
    budget = max(CHECK, SHARE * message_seconds(problem) / SECONDS)
    stated = np.inf
    for operations in (budget, MORE * budget):
        part, keep = strongest(problem, weights, operations)
        exact = frontier(part, memory=limits.memory, deadline=deadline)
        messages = bethe(part, rounding_goal(limits), deadline.seconds)
        if exact.tables is None or messages is None:
            break
        measured = CAUTION * difference(messages.tables, exact.tables) + exact.rounding
        missed = max(0.0, 1.0 - float((weights[keep] ** 2).sum()) / total) if total else 0.0
        allowance = UNMEASURED * np.sqrt(missed) * outcome.change
        stated = measured + allowance
        if stated <= 1e-2 * limits.tolerance or allowance <= 2.0 * measured:
            break
    return float(stated)
