"""One variable of a general model."""

from __future__ import annotations

from dataclasses import dataclass

from hickam.model.mechanism import Mechanism

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
