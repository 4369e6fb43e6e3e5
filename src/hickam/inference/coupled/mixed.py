"""Many findings and unobserved risk factors: expanded where that can be had, else drawn, weighed.

An expansion that is fine enough for another one to measure it is the answer. Where that takes too
long, explanations are drawn from a mixture of settled networks, and correct the expansion or, if
there is none that helps, the mixture itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.climb import Climbed, climb, leading_error
from hickam.inference.coupled.difference import by_score
from hickam.inference.coupled.distant import UNMET, distant
from hickam.inference.coupled.mixture import OFTEN, SPARE, Drawing, Mixture, mix, needs, price
from hickam.inference.coupled.united import united
from hickam.inference.coupled.weighed import Weighed, weighed
from hickam.inference.frontier.visit import LEAST, SECONDS, exactly
from hickam.inference.problem import Problem, Solution, Tables
from hickam.issues import LostPrecision, TooHard, error
from hickam.kernels import compiled

# Nominal seconds without a deadline: so many settled networks' worth, but at most so many, with
# more for each finding beyond some and again at most so many, and at least a part of that.
WORTH_SETTLED, MOST_EFFORT, A_FINDING, LONGEST, LEAST_EFFORT = 100.0, 1.5, 0.4, 4.0, 0.6
FEWEST_DRAWS = 500
DRAW, USUAL = 1.5e-5, 20  # nominal seconds of a draw, with up to so many findings
# Of what is left until a deadline: nominally for the frontier and at the latest, and for the draws.
PLANNED, SOLVING, DRAWING = 0.2, 0.45, 0.85
SOLVED = 0.6  # of the effort that goes into the frontier
EXACT = 0.1  # of the effort, for which every coupling is kept
# With an expansion: the settled networks' worth of the mixture, and seconds of it at least; of the
# effort, and of what is left until a deadline, what goes into expansions, and seconds of them at
# least; nominal seconds of their operations and of a set of risk factors that a draw turns.
BASE, LEAST_BASE, CLIMBING, EXPANDED, LEAST_EXPANDED = 4.0, 1e-3, 0.6, 0.3, 5e-3
EXPANSION, TURN = 4e-10, 8e-10
FEWEST_TO_CORRECT = 512  # draws that correct an expansion at the least
# Draws that confirm an expansion: of the time that it takes, and at least and at most.
CONFIRMED, FEWEST_TO_CONFIRM, MOST_TO_CONFIRM = 0.6, 512, 4096
# How many times as many draws follow where that is not enough, and the squared error of an
# expansion over that of the mixture from which on draws had better correct the latter.
MORE, WORTH = 2, 0.1
DRAWN = 1e-6  # error that draws leave at the least: none may have met what matters for a score


def mixed(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None = None
) -> Solution | None:
    """The solution for so many nominal seconds; None where that is not enough.

    None also where some explanations are so far from all others that draws would not meet them.
    """
    worth = _worth(problem, deadline, effort)
    if worth is None:
        return None
    settled, effort = worth
    far = distant(problem)
    whole = exactly(problem, effort if far else EXACT * effort, limits, deadline)
    if whole is not None and np.isfinite(whole.tables.log_evidence):
        return whole._replace(engine="mixture")
    if far:
        return None
    solving = max(min(max(BASE * settled, LEAST_BASE), SOLVED * effort), SPARE * settled)
    mixture = mix(problem, solving / (OFTEN * SECONDS), limits, deadline.share(PLANNED))
    if mixture is None or not np.isfinite(mixture.mean.log_evidence):
        return drawn(problem, limits, deadline, effort)
    if mixture.exact:
        return _exact(mixture.mean, mixture.rounding)
    left = deadline.left
    expanding = max(CLIMBING * effort, LEAST_EXPANDED)
    if left is not None:
        expanding = min(expanding, EXPANDED * left)
    climbed = climb(mixture, expanding / EXPANSION, limits, deadline.share(SOLVING))
    if climbed is None:
        return drawn(problem, limits, deadline, effort)
    if climbed.expansion.exact:
        return _exact(climbed.expansion.tables, climbed.expansion.rounding)
    return _told(mixture, climbed, limits, deadline, effort)


def _told(
    mixture: Mixture, climbed: Climbed, limits: Limits, deadline: Deadline, effort: float
) -> Solution | None:
    """The finest expansion, confirmed or corrected by draws.

    Few draws mostly do. If not, there are more and more of them, as far as the effort goes.
    """
    a_draw = _a_draw(mixture.problem, climbed)
    spent = OFTEN * SECONDS * mixture.operations + EXPANSION * climbed.operations
    affordable = max(int((effort - spent) / a_draw), FEWEST_TO_CORRECT)
    draws = int(CONFIRMED * EXPANSION * climbed.operations / a_draw)
    draws = min(max(draws, FEWEST_TO_CONFIRM), MOST_TO_CONFIRM)
    drawing = mixture.drawing(limits.seed, seconds=deadline.share(DRAWING).seconds)
    answer = None
    while True:
        found = weigh(drawing, climbed, draws, deadline)
        answer = _answer(climbed, found) or answer
        if answer is not None and leading_error(answer) <= limits.tolerance:
            return answer
        if found is None and deadline.end is not None:
            return answer  # no time for draws, or none that can be weighed: others have an answer
        if found is None or found.nearer > WORTH:
            other = drawn(mixture.problem, limits, deadline, effort)
            return united(answer, other) if answer and other else answer or other
        if draws >= affordable:
            return answer
        draws = min(MORE * draws, affordable)


def _answer(climbed: Climbed, found: Weighed | None) -> Solution | None:
    """What draws make of an expansion: confirmed, or corrected where that is better known."""
    if found is None:
        return None
    corrected = Solution(found.tables, "mixture", found.accuracy)
    confirmed = climbed.confirmed(found)
    return corrected if confirmed is None else united(confirmed, corrected)


def _a_draw(problem: Problem, climbed: Climbed | None = None) -> float:
    """Nominal seconds of a draw, one that asks the finest expansion if there is one."""
    seconds = DRAW * max(1.0, len(problem.leak) / USUAL) ** 2
    return seconds + (TURN * climbed.expansion.turned if climbed else 0.0)


def drawn(problem: Problem, limits: Limits, deadline: Deadline, effort: float) -> Solution | None:
    """A mixture for most of the effort, corrected by draws."""
    made = mixture_of(problem, limits, deadline, effort)
    if made is None:
        return None
    mixture, draws = made
    if mixture.exact:
        return _exact(mixture.mean, mixture.rounding)
    draws = max(draws, FEWEST_DRAWS)
    drawing = mixture.drawing(limits.seed, seconds=deadline.share(DRAWING).seconds)
    return _sampled(weigh(drawing, None, draws, deadline, limits.tolerance))


def weigh(
    drawing: Drawing,
    climbed: Climbed | None,
    draws: int,
    deadline: Deadline,
    goal: float = 0.0,
    operations: float = np.inf,
) -> Weighed | None:
    """What so many draws make of the mixture, or of an expansion of its problem.

    Fewer where they tell the leading scores to the goal before, or weighing them takes more
    operations than that.
    """
    mixture, seconds = drawing.mixture, deadline.share(DRAWING).seconds
    try:
        found = drawing.draw(draws, goal, FEWEST_TO_CORRECT, seconds, operations)
    except (TimeoutError, LostPrecision):
        return None
    if not found["count"]:
        return None
    near = climbed.expansion.tables if climbed else mixture.mean
    if not possible(mixture.mean, near, found):
        return None
    told = weighed(mixture.problem, mixture.mean, near, found, mixture.kept, mixture.cut)
    accuracy = told.accuracy
    rounding = DRAWN + mixture.rounding + (climbed.expansion.rounding if climbed else 0.0)
    stated = {
        name: getattr(accuracy, name) + rounding
        for name in ("error", "unexplained", "log_evidence")
    }
    assert accuracy.stated_errors is not None
    size = np.maximum(np.abs(by_score(told.tables)), FLOOR)
    stated["stated_errors"] = accuracy.stated_errors + rounding * size
    return told._replace(accuracy=replace(accuracy, **stated))


def possible(mean: Tables, near: Tables, draws: Mapping[str, Any]) -> bool:
    """Whether anything that was drawn can be, and leaves some of what it corrects."""
    nearer = float(draws["counts"]) * np.exp(near.log_evidence - mean.log_evidence)
    return near.log_evidence > -np.inf and nearer + float(draws["all"][0, 1]) > 0.0


def _exact(tables: Tables, rounding: float) -> Solution:
    return Solution(tables, "mixture", Accuracy("exact", max(rounding, LEAST)))


def _sampled(found: Weighed | None) -> Solution | None:
    return None if found is None else Solution(found.tables, "mixture", found.accuracy)


def mixture_of(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None = None
) -> tuple[Mixture, int] | None:
    """A mixture and how many draws to take from it, for so many nominal seconds.

    None if not even the settled network fits.
    """
    worth = _worth(problem, deadline, effort)
    if worth is None:
        return None
    settled, effort = worth
    left = deadline.left
    solving = SOLVED * effort if left is None else min(SOLVED * effort, PLANNED * left)
    operations = max(solving, SPARE * settled) / (OFTEN * SECONDS)
    mixture = mix(problem, operations, limits, deadline.share(SOLVING))
    if mixture is None or not np.isfinite(mixture.mean.log_evidence):
        return None
    return mixture, int((effort - OFTEN * SECONDS * mixture.operations) / _a_draw(problem))


def _worth(
    problem: Problem, deadline: Deadline, effort: float | None
) -> tuple[float, float] | None:
    """Nominal seconds of the settled network and of all; None if not even the former fit."""
    if compiled() is None:
        return None
    left = deadline.left
    most = _most_effort(problem)
    settled = price(problem, most if left is None else min(left, most))
    if effort is None:
        effort = min(max(LEAST_EFFORT * most, WORTH_SETTLED * settled), most)
    if left is not None:
        effort = min(effort, left)
    return None if settled > effort else (settled, effort)


def _most_effort(problem: Problem) -> float:
    """Nominal seconds at most, without a deadline."""
    return min(MOST_EFFORT + A_FINDING * max(len(problem.leak) - USUAL, 0), LONGEST)


def by_mixture(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by the mixture alone, or a refusal."""
    solution = mixed(problem, limits, deadline)
    if solution is None:
        raise TooHard([error("engine 'mixture'", _why_not(problem, limits), "use engine 'auto'")])
    return solution


def _why_not(problem: Problem, limits: Limits) -> str:
    """What kept the mixture from an answer: time, memory, or the explanations that it draws."""
    if compiled() is None:
        return "needs the compiled kernels"
    if distant(problem):
        return UNMET
    most = _most_effort(problem)
    seconds, memory = needs(problem, most)
    if seconds <= most and memory > limits.memory / 2.0:
        megabytes = f"{2.0 * memory / 1e6:.3g} MB, more than the {limits.memory / 1e6:.3g} MB"
        return f"needs {megabytes} of the limits, for the findings alone"
    if limits.deadline is not None:
        return f"needs more than {limits.deadline:g} seconds here"
    if seconds > most:
        return f"would take more than {most:.2g} seconds for the findings alone"
    return "draws explanations with too many diseases that share risk factors to be weighed"
