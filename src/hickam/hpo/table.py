"""Annotations → how often each disease shows each term, and how common each term is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hickam.hpo.annotations import Said
from hickam.hpo.frequency import frequency
from hickam.hpo.ontology import Ontology
from hickam.hpo.recipe import Recipe
from hickam.model.network import Floats, Ints

Rows = Mapping[str, Mapping[int, Said]]  # disease → term → what is said


class Sparse(NamedTuple):
    """A sparse [row, column] table in order of row and then of column."""

    start: Ints  # [row + 1]
    column: Ints
    value: Floats

    def of(self, row: int) -> tuple[Ints, Floats]:
        """The columns of one row and their values."""
        part = slice(int(self.start[row]), int(self.start[row + 1]))
        return self.column[part], self.value[part]

    def turned(self, columns: int) -> Sparse:
        """The same table by column."""
        row = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        order = np.argsort(self.column, kind="stable")
        return sparse(self.column[order], row[order], self.value[order], columns)


def sparse(row: Ints, column: Ints, value: Floats, rows: int) -> Sparse:
    """The table of entries that are in order already."""
    return Sparse(np.searchsorted(row, np.arange(rows + 1)), column, value)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What diseases show, over all terms."""

    diseases: tuple[str, ...]
    stated: Sparse  # [disease, term]  frequencies as annotated
    implied: Sparse  # [term, disease]  of the term or anything below it
    background: Floats  # [term]  share of diseases that show it
    findings: Floats  # [disease]  expected number of annotated findings


def pooled(
    said: Rows, merged: Mapping[str, tuple[str, ...]], recipe: Recipe
) -> dict[str, dict[int, float]]:
    """Disease → term → frequency; an Orphanet entry that is merged is no disease of its own."""
    from_orphanet: dict[str, dict[int, Said]] = {}
    for entry, into in merged.items():
        for disease in into:
            terms = from_orphanet.setdefault(disease, {})
            for term, what in said.get(entry, {}).items():
                terms[term] = _both(terms.get(term), what)
    found: dict[str, dict[int, float]] = {}
    for disease, own in said.items():
        if disease in merged:
            continue
        if disease.startswith("ORPHA:"):
            if not recipe.alone:
                continue
            values = {term: frequency(None, what, recipe) for term, what in own.items()}
        else:
            theirs = from_orphanet.get(disease, {})
            values = {
                term: frequency(own.get(term), theirs.get(term), recipe)
                for term in own.keys() | theirs.keys()
            }
        found[disease] = {term: value for term, value in sorted(values.items()) if value > 0.0}
    return {disease: terms for disease, terms in sorted(found.items()) if terms}


def _both(one: Said | None, other: Said) -> Said:
    """What two Orphanet entries say together."""
    if one is None:
        return other
    return Said(
        one.seen + other.seen,
        one.asked + other.asked,
        [*one.words, *other.words],
        one.bare + other.bare,
        one.denied and other.denied,
    )


def tabulate(
    frequencies: Mapping[str, Mapping[int, float]], ontology: Ontology, recipe: Recipe
) -> Table:
    """The table of given frequencies.

    A disease shows a term if it shows anything annotated at or below it:
    f_c = 1 - prod (1 - f_a). The background of c is (sum over diseases of f_c + 0.3) / (N + 0.3).
    """
    diseases = tuple(frequencies)
    sizes = [len(terms) for terms in frequencies.values()]
    row = np.repeat(np.arange(len(diseases)), sizes)
    column = np.array([t for terms in frequencies.values() for t in terms], dtype=np.int64)
    value = np.array([f for terms in frequencies.values() for f in terms.values()])
    stated = sparse(row, column, value, len(diseases))
    implied = imply(row, column, value, ontology, len(diseases))
    every = np.repeat(np.arange(len(ontology.ids)), np.diff(implied.start))
    total = np.bincount(every, implied.value, len(ontology.ids)).astype(np.float64)
    background = (total + recipe.smoothing) / (len(diseases) + recipe.smoothing)
    findings = np.bincount(row, value, len(diseases)).astype(np.float64)
    return Table(diseases, stated, implied, background, findings)


def imply(row: Ints, column: Ints, value: Floats, ontology: Ontology, rows: int) -> Sparse:
    """[term, disease] 1 - prod (1 - f) over the annotated terms at or below each term."""
    above = ontology.above
    sizes = np.array([len(some) for some in above])
    reached = np.concatenate([above[term] for term in column]) if len(column) else column
    times = sizes[column]
    key = reached * rows + np.repeat(row, times)
    misses = np.repeat(np.log1p(-value), times)
    order = np.argsort(key, kind="stable")
    key, misses = key[order], misses[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    shown = -np.expm1(np.add.reduceat(misses, first)) if len(first) else misses
    return sparse(key[first] // rows, key[first] % rows, shown, len(ontology.ids))


def link(table: Table, ontology: Ontology, recipe: Recipe) -> Sparse:
    """[term, disease] how strongly each disease causes each term.

    The strongest over a term t and what is above it, c: f_c (b_t / b_c) ** 2. A product of such
    steps is again one, so that a term needs only its parents; and what is too weak to be kept for a
    parent is too weak for its children.
    """
    background = table.background
    found: list[tuple[Ints, Floats]] = [(np.empty(0, np.int64), np.empty(0))] * len(ontology.ids)
    best = np.zeros(len(table.diseases))
    for term in ontology.order:
        own, shown = table.implied.of(term)
        best[own] = shown
        touched = [own]
        for parent in ontology.parents[term]:
            theirs, strength = found[parent]
            passed = strength * (background[term] / background[parent]) ** recipe.reach
            best[theirs] = np.maximum(best[theirs], passed)
            touched.append(theirs)
        every = np.concatenate(touched)
        every = every[best[every] >= recipe.keep * background[term]]
        kept = np.unique(every) if len(touched) > 1 else every
        found[term] = kept, best[kept].copy()
        for some in touched:
            best[some] = 0.0
    sizes = np.array([len(kept) for kept, _ in found])
    return Sparse(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([kept for kept, _ in found]),
        np.concatenate([strength for _, strength in found]),
    )
