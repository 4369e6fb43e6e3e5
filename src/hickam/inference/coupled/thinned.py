"""Too many findings for any frontier: links to findings that hardly matter are cut as well.

What is left after that the frontier or a mixture solves, and explanations drawn from it are weighed
by what the problem itself makes of them: they are independent, and so their standard errors can be
believed. Which links matter is what a smaller network and a few draws have told before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.climb import leading_error
from hickam.inference.coupled.difference import by_score
from hickam.inference.coupled.distant import UNMET, distant
from hickam.inference.coupled.mixed import possible, weigh
from hickam.inference.coupled.mixture import OFTEN, Mixture, mix, uncut
from hickam.inference.coupled.thinning import Belief, guess, learned, thin
from hickam.inference.coupled.weighed import Weighed, weighed
from hickam.inference.frontier.visit import LEAST, SECONDS
from hickam.inference.problem import Problem, Solution
from hickam.inference.sampling.sampled import by_sampling, sparing
from hickam.issues import LostPrecision, TooHard, error
from hickam.kernels import compiled

# Nominal seconds of the frontier with what is left of the findings, of a mixture with risk factors
# besides, and draws: of the networks that tell what to cut, and of the last.
PILOTS = ((2e-3, 7e-3, 1000), (2e-2, 0.2, 4000))
FINDINGS, COUPLED_FINDINGS, SOLVED = 0.5, 0.07, 0.6
FEWER, TURNS = 0.2, 4  # of it, if that takes too much memory after all, and how often
TOLD = 0.1  # nominal seconds that weighing may take for each of the former
EFFORT = 1.5  # nominal seconds of the last draws, without a deadline
DRAW, COUPLED_DRAW = 1.6e-7, 2e-7  # of a draw, a finding; where there are risk factors
WEIGHING = 1.5e-10  # of an operation that weighs explanations by their risk factors
FEWEST = 4000  # draws
PART = 0.1  # of the tolerance, that is left to chance: not all of the error is of draws
MOST_ROWS = 1000  # beyond, looking for an order takes too long
SHORTEST = 0.15  # seconds in which it can be tried
THINNING = 0.7  # of the time left, that it may take before sampling
PLANNED, DRAWN = 0.25, 3.0  # of the time left, nominally for each frontier; for draws, at most


def thinned(
    problem: Problem, limits: Limits, deadline: Deadline, scale: float = 1.0
) -> Solution | None:
    """The solution by draws from a thinned problem; None where that cannot be had.

    With so many times the usual operations and draws. None also where draws would not meet some
    explanations, which are too far from all others.
    """
    left = deadline.left
    if compiled() is None or len(problem.rows) > MOST_ROWS or distant(problem):
        return None
    if left is not None and left < SHORTEST:
        return None
    belief = guess(problem)
    if not np.isfinite(belief.posterior).all():
        return None
    for findings, all_of_it, draws in PILOTS:
        made = _mixture(problem, belief, scale * findings, scale * all_of_it, limits, deadline)
        if made is None:
            return None
        found = _told(made, draws, scale * TOLD / WEIGHING, limits.seed, deadline.share(PLANNED))
        if found is None:
            return None
        belief = learned(belief, found.tables)
    findings = FINDINGS if problem.settled else COUPLED_FINDINGS
    made = _mixture(problem, belief, scale * findings, scale * SOLVED, limits, deadline)
    if made is None:
        return None
    if made.exact:
        return Solution(made.mean, "thinned", Accuracy("exact", max(made.rounding, LEAST)))
    draws, weighing = _effort(problem, scale, deadline)
    drawing = made.drawing(limits.seed, seconds=deadline.seconds)
    last = weigh(drawing, None, draws, deadline, PART * limits.tolerance, weighing)
    return None if last is None else Solution(last.tables, "thinned", last.accuracy)


def held_to_sampling(problem: Problem, limits: Limits, deadline: Deadline) -> Solution | None:
    """The better of a thinned and a sampled solution; the sampled one where they contradict.

    A disease that explains most and that no pilot has met is in no draw: chains go to it.
    """
    trying = deadline.share(THINNING).before(sparing(problem, deadline))
    best = thinned(problem, limits, trying)
    if best is None or best.accuracy.exact:
        return best
    sample = by_sampling(problem, limits, deadline)
    if _contradict(best, sample):
        return sample
    return min(best, sample, key=leading_error)


def _contradict(one: Solution, other: Solution) -> bool:
    """Whether a score of both differs by more than both state."""
    errors, others = one.accuracy.stated_errors, other.accuracy.stated_errors
    if errors is None or others is None:
        return False
    apart = np.abs(by_score(one.tables) - by_score(other.tables))
    return bool((apart > errors + others).any())


def by_thinned(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by a thinned problem, held to sampling, or a refusal."""
    solution = held_to_sampling(problem, limits, deadline)
    if solution is None:
        what = "does not fit the limits"
        if compiled() is None:
            what = "needs the compiled kernels"
        elif distant(problem):
            what = UNMET
        raise TooHard([error("engine 'thinned'", what, "use engine 'auto'")])
    return solution


def _mixture(
    problem: Problem,
    belief: Belief,
    findings: float,
    all_of_it: float,
    limits: Limits,
    deadline: Deadline,
) -> Mixture | None:
    """The mixture of what so many nominal seconds leave of a problem, or fewer by its memory."""
    left = deadline.left
    if left is not None:
        all_of_it = min(all_of_it, PLANNED * left)
        findings = min(findings, 0.5 * all_of_it)
    for _ in range(TURNS):
        few = thin(problem, belief, findings / SECONDS, deadline.share(PLANNED).seconds)
        made = mix(
            few.problem,
            max(all_of_it, findings) * OFTEN / SECONDS,
            limits,
            deadline.share(2.0 * PLANNED),
            uncut(problem, few.order) if few.cut.any() else None,
        )
        if made is not None:
            exact = made.exact and not few.cut.any()
            return replace(made, problem=problem, exact=exact, cut=few.cut)
        findings *= FEWER
    return None


def _told(
    mixture: Mixture, draws: int, operations: float, seed: int, deadline: Deadline
) -> Weighed | None:
    """What so many draws, or as many as the operations weigh, make of a mixture."""
    try:
        drawing = mixture.drawing(seed, keep=True, seconds=deadline.seconds)
        found = drawing.draw(draws, seconds=deadline.seconds, operations=operations)
    except (TimeoutError, LostPrecision):
        return None
    if not possible(mixture.mean, mixture.mean, found):
        return None
    return weighed(mixture.problem, mixture.mean, mixture.mean, found, mixture.kept, mixture.cut)


def _effort(problem: Problem, scale: float, deadline: Deadline) -> tuple[int, float]:
    """Draws that the effort allows, or the time at most; and operations that may weigh them."""
    left = deadline.left
    seconds = scale * EFFORT if left is None else DRAWN * left
    price = (DRAW if problem.settled else COUPLED_DRAW) * len(problem.leak)
    return max(FEWEST, int(seconds / price)), max(seconds / WEIGHING, 1e6)
