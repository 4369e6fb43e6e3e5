"""One variable of a general model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hickam.model.mechanism import Mechanism, Table

ROLES = ("risk factor", "disease", "finding", "other")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One variable: its states, its role, and the mechanism that sets it from its parents.

    State 0 of a node with two states is "off", state 1 "on". `normal` is the state to which curing
    returns a disease and in which a finding is absent; None if no state is: an age has none.
    """

    id: str
    role: str
    states: tuple[str, ...]
    mechanism: Mechanism
    normal: int | None = 0

    @property
    def parents(self) -> tuple[str, ...]:
        """The direct causes, in the order of the mechanism."""
        return self.mechanism.parents

    @property
    def off(self) -> int:
        """The normal state of a node that must have one."""
        assert self.normal is not None
        return self.normal

    @property
    def abnormal(self) -> tuple[int, ...]:
        """Every state but the normal one."""
        return tuple(state for state in range(len(self.states)) if state != self.normal)

    @property
    def binary(self) -> bool:
        """Whether the node has exactly two states."""
        return len(self.states) == 2


def with_normal_states(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """The nodes, parents first, with a normal state for every disease and finding.

    Where nothing says which it is, it is the likeliest one with every cause normal; causes that
    have no normal state are averaged over theirs.
    """
    found: dict[str, Node] = {}
    for name, node in nodes.items():
        needed = node.role in ("disease", "finding") and node.normal is None
        found[name] = replace(node, normal=_usual(node, found)) if needed else node
    return found


def _usual(node: Node, above: Mapping[str, Node]) -> int:
    """The likeliest state of a node with a table, with every cause normal."""
    assert isinstance(node.mechanism, Table)
    rows = node.mechanism.rows
    for parent in reversed(node.parents):
        axis = rows.ndim - 2
        normal = above[parent].normal
        rows = rows.mean(axis=axis) if normal is None else np.take(rows, normal, axis=axis)
    return int(rows.argmax())
