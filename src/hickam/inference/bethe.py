"""Unobserved risk factors by message passing on every subset, with loop corrections.

For each z the coupling is a network of non-negative factors f_k(r), one per disease, over the
unobserved risk factors r. Belief propagation solves it exactly when risk factors and diseases form
a tree and, because a noisy-OR factor is a mixture of two products, in closed form per edge. What a
tree ignores are loops; the shortest, two diseases that share two risk factors, are added in closed
form too, and their size says how far the answer can be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hickam.inference.base import FLOOR
from hickam.inference.kernels import compiled
from hickam.inference.reduce import Problem, Tables
from hickam.inference.subsets import (
    EPSILON,
    Outcome,
    Real,
    Subsets,
    Wide,
    conclude,
    from_kernel,
    kernel_arguments,
    precise_fails,
    subsets,
)
from hickam.model.network import Ints

MOST_SWEEPS = 60
CONVERGED = 8 * EPSILON


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of risk factors that share a row: where short loops run."""

    first: Ints  # [incidence]  edge
    second: Ints  # [incidence]  edge of the same row
    pair: Ints  # [incidence]
    row: Ints  # [incidence]
    count: int


def pairs_of(problem: Problem) -> Pairs:
    """The pairs of edges of one row whose two risk factors also meet in another reached row."""
    by_row: dict[int, list[int]] = {}
    for edge, row in enumerate(problem.edge_row):
        by_row.setdefault(int(row), []).append(edge)
    incidences = [
        (e, f, (int(problem.edge_risk[e]), int(problem.edge_risk[f])), row)
        for row, edges in by_row.items()
        for i, e in enumerate(edges)
        for f in edges[i + 1 :]
    ]
    meetings: dict[tuple[int, int], int] = {}
    for _, _, pair, row in incidences:
        meetings[pair] = meetings.get(pair, 0) + bool(problem.reached[row])
    kept = [
        (e, f, pair, row)
        for e, f, pair, row in incidences
        if meetings[pair] > bool(problem.reached[row])
    ]
    number = {pair: i for i, pair in enumerate(dict.fromkeys(pair for _, _, pair, _ in kept))}
    columns = np.array(
        [(e, f, number[pair], row) for e, f, pair, row in kept], dtype=np.int64
    ).reshape(-1, 4)
    return Pairs(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3], len(number))


def bethe(problem: Problem, goal: float = 1e-8, seconds: float = 0.0) -> Outcome | None:
    """The outcome with a rounding error of `goal` if possible; None when the seconds (0: any) end."""
    kernels = compiled()
    if kernels is None:
        return bethe_numpy(problem)
    answer = kernels.bethe(*kernel_arguments(problem), goal, seconds)
    return None if answer is None else from_kernel(answer)


def bethe_numpy(problem: Problem) -> Outcome:
    """The NumPy twin: reference of the kernel, and what runs without it."""
    lattice = subsets(problem)
    phi, slope, log_loops, loop_slope, residual = _propagate(problem, lattice)
    plain = conclude(problem, lattice, phi, slope * phi).tables
    looped = phi * np.exp(log_loops)
    outcome = conclude(problem, lattice, looped, (slope + loop_slope) * looped)
    return replace(outcome, change=change(plain, outcome.tables), residual=residual)


def change(before: Tables, after: Tables) -> float:
    """The largest difference of a score in units of the stated error."""
    scores = [
        np.concatenate([t.posterior, t.disabled.sum(axis=1), t.sustained.sum(axis=1)])
        for t in (before, after)
    ]
    scale = np.maximum(np.abs(scores[1]), FLOOR)
    return float(np.max(np.abs(scores[0] - scores[1]) / scale, initial=0.0))


def _propagate(problem: Problem, lattice: Subsets) -> tuple[Wide, Wide, Wide, Wide, float]:
    """Φ(z), ∂log Φ/∂a_k, both again for the loops, and the last change of a message."""
    one = Real(1)
    risk, row = problem.edge_risk, problem.edge_row
    prior = problem.risk_prior.astype(Real)[:, None]
    fails = precise_fails(problem.edge_acts, problem.edge_fails)[:, None]
    acts = one - fails
    a = lattice.effective
    b = lattice.o - a
    message = np.repeat(prior[risk], a.shape[1], axis=1)  # P(risk on), as this row hears it
    residual = 1.0
    for _ in range(MOST_SWEEPS):
        silent = lattice.off[row] * _others(one - message * acts, row, len(a))
        low = a[row] + b[row] * silent
        told = _ratio(low - b[row] * silent * acts, low)  # f given the risk on : given it off
        heard = prior[risk] * _others(told, risk, len(prior))
        fresh = _ratio(heard, one - prior[risk] + heard)
        residual = float(np.max(np.abs(fresh - message) * acts, initial=0.0))
        message = fresh
        if residual < CONVERGED:
            break
    quiet = one - message * acts
    silent = lattice.off[row] * _others(quiet, row, len(a))
    low = a[row] + b[row] * silent
    told = _ratio(low - b[row] * silent * acts, low)
    stay_off = lattice.off * _product(quiet, row, len(a))
    factor = a + b * stay_off
    heard = prior * _product(told, risk, len(prior))
    whole = one - prior + heard
    overlap = (one - message + message * told).prod(axis=0)
    phi = _ratio(factor.prod(axis=0) * whole.prod(axis=0), overlap)
    slope = _ratio(one - stay_off, factor)

    belief = _ratio(heard, whole)
    spread = np.sqrt(belief * (one - belief))
    tilt = _ratio(_ratio(message * acts * (one - message), quiet), spread[risk])
    return phi, slope, *_loops(problem, lattice, tilt, factor, stay_off), residual


def _loops(
    problem: Problem, lattice: Subsets, tilt: Wide, factor: Wide, stay_off: Wide
) -> tuple[Wide, Wide]:
    """Σ over pairs of rows that share two risk factors of the product of their correlations.

    A row's factor is a mixture of two products with shares X and Y; it correlates risk factors i
    and j by X Y tilt_i tilt_j.
    """
    a = lattice.effective
    b = lattice.o - a
    mixing = _ratio(a * b * stay_off, factor * factor)
    mixing_slope = _ratio(
        stay_off * ((b - a) * factor - 2 * a * b * (Real(1) - stay_off)), factor**3
    )
    pairs = pairs_of(problem)
    both = tilt[pairs.first] * tilt[pairs.second]
    own = mixing[pairs.row] * both
    total = np.zeros((pairs.count, a.shape[1]), Real)
    np.add.at(total, pairs.pair, own)
    log_loops = (total**2).sum(axis=0) / 2 - (own**2).sum(axis=0) / 2
    slope = np.zeros_like(a)
    np.add.at(slope, pairs.row, both * (total[pairs.pair] - own))
    return log_loops, slope * mixing_slope


def _product(values: Wide, group: Ints, size: int) -> Wide:
    """[group, z] product of the values of each group."""
    product = np.ones((size, values.shape[1]), Real)
    np.multiply.at(product, group, values)
    return product


def _others(values: Wide, group: Ints, size: int) -> Wide:
    """[edge, z] product of the values of the other edges of the same group."""
    zero = values == 0
    safe = np.where(zero, Real(1), values)
    product = _product(safe, group, size)[group] / safe
    zeros = np.zeros((size, values.shape[1]), dtype=np.int64)
    np.add.at(zeros, group, zero)
    return np.where(zeros[group] - zero > 0, Real(0), product)


def _ratio(numerator: Wide, denominator: Wide) -> Wide:
    """The quotient, 0 where the denominator is 0 (an impossible branch)."""
    return np.divide(
        numerator, denominator, out=np.zeros_like(denominator + numerator), where=denominator != 0
    )
