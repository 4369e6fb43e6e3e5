"""A table of frequencies → the noisy-OR network of diseases and findings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hickam.hpo.ontology import Ontology
from hickam.hpo.recipe import Recipe
from hickam.hpo.table import Sparse, Table
from hickam.model.links import sort_links
from hickam.model.network import About, Entry, Floats, Network


def leaks(background: Floats, recipe: Recipe) -> Floats:
    """[term] P(present without any disease): odds of twice the background."""
    odds = recipe.leak * background
    return odds / (1.0 + odds)


def per_finding(table: Table, recipe: Recipe) -> Floats:
    """[disease] factor on the odds for every present finding: broad diseases explain all too much.

    Relative to a disease that is expected to show ten findings.
    """
    breadth = (table.findings + recipe.breadth) / (recipe.breadth + 10.0)
    return np.clip(breadth**-recipe.length, 0.1, 10.0)


def make_network(
    table: Table,
    links: Sparse,
    ontology: Ontology,
    names: Mapping[str, str],
    synonyms: Mapping[str, tuple[str, ...]],
    symbols: Mapping[str, tuple[str, ...]],
    about: About,
    recipe: Recipe,
) -> Network:
    """The network: every disease equally likely beforehand, one of them expected."""
    size = len(table.diseases)
    effect = np.repeat(np.arange(len(ontology.ids)), np.diff(links.start))
    acts = np.minimum(links.value, recipe.sure)
    broad = per_finding(table, recipe)
    words = _with_old_ids(ontology)
    entries = {
        term: Entry(
            term,
            ontology.names[place],
            words[place],
            kind="phenotype",
            absence=recipe.excluded,
            broader=tuple(ontology.ids[above] for above in ontology.parents[place]),
        )
        for place, term in enumerate(ontology.ids)
    }
    for disease, factor in zip(table.diseases, broad.tolist(), strict=True):
        others = synonyms.get(disease, ())
        genes = symbols.get(disease, ())
        entries[disease] = Entry(disease, names[disease], others, per_finding=factor, genes=genes)
    leak = leaks(table.background, recipe)
    return Network(
        about=about,
        risk_factors=(),
        diseases=table.diseases,
        findings=ontology.ids,
        risk_prior=_frozen(np.empty(0)),
        disease_leak=_frozen(np.full(size, 1.0 / size)),
        disease_leak_fails=_frozen(np.full(size, 1.0 - 1.0 / size)),
        finding_leak=_frozen(leak),
        finding_leak_fails=_frozen(1.0 - leak),
        causes=sort_links(*_no_links(), (0, size)),
        effects=sort_links(links.column, effect, acts, 1.0 - acts, (size, len(ontology.ids))),
        entries=entries,
    )


def _with_old_ids(ontology: Ontology) -> list[tuple[str, ...]]:
    """[term] its synonyms, and the ids that it had."""
    words = list(ontology.synonyms)
    for old, new in ontology.current.items():
        place = ontology.place[new]
        words[place] = (*words[place], old)
    return words


def _no_links() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """No links at all."""
    return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0)


def _frozen(array: Floats) -> Floats:
    """The array, read-only."""
    array.setflags(write=False)
    return array
