"""Where message passing needs no check: the next terms, one order further, are the stated error.

They pass through the same alternating sum as the answer, so that whatever this amplifies it
amplifies there as well; believed where risk factors act mildly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.inference.coupled.difference import breach
from hickam.inference.coupled.elimination import FRONTIER_CELL, MOST_LOOPS
from hickam.inference.coupled.explanations import SECONDS as EXPLANATION_SECONDS
from hickam.inference.coupled.subsets import Doubts, Outcome
from hickam.inference.frontier.visit import SECONDS, TRIFLE
from hickam.inference.problem import Problem, Solution

EDGE_SECONDS = 3e-8  # of an edge on one subset, in double-double
EDGE_BYTES = 2000.0  # of an edge, for one block of subsets
EXPLAINED = 8.0  # of the time of messages, what every explanation may take, which is exact
# Where the terms that are left out tell the error: up to this error, correction, condition number
# and number of findings, and strength of two diseases that share two risk factors; chance that a
# risk factor acts and that it is on, weight of a disease that is on over one that is off, and
# chance that a link from a disease fails at the least.
TRUSTED, CORRECTED, AMPLIFIED, FEW, LOOSE = 1e-4, 3e-3, 1e14, 12, 0.35
LOOSER = 0.1  # that strength where a rare risk factor acts on one of the two
MILD, FREQUENT, TWISTED, FALLIBLE = 0.98, 0.95, 30.0, 1e-4
LEAST = 9e-9  # error stated at the least where it is not measured
# What is stated: so many times what the corrections are known to leave out, and a share of them.
DOUBTED, FINER = 4.0, 0.05
# Of what a row is not told by its own corrections: loops of four rows without shorter ones, paths
# that end in a disease that only listens. The sums may amplify the truth much more than the doubt.
UNFOUNDED, AT_MOST = 6000.0, 5e-4
# Of the doubt of the scores, that of the evidence and of what is unexplained at the least.
ALIKE = 0.2


def own_error(outcome: Outcome) -> float:
    """What the answer itself shows: rounding, unconverged messages, broken laws."""
    return shown(outcome.rounding, outcome.residual, breach(outcome.tables))


def shown(rounding: float, residual: float, broken: float) -> float:
    """The same by its parts."""
    return rounding + 100.0 * residual + 2.0 * broken


def vouched(problem: Problem, outcome: Outcome, limits: Limits) -> Solution | None:
    """The answer with the error that its corrections leave; None where that must be measured."""
    loose = outcome.doubts.entangled <= LOOSE and outcome.doubts.near_rare <= LOOSER
    if not loose or len(problem.leak) > FEW or not mild(problem):
        return None
    accuracy = believed(own_error(outcome), outcome.doubts, outcome.condition, limits)
    return None if accuracy is None else Solution(outcome.tables, "bethe", accuracy)


def believed(own: float, doubts: Doubts, condition: float, limits: Limits) -> Accuracy | None:
    """What is stated where nothing is nearly certain or entangled; None where that is not little.

    `own` is what the answer itself shows.
    """
    own += LEAST
    finer, unfounded = FINER * doubts.correction, UNFOUNDED * doubts.unfounded
    expected = own + DOUBTED * doubts.score + finer
    stated = expected + unfounded
    little = expected <= TRUSTED and doubts.correction <= CORRECTED
    little = little and stated <= min(AT_MOST, limits.tolerance)
    if not little or condition > AMPLIFIED:
        return None

    def beside(doubt: float) -> float:
        return own + DOUBTED * max(doubt, ALIKE * doubts.score) + finer + unfounded

    return Accuracy(
        "estimated",
        stated,
        condition,
        unexplained=beside(doubts.unexplained),
        log_evidence=beside(doubts.log_evidence),
    )


class Trust(NamedTuple):
    """When the kernel of many cases passes messages: where they are cheap and need no check."""

    cells: float  # edges and rows on all subsets, at most
    edges: float  # edges and rows, at most
    frontier: float = TRIFLE / (SECONDS * FRONTIER_CELL)  # cells up to which the frontier may do
    loops: float = MOST_LOOPS
    findings: float = FEW
    loose: float = LOOSE
    looser: float = LOOSER
    mild: float = MILD
    frequent: float = FREQUENT
    twisted: float = TWISTED
    fallible: float = FALLIBLE
    # Operations that every explanation may take: in any case, and for a cell of messages.
    trifling: float = TRIFLE / EXPLANATION_SECONDS
    instead: float = EXPLAINED * EDGE_SECONDS / EXPLANATION_SECONDS


def trust(limits: Limits) -> Trust:
    """Messages that take no longer than an exact answer always may."""
    return Trust(TRIFLE / EDGE_SECONDS, limits.memory / EDGE_BYTES)


def mild(problem: Problem) -> bool:
    """Whether nothing is so nearly certain that the next terms need not be smaller."""
    degree = np.bincount(problem.edge_row, minlength=len(problem.rows))
    shared = (problem.reached & (degree > 1))[problem.edge_row]
    return bool(
        problem.edge_acts[shared].max(initial=0.0) <= MILD
        and problem.risk_prior.max(initial=0.0) <= FREQUENT
        and problem.off.min(initial=1.0) >= 1.0 - MILD
        and problem.fails.min(initial=1.0) >= FALLIBLE
        and problem.leak_fails.min(initial=1.0) > 0.0
        and (problem.weight_on <= TWISTED * problem.weight_off).all()
    )
