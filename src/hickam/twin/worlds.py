"""Several worlds on shared noise, merged wherever nothing sets them apart. [CD twin-network]

World 0 is the factual one; each further world is the factual one after an `Action`. A node has one
*slot* for every distinct way in which the worlds compute it: two worlds in which a node has the
same parents and the same noise share the slot, which is the node merging of the paper's appendix.
An observed or intervened value is a constant for the node's children, and constants propagate
through mechanisms that they decide. With one action do(D = 0) the result is the twin diagnostic
network [E], with all causes but one off it is [F].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from hickam.model.mechanism import Function, Gate, Table
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.shared import Shared


@dataclass(frozen=True, slots=True)
class Action:
    """What is done in a counterfactual world."""

    do: Mapping[str, int] = field(default_factory=dict)  # node → state it is set to
    held: frozenset[str] = frozenset()  # nodes that keep their factual state
    silenced: frozenset[str] = frozenset()  # nodes whose leak or waivers are switched off


@dataclass(frozen=True, slots=True)
class Const:
    """A state that is known in advance."""

    state: int


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the ways in which a node is computed."""

    number: int


Ref = Const | Slot


class Signature(NamedTuple):
    """Where a slot's value comes from: its parents' references, and whether it is silenced."""

    parents: tuple[Ref, ...]
    silenced: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A node in all worlds: which slot each world uses, and how each slot is computed."""

    node: Node
    slots: tuple[Signature, ...]
    value: tuple[Ref, ...]  # [world] the node's own value
    seen: tuple[Ref, ...]  # [world] what its children see: a constant where it was observed
    observed: int | None  # the factual state, if observed; it belongs to slot `factual`
    factual: Ref


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The factual world: what every twin of the same evidence has in common."""

    model: SCM
    places: Mapping[str, Place]  # topological order; every world is the factual one
    needed: frozenset[tuple[str, int]]  # (node, slot) that the evidence needs
    impossible: bool  # the evidence contradicts a certainty


@dataclass(frozen=True, slots=True)
class Twin:
    """The merged worlds, pruned to what evidence and targets need.

    Places that no target of another world needs are those of the factual world.
    """

    model: SCM
    actions: tuple[Action, ...]  # [world]; the first does nothing
    places: Mapping[str, Place]  # topological order
    needed: frozenset[tuple[str, int]]  # (node, slot)
    impossible: bool  # the evidence contradicts a certainty
    ground: Ground


def build_twin(
    model: SCM,
    actions: Sequence[Action],
    observed: Mapping[str, int],
    targets: Sequence[tuple[int, str]],
    *,
    weighted: Sequence[str] = (),
    merge: bool = True,
    whole: bool = False,
    shared: Shared | None = None,
) -> Twin:
    """The worlds after the actions, world 0 without any, merged and pruned.

    `targets` are (world, node) pairs whose values matter, `weighted` are nodes with soft evidence
    on their factual value. Without `merge` every world keeps its own copy of every node; `whole`
    places also what no target needs, in every world. Places that are the same in an earlier twin
    are taken from what is `shared` with it.
    """
    shared = shared or Shared()
    worlds = (Action(), *actions)
    asked = tuple(dict.fromkeys(node for _, node in targets if node not in observed))
    evidence = (tuple(observed.items()), tuple(weighted))
    ground: Ground = shared.get(
        (Ground, id(model), evidence, asked, len(worlds)),
        lambda: _ground(model, observed, weighted, asked, len(worlds)),
    )
    places = dict(ground.places)
    moved = _moved(ground, actions) if merge else set(places)
    wanted = [node for world, node in targets if world]
    demanded = _demanded(places, moved, actions, wanted) if merge and not whole else moved
    for name in ground.places if demanded else ():
        if name not in demanded:
            continue
        node = model.nodes[name]
        above = tuple([places[parent].seen for parent in node.parents])
        acted = tuple(map(_on(name), worlds))
        key = (Place, id(node), above, acted, observed.get(name), merge)
        places[name] = shared.get(key, partial(_place, node, worlds, observed, places, merge))
    needed = _needed(places, ground.needed, [(n, places[n].value[world]) for world, n in targets])
    return Twin(model, worlds, places, needed, ground.impossible, ground)


def _ground(
    model: SCM,
    observed: Mapping[str, int],
    weighted: Sequence[str],
    asked: Sequence[str],
    count: int,
) -> Ground:
    """The factual world of some evidence, as often as there are worlds."""
    worlds = (Action(),) * count
    relevant = ancestry(model, [*observed, *weighted, *asked])
    places: dict[str, Place] = {}
    impossible = False
    for node in model:
        if node.id not in relevant:
            continue
        place = _place(node, worlds, observed, places, True)
        places[node.id] = place
        if place.observed is not None and isinstance(place.factual, Const):
            impossible |= place.factual.state != place.observed
    seen = [(node, places[node].factual) for node in (*observed, *weighted)]
    return Ground(model, places, _needed(places, frozenset(), seen), impossible)


def _moved(ground: Ground, actions: Sequence[Action]) -> set[str]:
    """The nodes that an action names, and everything below them."""
    named = {name for a in actions for name in (*a.do, *a.held, *a.silenced)}
    found: set[str] = set()
    for name, place in ground.places.items():
        if name in named or not found.isdisjoint(place.node.parents):
            found.add(name)
    return found


def _demanded(
    places: Mapping[str, Place],
    moved: set[str],
    actions: Sequence[Action],
    wanted: Sequence[str],
) -> set[str]:
    """The moved nodes on whose values outside the factual world the wanted ones depend."""
    found: set[str] = set()
    waiting = [node for node in wanted if node in moved]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if any(name not in action.do and name not in action.held for action in actions):
            waiting += [parent for parent in places[name].node.parents if parent in moved]
    return found


def _needed(
    places: Mapping[str, Place],
    known: frozenset[tuple[str, int]],
    asked: Sequence[tuple[str, Ref]],
) -> frozenset[tuple[str, int]]:
    """(node, slot) of everything asked for and above it, with what is known to be needed."""
    needed = set(known)
    waiting = list(asked)
    while waiting:
        name, ref = waiting.pop()
        if isinstance(ref, Const) or (name, ref.number) in needed:
            continue
        needed.add((name, ref.number))
        place = places[name]
        signature = place.slots[ref.number]
        waiting += list(zip(place.node.parents, signature.parents, strict=True))
    return frozenset(needed)


def ancestry(model: SCM, nodes: Iterable[str]) -> set[str]:
    """The nodes and everything above them: what lies elsewhere changes nothing."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += model.nodes[name].parents
    return found


def _on(node: str) -> Callable[[Action], tuple[int | None, bool, bool]]:
    """What an action does to one node."""

    def done(action: Action) -> tuple[int | None, bool, bool]:
        return action.do.get(node), node in action.held, node in action.silenced

    return done


def _place(
    node: Node,
    worlds: Sequence[Action],
    observed: Mapping[str, int],
    places: Mapping[str, Place],
    merge: bool,
) -> Place:
    """The slots of one node, its parents being placed already."""
    slots: list[Signature] = []
    value: list[Ref] = []
    for number, action in enumerate(worlds):
        if node.id in action.do:
            value.append(Const(action.do[node.id]))
            continue
        if node.id in action.held:
            value.append(value[0])
            continue
        parents = tuple(places[parent].seen[number] for parent in node.parents)
        signature = Signature(parents, node.id in action.silenced)
        decided = decide(node, signature)
        if decided is not None:
            value.append(Const(decided))
        elif merge and signature in slots:
            value.append(Slot(slots.index(signature)))
        else:
            slots.append(signature)
            value.append(Slot(len(slots) - 1))
    known = observed.get(node.id)
    factual = value[0]
    seen = tuple(
        Const(known) if known is not None and _same(ref, factual, number) else ref
        for number, ref in enumerate(value)
    )
    return Place(node, tuple(slots), tuple(value), seen, known, factual)


def _same(ref: Ref, factual: Ref, world: int) -> bool:
    """Whether a world's value of a node is its factual one."""
    return world == 0 or (isinstance(ref, Slot) and ref == factual)


def decide(node: Node, signature: Signature) -> int | None:
    """The state of a node if its constant parents settle it whatever the noise, else None."""
    mechanism = node.mechanism
    if isinstance(mechanism, Gate):
        return _decide_gate(mechanism, signature)
    if not all(isinstance(ref, Const) for ref in signature.parents):
        return None
    if signature.silenced and isinstance(mechanism, Table) and mechanism.gate is not None:
        return None
    states = [np.array(ref.state) for ref in signature.parents if isinstance(ref, Const)]
    if isinstance(mechanism, Function):
        return int(mechanism.evaluate(states, ()))
    assert isinstance(mechanism, Table)
    row = mechanism.flat[int(mechanism.row(states))]
    return int(row.argmax()) if row.max() == 1.0 else None


def _decide_gate(gate: Gate, signature: Signature) -> int | None:
    """The output of a gate that is certain to fire or certain not to."""
    wanted = int(gate.kind == "or")
    own_silenced = signature.silenced and wanted
    if gate.own.fails == 0.0 and not own_silenced:
        return wanted
    quiet = gate.own.acts == 0.0 or own_silenced
    needed = signature.silenced and not wanted
    for ref, link in zip(signature.parents, gate.links, strict=True):
        if isinstance(ref, Const) and ref.state != wanted:
            continue
        if isinstance(ref, Const) and (link.fails == 0.0 or needed):
            return wanted
        if link.acts > 0.0 or needed:
            quiet = False
    return 1 - wanted if quiet else None
