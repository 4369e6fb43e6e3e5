"""Inclusion–exclusion over the subsets of the present findings, in extended precision.

For a set z of present findings let Φ(z) = P(no disease produces any finding of z, absent findings
and soft evidence), an expectation over risk factors of a product of one factor per disease:

    f_k(z) = a_k(z) (1 - Λ_k) + o_k Λ_k,    a_k(z) = weight_on_k * prod over s in z of λ_ks,

Λ_k being the chance that every cause of the disease fails. With σ(z) = prod over s in z of
(-λ_s) over the leaks, P(evidence) = Σ σ(z) Φ(z), and the slopes ∂Φ/∂a_k give every measure of
disease k [CD expected-disablement] [CD expected-sufficiency]. The terms cancel: the condition
number says how many digits that costs, and extended precision pays for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Tables, impossible
from hickam.model.network import Floats

USUAL = Limits().tolerance  # who asks for less than this has time
ROUNDING = 1e-6  # error worth allowing the sum, where nobody asked for less, or more
Real = np.longdouble  # at least float64; 64 bits of mantissa on x86
EPSILON = float(np.finfo(Real).eps)
Wide = npt.NDArray[Any]  # of Real


class Doubts(NamedTuple):
    """The largest effects of what loop corrections leave out."""

    score: float = 0.0  # relative to max(|score|, 1e-3)
    unexplained: float = 0.0
    log_evidence: float = 0.0
    correction: float = 0.0  # of the corrections themselves, on a score
    unfounded: float = 0.0  # on a row, beyond what its own corrections lead to expect
    entangled: float = 0.0  # strongest link of the weaker of two rows that share two risk factors
    near_rare: float = 0.0  # the same where a rare risk factor acts on one of the two


NO_DOUBTS = Doubts()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """An engine's tables and what it knows about their digits.

    Errors are relative to max(|score|, 1e-3), over all three measures.
    """

    tables: Tables
    condition: float  # of the alternating sum for P(evidence)
    rounding: float  # error that remains from rounding
    residual: float = 0.0  # how far messages were from a fixed point
    doubts: Doubts = NO_DOUBTS


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """The lattice of one problem; z runs over all subsets of the present findings."""

    inside: npt.NDArray[np.bool_]  # [present, z]  whether the finding is in z
    sign: Wide  # [z]  σ(z), with certain leaks counted as -1
    a: Wide  # [row, z]  with links that never fail left out
    o: Wide  # [row, 1]
    never_fails: npt.NDArray[np.bool_]  # [row, z]  whether z holds a finding with λ = 0
    off: Wide  # [row, 1]  Λ with the coupling risk factors off
    log_scale: float  # what was divided out of the weights

    @property
    def effective(self) -> Wide:
        """[row, z] a_k(z) with every link."""
        return np.where(self.never_fails, Real(0), self.a)


def rounding_goal(limits: Limits) -> float:
    """The rounding error worth asking for."""
    return min(ROUNDING * max(1.0, limits.tolerance / USUAL), 1e-2 * limits.tolerance)


def precise_fails(acts: Floats, fails: Floats) -> Wide:
    """λ in extended precision, from whichever of the two numbers holds more digits."""
    return np.where(acts < 0.5, Real(1) - acts.astype(Real), fails.astype(Real))


def subsets(problem: Problem) -> Subsets:
    """The lattice of a problem, each row scaled by a power of two to be near one."""
    count = len(problem.leak)
    inside = ((np.arange(1 << count) >> np.arange(count)[:, None]) & 1).astype(bool)
    fails = precise_fails(problem.acts, problem.fails)
    off = precise_fails(problem.on, problem.off)
    mean_off = problem.off.copy()
    np.multiply.at(
        mean_off,
        problem.edge_row,
        1.0 - problem.risk_prior[problem.edge_risk] * problem.edge_acts,
    )
    typical = problem.weight_on * (1.0 - mean_off) + problem.weight_off * mean_off
    exponent = np.frexp(np.where(typical > 0.0, typical, 1.0))[1]
    sign = np.ones(1 << count, Real)
    a = np.repeat(np.ldexp(problem.weight_on, -exponent).astype(Real)[:, None], 1 << count, axis=1)
    never_fails = np.zeros(a.shape, dtype=bool)
    leak_fails = precise_fails(problem.leak, problem.leak_fails)
    for s in range(count):
        sign[inside[s]] *= -leak_fails[s] if leak_fails[s] > 0 else -1
        dead = fails[:, s] == 0
        a[:, inside[s]] *= np.where(dead, Real(1), fails[:, s])[:, None]
        never_fails[np.ix_(dead, inside[s])] = True
    return Subsets(
        inside=inside,
        sign=sign,
        a=a,
        o=np.ldexp(problem.weight_off, -exponent).astype(Real)[:, None],
        never_fails=never_fails,
        off=off[:, None],
        log_scale=float(np.log(2.0) * exponent.sum()),
    )


def conclude(problem: Problem, lattice: Subsets, phi: Wide, slope: Wide) -> Outcome:
    """The tables that follow from Φ(z) and the slopes [row, z] ∂Φ/∂a_k."""
    certain = problem.leak_fails == 0.0
    sure = lattice.inside[certain].sum(axis=0)  # [z]  certain leaks among z
    weight = np.where(sure == 0, lattice.sign, Real(0))
    terms = weight * phi
    evidence = terms.sum()
    condition = float(np.abs(terms).sum() / abs(evidence)) if evidence != 0 else np.inf
    if not evidence > 0:
        return Outcome(impossible(problem), condition, np.inf)
    bare = weight * slope * lattice.a  # with links that never fail left out
    full = np.where(lattice.never_fails, Real(0), bare)
    on = full.sum(axis=1)
    size = np.abs(full).sum(axis=1) / evidence
    posterior = (on / evidence).astype(float)
    fails = precise_fails(problem.acts, problem.fails)
    disabled, sustained = np.zeros(problem.acts.shape), np.zeros(problem.acts.shape)
    unexplained = np.zeros(len(problem.leak))
    for s, inside in enumerate(lattice.inside):
        off_here = -full[:, inside].sum(axis=1)
        sustained[:, s] = problem.acts[:, s] * ((on + off_here) / evidence).astype(float)
        dead = fails[:, s] == 0
        ratio = problem.acts[:, s] / np.where(dead, Real(1), fails[:, s])
        disabled[:, s] = (ratio * off_here / evidence).astype(float)
        for k in np.flatnonzero(dead):
            others = (problem.fails[k] == 0.0) & (np.arange(len(certain)) != s)
            free = inside & ~lattice.inside[others].any(axis=0)
            disabled[k, s] = float(-bare[k, free].sum() / evidence)
        lone = inside & (sure == (1 if certain[s] else 0))
        share = -(lattice.sign * phi)[lone].sum() / evidence
        divisor = 1.0 if certain[s] else problem.leak_fails[s]
        unexplained[s] = problem.leak[s] / divisor * float(share)
    scale = np.maximum(posterior, 1e-3)
    steps = len(problem.rows) + len(problem.risks) + len(problem.edge_row)
    units = 1000.0 + 40.0 * np.sqrt(steps)  # they add up like steps in any direction
    rounding = units * EPSILON * max(condition, float((size / scale).max(initial=0.0)))
    log_evidence = float(np.log(evidence)) + lattice.log_scale
    tables = Tables(log_evidence, posterior, disabled, sustained, unexplained)
    return Outcome(tables, condition, rounding)


def from_kernel(answer: tuple[Any, ...]) -> Outcome:
    """What a compiled kernel returned."""
    tables, condition, rounding, residual, doubts = answer
    return Outcome(Tables(*tables), condition, rounding, residual, Doubts(*doubts))
