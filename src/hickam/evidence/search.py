"""What a network has for a piece of text: over ids, names and synonyms, as they are typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hickam.evidence.vocabulary import fold, vocabularies
from hickam.model.described import Described

LAYERS = ("finding", "risk factor", "disease")
EVERYTHING = ("risk factor", "disease", "finding", "category", "other")
NO_MATCH = 9


@dataclass(frozen=True, slots=True)
class Match:
    """One entry that a search found, and the synonym that matched if its name did not."""

    kind: str
    id: str
    name: str
    synonym: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of the catalogue: its folded words with their spelling, the name first."""

    kind: str
    id: str
    name: str
    words: tuple[tuple[str, str], ...]


@lru_cache(maxsize=16)
def catalogue(network: Described) -> tuple[Listed, ...]:
    """Every entry of a network, ready to be searched."""
    categories = {category.id: category for category in network.categories}
    listed = []
    for kind, vocabulary in vocabularies(network).items():
        for node in vocabulary.ids:
            entry = categories[node] if kind == "category" else network.entries[node]
            spelled = dict.fromkeys((entry.name, *entry.synonyms, entry.id))
            words = tuple((fold(word), word) for word in spelled)
            listed.append(Listed(kind, node, entry.name, words))
    return tuple(listed)


def search(
    network: Described, text: str, kinds: Iterable[str] = LAYERS, *, limit: int | None = 12
) -> list[Match]:
    """The best matches: whole words before beginnings before middles, names before synonyms."""
    wanted = tuple(kinds)
    sought = fold(text)
    parts = sought.split()
    if not parts:
        return []
    found = []
    for order, listed in enumerate(catalogue(network)):
        if listed.kind not in wanted:
            continue
        distance, position, spelled = min(
            (_distance(word, sought, parts), position, spelled)
            for position, (word, spelled) in enumerate(listed.words)
        )
        if distance < NO_MATCH:
            synonym = "" if position == 0 or spelled == listed.id else spelled
            match = Match(listed.kind, listed.id, listed.name, synonym)
            place = (distance, min(position, 1), len(listed.name))
            found.append((*place, wanted.index(listed.kind), order, match))
    return [match for *_, match in sorted(found, key=lambda item: item[:5])[:limit]]


def _distance(word: str, sought: str, parts: list[str]) -> int:
    """0 the word itself, 1 its beginning, 2 beginnings of its words, 3 inside it, 9 no match."""
    if word == sought:
        return 0
    if word.startswith(sought):
        return 1
    pieces = word.split()
    if all(any(piece.startswith(part) for piece in pieces) for part in parts):
        return 2
    return 3 if sought in word else NO_MATCH
