"""Findings, risk factors and diseases as you type: over ids, names and synonyms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hickam.evidence.vocabulary import fold
from hickam.model.kinds import Model

KINDS = ("finding", "risk factor", "disease")


@dataclass(frozen=True, slots=True)
class Match:
    """One entry that a search found, and the synonym that matched if its name did not."""

    kind: str
    id: str
    name: str
    synonym: str = ""


@lru_cache(maxsize=16)
def catalogue(network: Model) -> tuple[tuple[str, str, str, tuple[tuple[str, str], ...]], ...]:
    """(kind, id, name, ((folded word, as spelled), …)) of every entry, the name first."""
    layers = dict(
        zip(KINDS, (network.findings, network.risk_factors, network.diseases), strict=True)
    )
    rows = []
    for kind, layer in layers.items():
        for node in layer:
            entry = network.entries[node]
            spelled = dict.fromkeys((entry.name, *entry.synonyms, entry.id))
            rows.append((kind, node, entry.name, tuple((fold(word), word) for word in spelled)))
    return tuple(rows)


def search(
    network: Model, text: str, kinds: Iterable[str] = KINDS, *, limit: int = 12
) -> list[Match]:
    """The best matches: whole words before beginnings before middles, names before synonyms."""
    wanted = set(kinds)
    sought = fold(text)
    parts = sought.split()
    if not parts:
        return []
    found = []
    for order, (kind, node, name, words) in enumerate(catalogue(network)):
        if kind not in wanted:
            continue
        best = min(
            (
                (_distance(word, sought, parts), position, spelled)
                for position, (word, spelled) in enumerate(words)
            ),
            default=(9, 0, ""),
        )
        if best[0] < 9:
            synonym = "" if best[1] == 0 or best[2] == node else best[2]
            found.append(
                (best[0], min(best[1], 1), len(name), order, Match(kind, node, name, synonym))
            )
    return [match for *_, match in sorted(found, key=lambda item: item[:4])[:limit]]


def _distance(word: str, sought: str, parts: list[str]) -> int:
    """0 the word itself, 1 its beginning, 2 beginnings of its words, 3 inside it, 9 no match."""
    if word == sought:
        return 0
    if word.startswith(sought):
        return 1
    pieces = word.split()
    if all(any(piece.startswith(part) for piece in pieces) for part in parts):
        return 2
    return 3 if sought in word else 9
