"""The merged worlds as a product of small positive tables, long gates cut into chains."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np

from hickam.model.mechanism import Function, Gate, Table
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.twin.chain import chain
from hickam.twin.factors import Factor, Variable
from hickam.twin.product import Product, States, values_of, varying
from hickam.twin.shared import Shared
from hickam.twin.table_answers import joint_answers
from hickam.twin.worlds import Action, Const, Ground, Place, Twin


class Part(NamedTuple):
    """One node as factors, and the variables that they bring along; nobody may change it."""

    node: Node
    weight: Floats | None
    slots: tuple[int, ...]
    states: States
    sizes: dict[Variable, int]  # without what has one state only
    factors: list[Factor]


class Parts(NamedTuple):
    """Every node of the factual world as factors, with what they depend on."""

    ground: Ground
    weights: Mapping[str, Floats]
    of: Mapping[str, Part]


def factorise(
    twin: Twin,
    weights: Mapping[str, Floats] | None = None,
    demands: Sequence[tuple[int, str, int]] = (),
    skip: Iterable[str] = (),
    shared: Shared | None = None,
) -> Product:
    """The product of factors whose total is P(evidence and demands), soft evidence included.

    `weights` [state] multiplies a node's factual value; `demands` are (world, node, state) that
    must hold; the mechanisms of the nodes in `skip` are left out. Parts that are the same in an
    earlier twin are taken from what is `shared` with it, and those that are the same in the factual
    world without being looked at.
    """
    shared = shared or Shared()
    weights = {} if weights is None else weights
    ground = twin.ground
    factual: Parts | None = None
    if len(twin.actions) > 1:
        key = (Parts, id(ground), id(weights))
        factual = shared.get(key, lambda: _factual(ground, weights, shared))
    required = {(node, world): state for world, node, state in demands}
    apart = {*skip, *(node for _, node, _ in demands)}
    changed: set[str] = set()
    product = Product(twin)
    for name, place in twin.places.items():
        known = None if factual is None else factual.of[name]
        if (
            known is not None
            and name not in apart
            and place is ground.places[name]
            and bool(known.slots) == ((name, 0) in twin.needed)
            and changed.isdisjoint(place.node.parents)
        ):
            part = known
        else:
            part = _part(product, place, weights.get(name), required, name in skip, shared)
            if part is not known:
                changed.add(name)
        product.slots[name] = part.slots
        product.states[name] = part.states
        product.sizes |= part.sizes
        product.factors += part.factors
    if twin.impossible or 0 in product.sizes.values():
        product.factors, product.sizes = [Factor((), np.zeros(()))], {}
        product.impossible = True
    return product


def _factual(ground: Ground, weights: Mapping[str, Floats], shared: Shared) -> Parts:
    """The factual world as factors, as far as the evidence needs it."""
    one = (Action(),)
    alone = Twin(ground.model, one, ground.places, ground.needed, ground.impossible, ground)
    product = Product(alone)
    parts: dict[str, Part] = {}
    for name, place in ground.places.items():
        part = parts[name] = _part(product, place, weights.get(name), {}, False, shared)
        product.slots[name], product.states[name] = part.slots, part.states
    return Parts(ground, weights, parts)


def _part(
    product: Product,
    place: Place,
    weight: Floats | None,
    required: Mapping[tuple[str, int], int],
    skipped: bool,
    shared: Shared,
) -> Part:
    """One node as factors, its parents being in the product already."""
    name = place.node.id
    slots = tuple([j for j in range(len(place.slots)) if (name, j) in product.twin.needed])
    product.slots[name] = slots
    fixed, contradicted = _fixed(place, slots, required)
    above = [parent for _, parent in varying(product, place)]
    key = (
        Part,
        id(place.node),
        id(weight),
        skipped,
        contradicted,
        place.factual,
        slots,
        tuple([place.slots[slot] for slot in slots]),
        tuple(fixed.items()),
        tuple([(product.slots[parent], tuple(product.states[parent])) for parent in above]),
    )

    def make() -> Part:
        states = _allowed(len(place.node.states), len(slots), fixed)
        alone = Product(product.twin, slots=product.slots, states={**product.states, name: states})
        if contradicted:
            alone.factors.append(Factor((), np.zeros(())))
        if slots:
            alone.sizes[name] = len(states)
            if not skipped:
                _mechanism(alone, place)
        if weight is not None:
            alone.factors.append(_scale(alone, place, weight))
        several = {v: size for v, size in alone.sizes.items() if size != 1}
        known = {parent for parent in above if len(product.states[parent]) == 1}
        single = known | (alone.sizes.keys() - several.keys())
        factors = [_slim(factor, single) for factor in alone.factors]
        return Part(place.node, weight, slots, alone.states[name], several, factors)

    return shared.get(key, make)


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


def _scale(product: Product, place: Place, weight: Floats) -> Factor:
    """Soft evidence on a node's factual value."""
    if isinstance(place.factual, Const):
        return Factor((), np.asarray(weight[place.factual.state]))
    name = place.node.id
    return Factor((name,), np.asarray(weight)[product.column(name, 0)])


def _slim(factor: Factor, single: Set[Variable]) -> Factor:
    """The factor without axes of length one: what is known needs no variable."""
    if single.isdisjoint(factor.scope):
        return factor
    kept = [
        (v, n) for v, n in zip(factor.scope, factor.table.shape, strict=True) if v not in single
    ]
    table = factor.table.reshape([n for _, n in kept])
    return Factor(tuple([v for v, _ in kept]), table, factor.sets)


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
    if isinstance(mechanism, Function):
        table = np.ones((*shape, len(own)))
        for slot, states in enumerate(rows):
            answer = np.broadcast_to(mechanism.evaluate(states, ()), shape)
            table *= answer[..., None] == own[:, slot]
    else:
        chosen = [np.broadcast_to(mechanism.row(states), shape) for states in rows]
        silenced = [place.slots[slot].silenced for slot in product.slots[name]]
        table = joint_answers(mechanism, chosen, own, silenced)
    product.factors.append(Factor((*parents, name), table, name))
