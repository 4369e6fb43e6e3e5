"""Exact with unobserved risk factors: eliminate risk factors and diseases one at a time.

With a deputy y_k in {0, 1} per row, f_k(z) = Σ_y of  y = 0: a_k(z);  y = 1: (o_k - a_k(z)) Λ_k
prod_j λ_jk ** r_j,  so the graph holds only pairs (r_j, y_k). Variables are summed out in an order
of little fill; every table carries all subsets z as its last axis. A backward pass gives the
slopes of all rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.subsets import (
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
from hickam.inference.kernels import compiled
from hickam.inference.problem import Problem, Solution
from hickam.issues import LostPrecision, TooHard, error

CELL_BYTES = 160.0  # of a cell in double-double, both directions, for one block of subsets


@dataclass(frozen=True, slots=True)
class Plan:
    """An elimination order; variables are risk factors, then rows."""

    order: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]  # of each message, in the order of elimination

    @property
    def cells(self) -> int:
        """Table cells per subset z."""
        return sum(2 << len(scope) for scope in self.scopes)


def plan_elimination(problem: Problem, most_cells: float = np.inf) -> Plan | None:
    """An order by minimum fill, or None once it is sure to need more cells than allowed."""
    risks = len(problem.risks)
    around: dict[int, set[int]] = {}
    for j, k in zip(problem.edge_risk.tolist(), problem.edge_row.tolist(), strict=True):
        around.setdefault(j, set()).add(risks + k)
        around.setdefault(risks + k, set()).add(j)
    fill = {v: _fill(v, around) for v in around}
    order, scopes, cells = [], [], 0
    while around:
        v = min(around, key=lambda x: (fill[x], len(around[x]), x))
        near = around.pop(v)
        cells += 2 << len(near)
        if cells > most_cells:
            return None
        order.append(v)
        scopes.append(near)
        for x in near:
            around[x].discard(v)
            around[x] |= near - {x}
        for x in near.union(*(around[y] for y in near)) if fill.pop(v) else near:
            fill[x] = _fill(x, around)
    position = {v: i for i, v in enumerate(order)}
    ordered = tuple(tuple(sorted(scope, key=position.__getitem__)) for scope in scopes)
    return Plan(tuple(order), ordered)


def _fill(v: int, around: dict[int, set[int]]) -> int:
    """Links that eliminating v would add."""
    near = around[v]
    return sum(len(near) - 1 - len(near & around[x]) for x in near) // 2


def by_elimination(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution, or a refusal that says how large its tables would be."""
    cells = limits.memory / CELL_BYTES
    outcome = eliminate(problem, cells, min(1e-10, limits.tolerance), deadline.seconds)
    if outcome is None:
        what = f"would need more than {limits.memory / 1e6:.3g} MB or the time that is left"
        raise TooHard([error("engine 'elimination'", what, "raise the limits or use 'auto'")])
    if not outcome.rounding < 1e-3:
        raise LostPrecision(f"a condition number of {outcome.condition:.0e}")
    accuracy = Accuracy("exact", max(outcome.rounding, 1e-14), outcome.condition)
    return Solution(outcome.tables, "elimination", accuracy)


def eliminate(
    problem: Problem, most_cells: float = np.inf, goal: float = 1e-10, seconds: float = 0.0
) -> Outcome | None:
    """The exact outcome, up to a rounding error of `goal` if possible.

    None when a subset would need more table cells than allowed or the seconds (0: any) end.
    """
    kernels = compiled()
    if kernels is not None:
        answer = kernels.eliminate(*kernel_arguments(problem), most_cells, goal, seconds)
        return None if answer is None else from_kernel(answer)
    plan = plan_elimination(problem, most_cells)
    return None if plan is None else eliminate_numpy(problem, plan)


def eliminate_numpy(problem: Problem, plan: Plan) -> Outcome:
    """The NumPy twin: reference of the kernel, and what runs without it."""
    lattice = subsets(problem)
    phi, slope = _sum_out(problem, lattice, plan)
    return conclude(problem, lattice, phi, slope)


def _sum_out(problem: Problem, lattice: Subsets, plan: Plan) -> tuple[Wide, Wide]:
    """Φ(z) and [row, z] ∂Φ/∂a_k."""
    risks = len(problem.risks)
    a = lattice.effective
    prior = problem.risk_prior.astype(Real)
    position = {v: i for i, v in enumerate(plan.order)}
    unary: list[Wide] = []
    for v in plan.order:
        if v < risks:
            unary.append(np.array([[1 - prior[v]], [prior[v]]]))
        else:
            k = v - risks
            unary.append(np.stack([a[k], (lattice.o[k] - a[k]) * lattice.off[k]]))
    kernels = _kernels(problem, plan, position)
    inbox: list[list[int]] = [[] for _ in plan.order]
    messages: list[Wide] = []
    for i, scope in enumerate(plan.scopes):
        table = _combine(plan, i, [unary[i], kernels[i]], inbox[i], messages)
        messages.append(table.sum(axis=0))
        if scope:
            inbox[position[scope[0]]].append(i)

    lone = np.setdiff1d(np.arange(len(a)), problem.edge_row)
    singles = a[lone] + (lattice.o[lone] - a[lone]) * lattice.off[lone]
    roots = [i for i, scope in enumerate(plan.scopes) if not scope]
    factors = np.concatenate(
        [np.array([messages[i] for i in roots]).reshape(-1, a.shape[1]), singles]
    )
    phi, others = factors.prod(axis=0), _leave_one_out(factors)
    slope = np.empty_like(a)
    slope[lone] = others[len(roots) :] * (1 - lattice.off[lone])
    adjoints: dict[int, Wide] = {i: others[n] for n, i in enumerate(roots)}
    for i in reversed(range(len(plan.order))):
        adjoint = adjoints.pop(i)[None]
        for m in inbox[i]:
            rest = [other for other in inbox[i] if other != m]
            table = adjoint * _combine(plan, i, [unary[i], kernels[i]], rest, messages)
            adjoints[m] = _project(table, (plan.order[i], *plan.scopes[i]), plan.scopes[m])
        v = plan.order[i]
        if v >= risks:
            table = adjoint * _combine(plan, i, [kernels[i]], inbox[i], messages)
            bar = table.sum(axis=tuple(range(1, table.ndim - 1)))
            slope[v - risks] = bar[0] - lattice.off[v - risks] * bar[1]
    return phi, slope


def _kernels(problem: Problem, plan: Plan, position: dict[int, int]) -> list[Wide]:
    """Per variable the product of its pair factors with later variables: [v, scope..., 1]."""
    kernels = [np.ones((2,) * (len(scope) + 1) + (1,), Real) for scope in plan.scopes]
    fails = precise_fails(problem.edge_acts, problem.edge_fails)
    for edge, (j, k) in enumerate(zip(problem.edge_risk, problem.edge_row, strict=True)):
        first, second = sorted((int(j), len(problem.risks) + int(k)), key=position.__getitem__)
        i = position[first]
        axis = plan.scopes[i].index(second)
        on = kernels[i][1].reshape(1 << axis, 2, -1)
        on[:, 1] *= fails[edge]
    return kernels


def _combine(
    plan: Plan, i: int, tables: list[Wide], inbox: Sequence[int], messages: list[Wide]
) -> Wide:
    """The product of a variable's own tables and messages: [v, scope..., z]."""
    axes = (plan.order[i], *plan.scopes[i])
    product: Wide = np.ones((1,) * (len(axes) + 1), Real)
    for table in tables:
        missing = len(axes) + 1 - table.ndim
        product = product * table.reshape(table.shape[0], *(1,) * missing, *table.shape[1:])
    for m in inbox:
        shape = [2 if v in plan.scopes[m] else 1 for v in axes]
        product = product * messages[m].reshape(*shape, -1)
    return np.broadcast_to(product, (2,) * len(axes) + product.shape[-1:])


def _project(table: Wide, axes: tuple[int, ...], scope: tuple[int, ...]) -> Wide:
    """The table summed down to the scope of one message."""
    gone = tuple(axis for axis, v in enumerate(axes) if v not in scope)
    return table.sum(axis=gone)


def _leave_one_out(factors: Wide) -> Wide:
    """[factor, z] the product of all other factors."""
    ones = np.ones((1, factors.shape[1]), Real)
    before = np.concatenate([ones, np.cumprod(factors[:-1], axis=0)])
    after = np.concatenate([np.cumprod(factors[:0:-1], axis=0)[::-1], ones])
    return before * after
