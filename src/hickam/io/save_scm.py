"""A general model → the document that `build_scm` reads, losing nothing."""

from __future__ import annotations

from dataclasses import asdict

from hickam.io.entry_document import (
    Document,
    about_document,
    category_document,
    chance_document,
    entry_document,
)
from hickam.model.mechanism import Function, Gate
from hickam.model.node import Node
from hickam.model.numbers import Chance
from hickam.model.scm import SCM


def scm_document(model: SCM) -> Document:
    """The model as a plain document."""
    document = about_document(model.about)
    document["nodes"] = [_node(model, model.nodes[name]) for name in model.order]
    if model.guessed:
        document["guessed"] = {
            key: list(names) for key, names in asdict(model.guessed).items() if names
        }
    if model.exclusive:
        document["exclusive"] = [list(group) for group in model.exclusive]
    if model.categories:
        document["categories"] = [category_document(category) for category in model.categories]
    return document


def _node(model: SCM, node: Node) -> Document:
    """One node: what is said about it, its states and its mechanism."""
    found = entry_document(model.entries[node.id], model.about.source)
    found |= {"role": node.role, "states": list(node.states)}
    if node.binary:
        found["on"] = node.states[1]
    else:
        found["normal"] = None if node.normal is None else node.states[node.normal]
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
            parent: chance_document(*link, model.link_sources.get((parent, node.id)))
            for parent, link in zip(mechanism.parents, mechanism.links, strict=True)
        }
        source = model.link_sources.get((node.id, node.id))
        return {own: chance_document(*chance, source), **({links: listed} if listed else {})}
    return {
        "parents": list(mechanism.parents),
        "table": mechanism.flat.tolist(),
        "coupling": mechanism.coupling,
    }
