"""Exact by inclusion–exclusion over the present findings, for thousands of diseases.

P(evidence) = sum over subsets z of (-1)^|z| leak_fails(z) prod_k f_k(z), where f_k depends only on
the few findings that disease k can cause: the cost hardly depends on the number of diseases. The
sum cancels. Its condition number says how many digits are lost, and numbers made of one, two or
four doubles are tried until enough are left; otherwise `LostPrecision`.
"""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.inference.problem import Problem, Solution, Tables, impossible
from hickam.inference.settled.components import weights
from hickam.issues import LostPrecision
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints

# Rounding of numbers made of so many doubles; the NumPy twin has 80-bit numbers at best.
ROUNDING = {1: 2.0**-53, 2: 2.0**-104, 4: 2.0**-205}
TWIN_ROUNDING = {1: 2.0**-53, 2: float(np.finfo(np.longdouble).eps)}
# Stated error over (rounding × condition number).
MARGIN = 30.0


def lattice(problem: Problem, parts: int = 2, deadline: Deadline = NEVER) -> Solution:
    """The exact solution of one connected part.

    Every leak must be able to fail. `parts` is the number of doubles in a number: 1, 2 or 4.
    TimeoutError after the deadline, `LostPrecision` when no digit is left.
    """
    kernels = compiled()
    if kernels is None:
        tables, condition = _lattice(problem, np.float64 if parts == 1 else np.longdouble)
        rounding = TWIN_ROUNDING[min(parts, 2)]
    else:
        found = kernels.lattice(
            *weights(problem),
            problem.acts,
            problem.fails,
            problem.leak,
            problem.leak_fails,
            parts,
            deadline.seconds,
        )
        if found is None:
            raise TimeoutError("the lattice did not finish before the deadline")
        tables, condition = Tables(*found[0]), found[1]
        rounding = ROUNDING[parts]
    error = max(MARGIN * rounding * condition, 1e-13)
    if not error < 0.1:
        raise LostPrecision(f"inclusion-exclusion lost its digits (condition {condition:.0e})")
    return Solution(tables, "lattice", Accuracy("exact", error, condition))


def _lattice(problem: Problem, kind: type) -> tuple[Tables, float]:
    """The NumPy twin of the compiled kernel, and the condition number."""
    stay_off, turn_on = weights(problem)
    mass = stay_off + turn_on
    if not mass.all():  # a disease that can be neither on nor off
        return impossible(problem), 1.0
    small_on = turn_on < stay_off
    on = np.where(small_on, turn_on.astype(kind) / mass, 1 - stay_off.astype(kind) / mass)
    off = np.where(small_on, 1 - turn_on.astype(kind) / mass, stay_off.astype(kind) / mass)
    fails = np.where(problem.acts < 0.5, 1 - problem.acts.astype(kind), problem.fails)
    leak_fails = np.where(problem.leak < 0.5, 1 - problem.leak.astype(kind), problem.leak_fails)
    table: Floats = np.ones(1 << len(problem.leak), dtype=kind)
    places = []  # per row: its findings, where their subsets are in the lattice, survival of each
    for k in range(len(problem.rows)):
        children = np.flatnonzero(problem.acts[k] > 0.0)
        at = _subsets(1 << children)
        survive = _products(fails[k, children])
        factor = off[k] + on[k] * survive
        if not factor.min() > 0.0:
            raise LostPrecision("a factor of the inclusion-exclusion is zero")
        places.append((children, at, survive))
        table[at] *= _butterfly(factor, np.divide)
    for s, stays_off in enumerate(leak_fails):
        table[1 << s] *= stays_off
    _butterfly(table, np.multiply)
    index = np.arange(len(table))
    odd = np.zeros(len(table), dtype=bool)
    for bit in range(len(problem.leak)):
        odd ^= (index >> bit & 1).astype(bool)
    magnitude = table.sum()
    table[odd] *= -1
    _butterfly(table, np.add, down=True)
    total = table[0]
    if not total > 0.0:
        raise LostPrecision("the inclusion-exclusion cancelled to nothing")
    posterior = np.zeros(len(problem.rows))
    disabled, sustained = np.zeros_like(problem.acts), np.zeros_like(problem.acts)
    for k, (children, at, survive) in enumerate(places):
        rest = _butterfly(table[at], np.subtract, down=True) / (off[k] + on[k] * survive)
        joint = (rest * survive).sum()
        posterior[k] = on[k] * joint / total
        for i, s in enumerate(children.tolist()):
            pair = rest.reshape(-1, 2, 1 << i)[:, 1]
            with_link = -(pair * survive.reshape(-1, 2, 1 << i)[:, 1]).sum()
            without = -(pair * survive.reshape(-1, 2, 1 << i)[:, 0]).sum()
            sustained[k, s] = problem.acts[k, s] * (on[k] * (joint + with_link) / total)
            disabled[k, s] = problem.acts[k, s] * (on[k] * without / total)
    singles = table[1 << np.arange(len(problem.leak))]
    unexplained = np.asarray(-problem.leak / leak_fails * singles / total, dtype=np.float64)
    log_evidence = float(np.log(total)) + float(np.log(mass).sum())
    tables = Tables(log_evidence, posterior, disabled, sustained, unexplained)
    return tables, float(magnitude / total)


def _subsets(bits: Ints) -> Ints:
    """[y] the sum of the bits in each subset y."""
    sums = np.zeros(1, dtype=np.int64)
    for bit in bits:
        sums = np.concatenate([sums, sums + bit])
    return sums


def _products(values: Floats) -> Floats:
    """[y] the product over each subset y."""
    products = np.ones(1, dtype=values.dtype)
    for value in values:
        products = np.concatenate([products, products * value])
    return products


def _butterfly(table: Floats, step: np.ufunc, down: bool = False) -> Floats:
    """The table with `step` applied along every bit: subsets upwards, or supersets downwards."""
    half = 1
    while half < len(table):
        pair = table.reshape(-1, 2, half)
        if down:
            pair[:, 0] = step(pair[:, 0], pair[:, 1])
        else:
            pair[:, 1] = step(pair[:, 1], pair[:, 0])
        half *= 2
    return table
