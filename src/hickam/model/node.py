"""One variable of a general model."""

from __future__ import annotations

from dataclasses import dataclass

from hickam.model.mechanism import Mechanism

ROLES = ("risk factor", "disease", "finding", "other")
PART = "part"  # the role of a node that only the mechanism of another one needs: never shown


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One variable: its states, its role, and the mechanism that sets it from its parents.

    `normal` is the state to which curing returns a disease and in which a finding is absent; None
    if no state is: an age has none. Of two states it is the first, "off"; the second is "on".
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
        """Whether the node is on or off."""
        return len(self.states) == 2 and self.normal == 0
