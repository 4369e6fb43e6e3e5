"""The choice among the engines for diseases that unobserved risk factors couple.

Risk factors are summed out on every subset of the findings, or the frontier is used, or every set
of diseases is gone through, all exact, wherever one is predicted to cost little more than an
approximation. Else message passing with a measured error, where the present findings are few enough
for their subsets; or a mixture of settled networks, corrected by weighed explanations, with minor
links to findings cut where these are too many; or, if all of that is too dear or too rough,
sampling, for which the others leave a part of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.bethe import bethe
from hickam.inference.coupled.checked import (
    UNKNOWN,
    check,
    check_operations,
    message_bytes,
    message_seconds,
)
from hickam.inference.coupled.climb import leading_error
from hickam.inference.coupled.distant import distant
from hickam.inference.coupled.elimination import eliminated
from hickam.inference.coupled.explanations import explained, predicted_seconds
from hickam.inference.coupled.mixed import mixed
from hickam.inference.coupled.subsets import USUAL, rounding_goal
from hickam.inference.coupled.thinned import held_to_sampling
from hickam.inference.coupled.vouched import EXPLAINED, vouched
from hickam.inference.frontier.visit import SECONDS, TRIFLE, exactly
from hickam.inference.problem import Problem, Solution, impossible
from hickam.inference.sampling.sampled import by_sampling, sparing

WORTH = 1.0  # of the time of an approximation with its check, that an exact answer may take
# Seconds that every explanation may take instead of a mixture; and an exact answer where some
# explanations are so far from all others that approximations may not know of them.
INSTEAD = 0.4
FEW = 8  # findings, up to which it is not worth a plan to know what the frontier takes
FAIR = 0.15  # seconds that an exact answer may take, or messages, before others are tried
PATIENCE = 5.0  # seconds for an exact answer, where the others are rough, without a deadline
WIDER_CHECKS = (4e6, 2e7)  # operations of further checks, where the ones before left too much out
ROUGH = 1.0  # error at which something slower may well do better
ROUGHLY_THINNED = 0.2  # the same of a thinned problem: sampling has no such error to begin with
MOST_THINNED = 48  # findings beyond which sampling knows as much of diseases with unobserved causes
# Of the time until a deadline: what messages may be predicted to take, and when they are given up
# for something rougher.
SURE, MESSAGES = 0.6, 0.75
SHORTEST = 0.015  # seconds in which sampling hardly improves on a rough answer


def coupled(problem: Problem, limits: Limits, clock: Deadline = NEVER) -> Solution:
    """The tables of a coupled problem, the engine that gave them, and how accurate they are."""
    if not possible(problem):
        return Solution(impossible(problem), "frontier", Accuracy("exact", 0.0))
    trying = sparing(problem, clock)
    messages = message_seconds(problem)
    little = min(max(TRIFLE, WORTH * messages), FAIR)
    solution = _exact(problem, little, limits, trying)
    if solution is None and distant(problem):
        solution = _exact(problem, INSTEAD, limits, trying)
    if solution is None:
        solution, _ = explained(problem, min(EXPLAINED * messages, FAIR), limits, trying)
    if solution is not None:
        return solution
    answers = []
    for candidate in _approximations(problem, messages, limits, trying):
        answers.append(candidate)
        if candidate.accuracy.error <= limits.tolerance:
            return candidate
    best = min(answers, key=lambda answer: answer.accuracy.error, default=None)
    if best is None or _rough(best) or limits.tolerance < USUAL:
        solution = exactly(problem, PATIENCE, limits, trying)
        if solution is not None:
            return solution
    if best is None or _rough(best):
        best = _sampled(problem, best, limits, clock)
    if best.accuracy.error > limits.tolerance:
        return _admit(best, limits)
    return best


def _exact(problem: Problem, seconds: float, limits: Limits, clock: Deadline) -> Solution | None:
    """The exact solution if one of the ways is predicted to take at most so many seconds."""
    within = min(seconds, predicted_seconds(problem))
    solution, least = eliminated(problem, within, limits, clock)
    # of many findings few may be open at once, and what the frontier takes is less by far
    if solution is None and (least <= within or len(problem.leak) > FEW):
        solution = exactly(problem, within, limits, clock)
    if solution is None:
        solution, _ = explained(problem, seconds, limits, clock)
    return solution


def _rough(solution: Solution) -> bool:
    """Whether something slower may well do better: on the leading diseases, where they are told."""
    rough = ROUGHLY_THINNED if solution.engine == "thinned" else ROUGH
    return leading_error(solution) > rough


def _approximations(
    problem: Problem, messages: float, limits: Limits, clock: Deadline
) -> Iterator[Solution]:
    """Approximate solutions, the quickest first, and exact ones that cost little more."""
    left = clock.left
    allowed = FAIR if left is None else min(SURE * left, FAIR)
    if messages <= allowed and message_bytes(problem) <= limits.memory:
        yield from _by_messages(problem, limits, clock.share(MESSAGES))
    solution, _ = explained(problem, INSTEAD, limits, clock)
    solution = solution or mixed(problem, limits, clock)
    if solution is None and len(problem.leak) <= MOST_THINNED:
        solution = held_to_sampling(problem, limits, clock)
    if solution is not None:
        yield solution


def _by_messages(problem: Problem, limits: Limits, clock: Deadline) -> Iterator[Solution]:
    """The solution by message passing; or the exact one, where checks leave much out.

    When the time is up, what the last check that ended says.
    """
    found = None
    try:
        outcome = bethe(problem, rounding_goal(limits), clock.seconds)
        if outcome is None or not np.isfinite(outcome.tables.log_evidence):
            return
        solution = vouched(problem, outcome, limits)
        if solution is not None:
            yield solution
            return
        found = check(problem, outcome, limits, clock)
        for operations in WIDER_CHECKS:
            if (
                found
                and not found.covers(limits)
                and operations > check_operations(problem, limits)
            ):
                found = check(problem, outcome, limits, clock, operations) or found
        if found is None or not found.covers(limits):
            exact = _exact(problem, FAIR, limits, clock)
            if exact is not None:
                yield exact
                return
            found = check(problem, outcome, limits, clock, 0.3 * FAIR / SECONDS) or found
    except TimeoutError:
        pass
    if found and found.missed <= UNKNOWN and np.isfinite(found.solution.accuracy.error):
        yield found.solution


def _sampled(problem: Problem, best: Solution | None, limits: Limits, clock: Deadline) -> Solution:
    """The better of the best answer so far and a sampled one, which some were held to before."""
    left = clock.left
    if best is not None and left is not None and left < SHORTEST:
        return best
    if best is not None and best.engine in ("thinned", "sampling"):
        return best
    sample = by_sampling(problem, limits, clock)
    if best is None:
        return sample
    return min(best, sample, key=lambda solution: solution.accuracy.error)


def _admit(solution: Solution, limits: Limits) -> Solution:
    """The solution with a note that it is less accurate than asked for."""
    how = solution.accuracy
    note = f"the tolerance of {limits.tolerance:g} was not reached"
    if leading_error(solution) <= limits.tolerance:
        note += " for some diseases that do not lead"
    return solution._replace(accuracy=replace(how, notes=(*how.notes, note)))


def possible(problem: Problem) -> bool:
    """Whether the evidence has a chance at all: every finding a cause, no row without a state."""
    risky = np.zeros(len(problem.rows), dtype=bool)
    risky[problem.edge_row[problem.risk_prior[problem.edge_risk] > 0.0]] = True
    can_be_on = (problem.weight_on > 0.0) & ((problem.on > 0.0) | risky)
    can_be_off = (problem.weight_off > 0.0) & (problem.off > 0.0)
    caused = (problem.leak > 0.0) | (problem.acts[can_be_on] > 0.0).any(axis=0)
    return bool((can_be_on | can_be_off).all() and caused.all())
