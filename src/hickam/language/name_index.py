"""The names of one layer by their words, their stems and their meaning."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from hickam.language.fold import fold
from hickam.language.wording import Wording, spelled, stem, words_of

NAME, SYNONYM, ID = range(3)  # ranks of the names of an entry
PARTED = re.compile("[&+/]")
NOTHING: frozenset[str] = frozenset()
ENOUGH = 0.5  # of a text's words, by weight, that a name must share to be offered
ENOUGH_OF_NAME = 0.4  # of the name's own words
FEWEST_OF_PHRASE = 2  # words that a text and a phrase for a name must share
MOST_SHARED = 40  # names that share words with a text and are weighed up


class NameIndex:
    """Names by their stems, their meaning, and the words in them."""

    def __init__(self, names: Sequence[tuple[int, int, str]], wording: Wording) -> None:
        self._wording = wording
        self.by_stems: dict[frozenset[str], list[int]] = {}
        self.by_meaning: dict[frozenset[str], list[int]] = {}  # where it is not that of the stems
        self.holders: dict[str, list[int]] = {}  # word → names
        self.meanings: dict[str, list[int]] = {}  # stem, family or set of phrases → names
        self.sizes: list[int] = []
        self.said: list[frozenset[str]] = []
        fillers, stems_of, meaning_of = wording.fillers, wording.stems, wording.meaning
        by_stems, holders, meanings = self.by_stems, self.holders, self.meanings
        name = ""
        for number, (_, rank, spelling) in enumerate(names):
            if rank == ID and fold(spelling) == fold(name):  # most ids are the name once more
                self.sizes.append(0)
                self.said.append(NOTHING)
                continue
            name = spelling if rank == NAME else name
            words = words_of(spelling)
            stems = stems_of(words)
            key = frozenset(stems)
            by_stems.setdefault(key, []).append(number)
            if "/" in spelling or "&" in spelling:  # L4/5 is asked for in parts as well
                parted = frozenset(stems_of([w for word in words for w in PARTED.split(word)]))
                if parted != key:
                    by_stems.setdefault(parted, []).append(number)
            for word in words:
                if word not in fillers:
                    holders.setdefault(word, []).append(number)
            if rank == ID:
                self.sizes.append(len(words))
                self.said.append(NOTHING)
                continue
            meant = meaning_of(stems)
            meaning = key if meant is stems else frozenset(meant)
            if meaning is not key:
                self.by_meaning.setdefault(meaning, []).append(number)
            self.sizes.append(len(words))
            self.said.append(meaning)
            for part in meaning:
                meanings.setdefault(part, []).append(number)

    @cached_property
    def _starts(self) -> list[tuple[str, str]]:
        """(a spelling of a word, the word) in the order of the alphabet."""
        words = self.holders
        other = ((spelled(word), word) for word in words)
        return sorted([*((w, w) for w in words), *(pair for pair in other if pair[0] != pair[1])])

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self.holders:
            found.setdefault(stem(word), []).append(word)
        return found

    def knows(self, word: str) -> bool:
        """Whether a word is in some name, in any form, or in the word list."""
        return stem(word) in self._by_stem or self._wording.knows(word)

    def all_with(self, words: Sequence[str], names: Callable[[str], set[int]]) -> set[int]:
        """The names that every word is in, by the names of one word."""
        found: set[int] | None = None
        for word in sorted(words, key=len, reverse=True):
            found = names(word) if found is None else found & names(word)
            if not found:
                break
        return found or set()

    def with_word(self, word: str) -> set[int]:
        """The names that have a word as it is written."""
        return set(self.holders.get(word, ()))

    def with_form(self, word: str) -> set[int]:
        """The names that have a word in any form."""
        return {name for known in self._by_stem.get(stem(word), ()) for name in self.holders[known]}

    def with_start(self, start: str) -> set[int]:
        """The names that have a word which begins so, in any spelling, or a form of it."""
        found = self.with_form(start)
        for begun in {start, spelled(start)}:
            at = bisect_left(self._starts, (begun, ""))
            while at < len(self._starts) and self._starts[at][0].startswith(begun):
                found.update(self.holders[self._starts[at][1]])
                at += 1
        return found

    def with_meaning(self, meaning: Iterable[str]) -> set[int]:
        """The names that say all of a meaning."""
        parts = [self.meanings.get(part, []) for part in meaning]
        if not parts or not all(parts):
            return set()
        parts.sort(key=len)
        found = set(parts[0])
        for part in parts[1:]:
            found &= set(part)
        return found

    def compounds(self, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """The words with two of them joined or one of them parted, where that gives known ones."""
        known = self._by_stem
        for at in range(len(words) - 1):
            joined = words[at] + words[at + 1]
            if stem(joined) in known:
                yield (*words[:at], joined, *words[at + 2 :])
        for at, word in enumerate(words):
            if len(word) < 6 or stem(word) in known:
                continue
            for cut in range(3, len(word) - 2):
                if stem(word[:cut]) in known and stem(word[cut:]) in known:
                    yield (*words[:at], word[:cut], word[cut:], *words[at + 1 :])

    def weight(self, part: str) -> float:
        """How much a part of a meaning says: rare ones more; unknown ones as much as the rarest."""
        return math.log1p(len(self.said) / (1 + len(self.meanings.get(part, ()))))

    def sharing(self, meaning: frozenset[str]) -> list[tuple[float, int]]:
        """(share of the words in common, name) for the names that share enough."""
        shared: dict[int, float] = {}
        for part in sorted(meaning, key=lambda part: len(self.meanings.get(part, ()))):
            weight = self.weight(part)
            for name in self.meanings.get(part, ()):
                shared[name] = shared.get(name, 0.0) + weight
        return _shares(meaning, shared, self.said, self.weight)

    @cached_property
    def _paraphrases(self) -> Paraphrases:
        return Paraphrases(self.by_meaning, self._wording)

    def paraphrased(self, stems: frozenset[str]) -> list[tuple[float, int]]:
        """(share of the words in common, name) by the phrases that mean the same as a name."""
        return self._paraphrases.sharing(stems)


class Paraphrases:
    """The phrases of the word list that mean the same as a name, by their words."""

    def __init__(self, by_meaning: Mapping[frozenset[str], list[int]], wording: Wording) -> None:
        self._names: list[int] = []
        self._said: list[frozenset[str]] = []
        self._holders: dict[str, list[int]] = {}
        for meaning, names in by_meaning.items():
            if len(meaning) != 1:
                continue
            for stems in wording.phrases.get(next(iter(meaning)), ()):
                for stem_ in set(stems):
                    self._holders.setdefault(stem_, []).append(len(self._said))
                self._said.append(frozenset(stems))
                self._names.append(names[0])

    def _weight(self, part: str) -> float:
        """How much a word says."""
        return math.log1p(len(self._said) / (1 + len(self._holders.get(part, ()))))

    def sharing(self, stems: frozenset[str]) -> list[tuple[float, int]]:
        """(share of two words or more in common, name), the best phrase of each name."""
        shared: dict[int, float] = {}
        for part in stems:
            for phrase in self._holders.get(part, ()):
                shared[phrase] = shared.get(phrase, 0.0) + self._weight(part)
        best: dict[int, float] = {}
        for share, phrase in _shares(stems, shared, self._said, self._weight):
            if len(stems & self._said[phrase]) < FEWEST_OF_PHRASE:
                continue
            name = self._names[phrase]
            best[name] = max(share, best.get(name, 0.0))
        return [(share, name) for name, share in best.items()]


def _shares(
    meaning: frozenset[str],
    shared: Mapping[int, float],
    said: Sequence[frozenset[str]],
    weight: Callable[[str], float],
) -> list[tuple[float, int]]:
    """(share of the words in common, phrase) for the phrases that share enough."""
    own = sum(map(weight, meaning))
    found = []
    for phrase in sorted(shared, key=lambda phrase: -shared[phrase])[:MOST_SHARED]:
        whole = sum(map(weight, said[phrase]))
        if shared[phrase] >= ENOUGH * own and shared[phrase] >= ENOUGH_OF_NAME * whole:
            found.append((2.0 * shared[phrase] / (own + whole), phrase))
    return found
