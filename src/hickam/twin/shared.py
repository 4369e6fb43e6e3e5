"""Pieces of twins that others are made of too: most nodes are the same in most twins of a case."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

MOST = 50_000  # pieces that are kept at a time


class Shared:
    """Pieces by everything they depend on; made when they are first asked for.

    >>> shared = Shared()
    >>> shared.get("a", lambda: [1]) is shared.get("a", lambda: [2])
    True
    """

    def __init__(self) -> None:
        self._pieces: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The piece of this key, which nobody may change."""
        found = self._pieces.get(key)
        if found is None:
            if len(self._pieces) >= MOST:
                self._pieces.clear()
            found = self._pieces[key] = make()
        return found
