"""One variable of a general model."""

from __future__ import annotations

from dataclasses import dataclass

from hickam.model.mechanism import Mechanism

ROLES = ("risk factor", "disease", "finding", "other")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One variable: its states, its role, and the mechanism that sets it from its parents.

    State 0 of a node with two states is "off", state 1 "on".
    """

    id: str
    role: str
    states: tuple[str, ...]
    mechanism: Mechanism

    @property
    def parents(self) -> tuple[str, ...]:
        """The direct causes, in the order of the mechanism."""
        return self.mechanism.parents

    @property
    def binary(self) -> bool:
        """Whether the node has exactly two states."""
        return len(self.states) == 2
