"""Which links between diseases and findings are cut, and the network that is left.

A link that is cut becomes a part of its finding's leak, as often as its disease is believed in, and
its disease keeps what the finding has to say. Any choice would do: explanations drawn from what is
left are weighed by the problem itself. A good one makes the weights vary little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hickam.inference.problem import Problem, Tables
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints

SWEEPS = 40  # of messages between diseases and findings; in the first half they are damped more
DAMPED = 0.7
NEVER, NEARLY = 1e-12, 1.0 - 1e-9
OFTEN = 3e-3  # a disease is at least as often a cause that was cut, lest weights become heavy
KEEP = 0.1  # of a belief, that stays whatever draws say of it later
# A link is its disease's alone at least so often, and in so much of what it causes: what draws have
# not met may yet carry large weights. Links that are cut as likely are part of the leak when it is
# asked how scarce other causes are; how much scarce ones may count, and the least leak.
SELDOM, SHARE, LITTLE = 1e-9, 0.01, 3e-3
SCARCE, LEAST_LEAK = 500.0, 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What is believed of a problem so far, to choose by."""

    posterior: Floats  # [row]
    alone: Floats  # [row, present] P(the disease alone causes it)


@dataclass(frozen=True, slots=True, eq=False)
class Thinned:
    """A problem with fewer links to findings."""

    problem: Problem
    order: Ints  # of its rows, in which little is open
    cut: npt.NDArray[np.bool_]  # [row, present]


def guess(problem: Problem) -> Belief:
    """What messages between findings and diseases make of a problem, its risk factors averaged."""
    off, on = _averaged(problem)
    belief = on / np.maximum(on + off, NEVER)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        odds = on / off
        for sweep in range(SWEEPS):
            _, others = _others(problem, belief)
            now = odds * _told(problem, others, problem.acts > 0.0)
            now = np.where(np.isfinite(now), now / (1.0 + now), 1.0)
            if sweep < SWEEPS // 2:
                belief = np.sqrt(np.maximum(belief * now, 1e-30))
            else:
                belief = DAMPED * belief + (1.0 - DAMPED) * now
    missed, others = _others(problem, belief)
    alone = belief[:, None] * problem.acts * others / np.maximum(1.0 - missed, NEVER)
    return Belief(belief, np.minimum(alone, belief[:, None]))


def learned(before: Belief, tables: Tables) -> Belief:
    """The belief after some draws, with a part of what was believed before."""
    posterior = np.clip(tables.posterior, 0.0, 1.0)
    alone = np.clip(tables.disabled, 0.0, posterior[:, None])
    return Belief(
        np.maximum(posterior, KEEP * before.posterior), np.maximum(alone, KEEP * before.alone)
    )


def thin(problem: Problem, belief: Belief, operations: float, seconds: float = 0.0) -> Thinned:
    """The problem with the links that the frontier takes within so many operations.

    As they are, after so many seconds (0: never).
    """
    kernels = compiled()
    assert kernels is not None
    importance = _importance(problem, belief)
    kept, order = kernels.thin(importance, operations, seconds)
    keeps = np.frombuffer(kept, dtype=np.int8).reshape(importance.shape) != 0
    cut = (importance > 0.0) & ~keeps
    return Thinned(_without(problem, cut, belief), order, cut)


def _importance(problem: Problem, belief: Belief) -> Floats:
    """[row, present] how much weights vary if a link is cut; 0 without one, or a certain leak."""
    linked = (problem.acts > 0.0) & (problem.leak_fails > 0.0)
    seldom = np.maximum(SELDOM, SHARE * belief.posterior[:, None] * problem.acts)
    alone = np.maximum(belief.alone, seldom)
    little = np.where(alone < LITTLE, belief.posterior[:, None] * problem.acts, 0.0).sum(axis=0)
    scarce = np.minimum(problem.acts / (problem.leak + little + LEAST_LEAK), SCARCE)
    return np.ascontiguousarray(np.where(linked, np.maximum(alone * scarce, 1e-300), 0.0))


def _without(problem: Problem, cut: npt.NDArray[np.bool_], belief: Belief) -> Problem:
    """The problem without these links, which findings and diseases take at their averages."""
    off, on = _averaged(problem)
    often = np.maximum(belief.posterior, on / np.maximum(on + off, NEVER))
    often = np.clip(often, OFTEN, NEARLY)
    _, others = _others(problem, often)
    mean = np.where(cut, often[:, None] * problem.acts, 0.0)
    leak_fails = problem.leak_fails * (1.0 - mean).prod(axis=0)
    with np.errstate(divide="ignore"):  # to full precision, however small
        leak = -np.expm1(np.log1p(-problem.leak) + np.log1p(-mean).sum(axis=0))
    return replace(
        problem,
        acts=np.where(cut, 0.0, problem.acts),
        fails=np.where(cut, 1.0, problem.fails),
        leak=np.where(cut.any(axis=0), leak, problem.leak),
        leak_fails=leak_fails,
        weight_on=problem.weight_on * _told(problem, others, cut),
    )


def _averaged(problem: Problem) -> tuple[Floats, Floats]:
    """[row] P(off) and P(on) times their weights, every risk factor averaged."""
    pushed = problem.risk_prior[problem.edge_risk] * problem.edge_acts
    stays = np.ones(len(problem.rows))
    np.multiply.at(stays, problem.edge_row, 1.0 - pushed)
    off = problem.off * stays
    return off * problem.weight_off, (problem.on + problem.off * (1.0 - stays)) * problem.weight_on


def _others(problem: Problem, belief: Floats) -> tuple[Floats, Floats]:
    """[present] P(nothing causes it), and [row, present] that without a disease, independently."""
    fails = np.maximum(1.0 - belief[:, None] * problem.acts, NEVER)
    missed = problem.leak_fails * fails.prod(axis=0)
    return missed, np.minimum(missed / fails, NEARLY)


def _told(problem: Problem, others: Floats, links: npt.NDArray[np.bool_]) -> Floats:
    """[row] how many times likelier these findings are with the disease than without."""
    told = np.where(links, (1.0 - problem.fails * others) / (1.0 - others), 1.0)
    return np.asarray(told.prod(axis=1))
