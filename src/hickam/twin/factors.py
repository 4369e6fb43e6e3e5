"""Products of small tables, summed one variable at a time: plan, then execute."""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hickam.model.network import Floats

Variable = Hashable

WORTH_A_SECOND_TRY = 100_000  # cells above which the slower rule may save more than it costs


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A table over some variables, one axis each."""

    scope: tuple[Variable, ...]
    table: Floats
    sets: Variable = None  # the variable whose mechanism this is, if it is one's


@dataclass(frozen=True, slots=True)
class Plan:
    """The order in which variables are summed out, and what that will cost."""

    order: tuple[Variable, ...]
    cliques: tuple[tuple[Variable, ...], ...]  # the scope of each step, its variable first
    cells: int  # numbers held in all cliques together
    widest: int  # numbers in the largest clique

    @property
    def bytes(self) -> int:
        """The predicted memory of all cliques at once, one table each."""
        return 8 * self.cells


def plan(
    scopes: Iterable[Sequence[Variable]],
    sizes: Mapping[Variable, int],
    keep: Sequence[Variable] = (),
) -> Plan:
    """The cheapest elimination order of two greedy rules: smallest clique, fewest fill-ins."""
    edges = [tuple(scope) for scope in scopes]
    tried = [_greedy(edges, sizes, keep, by_fill=False)]
    if tried[0].cells > WORTH_A_SECOND_TRY:
        tried.append(_greedy(edges, sizes, keep, by_fill=True))
    return min(tried, key=lambda found: found.cells)


def _greedy(
    scopes: Sequence[tuple[Variable, ...]],
    sizes: Mapping[Variable, int],
    keep: Sequence[Variable],
    *,
    by_fill: bool,
) -> Plan:
    """An elimination order that takes the variable of least cost at each step."""
    near: dict[Variable, set[Variable]] = {variable: set() for variable in sizes}
    for scope in scopes:
        for variable in scope:
            near[variable].update(scope)
    for variable, around in near.items():
        around.discard(variable)
    if keep:
        for variable in keep:
            near[variable].update(other for other in keep if other != variable)

    # the numbers in the clique of each variable, kept up to date
    spaces = {v: sizes[v] * math.prod([sizes[u] for u in around]) for v, around in near.items()}

    def cost(variable: Variable) -> tuple[int, int]:
        if not by_fill:
            return spaces[variable], 0
        around = near[variable]
        fill = sum(len(around - near[other]) - 1 for other in around)
        return fill, spaces[variable]

    left = {variable: cost(variable) for variable in sizes if variable not in set(keep)}
    number = {variable: place for place, variable in enumerate(sizes)}
    waiting = [(price, number[variable], variable) for variable, price in left.items()]
    heapq.heapify(waiting)
    order, cliques, cells, widest = [], [], 0, 1
    while left:
        price, _, best = heapq.heappop(waiting)
        if left.get(best) != price:
            continue  # it has another price by now, or is gone
        around = near.pop(best)
        space = spaces[best]
        cells, widest = cells + space, max(widest, space)
        order.append(best)
        cliques.append((best, *around))
        del left[best]
        for variable in around:
            own = near[variable]
            own.discard(best)
            fresh = around - own
            fresh.discard(variable)
            spaces[variable] //= sizes[best]
            if fresh:
                spaces[variable] *= math.prod([sizes[other] for other in fresh])
                own |= fresh
        touched = set(around)
        if by_fill:
            touched.update(other for variable in around for other in near[variable])
        for variable in touched:
            if variable in left:
                price = cost(variable)
                if price != left[variable]:
                    left[variable] = price
                    heapq.heappush(waiting, (price, number[variable], variable))
    kept = math.prod(sizes[variable] for variable in keep) if keep else 0
    return Plan(tuple(order), tuple(cliques), cells + kept, max(widest, kept))


def spread(factor: Factor, clique: Sequence[Variable]) -> Floats:
    """The factor's table with its axes in the order of the clique, ready to broadcast."""
    table, scope = factor.table, factor.scope
    if scope == tuple(clique):
        return table
    position = {variable: axis for axis, variable in enumerate(scope)}
    axes = [position.get(variable, -1) for variable in clique]
    shape = [1 if axis < 0 else table.shape[axis] for axis in axes]
    return table.transpose([axis for axis in axes if axis >= 0]).reshape(shape)


def multiply(
    factors: Sequence[Factor], clique: Sequence[Variable], sizes: Mapping[Variable, int]
) -> Floats:
    """The product of the factors over the clique: to be read only, it may be the table of one."""
    shape = tuple([sizes[variable] for variable in clique])
    product = np.ones(())
    for number, factor in enumerate(factors):
        table = spread(factor, clique)
        product = product * table if number else table
    return product if product.shape == shape else np.broadcast_to(product, shape)


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """The outcome of elimination: log of the total, and the belief of each variable asked for."""

    log_total: float  # -inf if the total is zero
    beliefs: Mapping[Variable, Floats]  # variable → normalised marginal


def calibrate(
    factors: Sequence[Factor],
    sizes: Mapping[Variable, int],
    wanted: Sequence[Variable],
    given: Plan | None = None,
) -> Calibrated:
    """The total of the product of the factors and the marginals of the wanted variables.

    One pass up a tree of buckets, one pass down the branches that lead to wanted variables; every
    message is scaled by its largest entry, so that small evidence does not underflow.
    """
    chosen = given or plan([factor.scope for factor in factors], sizes)
    place = {variable: step for step, variable in enumerate(chosen.order)}
    buckets: list[list[Factor]] = [[] for _ in chosen.order]
    log_total = 0.0
    for factor in factors:
        if factor.scope:
            buckets[min(place[variable] for variable in factor.scope)].append(factor)
        else:
            log_total += _log(float(factor.table))
    up: list[Factor] = []
    parent: list[int] = []
    for step, clique in enumerate(chosen.cliques):
        product = multiply(buckets[step], clique, sizes)
        table = product.sum(axis=0)
        peak = float(table.max())
        log_total += _log(peak)
        if log_total == -math.inf:
            return Calibrated(-math.inf, {})
        message = Factor(clique[1:], table / peak)
        up.append(message)
        if clique[1:]:
            target = min(place[variable] for variable in clique[1:])
            buckets[target].append(message)
            parent.append(target)
        else:
            parent.append(-1)
    beliefs = _descend(chosen, buckets, up, parent, place, sizes, wanted)
    return Calibrated(log_total, beliefs)


def _descend(
    chosen: Plan,
    buckets: list[list[Factor]],
    up: list[Factor],
    parent: list[int],
    place: Mapping[Variable, int],
    sizes: Mapping[Variable, int],
    wanted: Sequence[Variable],
) -> dict[Variable, Floats]:
    """The marginals of the wanted variables, by messages down the tree."""
    needed: set[int] = set()
    for variable in wanted:
        step = place[variable]
        while step != -1 and step not in needed:
            needed.add(step)
            step = parent[step]
    down: dict[int, Factor] = {}
    beliefs: dict[Variable, Floats] = {}
    for step in sorted(needed, reverse=True):
        clique = chosen.cliques[step]
        above = parent[step]
        if above == -1:
            outside = Factor((), np.ones(()))
        else:
            others = [factor for factor in buckets[above] if factor is not up[step]]
            product = multiply([*others, down[above]], chosen.cliques[above], sizes)
            scope = up[step].scope
            axes = tuple(
                axis for axis, variable in enumerate(chosen.cliques[above]) if variable not in scope
            )
            table = product.sum(axis=axes)
            left = tuple(variable for variable in chosen.cliques[above] if variable in scope)
            outside = Factor(left, table / max(float(table.max()), 1e-300))
        down[step] = outside
        variable = chosen.order[step]
        if variable in wanted:
            product = multiply([*buckets[step], outside], clique, sizes)
            belief = product.sum(axis=tuple(range(1, product.ndim)))
            beliefs[variable] = belief / belief.sum()
    return beliefs


def joint(
    factors: Sequence[Factor], sizes: Mapping[Variable, int], keep: Sequence[Variable]
) -> tuple[Floats, float]:
    """(table over the kept variables, log of its scale) after summing out all others."""
    chosen = plan([factor.scope for factor in factors], sizes, keep)
    place = {variable: step for step, variable in enumerate(chosen.order)}
    buckets: list[list[Factor]] = [[] for _ in chosen.order]
    last: list[Factor] = []
    log_scale = 0.0

    def put(factor: Factor) -> None:
        steps = [place[variable] for variable in factor.scope if variable in place]
        (buckets[min(steps)] if steps else last).append(factor)

    for factor in factors:
        put(factor)
    for step, clique in enumerate(chosen.cliques):
        table = multiply(buckets[step], clique, sizes).sum(axis=0)
        peak = float(table.max())
        if peak <= 0.0:
            return np.zeros([sizes[variable] for variable in keep]), 0.0
        log_scale += math.log(peak)
        put(Factor(clique[1:], table / peak))
    return multiply(last, keep, sizes), log_scale


def _log(value: float) -> float:
    """log, with log 0 = -inf."""
    return math.log(value) if value > 0.0 else -math.inf
