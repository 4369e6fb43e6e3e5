"""The merged worlds as a product of small positive tables, long gates cut into chains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hickam.model.mechanism import Function, Gate, Table
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.twin.chain import chain
from hickam.twin.factors import Factor, Variable
from hickam.twin.product import Product, States, values_of, varying
from hickam.twin.shared import Shared
from hickam.twin.worlds import Const, Place, Twin


def factorise(
    twin: Twin,
    weights: Mapping[str, Floats] | None = None,
    demands: Sequence[tuple[int, str, int]] = (),
    skip: Iterable[str] = (),
    shared: Shared | None = None,
) -> Product:
    """The product of factors whose total is P(evidence and demands), soft evidence included.

    `weights` [state] multiplies a node's factual value; `demands` are (world, node, state) that
    must hold; the mechanisms of the nodes in `skip` are left out. Those that are the same in an
    earlier twin are taken from what is `shared` with it.
    """
    shared = shared or Shared()
    product = Product(twin)
    weights = weights or {}
    required = {(node, world): state for world, node, state in demands}
    for name, place in twin.places.items():
        slots = tuple(j for j in range(len(place.slots)) if (name, j) in twin.needed)
        product.slots[name] = slots
        fixed, contradicted = _fixed(place, slots, required)
        if contradicted:
            product.factors.append(Factor((), np.zeros(())))
        product.states[name] = _allowed(len(place.node.states), len(slots), fixed)
        if slots:
            product.sizes[name] = len(product.states[name])
            if name not in skip:
                _add(product, place, shared)
        _scale(product, place, weights.get(name))
    if twin.impossible or 0 in product.sizes.values():
        product.factors, product.sizes = [Factor((), np.zeros(()))], {}
        product.impossible = True
    _drop_single(product)
    return product


def _fixed(
    place: Place, slots: tuple[int, ...], required: Mapping[tuple[str, int], int]
) -> tuple[dict[int, int], bool]:
    """({position of a slot: its known state}, whether the demands contradict each other)."""
    fixed: dict[int, int] = {}
    contradicted = False
    known = [(ref, required.get((place.node.id, w))) for w, ref in enumerate(place.value)]
    known.append((place.factual, place.observed))
    for ref, state in known:
        if state is None:
            continue
        if isinstance(ref, Const):
            contradicted |= ref.state != state
        else:
            contradicted |= fixed.setdefault(slots.index(ref.number), state) != state
    return fixed, contradicted


def _allowed(states: int, count: int, fixed: Mapping[int, int]) -> States:
    """Every tuple of states over the slots that agrees with what is known."""
    choices = [(fixed[slot],) if slot in fixed else tuple(range(states)) for slot in range(count)]
    return list(itertools.product(*choices))


def _scale(product: Product, place: Place, weight: Floats | None) -> None:
    """Soft evidence on a node's factual value."""
    if weight is None:
        return
    name = place.node.id
    values = product.column(name, 0)
    if isinstance(place.factual, Const):
        product.factors.append(Factor((), np.asarray(weight[place.factual.state])))
    else:
        product.factors.append(Factor((name,), np.asarray(weight)[values]))


def _add(product: Product, place: Place, shared: Shared) -> None:
    """Take the factors of one node into a product."""
    name = place.node.id
    above = [parent for _, parent in varying(product, place)]
    key = (
        Factor,
        id(place.node),
        tuple([place.slots[slot] for slot in product.slots[name]]),
        tuple(product.states[name]),
        tuple([(product.slots[parent], tuple(product.states[parent])) for parent in above]),
    )
    piece: Piece = shared.get(key, lambda: _piece(product, place))
    product.factors += piece.factors
    product.sizes |= piece.sizes
    product.states[name] = piece.states
    product.cells += piece.cells


class Piece(NamedTuple):
    """The factors of one node, and the variables that they bring along."""

    node: Node
    factors: list[Factor]
    sizes: dict[Variable, int]
    states: States
    cells: int


def _piece(product: Product, place: Place) -> Piece:
    """The factors of one node given what the product holds of its parents."""
    name = place.node.id
    own: dict[Variable, int] = {name: product.sizes[name]}
    alone = replace(product, factors=[], sizes=own, states=dict(product.states), cells=0)
    _mechanism(alone, place)
    return Piece(place.node, alone.factors, alone.sizes, alone.states[name], alone.cells)


def _mechanism(product: Product, place: Place) -> None:
    """The factors of one node given its parents."""
    if isinstance(place.node.mechanism, Gate):
        chain(product, place, place.node.mechanism)
    else:
        _tabulate(product, place, place.node.mechanism)


def slot_rows(product: Product, place: Place) -> tuple[list[str], list[Ints]]:
    """(varying parents, [slot] the table row of each combination of their variables' states)."""
    states, parents, shape = _slot_states(product, place)
    table = place.node.mechanism
    assert isinstance(table, Table)
    return parents, [np.broadcast_to(table.row(of_slot), shape) for of_slot in states]


def _slot_states(
    product: Product, place: Place
) -> tuple[list[list[Ints]], list[str], tuple[int, ...]]:
    """([slot][parent] states over all combinations, varying parents, shape of the combinations)."""
    used = [place.slots[slot] for slot in product.slots[place.node.id]]
    moving = varying(product, place)
    parents = [parent for _, parent in moving]
    shape = tuple(len(product.states[parent]) for parent in parents)
    axis_of = {position: axis for axis, (position, _) in enumerate(moving)}
    found: list[list[Ints]] = []
    for signature in used:
        states: list[Ints] = []
        for position, ref in enumerate(signature.parents):
            if position in axis_of:
                values = values_of(product, place.node.parents[position], ref)
                form = [1] * len(shape)
                form[axis_of[position]] = len(values)
                states.append(np.broadcast_to(values.reshape(form), shape))
            else:
                assert isinstance(ref, Const)
                states.append(np.broadcast_to(np.array(ref.state), shape))
        found.append(states)
    return found, parents, shape


def _tabulate(product: Product, place: Place, mechanism: Function | Table) -> None:
    """One factor over a node and its varying parents: shared noise, one answer per slot."""
    name = place.node.id
    rows, parents, shape = _slot_states(product, place)
    own = np.array(product.states[name])  # [tuple, slot]
    product.cells += math.prod(shape) * len(own)
    if isinstance(mechanism, Function):
        table = np.ones((*shape, len(own)))
        for slot, states in enumerate(rows):
            answer = np.broadcast_to(mechanism.evaluate(states, ()), shape)
            table *= answer[..., None] == own[:, slot]
    else:
        chosen = [np.broadcast_to(mechanism.row(states), shape) for states in rows]
        table = joint_answers(mechanism, chosen, own)
    product.factors.append(Factor((*parents, name), table, name))


def joint_answers(table: Table, rows: Sequence[Ints], own: Ints) -> Floats:
    """[..., tuple] P(the table answers own[tuple, slot] in rows[slot], for all slots at once)."""
    if table.pairs is not None and len(rows) == 2:
        return _paired_answers(table, rows, own)
    if table.coupling == "independent":
        chance = np.ones((*np.shape(rows[0]), len(own)))
        for slot, row in enumerate(rows):
            fresh = np.ones_like(chance, dtype=bool)
            for earlier in range(slot):
                same = np.asarray(rows[earlier] == row)[..., None]
                chance = np.where(same & (own[:, earlier] != own[:, slot]), 0.0, chance)
                fresh &= ~same
            chance *= np.where(fresh, table.flat[np.asarray(row)[..., None], own[:, slot]], 1.0)
        return chance
    upper = table.from_last
    lower = np.concatenate([upper[:, 1:], np.zeros((len(upper), 1))], axis=1)
    high = np.full((*np.shape(rows[0]), len(own)), np.inf)
    low = np.zeros_like(high)
    for slot, row in enumerate(rows):
        picked = np.asarray(row)[..., None]
        high = np.minimum(high, upper[picked, own[:, slot]])
        low = np.maximum(low, lower[picked, own[:, slot]])
    return np.maximum(high - low, 0.0)


def _paired_answers(table: Table, rows: Sequence[Ints], own: Ints) -> Floats:
    """The joint answers of two slots of a two-state table whose pairs of rows are given."""
    assert table.pairs is not None
    on = table.flat[:, 1]
    both = np.diag(on)
    for (first, second), chance in table.pairs.items():
        both[first, second] = chance
    a, b = rows
    t, p, q = both[a, b], on[a], on[b]
    joint = np.stack([1.0 - p - q + t, q - t, p - t, t], axis=-1)
    return np.maximum(joint[..., 2 * own[:, 0] + own[:, 1]], 0.0)


def _drop_single(product: Product) -> None:
    """Remove axes of length one: what is known needs no variable."""
    single = {variable for variable, size in product.sizes.items() if size == 1}
    if not single:
        return
    slim = []
    for factor in product.factors:
        scope = tuple(variable for variable in factor.scope if variable not in single)
        shape = [product.sizes[variable] for variable in scope]
        slim.append(Factor(scope, factor.table.reshape(shape), factor.sets))
    product.factors = slim
    product.sizes = {v: size for v, size in product.sizes.items() if v not in single}
