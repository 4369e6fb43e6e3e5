"""What of a model nobody stated: the roles and normal states that were guessed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hickam.words import counted

SHOWN = 8  # nodes that a sentence names


@dataclass(frozen=True, slots=True)
class Guessed:
    """The nodes whose role, and those whose normal state, is a guess."""

    roles: tuple[str, ...] = ()
    normal: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.roles or self.normal)

    def without(self, roles: Collection[str], normal: Collection[str]) -> Guessed:
        """What is still a guess once these are stated."""
        return Guessed(
            tuple(name for name in self.roles if name not in roles),
            tuple(name for name in self.normal if name not in normal),
        )

    def __str__(self) -> str:
        """A phrase for a person.

        >>> str(Guessed(("flu", "age"), ("flu",)))
        'guessed roles (2 nodes) and guessed normal states (flu)'
        """
        named = ", ".join(self.normal[:SHOWN]) + (" …" if len(self.normal) > SHOWN else "")
        parts = [f"guessed roles ({counted(len(self.roles), 'node')})"] * bool(self.roles)
        parts += [f"guessed normal states ({named})"] * bool(self.normal)
        return " and ".join(parts)


NOTHING = Guessed()
