"""Everything that ranks diseases for a published patient, on one version of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hickam.hpo.annotations import Annotations
from hickam.hpo.build import Hpo
from hickam.hpo.likelihood import Fused, Likelihood, Weighted
from hickam.hpo.lirical import Lirical
from hickam.hpo.recipe import Recipe
from hickam.hpo.similarity import Annotated, Similarity
from hickam.hpo.table import Table, pooled, tabulate
from hickam.model.network import Floats

# A disease's own rows as other programs read them: no guesses, a missing frequency is 1.
PLAIN = Recipe(pseudo=0.0, guess=0.0, unstated=1.0, looked_for=0.0, sure=1.0 - 1e-9, kin=0.0)

SINGLE = "single fault"
FUSED = "fused with similarity"
LIRICAL = "LIRICAL's ratio"
WEIGHTED = "similarity, merged rows"
RIVALS = (LIRICAL, "GraphIC, both sides", "Resnik, both sides", "GraphIC, one-sided", WEIGHTED)


class Ranker(Protocol):
    """Something that scores diseases; higher is likelier."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    @property
    def rows(self) -> str:
        """What it reads: a disease's "own" rows, with Orphanet's "merged", or "lent" by kin too."""

    def scores(self, terms: Sequence[int]) -> Floats:
        """[disease] the score for a patient with these terms."""

    def score(self, terms: Sequence[int], rows: Mapping[int, float]) -> float:
        """The score of one disease if it had these rows."""


def rankers(hpo: Hpo, merged: Table, annotations: Annotations) -> tuple[list[Ranker], Fused]:
    """The rankers that need no inference, ours first, and the fusion of two of them.

    `merged` has the diseases of the network without what kin lend.
    """
    likelihood = Likelihood(SINGLE, hpo)
    weighted = Weighted(WEIGHTED, Annotated(hpo.ontology, merged, by_frequency=True))
    own = own_table(hpo, annotations)
    theirs = Annotated(hpo.ontology, own)
    listed: list[Ranker] = [
        likelihood,
        weighted,
        Lirical(LIRICAL, hpo.ontology, own),
        Similarity(RIVALS[1], theirs, "graphic"),
        Similarity(RIVALS[2], theirs, "resnik"),
        Similarity(RIVALS[3], theirs, "graphic", both_sides=False),
    ]
    return listed, Fused(FUSED, likelihood, weighted)


def own_table(hpo: Hpo, annotations: Annotations) -> Table:
    """The diseases of a network with only their own rows, as other programs read them.

    A disease without any keeps its merged rows, so that all rank the same diseases.
    """
    alone = pooled(annotations.said(), {}, PLAIN)
    frequencies = {}
    for position, disease in enumerate(hpo.table.diseases):
        terms, values = hpo.table.stated.of(position)
        merged = dict(zip(terms.tolist(), values.tolist(), strict=True))
        frequencies[disease] = alone.get(disease) or merged
    return tabulate(frequencies, hpo.ontology, PLAIN)
