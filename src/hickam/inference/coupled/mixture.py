"""A mixture of settled networks that keeps the couplings that matter, and expansions beside it.

Of the links between risk factors and diseases those that matter most are kept, as many as the
frontier can afford; the others are averaged inside each disease. The frontier solves what is left
exactly: a mixture of settled networks, one for each state of the risk factors that are kept. What
the averaging got wrong is estimated: explanations are drawn from the mixture and weighed by their
exact probability over that in the mixture. The weights vary little, and the draws are independent.

Where it can be had, an expansion in the deviations of the risk factors from their means comes much
closer to the truth than the mixture. It is no network to draw from, but its tables are known, and
so is what it makes of each explanation: draws from the mixture can correct the expansion instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.frontier.visit import MARGIN, SECONDS
from hickam.inference.problem import Problem, Tables, kernel_arguments
from hickam.issues import LostPrecision
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints

# How often the operations of a frontier are done. What is done must not depend on how busy the
# machine is.
OFTEN = 2.0
SPARE = 1.3  # by which another order of the settled network may cost more
Uncut = tuple[Floats, Floats, Floats, Floats, Floats, Ints]


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A problem with its risk factors as deviations, and only those that matter together."""

    tables: Tables
    rounding: float
    exact: bool  # whether all that deviates is carried, for every row
    operations: float
    turned: float  # sets of risk factors that a draw turns
    least: float  # product of deviations that is carried
    unsaid: float  # the most that a risk factor deviates that is in no set


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
    cut: npt.NDArray[np.bool_] | None = None  # [row, present] links that the mean tables lack

    def expand(
        self, operations: float, finest: float, coarsest: float, memory: float, seconds: float = 0.0
    ) -> Expansion | None:
        """The tables by deviations of the risk factors, as fine as the operations allow.

        None where even the coarsest takes more; draws go on from the last that was found.
        """
        kernels = compiled()
        assert kernels is not None
        made = kernels.expand(self.handle, operations, finest, coarsest, memory / 2.0, seconds)
        if made is None:
            return None
        (tables, _, rounding, _, _), used, turned, exact, least, unsaid = made
        rounding *= MARGIN
        return Expansion(Tables(*tables), rounding, exact, used, turned, least, unsaid)

    def drawing(self, seed: int, keep: bool = False, seconds: float = 0.0) -> Drawing:
        """Explanations to be drawn and weighed, beside the last expansion if there is one."""
        kernels = compiled()
        assert kernels is not None
        return Drawing(self, kernels.drawing(self.handle, seed, keep, seconds))


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """Explanations drawn from a mixture, to which more can be added."""

    mixture: Mixture
    handle: Any

    def draw(
        self,
        count: int,
        goal: float = 0.0,
        fewest: int = 0,
        seconds: float = 0.0,
        operations: float = np.inf,
    ) -> Any:
        """Sums over so many weighed explanations in all, and the explanations if they are kept.

        Fewer where the leading scores are known to the goal before or weighing has taken so many
        operations, but not fewer than that.
        """
        kernels = compiled()
        assert kernels is not None
        found: Mapping[str, Any] = kernels.draw(
            self.handle, count, goal, fewest, seconds, operations
        )
        if found["expired"]:
            raise TimeoutError
        if found["too_wide"]:
            raise LostPrecision("an explanation has too many diseases that share risk factors")
        return found


def mix(
    problem: Problem,
    operations: float,
    limits: Limits,
    deadline: Deadline,
    before: Uncut | None = None,
) -> Mixture | None:
    """The mixture for so many operations; None if not even the settled network fits the limits.

    With what the problem was before links to findings were cut, by which draws are weighed.
    """
    kernels = compiled()
    if kernels is None:
        return None
    made = kernels.mixture(
        *kernel_arguments(problem), operations, limits.memory / 2.0, deadline.seconds, before
    )
    if made is None:
        return None
    handle, (tables, _, rounding, _, _), kept, exact, used = made
    return Mixture(problem, handle, Tables(*tables), MARGIN * rounding, kept, exact, used)


def uncut(problem: Problem, order: Ints) -> Uncut:
    """A problem as the kernels take it beside one with fewer links, and an order of the rows."""
    p = problem
    given = (p.weight_on, p.acts, p.fails, p.leak, p.leak_fails)
    weight_on, acts, fails, leak, leak_fails = (
        np.ascontiguousarray(x, dtype=np.float64) for x in given
    )
    return weight_on, acts, fails, leak, leak_fails, np.ascontiguousarray(order, dtype=np.int64)


def price(problem: Problem, most: float) -> float:
    """Nominal seconds of the settled network; infinite above the most."""
    return needs(problem, most)[0]


def needs(problem: Problem, most: float) -> tuple[float, float]:
    """The same, and the bytes of the settled network."""
    kernels = compiled()
    assert kernels is not None
    arguments = list(kernel_arguments(problem))
    arguments[9:] = [np.zeros(0), *[np.zeros(0, dtype=np.int64)] * 2, *[np.zeros(0)] * 2]
    _, found = kernels.frontier(*arguments, most / SECONDS, 0.0, 0.0)
    return OFTEN * SECONDS * float(found[0]), float(found[1])
