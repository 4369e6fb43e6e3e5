"""Spellings that no two things share."""

from __future__ import annotations


class Distinct:
    """Gives each thing a spelling of its own: the one wanted, or that with a number behind.

    >>> own = Distinct()
    >>> [own.take("a"), own.take("a_2"), own.take("a"), own.take("a")]
    ['a', 'a_2', 'a_3', 'a_4']
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}  # spelling → the first number not tried behind it

    def __contains__(self, spelling: str) -> bool:
        return spelling in self._taken

    def take(self, wanted: str) -> str:
        """A spelling that nothing had yet."""
        chosen, number = wanted, self._numbers.get(wanted, 2)
        while chosen in self._taken:
            chosen, number = f"{wanted}_{number}", number + 1
        self._numbers[wanted] = number
        self._taken.add(chosen)
        return chosen
