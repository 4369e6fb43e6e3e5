"""A name as it is compared."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word without differences of letter case, spacing, hyphens and underscores.

    >>> fold("Chest_Pain ") == fold("chest pain")
    True
    """
    return " ".join(word.replace("_", " ").replace("-", " ").casefold().split())
