"""The known words that a mistyped one may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

SHORTEST = 4  # letters of a word that may be mistyped
LONG = 8  # letters from which two slips are allowed
MOST = 6


class Typos:
    """Known words, to be found again when mistyped.

    >>> Typos(["fever", "cough"]).near("feaver")
    ['fever']
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = words

    @cached_property
    def _by_start(self) -> Mapping[tuple[str, int], list[str]]:
        """First letter and length → words."""
        found: dict[tuple[str, int], list[str]] = {}
        for word in sorted(set(self._words)):
            if word:
                found.setdefault((word[0], len(word)), []).append(word)
        return found

    def near(self, word: str) -> list[str]:
        """The words a slip or two away, the nearest first; none of a short word or a number."""
        if len(word) < SHORTEST or not word.isalpha():
            return []
        slips = 2 if len(word) >= LONG else 1
        found = []
        for start in dict.fromkeys(word[:2]):
            for size in range(len(word) - slips, len(word) + slips + 1):
                for known in self._by_start.get((start, size), ()):
                    away = distance(word, known, slips)
                    if away <= slips and len(known) > slips + 1:
                        found.append((away, start != word[0], known))
        # a first letter left out: any word whose second letter this begins with
        if len(word) >= SHORTEST + 1:
            for (_, size), listed in self._by_start.items():
                if size == len(word) + 1:
                    found += [(1, True, known) for known in listed if known[1:] == word]
        return [known for *_, known in sorted(set(found))[:MOST]]


def distance(one: str, other: str, most: int) -> int:
    """Letters to add, drop, change or swap with a neighbour; `most` + 1 if they are more.

    >>> distance("pnuemonia", "pneumonia", 2)
    1
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, letter_of_other in enumerate(other, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != letter_of_other))
            swapped = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == letter_of_other
            row.append(min(cost, before[j - 2] + 1) if swapped else cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
