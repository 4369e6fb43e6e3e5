"""Semantic similarity of a patient's terms and a disease's, as geneticists' tools rank today.

The information of a term is -log of the share of diseases that are annotated to it or below. Two
terms are as similar as
    Resnik   the information of the most informative term that is above both (or one of them);
    GraphIC  the information of all terms above both, as a share of that of all above either.
A patient's terms are compared with a disease's from both sides (best-match average) or only from
the patient's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from hickam.hpo.ontology import Ontology
from hickam.hpo.table import Table
from hickam.model.network import Floats, Ints


@dataclass(frozen=True, eq=False)
class Annotated:
    """A table of diseases with what every similarity needs of it, computed once."""

    ontology: Ontology
    table: Table
    by_frequency: bool = False  # information by how often diseases show a term, not how many may

    @cached_property
    def information(self) -> Floats:
        """[term] -log of the share of diseases that have it; of no disease: as of half a one."""
        if self.by_frequency:
            return -np.log(self.table.background)
        having = np.diff(self.table.implied.start)
        return -np.log(np.maximum(having, 0.5) / len(self.table.diseases))

    @cached_property
    def above(self) -> tuple[Ints, Ints]:
        """All terms above each term, one after the other, and where each term's begin."""
        sizes = [len(some) for some in self.ontology.above]
        return np.concatenate(self.ontology.above), np.concatenate([[0], np.cumsum(sizes)[:-1]])

    @cached_property
    def whole(self) -> Floats:
        """[term] the information of all terms above it."""
        flat, start = self.above
        return np.add.reduceat(self.information[flat], start)

    @lru_cache(maxsize=1000)  # noqa: B019  patients share their terms
    def alike(self, term: int, kind: str) -> Floats:
        """[term] how similar every term is to one."""
        flat, start = self.above
        shared = np.zeros(len(self.information))
        mine = self.ontology.above[term]
        shared[mine] = self.information[mine]
        if kind == "resnik":
            return np.maximum.reduceat(shared[flat], start)
        common = np.add.reduceat(shared[flat], start)
        either = self.whole + self.whole[term] - common
        return np.divide(common, either, out=np.zeros_like(common), where=either > 0.0)

    @lru_cache(maxsize=1000)  # noqa: B019
    def nearest(self, term: int, kind: str) -> Floats:
        """[disease] how similar the most similar of its terms is to one."""
        stated = self.table.stated
        return np.maximum.reduceat(self.alike(term, kind)[stated.column], stated.start[:-1])

    def mean_nearest(self, terms: Sequence[int], kind: str) -> Floats:
        """[disease] the mean over a patient's terms of the most similar of the disease's."""
        return np.mean([self.nearest(term, kind) for term in terms], axis=0)

    def met(self, terms: Sequence[int], kind: str) -> Floats:
        """[annotation] how similar the most similar of a patient's terms is to each."""
        best = np.max([self.alike(term, kind) for term in terms], axis=0)
        found: Floats = best[self.table.stated.column]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """Ranks diseases by similarity; higher is nearer."""

    name: str
    annotated: Annotated
    kind: str = "resnik"  # or graphic
    both_sides: bool = True
    rows: str = "own"

    def scores(self, terms: Sequence[int]) -> Floats:
        """[disease] similarity to a patient with these terms."""
        mine = self.annotated.mean_nearest(terms, self.kind)
        if not self.both_sides:
            return mine
        start = self.annotated.table.stated.start
        theirs = np.add.reduceat(self.annotated.met(terms, self.kind), start[:-1]) / np.diff(start)
        return (mine + theirs) / 2.0

    def score(self, terms: Sequence[int], rows: Mapping[int, float]) -> float:
        """The similarity to one disease that has these rows."""
        if not rows:
            return -np.inf
        alike = np.array([self.annotated.alike(term, self.kind)[list(rows)] for term in terms])
        mine = float(alike.max(axis=1).mean())
        return (mine + float(alike.max(axis=0).mean())) / 2.0 if self.both_sides else mine
