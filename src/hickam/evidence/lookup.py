"""The entries of one layer that a text may mean, and how surely."""

from __future__ import annotations

import gc
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from heapq import nsmallest
from itertools import product

from hickam.evidence.fold import fold
from hickam.evidence.typos import Typos
from hickam.evidence.wording import Wording, spelled, stem, words_of

NAME, SYNONYM, ID = range(3)  # ranks of the names of an entry
REMEMBERED = 4096  # texts whose answer is kept
NOTHING: frozenset[str] = frozenset()
MOST_STARTING = 500  # names with words that begin as those of a text
ENOUGH = 0.5  # of a text's words, by weight, that a name must share to be offered
ENOUGH_OF_NAME = 0.4  # of the name's own words
MOST_UNKNOWN = 4  # words of a text whose typing is corrected
MOST_CORRECTIONS = 8  # ways to correct the typing of a text
MOST_SHARED = 40  # names that share words with a text and are weighed up


class How(StrEnum):
    """How a name matches a text."""

    EXACT = "exact"  # it is the id or name
    SYNONYM = "synonym"  # it is a synonym of the network
    ABBREVIATION = "abbreviation"  # it is written out
    FORM = "form"  # the same words in another spelling, form or order
    MEANING = "meaning"  # the word list says that they mean the same
    START = "start"  # each word begins a word of the name
    WITHIN = "within"  # the name says what the text means, and more
    BROADER = "broader"  # the text is a kind of it, by the word list
    QUALIFIED = "qualified"  # once severity, duration and side are left out
    TYPING = "typing"  # once its typing is corrected
    PART = "part"  # it shares some words


SURENESS = {how: place for place, how in enumerate(How)}  # the surest first


@dataclass(frozen=True, slots=True)
class Hit:
    """One name that may be meant, and what of the text it leaves out."""

    how: How
    order: tuple[float, ...]  # of hits that match in the same way, the best is least
    position: int  # of the entry in its layer
    spelling: str  # the name or synonym that matches
    left_out: tuple[str, ...] = ()
    by_name: bool = True  # not by a synonym

    def alike(self, other: Hit) -> bool:
        """Whether it matches as surely as another: in the same way, by a name as the other."""
        return self.how is other.how and self.by_name == other.by_name


class Lookup:
    """The names of one layer, indexed when first asked.

    `names` are (position, rank, spelling). `common` tells how common each entry is, which settles
    ties; it is asked once, when first needed.
    """

    def __init__(
        self,
        names: Sequence[tuple[int, int, str]],
        common: Callable[[], Sequence[float]],
        wording: Wording,
    ) -> None:
        self._names = names
        self._ask_common = common
        self._wording = wording
        self._answers: dict[str, tuple[int, ...]] = {}

    @cached_property
    def _common(self) -> Sequence[float]:
        return self._ask_common()

    @cached_property
    def _index(self) -> _Index:
        # a hundred thousand small objects that all stay: looking for garbage among them is a third
        # of the time
        collecting = gc.isenabled()
        gc.disable()
        try:
            return _Index(self._names, self._wording)
        finally:
            if collecting:
                gc.enable()

    @cached_property
    def _typos(self) -> Typos:
        """The words of the names and of the word list, in one spelling."""
        return Typos(spelled(word) for word in (*self._index.holders, *self._wording.known))

    def sure(self, text: str) -> tuple[int, ...]:
        """The positions of the entries that a text means, of the surest kind only."""
        if text not in self._answers:
            found = self._equal(text)
            surest = (hit.position for hit in found if hit.alike(found[0]))
            if len(self._answers) >= REMEMBERED:
                self._answers.clear()
            self._answers[text] = tuple(dict.fromkeys(surest))
        return self._answers[text]

    def near(self, text: str, most: int = 3) -> list[str]:
        """The names that may be meant by a text that surely means none."""
        hits = next((hits for hits in self.stages(text) if hits), [])
        best = {
            hit.position: hit.spelling
            for hit in reversed(hits)
            if hit.how is hits[0].how and hit.order[0] == hits[0].order[0]
        }
        return list(reversed(best.values()))[:most]

    def stages(self, text: str) -> Iterator[list[Hit]]:
        """Hits of the whole text, then without its qualifiers, corrected, and by shared words."""
        broader = (
            replace(hit, how=How.BROADER, order=(number, SURENESS[hit.how], *hit.order))
            for number, broad in enumerate(self._wording.broader(text))
            for hit in self._equal(broad)
        )
        yield [*self._whole(text), *broader]
        bare, left_out = self._unqualified(text)
        if left_out:
            yield [
                *(replace(hit, how=How.QUALIFIED, left_out=left_out) for hit in self._equal(bare)),
                *(replace(hit, how=How.PART, left_out=left_out) for hit in self._starting(bare)),
            ]
        corrected = [
            Hit(
                How.TYPING,
                (SURENESS[hit.how], number, *hit.order),
                hit.position,
                hit.spelling,
                left,
            )
            for number, (words, left) in enumerate(self._corrected(text))
            for hit in self._whole(words)
        ]
        yield sorted(corrected, key=lambda hit: hit.order)
        yield self._sharing(text)

    def _whole(self, text: str) -> list[Hit]:
        """Hits of all words of a text."""
        return [*self._equal(text), *self._starting(text)]

    def _equal(self, text: str) -> list[Hit]:
        """The names that are equal to a text in one way or another."""
        index, wording = self._index, self._wording
        found: list[Hit] = []
        for number, reading in enumerate(wording.readings(text)):
            if not reading.words or (found and not reading.expanded):
                continue
            stems = wording.stems(reading.words)
            how = How.ABBREVIATION if reading.expanded else How.FORM
            for name in index.by_stems.get(frozenset(stems), ()):
                told = how if reading.expanded else self._told(name, text)
                found.append(self._hit(name, told, number))
            for compound in index.compounds(reading.words):
                for name in index.by_stems.get(frozenset(wording.stems(compound)), ()):
                    found.append(self._hit(name, how, number))
            how = How.ABBREVIATION if reading.expanded else How.MEANING
            meaning = frozenset(wording.meaning(stems))
            for names in (index.by_meaning, index.by_stems):
                found += [self._hit(name, how, number) for name in names.get(meaning, ())]
        return sorted(found, key=lambda hit: (SURENESS[hit.how], hit.order))

    def _told(self, name: int, text: str) -> How:
        """How a name with the words of a text matches it."""
        _, rank, spelling = self._names[name]
        if fold(spelling) != fold(text):
            return How.FORM
        return How.SYNONYM if rank == SYNONYM else How.EXACT

    def _hit(self, name: int, how: How, *order: float) -> Hit:
        position, rank, spelling = self._names[name]
        settled = (float(rank != NAME), -self._common[position], float(len(spelling)))
        return Hit(how, (*order, *settled), position, spelling, by_name=rank == NAME)

    def _starting(self, text: str) -> list[Hit]:
        """The names in which each word of a text begins a word: whole words first, then common."""
        index, wording = self._index, self._wording
        found: list[Hit] = []
        folded = fold(text)
        for reading in wording.readings(text):
            words = [word for word in reading.words if word not in wording.fillers]
            words = words or list(reading.words)
            typed = index.all_with(words, index.with_word)
            formed = index.all_with(words, index.with_form)
            begun = index.all_with(words, index.with_start)
            meant = index.with_meaning(wording.meaning(wording.stems(reading.words)))
            formed |= meant
            ways = {name: 1 + (name in formed) + (name in typed) for name in begun | formed}
            names, common = self._names, self._common
            if " " in folded:
                for name in ways:
                    if fold(names[name][2]).startswith(folded):
                        ways[name] = 4
            best = nsmallest(
                MOST_STARTING,
                (
                    (-ways[name], -common[names[name][0]], len(names[name][2]), name)
                    for name in ways
                    if index.sizes[name] >= len(words) or name in meant
                ),
            )
            typing = How.WITHIN if reading.expanded else How.START
            for way, _, _, name in best:
                found.append(self._hit(name, typing if name in begun else How.WITHIN, way))
        return sorted(found, key=lambda hit: (SURENESS[hit.how], hit.order))

    def _unqualified(self, text: str) -> tuple[str, tuple[str, ...]]:
        """A text without its qualifiers, and those."""
        words = words_of(text)
        marks = self._wording.aside(words, self._wording.qualifiers)
        kept = [word for word, aside in zip(words, marks, strict=True) if not aside]
        left = tuple(word for word, aside in zip(words, marks, strict=True) if aside)
        says = any(word not in self._wording.fillers for word in kept)
        return (" ".join(kept), left) if says else (text, ())

    def _corrected(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The text with unknown words in place of which known ones may be meant."""
        bare, left_out = self._unqualified(text)
        words = words_of(bare)
        known = [word in self._wording.fillers or self._index.knows(word) for word in words]
        if known.count(False) > MOST_UNKNOWN:
            return
        choices = [
            [word] if is_known else self._typos.near(spelled(word)) or [word]
            for word, is_known in zip(words, known, strict=True)
        ]
        for number, some in enumerate(product(*choices)):
            if number >= MOST_CORRECTIONS:
                return
            if list(some) != words:
                yield " ".join(some), left_out

    def _sharing(self, text: str) -> list[Hit]:
        """The names that share most of their words with a text."""
        index, wording = self._index, self._wording
        found = []
        for reading in wording.readings(self._unqualified(text)[0]):
            meaning = wording.meaning(wording.stems(reading.words))
            for share, name in index.sharing(frozenset(meaning)):
                hit = self._hit(name, How.PART, -share)
                found.append(hit)
        return sorted(found, key=lambda hit: hit.order)


class _Index:
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
        own = sum(map(self.weight, meaning))
        best = sorted(shared, key=lambda name: -shared[name])[:MOST_SHARED]
        found = []
        for name in best:
            whole = sum(map(self.weight, self.said[name]))
            if shared[name] >= ENOUGH * own and shared[name] >= ENOUGH_OF_NAME * whole:
                found.append((2.0 * shared[name] / (own + whole), name))
        return found
