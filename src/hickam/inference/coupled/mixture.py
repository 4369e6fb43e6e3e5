"""Many findings and unobserved risk factors: the couplings that matter, the rest drawn and weighed.

Of the links between risk factors and diseases those that matter most are kept, as many as the
frontier can afford; the others are averaged inside each disease. The frontier solves what is left
exactly: a mixture of settled networks, one for each state of the risk factors that are kept. What
the averaging got wrong is estimated: explanations are drawn from the mixture and weighed by their
exact probability over that in the mixture. The weights vary little, and the draws are independent.
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
from hickam.inference.kernels import compiled
from hickam.inference.problem import Problem, Solution, Tables, kernel_arguments
from hickam.issues import LostPrecision, TooHard, error

# Nominal seconds without a deadline: so many settled networks' worth, but at least and at most.
WORTH_SETTLED, LEAST_EFFORT, MOST_EFFORT = 100.0, 0.3, 1.5
FEWEST_DRAWS = 500
# How often the operations of a frontier are done, and nominal seconds of a draw. What is done must
# not depend on how busy the machine is.
OFTEN, DRAW = 2.0, 1.2e-5
# Of what is left until a deadline: nominally for the frontier and at the latest, and for the draws.
PLANNED, SOLVING, DRAWING = 0.2, 0.45, 0.85
SOLVED = 0.6  # of the effort that goes into the frontier
SPARE = 1.3  # by which another order of the settled network may cost more


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A problem with its risk factors as deviations, of which only those that matter are carried."""

    tables: Tables
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

    def expand(self, operations: float, memory: float, seconds: float) -> Expansion | None:
        """The tables by deviations of the risk factors, for so many operations; None if more."""
        kernels = compiled()
        assert kernels is not None
        made = kernels.expand(self.handle, operations, memory, seconds)
        if made is None:
            return None
        (tables, *_), used, turned = made
        return Expansion(Tables(*tables), used, turned)

    def draw(self, count: int, seed: int, keep: bool = False, seconds: float = 0.0) -> Any:
        """Sums over so many weighed explanations, and the explanations if they are to be kept."""
        kernels = compiled()
        assert kernels is not None
        found: Mapping[str, Any] = kernels.draw(self.handle, count, seed, keep, seconds)
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


def mixture_of(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None = None
) -> tuple[Mixture, int] | None:
    """A mixture and how many draws to take from it, for so many nominal seconds.

    None if not even the settled network fits.
    """
    if compiled() is None:
        return None
    left = deadline.left
    settled = price(problem, MOST_EFFORT if left is None else min(left, MOST_EFFORT))
    if effort is None:
        effort = min(max(LEAST_EFFORT, WORTH_SETTLED * settled), MOST_EFFORT)
    solving = SOLVED * effort
    if left is not None:
        effort, solving = min(effort, left), min(solving, PLANNED * left)
    if settled > effort:
        return None
    operations = max(solving, SPARE * settled) / (OFTEN * SECONDS)
    mixture = mix(problem, operations, limits, deadline.share(SOLVING))
    if mixture is None or not np.isfinite(mixture.mean.log_evidence):
        return None
    return mixture, int((effort - OFTEN * SECONDS * mixture.operations) / DRAW)


def mixed(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None = None
) -> Solution | None:
    """The solution for so many nominal seconds; None where that is not enough."""
    made = mixture_of(problem, limits, deadline, effort)
    if made is None:
        return None
    mixture, draws = made
    if mixture.exact:
        rounding = max(mixture.rounding, LEAST)
        return Solution(mixture.mean, "mixture", Accuracy("exact", rounding))
    try:
        seconds = deadline.share(DRAWING).seconds
        found = mixture.draw(max(draws, FEWEST_DRAWS), limits.seed, seconds=seconds)
    except (TimeoutError, LostPrecision):
        return None
    if not found["count"]:
        return None
    tables, accuracy = weighed(problem, mixture.mean, found, mixture.kept)
    stated = {
        name: getattr(accuracy, name) + mixture.rounding
        for name in ("error", "unexplained", "log_evidence")
    }
    accuracy = replace(accuracy, **stated)
    return Solution(tables, "mixture", accuracy)


def by_mixture(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by the mixture alone, or a refusal."""
    solution = mixed(problem, limits, deadline)
    if solution is None:
        what = "cannot settle the risk factors of this case within the limits"
        raise TooHard([error("engine 'mixture'", what, "use engine 'auto'")])
    return solution
