"""Names as users write them → positions in a network's layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hickam.issues import InvalidInput, Issue, did_you_mean, error
from hickam.model.described import Described

UNKNOWN = "is not in the network"


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Every id, name and synonym of one layer, folded for comparison.

    An id wins over a name and a name over a synonym, so an ambiguous word is one that several
    entries of equal rank share.
    """

    kind: str
    ids: Sequence[str]
    words: dict[str, tuple[int, ...]]  # folded word → positions
    spelled: dict[str, str]  # folded word → as the network spells it

    def find(self, word: object) -> int | Issue:
        """The position of a word, or the issue that explains why there is none."""
        where = f"{self.kind} {word!r}"
        if not isinstance(word, str):
            return error(where, "is not a name", "write the id or name as text")
        positions = self.words.get(fold(word), ())
        if len(positions) == 1:
            return positions[0]
        if positions:
            ids = ", ".join(f"'{self.ids[position]}'" for position in positions)
            return error(where, "is ambiguous", f"use one of the ids {ids}")
        return error(where, UNKNOWN, did_you_mean(word, self.spelled.values()))


def find_all(
    words: Vocabulary, names: Sequence[str], issues: Sequence[Issue] = ()
) -> tuple[int, ...]:
    """The positions of names, each once, in the order first given.

    Raises one `InvalidInput` for all names that are not found and any issues known before.
    """
    found = [words.find(name) for name in names]
    problems = [*issues, *(f for f in found if isinstance(f, Issue))]
    if problems:
        raise InvalidInput(problems)
    return tuple(dict.fromkeys(f for f in found if isinstance(f, int)))


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word without differences of letter case, spacing, hyphens and underscores.

    >>> fold("Chest_Pain ") == fold("chest pain")
    True
    """
    return " ".join(word.replace("_", " ").replace("-", " ").casefold().split())


def vocabulary(kind: str, entries: Iterable[tuple[str, str, Sequence[str]]]) -> Vocabulary:
    """The vocabulary of (id, name, synonyms) entries in their order."""
    ids = []
    ranked: tuple[dict[str, list[int]], ...] = ({}, {}, {})
    spelled: dict[str, str] = {}
    for position, (node, name, synonyms) in enumerate(entries):
        ids.append(node)
        for rank, spellings in enumerate(((node,), (name,), synonyms)):
            for word in spellings:
                folded = fold(word)
                holders = ranked[rank].setdefault(folded, [])
                if position not in holders:
                    holders.append(position)
                spelled.setdefault(folded, word)
    words: dict[str, tuple[int, ...]] = {}
    for holders_of in ranked:
        for folded, positions in holders_of.items():
            words.setdefault(folded, tuple(positions))
    return Vocabulary(kind, ids, words, spelled)


@lru_cache(maxsize=32)
def vocabularies(network: Described) -> dict[str, Vocabulary]:
    """The vocabularies of a network: 'risk factor', 'disease', 'finding' and 'category'."""
    layers = {
        "risk factor": network.risk_factors,
        "disease": network.diseases,
        "finding": network.findings,
    }
    found = {
        kind: vocabulary(
            kind, ((e.id, e.name, e.synonyms) for e in (network.entries[node] for node in layer))
        )
        for kind, layer in layers.items()
    }
    found["category"] = vocabulary(
        "category", ((c.id, c.name, c.synonyms) for c in network.categories)
    )
    return found
