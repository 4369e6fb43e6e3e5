"""The Human Phenotype Ontology as read from `hp.obo` or `hp.json`: terms, names and what is above.

Only the branch of phenotypic abnormalities is kept, without its root: inheritance, onset, frequency
and modifiers are no findings of a patient, and the root says nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hickam.issues import invalid
from hickam.model.network import Ints

ROOT = "HP:0000118"  # Phenotypic abnormality
SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(slots=True)
class Term:
    """One term as its file says it."""

    id: str
    name: str = ""
    synonyms: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    obsolete: bool = False
    replaced_by: str = ""


@dataclass(frozen=True, eq=False)
class Ontology:
    """The terms of the branch in order of id, and everything above each of them."""

    version: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    synonyms: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]  # [term]  positions, the root left out
    current: Mapping[str, str]  # alternative or replaced id → id of today
    elsewhere: frozenset[str]  # ids of other branches, of the root, and of obsolete terms

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Id → position."""
        return {term: position for position, term in enumerate(self.ids)}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """[term] the positions of the terms right below."""
        below: list[list[int]] = [[] for _ in self.ids]
        for term, above in enumerate(self.parents):
            for parent in above:
                below[parent].append(term)
        return tuple(map(tuple, below))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Positions such that every term comes after all its parents."""
        waiting = [len(above) for above in self.parents]
        ready = [term for term, count in enumerate(waiting) if not count]
        for term in ready:  # grows while it is read
            for child in self.children[term]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        return tuple(ready)

    @cached_property
    def above(self) -> tuple[Ints, ...]:
        """[term] its ancestors and itself, in order of position."""
        found: list[set[int]] = [set() for _ in self.ids]
        for term in self.order:
            found[term].add(term)
            for parent in self.parents[term]:
                found[term] |= found[parent]
        return tuple(np.array(sorted(some), dtype=np.int64) for some in found)

    def resolve(self, term: str) -> str | None:
        """The id of today for a term of any age, or None if it is no finding."""
        term = term.strip().upper()
        if term in self.place:
            return term
        return self.current.get(term)


def read_ontology(text: str) -> Ontology:
    """The ontology in the text of an OBO file or an OBO Graphs JSON document."""
    terms, version = _graph(text) if text.lstrip()[:1] == "{" else _obo(text)
    return _assemble(terms, version)


def _obo(text: str) -> tuple[list[Term], str]:
    """The terms and the version of an OBO file."""
    head, *stanzas = text.replace("\r\n", "\n").split("\n[Term]\n")
    found = re.search(r"(?m)^data-version:\s*(\S+)", head)
    version = found[1].rsplit("/", 1)[-1] if found else ""
    return [term for stanza in stanzas if (term := _stanza(stanza)).id], version


def _stanza(stanza: str) -> Term:
    """One term of an OBO file; a stanza of another kind may follow it and is left out."""
    term = Term("")
    for line in stanza.split("\n[", 1)[0].split("\n"):
        key, _, value = line.partition(": ")
        if key == "id":
            term.id = value.strip()
        elif key == "name":
            term.name = value.strip()
        elif key == "synonym":
            found = SYNONYM.match(value)
            if found:
                term.synonyms.append(found[1].replace('\\"', '"'))
        elif key == "is_a":
            term.parents.append(value.split(" ", 1)[0])
        elif key == "alt_id":
            term.alternatives.append(value.strip())
        elif key == "replaced_by":
            term.replaced_by = value.strip()
        elif key == "is_obsolete":
            term.obsolete = value.strip() == "true"
    return term


def _graph(text: str) -> tuple[list[Term], str]:
    """The terms and the version of an OBO Graphs document."""
    try:
        graph = json.loads(text)["graphs"][0]
        terms = {term.id: term for term in map(_node, graph["nodes"]) if term.id}
        for edge in graph["edges"]:
            child, parent = _short(edge["sub"]), _short(edge["obj"])
            if edge["pred"] == "is_a" and child in terms:
                terms[child].parents.append(parent)
        version = str(graph.get("meta", {}).get("version", ""))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        what = "is not an OBO Graphs document"
        raise invalid("the ontology", what, "give hp.obo or hp.json as downloaded") from None
    found = re.search(r"\d{4}-\d{2}-\d{2}", version)
    return list(terms.values()), found[0] if found else version


def _node(node: Mapping[str, object]) -> Term:
    """One node of an OBO Graphs document; one that is no term of the ontology has no id."""
    term = _short(str(node.get("id", "")))
    if not term.startswith("HP:"):
        return Term("")
    meta = node.get("meta")
    meta = meta if isinstance(meta, Mapping) else {}
    values = {
        str(item["pred"]).rsplit("/", 1)[-1]: str(item["val"])
        for item in meta.get("basicPropertyValues", ())
    }
    other = [
        str(item["val"])
        for item in meta.get("basicPropertyValues", ())
        if str(item["pred"]).endswith("hasAlternativeId")
    ]
    return Term(
        term,
        str(node.get("lbl", "")),
        [str(item["val"]) for item in meta.get("synonyms", ())],
        [],
        other,
        bool(meta.get("deprecated", False)),
        _short(values.get("IAO_0100001", "")),
    )


def _short(address: str) -> str:
    """HP:0001250 for the address of a term."""
    return address.rsplit("/", 1)[-1].replace("_", ":", 1)


def _assemble(terms: list[Term], version: str) -> Ontology:
    """The branch of findings among all terms."""
    by_id = {term.id: term for term in terms}
    if ROOT not in by_id:
        what = f"has no term {ROOT} (Phenotypic abnormality)"
        raise invalid("the ontology", what, "give hp.obo or hp.json as downloaded")
    inside = _below(by_id)
    ids = tuple(sorted(inside - {ROOT}))
    place = {term: position for position, term in enumerate(ids)}
    ontology = Ontology(
        version=version,
        ids=ids,
        names=tuple(by_id[term].name or term for term in ids),
        synonyms=tuple(_synonyms(by_id[term]) for term in ids),
        parents=tuple(
            tuple(sorted({place[p] for p in by_id[term].parents if p in place})) for term in ids
        ),
        current=dict(_current(terms, place)),
        elsewhere=frozenset(by_id.keys() - place.keys()),
    )
    if len(ontology.order) != len(ids):
        raise invalid("the ontology", "has terms that are above themselves")
    return ontology


def _below(by_id: Mapping[str, Term]) -> set[str]:
    """The ids of the root and of every term below it that is not obsolete."""
    children: dict[str, list[str]] = {}
    for term in by_id.values():
        for parent in () if term.obsolete else term.parents:
            children.setdefault(parent, []).append(term.id)
    inside, new = {ROOT}, [ROOT]
    while new:
        for child in children.get(new.pop(), ()):
            if child not in inside:
                inside.add(child)
                new.append(child)
    return inside


def _synonyms(term: Term) -> tuple[str, ...]:
    """The synonyms of a term, each once, without its name."""
    seen = {term.name.casefold()}
    kept = []
    for synonym in term.synonyms:
        if synonym and synonym.casefold() not in seen:
            seen.add(synonym.casefold())
            kept.append(synonym)
    return tuple(kept)


def _current(terms: list[Term], place: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """(id of the past, id of today) where the file names one that is a finding."""
    replaced = {term.id: term.replaced_by for term in terms if term.obsolete and term.replaced_by}
    for old in replaced:
        new, steps = old, 0
        while new in replaced and steps < len(replaced):
            new, steps = replaced[new], steps + 1
        if new in place:
            yield old, new
    for term in terms:
        if term.id in place:
            for old in term.alternatives:
                if old not in place:
                    yield old, term.id
