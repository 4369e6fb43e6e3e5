"""Many findings and unobserved risk factors: settled networks mixed, their error drawn and weighed.

Settling risk factors one by one, where that helps most, splits a coupled network into settled ones,
the leaves of a tree; whatever is not settled in a leaf is averaged inside each disease. The
frontier solves every leaf exactly, in a fraction of the time of the coupled network. What the
averaging got wrong is estimated: explanations are drawn from the leaves and weighed by their exact
probability over that in the mixture. The weights vary little, and the draws are independent.
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

# Nominal seconds without a deadline: so many leaves' worth, but at least and at most.
WORTH_LEAVES, LEAST_EFFORT, MOST_EFFORT = 60.0, 0.12, 1.0
LONGEST = 2.0  # nominal seconds where it is asked for by name
MOST_LEAVES = 150
FEWEST_DRAWS = 1000
# Nominal seconds: of a leaf beside its operations, how often those are done, of a draw and of each
# leaf in it. What is done must not depend on how busy the machine is.
LEAF, OFTEN, DRAW, DRAW_LEAF = 3e-4, 1.6, 4e-6, 1e-8
GROWTH = 0.5  # of the effort that goes into leaves


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Settled problems, ready to be drawn from."""

    problem: Problem
    handle: Any
    mean: Tables
    rounding: float
    leaves: int
    exact: bool  # whether the mean tables are: nothing that couples diseases is averaged

    @property
    def draw_seconds(self) -> float:
        """Nominal seconds of a draw."""
        return DRAW + DRAW_LEAF * self.leaves

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


def mix(
    problem: Problem, leaves: int, operations: float, limits: Limits, deadline: Deadline
) -> Mixture | None:
    """The mixture of so many leaves; None if one takes more operations or memory than allowed."""
    kernels = compiled()
    if kernels is None:
        return None
    made = kernels.mixture(
        *kernel_arguments(problem), leaves, operations, limits.memory / 2.0, deadline.seconds
    )
    if made is None:
        return None
    handle, (tables, _, rounding, _, _), grown, exact = made
    return Mixture(problem, handle, Tables(*tables), MARGIN * rounding, grown, exact)


def price(problem: Problem) -> float:
    """Nominal seconds of a leaf."""
    kernels = compiled()
    assert kernels is not None
    arguments = list(kernel_arguments(problem))
    arguments[9:] = [np.zeros(0), *[np.zeros(0, dtype=np.int64)] * 2, *[np.zeros(0)] * 2]
    _, found = kernels.frontier(*arguments, -1, np.zeros(0), LONGEST / SECONDS, 0.0, 0.0)
    return LEAF + OFTEN * SECONDS * float(found[0])


def mixed(
    problem: Problem, limits: Limits, deadline: Deadline, effort: float | None = None
) -> Solution | None:
    """The solution for so many nominal seconds; None where that is not enough."""
    if compiled() is None:
        return None
    leaf = price(problem)
    if effort is None:
        effort = min(max(LEAST_EFFORT, WORTH_LEAVES * leaf), MOST_EFFORT)
    left = deadline.left
    if left is not None:
        effort = min(effort, 0.6 * left)
    leaves = int(min(MOST_LEAVES, GROWTH * effort / leaf))
    if leaves < 1:
        return None
    mixture = mix(problem, leaves, effort / SECONDS, limits, deadline)
    if mixture is None or not np.isfinite(mixture.mean.log_evidence):
        return None
    if mixture.exact:
        rounding = max(mixture.rounding, LEAST)
        return Solution(mixture.mean, "mixture", Accuracy("exact", rounding))
    spent = leaf * mixture.leaves
    draws = int((effort - spent) / mixture.draw_seconds)
    try:
        found = mixture.draw(max(draws, FEWEST_DRAWS), limits.seed, seconds=deadline.seconds)
    except (TimeoutError, LostPrecision):
        return None
    if not found["count"]:
        return None
    tables, accuracy = weighed(problem, mixture.mean, found, mixture.leaves)
    accuracy = replace(accuracy, error=accuracy.error + mixture.rounding)
    return Solution(tables, "mixture", accuracy)


def by_mixture(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The solution by the mixture alone, or a refusal."""
    if deadline.left is not None:
        limits = replace(limits, deadline=deadline.left)
    solution = mixed(problem, limits, deadline, LONGEST)
    if solution is None:
        what = "cannot settle the risk factors of this case within the limits"
        raise TooHard([error("engine 'mixture'", what, "use engine 'auto'")])
    return solution
