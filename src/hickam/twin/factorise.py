"""The merged worlds as a product of small positive tables, long gates cut into chains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hickam.model.mechanism import Function, Gate, Table
from hickam.model.network import Floats, Ints
from hickam.model.numbers import Chance
from hickam.twin.factors import Factor, Variable
from hickam.twin.worlds import Const, Place, Ref, Signature, Slot, Twin

States = list[tuple[int, ...]]


@dataclass(eq=False)
class Product:
    """A twin as factors: each node is one variable whose states are tuples over its slots."""

    twin: Twin
    factors: list[Factor] = field(default_factory=list)
    sizes: dict[Variable, int] = field(default_factory=dict)
    states: dict[str, States] = field(default_factory=dict)  # node → its allowed tuples
    slots: dict[str, tuple[int, ...]] = field(default_factory=dict)  # node → slots of the tuples
    cells: int = 0  # numbers in all tables
    impossible: bool = False  # the total is zero, and no variable is left

    def position(self, node: str, world: int) -> int | Const:
        """Which entry of the node's tuples holds its value in a world, or the constant it is."""
        ref = self.twin.places[node].value[world]
        return ref if isinstance(ref, Const) else self.slots[node].index(ref.number)

    def column(self, node: str, world: int) -> Ints:
        """[state of the node's variable] its value in a world."""
        position = self.position(node, world)
        if isinstance(position, Const):
            return np.full(len(self.states[node]), position.state)
        return np.array([state[position] for state in self.states[node]])


def factorise(
    twin: Twin,
    weights: Mapping[str, Floats] | None = None,
    demands: Sequence[tuple[int, str, int]] = (),
    skip: Iterable[str] = (),
) -> Product:
    """The product of factors whose total is P(evidence and demands), soft evidence included.

    `weights` [state] multiplies a node's factual value; `demands` are (world, node, state) that
    must hold; the mechanisms of the nodes in `skip` are left out.
    """
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
                _mechanism(product, place)
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


def _mechanism(product: Product, place: Place) -> None:
    """The factors of one node given its parents."""
    if isinstance(place.node.mechanism, Gate):
        _chain(product, place, place.node.mechanism)
    else:
        _tabulate(product, place, place.node.mechanism)


def _varying(product: Product, place: Place) -> list[tuple[int, str]]:
    """(position, parent) of the parents that are a variable in some needed slot."""
    used = [place.slots[slot] for slot in product.slots[place.node.id]]
    return [
        (position, parent)
        for position, parent in enumerate(place.node.parents)
        if any(isinstance(signature.parents[position], Slot) for signature in used)
    ]


def _values(product: Product, parent: str, ref: Ref) -> Ints:
    """[state of the parent's variable] the parent's value behind a reference."""
    if isinstance(ref, Const):
        return np.full(len(product.states[parent]), ref.state)
    position = product.slots[parent].index(ref.number)
    return np.array([state[position] for state in product.states[parent]])


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
    varying = _varying(product, place)
    parents = [parent for _, parent in varying]
    shape = tuple(len(product.states[parent]) for parent in parents)
    axis_of = {position: axis for axis, (position, _) in enumerate(varying)}
    found: list[list[Ints]] = []
    for signature in used:
        states: list[Ints] = []
        for position, ref in enumerate(signature.parents):
            if position in axis_of:
                values = _values(product, place.node.parents[position], ref)
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


def _chain(product: Product, place: Place, gate: Gate) -> None:
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
    varying = dict(_varying(product, place))
    for position, link in enumerate(gate.links):
        if position not in varying:
            mask = _mask(
                [ref.state == wanted for ref in _refs(used, position) if isinstance(ref, Const)]
            )
            certain = 0 if wanted else mask & silent
            start = _fire(start, mask, certain, link.acts, link.fails)
    steps = []
    for position, parent in varying.items():
        columns = [_values(product, parent, ref) == wanted for ref in _refs(used, position)]
        masks = [_mask([column[i] for column in columns]) for i in range(len(columns[0]))]
        steps.append((parent, gate.links[position], masks))
    _link_up(product, name, start, steps, final, 0 if wanted else silent)


def _refs(used: Sequence[Signature], position: int) -> list[Ref]:
    """The references of every slot to the parent at a position."""
    return [signature.parents[position] for signature in used]


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
        product.cells += table.size
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
