"""Many findings and unobserved risk factors: the couplings that matter, the rest drawn and weighed.

Of the links between risk factors and diseases those that matter most are kept, as many as the
frontier can afford; the others are averaged inside each disease. The frontier solves what is left
exactly: a mixture of settled networks, one for each state of the risk factors that are kept. What
the averaging got wrong is estimated: explanations are drawn from the mixture and weighed by their
exact probability over that in the mixture. The weights vary little, and the draws are independent.

Where it can be had, an expansion in the deviations of the risk factors from their means comes much
closer to the truth than the mixture. It is no network to draw from, but its tables are known, and
so is what it makes of each explanation: then a small mixture is drawn from, and the draws correct
the expansion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.weighed import weighed
from hickam.inference.frontier.visit import LEAST, MARGIN, SECONDS
from hickam.inference.problem import Problem, Solution, Tables, kernel_arguments
from hickam.issues import LostPrecision, TooHard, error
from hickam.kernels import compiled

# Nominal seconds without a deadline: so many settled networks' worth, but at least and at most.
WORTH_SETTLED, LEAST_EFFORT, MOST_EFFORT = 100.0, 0.5, 1.5
FEWEST_DRAWS = 500
# How often the operations of a frontier are done, and nominal seconds of a draw. What is done must
# not depend on how busy the machine is.
OFTEN, DRAW = 2.0, 1.5e-5
# Of what is left until a deadline: nominally for the frontier and at the latest, and for the draws.
PLANNED, SOLVING, DRAWING = 0.2, 0.45, 0.85
SOLVED = 0.6  # of the effort that goes into the frontier
# With an expansion: the settled networks' worth of the mixture, and seconds of it at least; of the
# effort that goes into the expansion, and with a deadline; nominal seconds of its operations and of
# a set of risk factors that a draw turns.
BASE, LEAST_BASE, EXPANDED, EXPANDED_IN_TIME = 4.0, 1e-3, 0.7, 0.3
EXPANSION, TURN = 1e-9, 8e-10
# Least products of deviations that are carried, over the tolerance; and at which it is too rough.
FINE, ROUGH = 0.2, 0.1
# Draws that correct an expansion at the least.
FEWEST_TO_CORRECT = 512
DRAWN = 1e-6  # error that draws leave at the least: none may have met what matters for a score
SPARE = 1.3  # by which another order of the settled network may cost more


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A problem with its risk factors as deviations, and only those that matter together."""

    tables: Tables
    rounding: float
    exact: bool  # whether all that deviates is carried, for every row
    operations: float
    turned: float  # sets of risk factors that a draw turns


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A problem with the couplings that matter, solved and ready to be drawn from."""

    problem: Problem
    handle: Any
    mean: Tables
    rounding: float
    kept: int  # couplings
    exact: bool  # whether the mean tables are: nothing that couples diseases is averaged
    operations: float  # of the frontier

    def expand(self, operations: float, limits: Limits, seconds: float = 0.0) -> Expansion | None:
        """The tables by deviations of the risk factors, for so many operations; None if more."""
        kernels = compiled()
        assert kernels is not None
        finest = FINE * min(limits.tolerance, 1.0)
        made = kernels.expand(self.handle, operations, finest, ROUGH, limits.memory / 2.0, seconds)
        if made is None:
            return None
        (tables, _, rounding, _, _), used, turned, complete = made
        exact = bool(complete and self.problem.reached.all())
        return Expansion(Tables(*tables), MARGIN * rounding, exact, used, turned)

    def draw(
        self,
        count: int,
        seed: int,
        keep: bool = False,
        goal: float = 0.0,
        fewest: int = 0,
        seconds: float = 0.0,
    ) -> Any:
        """Sums over so many weighed explanations, and the explanations if they are to be kept.

        Fewer where the leading scores are known to the goal before, but not fewer than that.
        """
        kernels = compiled()
        assert kernels is not None
        found: Mapping[str, Any] = kernels.draw(
            self.handle, count, seed, keep, goal, fewest, seconds
        )
        if found["expired"]:
            raise TimeoutError
        if found["too_wide"]:
            raise LostPrecision("an explanation has too many diseases that share risk factors")
        return found


def mix(problem: Problem, operations: float, limits: Limits, deadline: Deadline) -> Mixture | None:
    """The mixture for so many operations; None if not even the settled network fits the limits."""
    kernels = compiled()
    if kernels is None:
        return None
    made = kernels.mixture(
        *kernel_arguments(problem), operations, limits.memory / 2.0, deadline.seconds
    )
    if made is None:
        return None
    handle, (tables, _, rounding, _, _), kept, exact, used = made
    return Mixture(problem, handle, Tables(*tables), MARGIN * rounding, kept, exact, used)


def price(problem: Problem, most: float) -> float:
    """Nominal seconds of the settled network; infinite above the most."""
    kernels = compiled()
    assert kernels is not None
    arguments = list(kernel_arguments(problem))
    arguments[9:] = [np.zeros(0), *[np.zeros(0, dtype=np.int64)] * 2, *[np.zeros(0)] * 2]
    _, found = kernels.frontier(*arguments, most / SECONDS, 0.0, 0.0)
    return OFTEN * SECONDS * float(found[0])


def _worth(
    problem: Problem, deadline: Deadline, effort: float | None
) -> tuple[float, float] | None:
    """Nominal seconds of the settled network and of all; None if not even the former fit."""
    if compiled() is None:
        return None
    left = deadline.left
    settled = price(problem, MOST_EFFORT if left is None else min(left, MOST_EFFORT))
    if effort is None:
        effort = min(max(LEAST_EFFORT, WORTH_SETTLED * settled), MOST_EFFORT)
    if left is not None:
        effort = min(effort, left)
    return None if settled > effort else (settled, effort)


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
    return mixture, int((effort - OFTEN * SECONDS * mixture.operations) / DRAW)


def _expanded(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None
) -> tuple[Mixture, int, Expansion | None] | None:
    """A small mixture, how many draws to take from it, and an expansion unless it is exact.

    None where the expansion is too rough for so many nominal seconds.
    """
    worth = _worth(problem, deadline, effort)
    if worth is None:
        return None
    settled, effort = worth
    solving = max(min(max(BASE * settled, LEAST_BASE), SOLVED * effort), SPARE * settled)
    mixture = mix(problem, solving / (OFTEN * SECONDS), limits, deadline.share(PLANNED))
    if mixture is None or not np.isfinite(mixture.mean.log_evidence):
        return None
    if mixture.exact:
        return mixture, 0, None
    left = deadline.left
    expanding = (
        EXPANDED * effort if left is None else min(EXPANDED * effort, EXPANDED_IN_TIME * left)
    )
    expansion = mixture.expand(expanding / EXPANSION, limits, deadline.share(SOLVING).seconds)
    if expansion is None:
        return None
    spent = OFTEN * SECONDS * mixture.operations + EXPANSION * expansion.operations
    a_draw = DRAW + TURN * expansion.turned
    draws = max(FEWEST_TO_CORRECT, int((effort - spent) / a_draw))
    return mixture, draws, expansion


def mixed(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None = None
) -> Solution | None:
    """The solution for so many nominal seconds; None where that is not enough."""
    made = _expanded(problem, limits, deadline, effort)
    if made is None:
        plain = mixture_of(problem, limits, deadline, effort)
        if plain is None:
            return None
        made = (*plain, None)
    mixture, draws, expansion = made
    if mixture.exact:
        rounding = max(mixture.rounding, LEAST)
        return Solution(mixture.mean, "mixture", Accuracy("exact", rounding))
    if expansion is not None and expansion.exact:
        rounding = max(expansion.rounding, LEAST)
        return Solution(expansion.tables, "mixture", Accuracy("exact", rounding))
    try:
        seconds = deadline.share(DRAWING).seconds
        count, goal = max(draws, FEWEST_DRAWS), limits.tolerance
        found = mixture.draw(
            count, limits.seed, goal=goal, fewest=FEWEST_TO_CORRECT, seconds=seconds
        )
    except (TimeoutError, LostPrecision):
        return None
    if not found["count"]:
        return None
    near = mixture.mean if expansion is None else expansion.tables
    tables, accuracy = weighed(problem, mixture.mean, near, found, mixture.kept)
    rounding = DRAWN + mixture.rounding + (0.0 if expansion is None else expansion.rounding)
    stated = {
        name: getattr(accuracy, name) + rounding
        for name in ("error", "unexplained", "log_evidence")
    }
    return Solution(tables, "mixture", replace(accuracy, **stated))


def by_mixture(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by the mixture alone, or a refusal."""
    solution = mixed(problem, limits, deadline)
    if solution is None:
        what = "cannot settle the risk factors of this case within the limits"
        raise TooHard([error("engine 'mixture'", what, "use engine 'auto'")])
    return solution
