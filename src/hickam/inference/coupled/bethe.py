"""Unobserved risk factors by message passing on every subset, with loop corrections.

For each z the coupling is a network of non-negative factors f_k(r), one per disease, over the
unobserved risk factors r. Belief propagation solves it exactly when risk factors and diseases form
a tree and, because a noisy-OR factor is a mixture of two products, in closed form per edge. What a
tree ignores are loops; those through two and three diseases are added in closed form. How far the
answer can be trusted is not known here: see `checked`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.inference.coupled.difference import by_row
from hickam.inference.coupled.loops import Settlement, correct_loops, entanglement, ratio
from hickam.inference.coupled.subsets import (
    EPSILON,
    Doubts,
    Outcome,
    Real,
    Subsets,
    Wide,
    conclude,
    from_kernel,
    precise_fails,
    subsets,
)
from hickam.inference.problem import Problem, kernel_arguments
from hickam.kernels import compiled
from hickam.model.network import Ints

MOST_SWEEPS = 60
CONVERGED = 8 * EPSILON
# Share of a row's own corrections that what they leave out is expected to be at most.
FOUNDED = 0.2


def bethe(problem: Problem, goal: float = 1e-8, seconds: float = 0.0) -> Outcome | None:
    """The outcome with a rounding error of `goal` if possible; None when the seconds end."""
    kernels = compiled()
    if kernels is None:
        return bethe_numpy(problem)
    answer = kernels.bethe(*kernel_arguments(problem), goal, seconds)
    return None if answer is None else from_kernel(answer)


def bethe_numpy(problem: Problem) -> Outcome:
    """The NumPy twin: reference of the kernel, and what runs without it."""
    lattice = subsets(problem)
    phi, settlement, residual = _propagate(problem, lattice)
    slope = ratio(1 - settlement.stay_off, settlement.factor)
    loops, left_out = correct_loops(problem, settlement)
    looped = phi * np.exp(loops.log_phi)
    slopes = (slope + loops.slope) * looped
    outcome = conclude(problem, lattice, looped, slopes)
    less = phi * (slope * left_out.log_phi + left_out.slope)
    doubted = conclude(problem, lattice, looped - phi * left_out.log_phi, slopes - less)
    one, other = doubted.tables, outcome.tables
    bare = conclude(problem, lattice, phi, slope * phi).tables
    doubt, correction = by_row(one, other), by_row(bare, other)
    doubts = Doubts(
        float(doubt.max(initial=0.0)),
        float(np.abs(one.unexplained - other.unexplained).max(initial=0.0)),
        abs(one.log_evidence - other.log_evidence),
        float(correction.max(initial=0.0)),
        float((doubt - FOUNDED * correction).max(initial=0.0)),
        *entanglement(problem),
    )
    return replace(outcome, residual=residual, doubts=doubts)


def _propagate(problem: Problem, lattice: Subsets) -> tuple[Wide, Settlement, float]:
    """Φ(z) without loops, the messages behind it, and the last change of one.

    Rows that no evidence reaches have a constant factor: they listen, and answer nothing.
    """
    one = Real(1)
    risk, row = problem.edge_risk, problem.edge_row
    prior = problem.risk_prior.astype(Real)[:, None]
    fails = precise_fails(problem.edge_acts, problem.edge_fails)[:, None]
    acts = one - fails
    a = lattice.effective
    b = lattice.o - a
    message = np.repeat(prior[risk], a.shape[1], axis=1)  # P(risk on), as this row hears it
    for _ in range(MOST_SWEEPS):
        silent = b[row] * lattice.off[row] * _others(one - message * acts, row, len(a))
        told = ratio(a[row] + silent * fails, a[row] + silent)  # f given the risk on : off
        heard = prior[risk] * _others(told, risk, len(prior))
        fresh = ratio(heard, one - prior[risk] + heard)
        residual = float(np.max(np.abs(fresh - message) * acts, initial=0.0))
        message = fresh
        if residual < CONVERGED:
            break
    quiet = one - message * acts
    others = lattice.off[row] * _others(quiet, row, len(a))
    silent = b[row] * others
    told = ratio(a[row] + silent * fails, a[row] + silent)
    stay_off = lattice.off * _product(quiet, row, len(a))
    factor = a + b * stay_off
    heard = prior * _product(told, risk, len(prior))
    whole = one - prior + heard
    overlap = (one - message + message * told).prod(axis=0)
    phi = ratio(factor.prod(axis=0) * whole.prod(axis=0), overlap)
    belief = ratio(heard, whole)
    at = Settlement(a, b, lattice.o, message, others, quiet, stay_off, factor, belief)
    return phi, at, residual


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
