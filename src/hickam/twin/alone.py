"""How likely each disease is all there is: one elimination for all of them, a row for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hickam.model.network import Floats
from hickam.twin.actions import healthy
from hickam.twin.exact import Setting, check_size, prepare
from hickam.twin.factors import Factor, Plan, Variable, multiply, plan
from hickam.twin.product import Product

ROW = object()  # the axis of the cases that are computed side by side


class Only(NamedTuple):
    """One disease in one of its abnormal states, and no other."""

    disease: int
    states: dict[str, int]  # of every disease


def log_only(setting: Setting) -> Floats:
    """[disease] log P(evidence, only this disease), observed risk factors included."""
    model = setting.model
    well = healthy(model)
    found = np.full(len(well), -math.inf)
    product = prepare(setting, (), [(0, disease) for disease in well]).product
    values = {disease: product.column(disease, 0).tolist() for disease in well}
    rows = [
        Only(number, {**well, disease: state})
        for number, disease in enumerate(well)
        for state in model.nodes[disease].abnormal
    ]
    possible = [row for row in rows if all(row.states[d] in values[d] for d in well)]
    if product.impossible or not possible:
        return found
    sizes = {variable: size for variable, size in product.sizes.items() if variable not in well}
    order = plan([[v for v in factor.scope if v not in well] for factor in product.factors], sizes)
    check_size(order, setting.memory)
    block = max(1, setting.memory // max(1, 2 * order.bytes))
    for start in range(0, len(possible), block):
        some = possible[start : start + block]
        places = {d: np.array([values[d].index(row.states[d]) for row in some]) for d in well}
        logs = _log_totals(_picked(product, places), {**sizes, ROW: len(some)}, order)
        for row, log in zip(some, logs, strict=True):
            found[row.disease] = np.logaddexp(found[row.disease], log)
    return found


def single_fault(setting: Setting) -> Floats:
    """[disease] P(D = 1 | evidence, exactly one disease); all 0 if that is impossible."""
    logs = log_only(setting)
    peak = logs.max(initial=-math.inf)
    if peak == -math.inf:
        return np.zeros(len(logs))
    weight = np.exp(logs - peak)
    return weight / weight.sum()


def _picked(product: Product, places: Mapping[str, np.ndarray]) -> list[Factor]:
    """The factors with every disease in the state that it has in each row."""
    found = []
    for factor in product.factors:
        known = [axis for axis, variable in enumerate(factor.scope) if variable in places]
        if known:
            table = np.moveaxis(factor.table, known, range(len(known)))
            table = table[tuple(places[str(factor.scope[axis])] for axis in known)]
            rest = [v for axis, v in enumerate(factor.scope) if axis not in known]
            found.append(Factor((ROW, *rest), table))
        else:
            found.append(factor)
    return found


def _log_totals(factors: Sequence[Factor], sizes: Mapping[Variable, int], order: Plan) -> Floats:
    """[row] log of the total; each row is scaled by itself, so that none makes another vanish."""
    place = {variable: step for step, variable in enumerate(order.order)}
    buckets: list[list[Factor]] = [[] for _ in order.order]
    logs = np.zeros(sizes[ROW])

    def put(factor: Factor) -> None:
        steps = [place[variable] for variable in factor.scope if variable is not ROW]
        if steps:
            buckets[min(steps)].append(factor)
        else:
            logs[:] += np.log(factor.table)

    with np.errstate(divide="ignore"):
        for factor in factors:
            put(factor)
        for step, (own, *around) in enumerate(order.cliques):
            table = multiply(buckets[step], (own, ROW, *around), sizes).sum(axis=0)
            peak = table.max(axis=tuple(range(1, table.ndim)), keepdims=True)
            logs += np.log(peak.reshape(-1))
            put(Factor((ROW, *around), table / np.where(peak > 0.0, peak, 1.0)))
    return logs
