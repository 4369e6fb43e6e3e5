"""A twin as a product of factors: its variables and their states."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hickam.model.network import Ints
from hickam.twin.factors import Factor, Variable
from hickam.twin.worlds import Const, Place, Ref, Slot, Twin

States = list[tuple[int, ...]]


@dataclass(eq=False)
class Product:
    """A twin as factors: each node is one variable whose states are tuples over its slots."""

    twin: Twin
    factors: list[Factor] = field(default_factory=list)
    sizes: dict[Variable, int] = field(default_factory=dict)
    states: dict[str, States] = field(default_factory=dict)  # node → its allowed tuples
    slots: dict[str, tuple[int, ...]] = field(default_factory=dict)  # node → slots of the tuples
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
        return np.array([state[position] for state in self.states[node]], dtype=np.int64)


def varying(product: Product, place: Place) -> list[tuple[int, str]]:
    """(position, parent) of the parents that are a variable in some needed slot."""
    used = [place.slots[slot] for slot in product.slots[place.node.id]]
    return [
        (position, parent)
        for position, parent in enumerate(place.node.parents)
        if any(isinstance(signature.parents[position], Slot) for signature in used)
    ]


def values_of(product: Product, parent: str, ref: Ref) -> Ints:
    """[state of the parent's variable] the parent's value behind a reference."""
    if isinstance(ref, Const):
        return np.full(len(product.states[parent]), ref.state)
    position = product.slots[parent].index(ref.number)
    return np.array([state[position] for state in product.states[parent]], dtype=np.int64)
