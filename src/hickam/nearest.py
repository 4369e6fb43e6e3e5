"""The nearest of many names to a misspelt one, in bounded time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

LONGEST = 100  # characters of a word that are compared
FEW = 50  # up to so many names are compared one by one
COMPARED = 16  # names that share most letters and pairs of letters are compared in full
ALPHABET = 64
CLOSE = 0.6  # as difflib measures: twice the shared characters over all characters
CLOSE_PART = 0.7  # for one word of a longer name


class Nearest:
    """Names, indexed when first asked, so that each question costs less than a millisecond.

    >>> Nearest(["fever", "chest pain"]).close("fevr")
    ['fever']
    """

    def __init__(self, choices: Iterable[str]) -> None:
        self.choices = list(choices)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        """Folded name → the name; the first of equal ones stays."""
        found: dict[str, str] = {}
        for choice in self.choices:
            found.setdefault(choice[:LONGEST].casefold(), choice)
        return found

    @cached_property
    def _names(self) -> _Index:
        """The index of whole names."""
        return _Index(list(self._folded))

    @cached_property
    def _parts(self) -> tuple[_Index, Mapping[str, str]]:
        """The index of the single words of names, and word → folded name."""
        parts: dict[str, str] = {}
        for folded in self._folded:
            for part in folded.replace("_", " ").split():
                parts.setdefault(part, folded)
        return _Index(list(parts)), parts

    def close(self, word: str, least: float = CLOSE) -> list[str]:
        """Up to three names that are near a word, or of which one word is; the nearest first."""
        wanted = word[:LONGEST].casefold()
        near = self._names.near(wanted, 3, least)
        if not near:
            index, holders = self._parts
            parts = index.near(wanted, 3, max(least, CLOSE_PART))
            near = list(dict.fromkeys(holders[part] for part in parts))
        return [self._folded[name] for name in near]

    def nearest(self, word: str) -> str:
        """The one nearest name, however far; empty if there is none."""
        near = self._names.near(word[:LONGEST].casefold(), 1, 0.0)
        return self._folded[near[0]] if near else ""


class _Index:
    """Folded words by their letters and pairs of letters."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    @cached_property
    def _tables(self) -> tuple[Any, Any, Mapping[str, Any]]:
        """([letter, word] counts, [word] lengths, pair of letters → words that have it)."""
        import numpy as np

        letters = np.zeros((ALPHABET, len(self.words)), dtype=np.uint8)
        pairs: dict[str, list[int]] = {}
        for position, word in enumerate(self.words):
            for letter in word:
                letters[ord(letter) % ALPHABET, position] += 1
            for pair in _pairs(word):
                pairs.setdefault(pair, []).append(position)
        lengths = np.array([len(word) for word in self.words], dtype=np.float64)
        listed = {pair: np.array(where, dtype=np.int64) for pair, where in pairs.items()}
        return letters, lengths, listed

    def near(self, word: str, most: int, cutoff: float) -> list[str]:
        """Up to `most` words at least so similar to one, the most similar first."""
        few = len(self.words) <= FEW
        import difflib

        return difflib.get_close_matches(
            word, self.words if few else self._likely(word), most, cutoff
        )

    def _likely(self, word: str) -> list[str]:
        """The words that share most letters and pairs of letters with one."""
        import numpy as np

        letters, lengths, pairs = self._tables
        own = Counter(ord(letter) % ALPHABET for letter in word)
        shared = np.zeros(len(lengths))
        for letter, count in own.items():
            shared += np.minimum(letters[letter], np.uint8(count))
        for pair in _pairs(word):
            if pair in pairs:
                shared[pairs[pair]] += 1.0
        score = shared / (lengths + len(word) + 1.0)
        best = np.argpartition(-score, COMPARED)[:COMPARED]
        return [self.words[i] for i in np.sort(best).tolist()]


def _pairs(word: str) -> set[str]:
    """The pairs of neighbouring letters, the ends included."""
    padded = f" {word} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}


def shortened(name: str) -> str:
    """A name that fits a message.

    >>> shortened("x" * 200)[-4:]
    'xxx…'
    """
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
