"""A coupled problem with only its strongest couplings, which the frontier solves exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hickam.inference.frontier.twin import operations_numpy
from hickam.inference.problem import Problem, kernel_arguments, with_edges
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints

RAREST = 1e-12  # prior of a disease, where it divides


def importance(problem: Problem, posterior: Floats, most: float = np.inf) -> Floats:
    """[edge] how much a risk factor's state tells about a disease, given what is believed of it.

    The spread of the risk factor times the activation: absolutely for a disease that is off,
    relative to its prior for one that is on, but as often as that at most. A rare risk factor
    spreads as far as what its diseases tell of it may make it likely.
    """
    push = problem.risk_prior[problem.edge_risk] * problem.edge_acts
    off = problem.off.copy()
    np.multiply.at(off, problem.edge_row, 1.0 - push)
    believed = np.clip(posterior, 0.0, 1.0)
    surprise = np.minimum(1.0 + believed / np.maximum(1.0 - off, RAREST), most)
    likely = _likely(problem, believed, off, push)
    spread = np.sqrt(likely * (1.0 - likely))
    return problem.edge_acts * spread[problem.edge_risk] * surprise[problem.edge_row]


def _likely(problem: Problem, believed: Floats, off: Floats, push: Floats) -> Floats:
    """[risk] the chance nearest to a half between its prior and what its diseases make of it.

    `off` [row] and `push` [edge] are with every risk factor at its prior.
    """
    row, prior = problem.edge_row, problem.risk_prior
    # P(the disease is off | the risk factor is on), and what either state of it tells
    fails = np.minimum(problem.edge_fails / np.maximum(1.0 - push, RAREST), 1.0)
    is_off = (1.0 - believed)[row] * fails
    is_on = believed[row] * (1.0 - off[row] * fails) / np.maximum(1.0 - off[row], RAREST)
    told = np.log(np.maximum(is_off + is_on, RAREST))
    told[~problem.reached[row]] = 0.0
    log_told = np.bincount(problem.edge_risk, told, len(prior))
    odds = prior / np.maximum(1.0 - prior, RAREST) * np.exp(np.clip(log_told, -50.0, 50.0))
    return np.clip(0.5, *np.sort([prior, odds / (1.0 + odds)], axis=0))


def strongest(
    problem: Problem, weights: Floats, operations: float, seconds: float = 0.0
) -> npt.NDArray[np.bool_]:
    """[edge] the most important ones that the frontier can afford.

    Fewer after so many seconds (0: any).
    """
    kernels = compiled()
    if kernels is None:
        return _strongest_numpy(problem, weights, operations)
    mask = kernels.strongest(
        *kernel_arguments(problem), np.ascontiguousarray(weights), operations, seconds
    )
    return np.frombuffer(mask, dtype=np.bool_).copy()


def _strongest_numpy(problem: Problem, weights: Floats, operations: float) -> npt.NDArray[np.bool_]:
    """[edge] the most important edges, as many as the frontier's twin can afford."""
    order = np.argsort(-weights, kind="stable")
    least, most = 0, len(order)
    while least < most:
        count = (least + most + 1) // 2
        part = averaged(problem, np.isin(np.arange(len(order)), order[:count]))
        if operations_numpy(part) <= operations:
            least = count
        else:
            most = count - 1
    return np.isin(np.arange(len(order)), order[:least])


def connected(one: Ints, other: Ints) -> Ints:
    """[edge] a number for the part of the graph that it is in; an edge joins `one` and `other`."""
    part = np.arange(len(one))
    while True:
        before = part
        for ends in (one, other):
            least = np.full(int(ends.max(initial=-1)) + 1, len(part))
            np.minimum.at(least, ends, part)
            part = least[ends]
        part = part[part]  # what a part is part of
        if np.array_equal(part, before):
            return part


def averaged(problem: Problem, keep: npt.NDArray[np.bool_]) -> Problem:
    """The problem with all edges but those kept averaged inside their diseases.

    A model of its own, in which every law holds.
    """
    gone = ~keep
    push = problem.risk_prior[problem.edge_risk[gone]] * problem.edge_acts[gone]
    with np.errstate(divide="ignore"):
        log_fails = np.bincount(problem.edge_row[gone], np.log1p(-push), len(problem.rows))
    return replace(
        with_edges(problem, keep),
        on=problem.on - problem.off * np.expm1(log_fails),
        off=problem.off * np.exp(log_fails),
    )
