"""The least and the largest probability over every coupling of the bare tables involved."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hickam.model.mechanism import Table
from hickam.model.network import Floats
from hickam.twin.exact import Setting, check_size, log_chance
from hickam.twin.factorise import factorise, slot_rows
from hickam.twin.factors import joint, plan
from hickam.twin.product import Product
from hickam.twin.worlds import Action, Twin, build_twin

MOST_FUNCTIONS = 4096
MOST_CORNERS = 256

Demand = tuple[int, str, int]  # a node has a state in a world


def worlds_of(setting: Setting, actions: Sequence[Action], demands: Sequence[Demand]) -> Twin:
    """The merged worlds that the demands need."""
    targets = [(world, node) for world, node, _ in demands]
    weighted = tuple(setting.weights)
    return build_twin(setting.model, actions, setting.observed, targets, weighted=weighted)


def extremes(
    setting: Setting,
    actions: Sequence[Action],
    wanted: Sequence[Sequence[Demand]],
    names: tuple[str, ...],
    most_corners: int,
) -> tuple[float, float] | str:
    """(least, largest) sum of the probabilities of the wanted events over all couplings.

    One coupling serves all events, so the extremes of the sum lie within the sum of the extremes.
    The reason, as a sentence's end, if they cannot be computed.
    """
    log_evidence = log_chance(setting)
    if len(names) > 1:
        return _over_corners(setting, actions, wanted, names, log_evidence, most_corners)
    fixed, cells = 0.0, []
    for demands in wanted:
        if names[0] in worlds_of(setting, actions, demands).places:
            cells.append(_cells(setting, actions, demands, names[0], log_evidence))
        else:
            fixed += _chance(log_chance(setting, actions, demands), log_evidence)
    found = _over_couplings(cells)
    if isinstance(found, str):
        return found
    return max(fixed + found[0], 0.0), min(fixed + found[1], float(len(wanted)))


def _chance(log_value: float, log_evidence: float) -> float:
    """A conditional probability from logarithms."""
    return math.exp(log_value - log_evidence) if log_value > -math.inf else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The probability as a sum: weight times P(the table answers so in these rows)."""

    table: Table
    rows: np.ndarray[Any, Any]  # [cell, slot]
    answers: np.ndarray[Any, Any]  # [cell, slot]
    weight: Floats  # [cell]


def _cells(
    setting: Setting,
    actions: Sequence[Action],
    demands: Sequence[Demand],
    name: str,
    log_evidence: float,
) -> Cells:
    """The cells of the one open table: the rest of the worlds summed out around it."""
    twin = worlds_of(setting, actions, demands)
    product = factorise(twin, setting.weights, demands, skip={name})
    place = twin.places[name]
    table = place.node.mechanism
    assert isinstance(table, Table)
    parents, rows = slot_rows(product, place)
    family = [*parents, name]
    if product.impossible:
        nothing = np.zeros((0, 1), dtype=np.int64)
        return Cells(table, nothing, nothing, np.zeros(0))
    keep = [variable for variable in family if variable in product.sizes]
    scopes = [factor.scope for factor in product.factors]
    check_size(plan(scopes, product.sizes, keep), setting.memory)
    weight, log_scale = joint(product.factors, product.sizes, keep)
    shape = [len(product.states[node]) for node in family]
    weight = weight.reshape(shape) * math.exp(log_scale - log_evidence)
    own = np.array(product.states[name])  # [tuple, slot]
    count = len(own)
    flat_rows = np.stack([np.asarray(row).reshape(-1) for row in rows], axis=1)
    return Cells(
        table,
        np.repeat(flat_rows, count, axis=0),
        np.tile(own, (len(flat_rows), 1)),
        weight.reshape(-1),
    )


def _over_couplings(parts: Sequence[Cells]) -> tuple[float, float] | str:
    """The extremes over all couplings of one table, one group of coupled rows at a time."""
    if not parts:
        return 0.0, 0.0
    chance = parts[0].table.flat
    groups = _groups(parts)
    fixed, terms = 0.0, dict[int, list[tuple[dict[int, int], float]]]()
    every = (
        cell
        for cells in parts
        for cell in zip(cells.rows, cells.answers, cells.weight, strict=True)
    )
    for rows, answers, weight in every:
        if weight == 0.0:
            continue
        asked: dict[int, int] = {}
        for row, answer in zip(rows.tolist(), answers.tolist(), strict=True):
            if asked.setdefault(row, answer) != answer:
                break
        else:
            if len(asked) == 1:
                ((row, answer),) = asked.items()
                fixed += float(weight) * float(chance[row, answer])
            else:
                terms.setdefault(groups[next(iter(asked))], []).append((asked, float(weight)))
    low = high = fixed
    for number, part in terms.items():
        members = sorted(row for row, group in groups.items() if group == number)
        found = _program(chance, members, part)
        if isinstance(found, str):
            return found
        low, high = low + found[0], high + found[1]
    return low, high


def _groups(parts: Sequence[Cells]) -> dict[int, int]:
    """Row → number of its group: rows that are answered together in some cell of weight."""
    group: dict[int, int] = {}
    every = (pair for cells in parts for pair in zip(cells.rows, cells.weight, strict=True))
    for rows, weight in every:
        if weight == 0.0:
            continue
        joined = {group.get(row, row) for row in rows.tolist()} | set(rows.tolist())
        target = min(joined)
        for row in [*group, *rows.tolist()]:
            if group.get(row, row) in joined:
                group[row] = target
    return group


def _program(
    chance: Floats, members: list[int], terms: list[tuple[dict[int, int], float]]
) -> tuple[float, float] | str:
    """(least, largest) value of the terms over the couplings of a few rows."""
    states = chance.shape[1]
    if len(members) == 2 and states == 2:
        return _two_rows(chance, members, terms)
    if states ** len(members) > MOST_FUNCTIONS:
        return f"a table has {states ** len(members):.2g} couplings (at most {MOST_FUNCTIONS})"
    try:
        optimize: Any = importlib.import_module("scipy.optimize")
    except ImportError:
        return "scipy is missing; install the extra 'twin'"
    functions = list(itertools.product(range(states), repeat=len(members)))
    place = {row: position for position, row in enumerate(members)}
    value = np.zeros(len(functions))
    for number, function in enumerate(functions):
        for asked, weight in terms:
            if all(function[place[row]] == answer for row, answer in asked.items()):
                value[number] += weight
    equal = np.array(
        [
            [float(function[place[row]] == state) for function in functions]
            for row in members
            for state in range(states)
        ]
    )
    known = np.array([chance[row, state] for row in members for state in range(states)])
    ends = []
    for sign in (1.0, -1.0):
        solved = optimize.linprog(sign * value, A_eq=equal, b_eq=known, bounds=(0.0, None))
        if not solved.success:
            return "the linear program failed"
        ends.append(sign * float(solved.fun))
    return ends[0], ends[1]


def _two_rows(
    chance: Floats, members: list[int], terms: list[tuple[dict[int, int], float]]
) -> tuple[float, float]:
    """Two rows of two states: all is linear in t = P(on in both), within Fréchet's limits."""
    first, second = (float(chance[row, 1]) for row in members)
    ends = []
    for t in (max(0.0, first + second - 1.0), min(first, second)):
        both = {
            (1, 1): t,
            (1, 0): first - t,
            (0, 1): second - t,
            (0, 0): 1.0 - first - second + t,
        }
        ends.append(sum(w * both[asked[members[0]], asked[members[1]]] for asked, w in terms))
    return min(ends), max(ends)


def _over_corners(
    setting: Setting,
    actions: Sequence[Action],
    wanted: Sequence[Sequence[Demand]],
    names: tuple[str, ...],
    log_evidence: float,
    most_corners: int,
) -> tuple[float, float] | str:
    """Several open tables: a function linear in each free pair of rows is extreme at a corner."""
    grouped = "several tables are open, one of them in more than separate pairs of rows"
    met: dict[str, dict[tuple[int, int], tuple[float, float]]] = {name: {} for name in names}
    for demands in wanted:
        twin = worlds_of(setting, actions, demands)
        product = factorise(twin, setting.weights, demands)
        for name in names:
            if name in twin.places and len(product.slots.get(name, ())) > 1:
                pairs = _pairs(product, name)
                if pairs is None:
                    return grouped
                met[name] |= pairs
    free: list[tuple[str, int, int, tuple[float, float]]] = []
    settled: dict[str, dict[tuple[int, int], float]] = {name: {} for name in names}
    for name, known in met.items():
        members = [row for pair in known for row in pair]
        if len(members) > len(set(members)):
            return grouped
        for (a, b), ends in known.items():
            if ends[1] > ends[0]:
                free.append((name, a, b, ends))
            else:
                settled[name][a, b] = settled[name][b, a] = ends[0]
    if 2 ** len(free) > most_corners:
        return f"several tables have {2 ** len(free)} extreme couplings (at most {most_corners})"
    values = []
    for corner in itertools.product((0, 1), repeat=len(free)):
        both = {name: dict(pairs) for name, pairs in settled.items()}
        for (name, a, b, ends), side in zip(free, corner, strict=True):
            both[name][a, b] = both[name][b, a] = ends[side]
        logs = (_with_couplings(setting, actions, demands, both) for demands in wanted)
        values.append(sum(_chance(log_value, log_evidence) for log_value in logs))
    return min(values), max(values)


def _pairs(product: Product, name: str) -> dict[tuple[int, int], tuple[float, float]] | None:
    """Pair of rows → the limits of P(on in both); None if rows are coupled in larger groups."""
    place = product.twin.places[name]
    table = place.node.mechanism
    assert isinstance(table, Table)
    if len(product.slots[name]) != 2 or table.rows.shape[-1] != 2:
        return None
    _, rows = slot_rows(product, place)
    met = {
        (min(a, b), max(a, b))
        for a, b in zip(rows[0].reshape(-1).tolist(), rows[1].reshape(-1).tolist(), strict=True)
        if a != b
    }
    members = [row for pair in met for row in pair]
    if len(members) > len(set(members)):
        return None
    on = table.flat[:, 1]
    return {
        (a, b): (max(0.0, float(on[a] + on[b] - 1.0)), float(min(on[a], on[b])))
        for a, b in sorted(met)
    }


def _with_couplings(
    setting: Setting,
    actions: Sequence[Action],
    demands: Sequence[Demand],
    both: Mapping[str, Mapping[tuple[int, int], float]],
) -> float:
    """log P(evidence and demands) with P(on in both rows) given for each pair of some tables."""
    nodes = dict(setting.model.nodes)
    for name, pairs in both.items():
        table = nodes[name].mechanism
        assert isinstance(table, Table)
        nodes[name] = replace(nodes[name], mechanism=replace(table, pairs=pairs))
    model = replace(setting.model, nodes=nodes)
    return log_chance(replace(setting, model=model), actions, demands)
