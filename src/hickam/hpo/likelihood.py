"""The network's own likelihood of one disease at a time, and its fusion with similarity.

If there is exactly one disease, the network's posterior is a product over the findings: this is
`single_fault`, without an engine. A similarity joins it as soft evidence: a likelihood ratio
exp(weight · similarity) for each disease.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hickam.hpo.build import Hpo
from hickam.hpo.network import leaks
from hickam.hpo.similarity import Annotated
from hickam.model.network import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """Ranks diseases by the log likelihood of exactly one."""

    name: str
    hpo: Hpo
    rows: str = "lent"

    def scores(self, terms: Sequence[int]) -> Floats:
        """[disease] log P(terms | only this disease) - log P(terms | none), breadth allowed for."""
        hpo, leak = self.hpo, leaks(self.hpo.table.background[list(terms)], self.hpo.recipe)
        total = len(terms) * self._log_breadth(hpo.table.findings)
        for term, chance in zip(terms, leak.tolist(), strict=True):
            diseases, acts = hpo.links.of(term)
            total[diseases] += _log_gain(np.minimum(acts, hpo.recipe.sure), chance)
        return total

    def score(self, terms: Sequence[int], rows: Mapping[int, float]) -> float:
        """The same for one disease that has these rows."""
        if not rows:
            return -np.inf
        hpo, recipe, background = self.hpo, self.hpo.recipe, self.hpo.table.background
        missed: dict[int, float] = {}
        for term, value in rows.items():
            for above in hpo.ontology.above[term].tolist():
                missed[above] = missed.get(above, 0.0) + np.log1p(-value)
        leak = leaks(background[list(terms)], recipe)
        total = len(terms) * float(self._log_breadth(np.array(sum(rows.values()))))
        for term, chance in zip(terms, leak.tolist(), strict=True):
            acts = max(
                -np.expm1(missed.get(above, 0.0))
                * (background[term] / background[above]) ** recipe.reach
                for above in hpo.ontology.above[term].tolist()
            )
            if acts >= recipe.keep * background[term]:
                total += float(_log_gain(np.array(min(acts, recipe.sure)), chance))
        return total

    def _log_breadth(self, findings: Floats) -> Floats:
        """Log of the factor for every present finding."""
        recipe = self.hpo.recipe
        breadth = np.log((findings + recipe.breadth) / (recipe.breadth + 10.0))
        return np.asarray(-recipe.length * breadth)


def _log_gain(acts: Floats, leak: float) -> Floats:
    """log of P(present | disease) over P(present | none)."""
    return np.log1p(acts * (1.0 - leak) / leak)


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Similarity on merged rows that counts how often a disease shows each term."""

    name: str
    annotated: Annotated
    theirs: float = 2.0  # nats for a patient that shows all that the disease shows
    rows: str = "merged"

    def scores(self, terms: Sequence[int]) -> Floats:
        """[disease] mean Resnik similarity of the patient's terms, and the share of theirs met."""
        stated, info = self.annotated.table.stated, self.annotated.information
        start = stated.start[:-1]
        mine = self.annotated.mean_nearest(terms, "resnik")
        met = np.add.reduceat(stated.value * self.annotated.met(terms, "resnik"), start)
        return mine + self.theirs * met / np.add.reduceat(stated.value * info[stated.column], start)

    def score(self, terms: Sequence[int], rows: Mapping[int, float]) -> float:
        """The same for one disease that has these rows."""
        if not rows:
            return -np.inf
        places, value = list(rows), np.array([*rows.values()])
        alike = np.array([self.annotated.alike(term, "resnik")[places] for term in terms])
        whole = float(value @ self.annotated.information[places])
        met = float(value @ alike.max(axis=0))
        return float(alike.max(axis=1).mean()) + self.theirs * met / whole


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """The likelihood with similarity as soft evidence."""

    name: str
    likelihood: Likelihood
    similarity: Weighted
    weight: float = 1.0

    def fuse(self, likelihood: Floats, similarity: Floats) -> Floats:
        """[disease] log of the likelihood times the soft evidence, from the scores of both."""
        return likelihood + self.weight * similarity
