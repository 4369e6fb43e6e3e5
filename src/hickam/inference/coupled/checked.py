"""Message passing, and what its answer is worth.

The terms that message passing leaves out pass through an alternating sum over subsets, and how much
that amplifies them cannot be told from their size. Where risk factors act mildly, the next terms
tell the error (`vouched`). Elsewhere it is measured: on the same evidence with only the strongest
couplings, which the frontier solves exactly. Couplings that are left out of this check are allowed
for by their share in those terms and corrections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.difference import difference
from hickam.inference.coupled.distant import distant
from hickam.inference.coupled.elimination import EXACT
from hickam.inference.coupled.strongest import averaged, connected, importance, strongest
from hickam.inference.coupled.subsets import USUAL, Outcome, rounding_goal
from hickam.inference.coupled.vouched import (
    AMPLIFIED,
    EDGE_BYTES,
    EDGE_SECONDS,
    LEAST,
    mild,
    own_error,
    vouched,
)
from hickam.inference.frontier.visit import SECONDS, frontier
from hickam.inference.problem import Problem, Solution
from hickam.issues import LostPrecision, TooHard, error
from hickam.kernels import compiled
from hickam.model.network import Floats

MOST_FINDINGS = 26
NUMPY_FACTOR = 30.0  # how much slower without compiled kernels
CHECK = 4e5  # operations that a check may take at least
SHARE = 0.2  # of the time of message passing that a check may take
ROUGHER = 0.25  # of either, for someone who is content with more than the usual error
FINE = 2e-9  # rounding error allowed where message passing is asked for by name
LONGEST_CHECK = 1e9  # operations, where message passing is asked for by name
# Stated over measured error; where some explanations are far from all others, so many times that:
# what a check leaves out may be what leads to them.
CAUTION, FAR = 4.0, 5.0
# Share of the coupling that a check may leave out; where its error is no more than someone asks
# for who is content with more than usual.
COVERED, ROUGHLY_COVERED = 3e-3, 0.05
UNKNOWN = 0.2  # share at which a check says nothing
# By how many times its prior a disease may count for a share, and the share of all couplings as
# which those of a part of the network count at the least.
SURPRISED, FEW_COUPLINGS = 30.0, 0.05
UNCHECKED = 0.5  # of the corrections that couplings left out of a check may be off by


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


def check_operations(problem: Problem, limits: Limits) -> float:
    """Operations of the frontier that a check may take unless it is given more."""
    rougher = ROUGHER if limits.tolerance > USUAL else 1.0
    return rougher * max(CHECK, SHARE * message_seconds(problem) / SECONDS)


def by_messages(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by message passing, with the error that a check measures."""
    if len(problem.leak) > MOST_FINDINGS:
        what = f"has {len(problem.leak)} present findings (at most {MOST_FINDINGS})"
        raise TooHard([error("engine 'bethe'", what, "use engine 'auto'")])
    outcome = bethe(problem, min(FINE, rounding_goal(limits)), deadline.seconds)
    if outcome is None:
        raise TimeoutError
    if not np.isfinite(outcome.tables.log_evidence):
        raise LostPrecision("the sum over subsets of the findings cancels")
    own = own_error(outcome) + LEAST
    if own <= EXACT and outcome.condition <= AMPLIFIED and loopless(problem) and mild(problem):
        return Solution(outcome.tables, "bethe", Accuracy("exact", own, outcome.condition))
    found = check(problem, outcome, limits, deadline)
    if found is None or found.missed > 0.0:  # else the error is that of the whole: none need vouch
        solution = vouched(problem, outcome, limits)
        if solution is not None:
            return solution
    wider, operations = found, CHECK
    while wider is not None and wider.missed > COVERED and operations <= LONGEST_CHECK:
        operations *= 10.0
        found, wider = wider, check(problem, outcome, limits, deadline, operations)
    found = wider or found
    if found is None or found.missed > UNKNOWN:
        raise LostPrecision("too little of the coupling could be checked")
    return found.solution


def loopless(problem: Problem) -> bool:
    """Whether risk factors and diseases form trees, or nothing is coupled: messages are exact."""
    part = connected(problem.edge_risk, problem.edge_row)
    nodes = len(np.unique(problem.edge_risk)) + len(np.unique(problem.edge_row))
    return len(part) == nodes - len(np.unique(part))


def _missed(problem: Problem, weights: Floats, keep: npt.NDArray[np.bool_]) -> float:
    """The share of the coupling that a check leaves out, where it leaves out most of it.

    Of each part of the network that couplings connect; a part with few of them counts for some.
    """
    part = connected(problem.edge_risk, problem.edge_row)
    of_all = np.bincount(part, weights**2)
    left = np.bincount(part, np.where(keep, 0.0, weights**2))
    whole = np.maximum(of_all, FEW_COUPLINGS * of_all.sum())
    shares = np.divide(left, whole, out=np.zeros(len(left)), where=whole > 0.0)
    return float(shares.max(initial=0.0))


def _overheard(problem: Problem, keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """[edge] those of diseases that only listen, where all their risk factors are kept anyway.

    They cost little, and nobody else tells how far what they hear is off.
    """
    speaks = problem.reached[problem.edge_row]
    open_risk = np.zeros(len(problem.risks), dtype=bool)
    open_risk[problem.edge_risk[keep & speaks]] = True
    closed = np.zeros(len(problem.rows), dtype=bool)
    closed[problem.edge_row[~open_risk[problem.edge_risk]]] = True
    return np.asarray(~speaks & ~closed[problem.edge_row])


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """An answer with its stated error, and how much of the coupling that error was measured on."""

    solution: Solution
    missed: float  # share of the coupling that is only allowed for

    def covers(self, limits: Limits) -> bool:
        """Whether it leaves little out, for the accuracy that is asked for."""
        rough = self.solution.accuracy.error <= limits.tolerance > USUAL
        return self.missed <= (ROUGHLY_COVERED if rough else COVERED)


def check(
    problem: Problem, outcome: Outcome, limits: Limits, deadline: Deadline, operations: float = 0.0
) -> Check | None:
    """The answer with the error made on its strongest couplings, and an allowance for the others.

    The check takes a fraction of the time of message passing, or so many operations if more. None
    if it does not fit the memory; TimeoutError after the deadline.
    """
    weights = importance(problem, outcome.tables.posterior)
    budget = max(check_operations(problem, limits), operations)
    keep = strongest(problem, weights, budget, deadline.seconds)
    keep |= _overheard(problem, keep)
    part = averaged(problem, keep)
    exact = frontier(part, memory=limits.memory, seconds=deadline.seconds)
    if exact.tables is None:
        return None
    messages = bethe(part, rounding_goal(limits), deadline.seconds)
    if messages is None:
        raise TimeoutError
    missed = _missed(problem, importance(problem, outcome.tables.posterior, SURPRISED), keep)
    own = own_error(outcome) + exact.rounding
    share = float(np.sqrt(missed)) * (1.0 if limits.tolerance <= USUAL else CAUTION)
    left = outcome.doubts
    # Loops that no correction leads to expect are closed by any one coupling.
    unfounded = CAUTION * left.unfounded if share else 0.0
    if missed > COVERED:  # what is left out may be all that the corrections are off by
        unfounded += CAUTION * (left.score + left.correction)
    doubts = [
        unfounded + (share * (doubt + UNCHECKED * left.correction) if share else 0.0)
        for doubt in (left.score, left.unexplained, left.log_evidence)
    ]
    caution = CAUTION * (FAR if missed and distant(problem) else 1.0)
    stated = own + doubts[0] + caution * difference(messages.tables, exact.tables)
    one, other = messages.tables, exact.tables
    apart = np.abs(one.unexplained - other.unexplained).max(initial=0.0)
    log_apart = abs(one.log_evidence - other.log_evidence)
    accuracy = Accuracy(
        "estimated",
        stated,
        outcome.condition,
        unexplained=own + doubts[1] + caution * float(apart),
        log_evidence=own + doubts[2] + caution * log_apart,
    )
    return Check(Solution(outcome.tables, "bethe", accuracy), missed)
