"""Which Orphanet entries are an OMIM disease under another id.

Orphanet and OMIM describe the same diseases, each with what the other lacks. An Orphanet entry is
read into an OMIM disease when a given table says that they are the same, when their names are alike
and their genes do not contradict it, when they share a gene and their names are near, or when each
has one gene, the same, and no other OMIM disease has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

WORD = re.compile(r"[a-z0-9]+")
SAME_NAME = 0.8  # of the words of both names, shared: the same name
NEAR_NAME = 0.5  # enough for diseases that share a gene
NEAR_ENOUGH = 0.2  # enough for diseases that both have one gene, the same


def words_of(name: str) -> frozenset[str]:
    """The words of a name, for comparison.

    >>> sorted(words_of("Marfan syndrome, type I"))
    ['i', 'marfan', 'syndrome', 'type']
    """
    return frozenset(WORD.findall(name.lower()))


def merge(
    names: Mapping[str, str],
    genes: Mapping[str, tuple[str, ...]],
    same: Iterable[tuple[str, str]] = (),
) -> dict[str, tuple[str, ...]]:
    """Orphanet id → the OMIM ids it is read into, in order of id.

    `same` are pairs (Orphanet, OMIM) known to be the same, such as exact matches in Mondo.
    """
    words = {disease: words_of(name) for disease, name in names.items()}
    omim = [disease for disease in names if disease.startswith("OMIM:")]
    by_word = _holders(omim, words)
    by_gene = _holders(omim, genes)
    found: dict[str, set[str]] = {}
    for orphanet, disease in same:
        if orphanet in names and disease in names:
            found.setdefault(orphanet, set()).add(disease)
    for entry in names:
        if not entry.startswith("ORPHA:"):
            continue
        own = genes.get(entry, ())
        near = {d for word in _rarest(words[entry], by_word) for d in by_word.get(word, ())}
        near |= {d for gene in own for d in by_gene.get(gene, ())}
        into = {d for d in near if is_same(words[entry], words[d], own, genes.get(d, ()))}
        into |= _only(own, genes, by_gene)
        if into:
            found.setdefault(entry, set()).update(into)
    return {entry: tuple(sorted(into)) for entry, into in found.items()}


def _holders(diseases: Iterable[str], marks: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Mark, such as a word or a gene → the diseases that have it."""
    found: dict[str, list[str]] = {}
    for disease in diseases:
        for mark in marks.get(disease, ()):
            found.setdefault(mark, []).append(disease)
    return found


def _only(
    own: tuple[str, ...],
    genes: Mapping[str, tuple[str, ...]],
    by_gene: Mapping[str, list[str]],
) -> set[str]:
    """The OMIM disease of an entry's one gene, if neither has another."""
    diseases = by_gene.get(own[0], []) if len(own) == 1 else []
    return {d for d in diseases if len(diseases) == 1 and len(genes[d]) == 1}


def _rarest(words: frozenset[str], by_word: Mapping[str, list[str]]) -> list[str]:
    """So many of the rarest words that a name with nearly the same words has one of them."""
    return sorted(words, key=lambda word: (len(by_word.get(word, ())), word))[: 1 + len(words) // 4]


def is_same(
    one: frozenset[str], other: frozenset[str], genes: tuple[str, ...], others: tuple[str, ...]
) -> bool:
    """Whether two entries are one disease, by the words of their names and their genes."""
    together = len(one | other)
    alike = len(one & other) / together if together else 0.0
    shared = set(genes) & set(others)
    if alike >= SAME_NAME and (shared or not genes or not others):
        return True
    if not shared:
        return False
    return alike >= NEAR_NAME or (len(genes) == len(others) == 1 and alike >= NEAR_ENOUGH)
