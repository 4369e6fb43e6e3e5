"""LIRICAL's likelihood ratio of a phenotype, written from its publication.

Robinson et al., "Interpretable clinical genomics with a likelihood ratio paradigm", Am J Hum Genet
2020. The ratio of a patient's term is its frequency in the disease over its background, the mean
frequency over all diseases. A disease that is annotated below the term has it as often as the most
frequent of those annotations. A term that is more specific than the disease's annotation, or only
shares something above with it, gets the ratio of what they share, reduced by 1 + log of the
distance; a term that shares nothing gets 1/100. A missing frequency is 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hickam.hpo.ontology import Ontology
from hickam.hpo.table import Sparse, Table, sparse
from hickam.model.network import Floats

NOTHING_SHARED = 0.01


@dataclass(frozen=True, eq=False)
class Lirical:
    """Ranks diseases by the product of likelihood ratios."""

    name: str
    ontology: Ontology
    table: Table
    rows: str = "own"

    @cached_property
    def shown(self) -> Sparse:
        """[term, disease] the largest frequency at or below each term."""
        stated, size = self.table.stated, len(self.table.diseases)
        row = np.repeat(np.arange(size), np.diff(stated.start))
        above = self.ontology.above
        times = np.array([len(above[term]) for term in stated.column])
        key = np.concatenate([above[t] for t in stated.column]) * size + np.repeat(row, times)
        value = np.repeat(stated.value, times)
        order = np.argsort(key, kind="stable")
        key, value = key[order], value[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        largest = np.maximum.reduceat(value, first)
        return sparse(key[first] // size, key[first] % size, largest, len(above))

    @cached_property
    def background(self) -> Floats:
        """[term] mean frequency over all diseases; of a term that none has: as in one of ten."""
        shown = self.shown
        terms = np.repeat(np.arange(len(self.ontology.ids)), np.diff(shown.start))
        total = np.bincount(terms, shown.value, len(self.ontology.ids))
        return np.maximum(total, 0.1) / len(self.table.diseases)

    def scores(self, terms: Sequence[int]) -> Floats:
        """[disease] log likelihood ratio of a patient's terms."""
        size = len(self.table.diseases)
        total = np.zeros(size)
        for term in terms:
            best = np.full(size, NOTHING_SHARED)
            exact = np.zeros(size, dtype=bool)
            for ancestor, distance in self.ladder(term):
                have, value = self.shown.of(ancestor)
                ratio = value / self.background[ancestor] / (1.0 + np.log(max(distance, 1)))
                if distance == 0:
                    best[have] = np.maximum(ratio, NOTHING_SHARED)
                    exact[have] = True
                else:
                    loose = ~exact[have]
                    best[have[loose]] = np.maximum(best[have[loose]], ratio[loose])
            total += np.log(best)
        return total

    def score(self, terms: Sequence[int], rows: Mapping[int, float]) -> float:
        """The log likelihood ratio for one disease that has these rows."""
        if not rows:
            return -np.inf
        shown: dict[int, float] = {}
        for term, value in rows.items():
            for ancestor in self.ontology.above[term].tolist():
                shown[ancestor] = max(shown.get(ancestor, 0.0), value)
        total = 0.0
        for term in terms:
            best = NOTHING_SHARED
            for ancestor, distance in self.ladder(term):
                value = shown.get(ancestor, 0.0)
                ratio = value / self.background[ancestor] / (1.0 + np.log(max(distance, 1)))
                best = max(best, float(ratio))
                if distance == 0 and value > 0.0:
                    break
            total += float(np.log(best))
        return total

    def ladder(self, term: int) -> list[tuple[int, int]]:
        """What is above a term, itself first, with the distance; the root is not there."""
        found = {term: 0}
        new = [term]
        for place in new:  # grows while it is read, nearest first
            for parent in self.ontology.parents[place]:
                if parent not in found:
                    found[parent] = found[place] + 1
                    new.append(parent)
        return list(found.items())
