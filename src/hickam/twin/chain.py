"""Noisy gates cut into chains, one parent a step, so that many parents stay cheap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from hickam.model.mechanism import Gate
from hickam.model.numbers import Chance
from hickam.twin.factors import Factor, Variable
from hickam.twin.product import Product, varying
from hickam.twin.worlds import Const, Place, Ref, Signature, Slot


def chain(product: Product, place: Place, gate: Gate) -> None:
    """A gate as a chain: after each parent, which slots something has fired in.

    Every link has one noise for all slots, so each step of the chain holds one parent only, and
    the step's table sums over that noise. A bit of the state is one slot.
    """
    name = place.node.id
    slots = product.slots[name]
    used = [place.slots[slot] for slot in slots]
    wanted = int(gate.kind == "or")
    final = {
        sum(1 << bit for bit, value in enumerate(state) if value == wanted): index
        for index, state in enumerate(product.states[name])
    }
    silent = sum(1 << bit for bit, signature in enumerate(used) if signature.silenced)
    everywhere = (1 << len(slots)) - 1
    start = {0: 1.0}
    own_mask = everywhere & ~silent if wanted else everywhere
    start = _fire(start, own_mask, 0, gate.own.acts, gate.own.fails)
    moving = dict(varying(product, place))
    for position, link in enumerate(gate.links):
        if position not in moving:
            mask = _mask(
                [ref.state == wanted for ref in _refs(used, position) if isinstance(ref, Const)]
            )
            certain = 0 if wanted else mask & silent
            start = _fire(start, mask, certain, link.acts, link.fails)
    steps = []
    for position, parent in moving.items():
        masks = _masks(product, parent, _refs(used, position), wanted)
        steps.append((parent, gate.links[position], masks))
    _link_up(product, name, start, steps, final, 0 if wanted else silent)


def _refs(used: Sequence[Signature], position: int) -> list[Ref]:
    """The references of every slot to the parent at a position."""
    return [signature.parents[position] for signature in used]


def _masks(product: Product, parent: str, refs: Sequence[Ref], wanted: int) -> list[int]:
    """[state of the parent's variable] the slots that its link reaches."""
    always = _mask([isinstance(ref, Const) and ref.state == wanted for ref in refs])
    slots = product.slots[parent]
    moving = [
        (1 << bit, slots.index(ref.number)) for bit, ref in enumerate(refs) if isinstance(ref, Slot)
    ]
    return [
        always + sum([bit for bit, position in moving if state[position] == wanted])
        for state in product.states[parent]
    ]


def _mask(bits: Iterable[bool]) -> int:
    """The integer with these bits, the first one lowest."""
    return sum(1 << bit for bit, value in enumerate(bits) if value)


def _fire(
    weights: Mapping[int, float], mask: int, certain: int, acts: float, fails: float
) -> dict[int, float]:
    """Which slots have fired after one more cause that reaches the slots of the mask."""
    after: dict[int, float] = {}
    for state, weight in weights.items():
        for landed, chance in ((state | mask, acts), (state | certain, fails)):
            if weight * chance > 0.0:
                after[landed] = after.get(landed, 0.0) + weight * chance
    return after


def _link_up(
    product: Product,
    name: str,
    start: Mapping[int, float],
    steps: Sequence[tuple[str, Chance, Sequence[int]]],
    final: Mapping[int, int],
    certain: int,
) -> None:
    """The chain's factors, over states that can be reached and from which the end can be."""
    if not steps:
        final = _only_reached(product, name, final, set(start))
        table = np.zeros(len(final))
        for state, weight in start.items():
            if state in final:
                table[final[state]] += weight
        product.factors.append(Factor((name,), table, name))
        return
    reached: list[set[int]] = [set(start)]
    for _, link, masks in steps:
        landed = {s | m for s in reached[-1] for m in masks} if link.acts > 0.0 else set()
        kept = {s | (m & certain) for s in reached[-1] for m in masks}
        reached.append(landed | (kept if link.fails > 0.0 else set()))
    final = _only_reached(product, name, final, reached[-1])
    useful: list[set[int]] = [set(final)]
    for number in range(len(steps) - 1, 0, -1):
        useful.insert(0, {s for s in reached[number] if any(s & t == s for t in useful[0])})
    before: list[int] = []
    vector = dict(start)
    variable: Variable = None
    for number, (parent, link, masks) in enumerate(steps):
        last = number == len(steps) - 1
        after = list(final) if last else sorted(useful[number])
        where = final if last else {state: index for index, state in enumerate(after)}
        rows = [vector] if number == 0 else [{state: 1.0} for state in before]
        table = np.zeros((len(rows), len(masks), len(where)))
        for row, weights in enumerate(rows):
            for column, mask in enumerate(masks):
                fired = _fire(weights, mask, mask & certain, link.acts, link.fails)
                for state, weight in fired.items():
                    if state in where:
                        table[row, column, where[state]] += weight
        following: Variable = name if last else (name, number)
        if not last:
            product.sizes[following] = len(after)
        if number == 0:
            product.factors.append(Factor((parent, following), table[0], following))
        else:
            product.factors.append(Factor((variable, parent, following), table, following))
        before, variable = after, following


def _only_reached(
    product: Product, name: str, final: Mapping[int, int], reached: set[int]
) -> dict[int, int]:
    """The node's tuples without those that no noise can produce, renumbered."""
    order = [state for state in final if state in reached]
    product.states[name] = [product.states[name][final[state]] for state in order]
    product.sizes[name] = len(order)
    return {state: index for index, state in enumerate(order)}
