"""A general model → the document that `build_scm` reads, losing nothing."""

from __future__ import annotations

from typing import Any

from hickam.model.mechanism import Function, Gate
from hickam.model.network import Category, Entry
from hickam.model.numbers import Chance
from hickam.model.scm import SCM, Node

Document = dict[str, Any]


def scm_document(model: SCM) -> Document:
    """The model as a plain document."""
    about = model.about
    document: Document = {"hickam": 1, "name": about.name}
    for key in ("version", "licence", "description", "disclaimer", "source"):
        if getattr(about, key):
            document[key] = getattr(about, key)
    document["nodes"] = [_node(model, model.nodes[name]) for name in model.order]
    if model.categories:
        document["categories"] = [category_document(category) for category in model.categories]
    return document


def category_document(category: Category) -> Document:
    """A categorical finding as a plain document."""
    return {
        "id": category.id,
        "name": category.name,
        **({"synonyms": list(category.synonyms)} if category.synonyms else {}),
        "values": list(category.values),
        "otherwise": list(category.otherwise),
        "given": {disease: list(chances) for disease, chances in category.given.items()},
    }


def _node(model: SCM, node: Node) -> Document:
    """One node: what is said about it, its states and its mechanism."""
    entry = model.entries[node.id]
    plain = Entry(id=node.id, name=node.id)
    found: Document = {"id": node.id, "role": node.role, "states": list(node.states)}
    if node.binary:
        found["on"] = node.states[1]
    for key in ("name", "group", "kind", "rareness", "urgency", "cruelty", "cost"):
        if getattr(entry, key) != getattr(plain, key):
            found[key] = getattr(entry, key)
    if entry.synonyms:
        found["synonyms"] = list(entry.synonyms)
    if entry.source and entry.source != model.about.source:
        found["source"] = entry.source
    if entry.prevalence:
        found["prevalence"] = [
            {
                **({"sex": row.sex} if row.sex else {}),
                **({"age": list(row.age)} if row.age else {}),
                "factor": row.factor,
            }
            for row in entry.prevalence
        ]
    if (entry.treatment_cost, entry.treatment_success) != (1.0, 1.0):
        found["treatment"] = {"cost": entry.treatment_cost, "success": entry.treatment_success}
    return found | _mechanism(model, node)


def _mechanism(model: SCM, node: Node) -> Document:
    """The keys of a node's mechanism."""
    mechanism = node.mechanism
    if isinstance(mechanism, Function):
        return {"function": mechanism.text}
    if isinstance(mechanism, Gate):
        own, links = ("leak", "causes") if mechanism.kind == "or" else ("keep", "needs")
        chance = mechanism.own if own == "leak" else Chance(*reversed(mechanism.own))
        listed = {
            parent: _chance(link, model.link_sources.get((parent, node.id)))
            for parent, link in zip(mechanism.parents, mechanism.links, strict=True)
        }
        source = model.link_sources.get((node.id, node.id))
        return {own: _chance(chance, source), **({links: listed} if listed else {})}
    return {
        "parents": list(mechanism.parents),
        "table": mechanism.flat.tolist(),
        "coupling": mechanism.coupling,
    }


def _chance(chance: Chance, source: str | None) -> float | Document:
    """A probability; as λ where only that keeps the digits."""
    if chance.fails == 1.0 - chance.acts:
        return {"probability": chance.acts, "source": source} if source else chance.acts
    return {"fails": chance.fails, **({"source": source} if source else {})}
