"""GeNIe's format (.xdsl): tables, deterministic nodes and noisy MAX."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hickam.io.foreign.assembled import reading
from hickam.io.foreign.variables import (
    Causes,
    Variable,
    bad,
    by_agrum,
    check_cells,
    check_parents,
    turned_round,
)
from hickam.io.foreign.xml_tree import Element, parse_tree
from hickam.io.foreign.xmlbif import numbers
from hickam.io.form import Reading
from hickam.issues import Issue, did_you_mean
from hickam.model.network import Floats

ROLES = {"target": "disease", "observation": "finding", "auxiliary": "other"}
KINDS = ("cpt", "noisymax", "deterministic")


def read_xdsl(content: bytes, file: str) -> Reading:
    """The model in XDSL text."""
    notes: list[Issue] = []
    return reading(lambda: _parse(parse_tree(content, file), file, notes), file, notes)


def _parse(root: Element, file: str, notes: list[Issue]) -> tuple[str, list[Variable]]:
    """The network's id and its variables, parents first as the format asks."""
    nodes = root.first("nodes")
    if root.tag.casefold() != "smile" or nodes is None:
        raise bad(file, root.line, "the file", "has no smile element with nodes", "is it XDSL?")
    names = _display_names(root)
    states: dict[str, tuple[str, ...]] = {}
    for element in nodes.children:
        node = element.attributes.get("id", "")
        where = f"node '{node}'"
        if element.tag not in KINDS:
            fix = f"only {', '.join(KINDS)} can be read"
            raise bad(file, element.line, where, f"is a '{element.tag}'", fix)
        if not node or node in states:
            raise bad(file, element.line, where, "has no id, or one that is taken")
        listed = element.all("state")
        states[node] = tuple(state.attributes.get("id", "") for state in listed)
    turned = {each.attributes["id"] for each in nodes.children if each.tag == "noisymax"}
    apps = [e.attributes.get("app", "") for e in root.walk() if e.tag == "genie"]
    backwards = any(app.casefold().startswith("agrum") for app in apps)
    declared = _Declared(states, turned, backwards)
    if backwards:
        notes.append(by_agrum(file))
    found = [_node(element, declared, names, file) for element in nodes.children]
    if any("diagtype" in element.attributes for element in nodes.children):
        causes = {parent for variable in found for parent in variable.parents}
        found = [
            replace(variable, role=_role(element, variable, causes))
            for element, variable in zip(nodes.children, found, strict=True)
        ]
    return root.attributes.get("id", ""), found


def _role(element: Element, variable: Variable, causes: Collection[str]) -> str:
    """The role of a node of GeNIe's diagnostic extension: what is observed and a root is a risk."""
    said = element.attributes.get("diagtype", "auxiliary")
    is_root = not variable.parents and variable.name in causes
    return "risk factor" if said == "observation" and is_root else ROLES.get(said, "other")


def _normal(element: Element) -> str:
    """The state that is no fault, where a node has faults and only one state is none."""
    states = {s.attributes.get("id", ""): s.attributes.get("fault") for s in element.all("state")}
    well = [state for state, fault in states.items() if fault != "true"]
    return well[0] if len(well) == 1 < len(states) else ""


@dataclass(frozen=True, slots=True)
class _Declared:
    """The nodes of a file: their states as it lists them, and which we list the other way round.

    GeNIe orders the states of a noisy MAX from the strongest to the one without effect, we upwards.
    """

    states: Mapping[str, tuple[str, ...]]
    turned: Collection[str]
    backwards: bool = False  # the first parent of a table runs fastest, not the last

    def ordered(self, rows: Floats, nodes: Sequence[str]) -> Floats:
        """A table of the file, one axis for each of the nodes first, with their states our way."""
        axes = tuple(axis for axis, node in enumerate(nodes) if node in self.turned)
        return np.flip(rows, axes) if axes else rows

    def upwards(self, node: str) -> tuple[str, ...]:
        """The states of a node in our order."""
        return self.states[node][::-1] if node in self.turned else self.states[node]


def _display_names(root: Element) -> dict[str, str]:
    """Id → the name that GeNIe shows."""
    names = {}
    for element in root.walk():
        if element.tag == "node" and (name := element.first("name")) is not None and name.text:
            names[element.attributes.get("id", "")] = name.text
    return names


def _node(element: Element, declared: _Declared, names: Mapping[str, str], file: str) -> Variable:
    """One node."""
    states = declared.states
    node = element.attributes["id"]
    where = f"node '{node}'"
    listed = element.first("parents")
    parents = tuple(listed.text.split()) if listed else ()
    for parent in parents:
        if parent not in states:
            fix = did_you_mean(parent, states)
            raise bad(file, element.line, f"parent '{parent[:60]}' of {where}", "is unknown", fix)
    check_parents(where, node, parents, file, element.line)
    facts = {"name": names[node]} if node in names else {}
    own = len(states[node])
    bare = Variable(
        *(node, states[node], parents), normal=_normal(element), facts=facts, line=element.line
    )
    if element.tag == "noisymax":
        return _noisy_max(element, bare, declared, file)
    shape = [len(states[parent]) for parent in parents]
    check_cells(where, (*shape, own), file, element.line)
    if element.tag == "cpt":
        rows = numbers(
            _child(element, "probabilities", where, file), int(np.prod(shape)) * own, where, file
        )
    else:
        chosen = _child(element, "resultingstates", where, file)
        words = chosen.text.split()
        unknown = next((word for word in words if word not in states[node]), None)
        if unknown is not None or len(words) != int(np.prod(shape)):
            what = f"has {len(words)} resulting states" + (
                f", '{unknown}' unknown" if unknown else ""
            )
            raise bad(file, chosen.line, where, what)
        rows = np.eye(own)[[states[node].index(word) for word in words]]
    if declared.backwards:
        rows = turned_round(rows.reshape(-1), (*shape, own))
    rows = declared.ordered(rows.reshape(*shape, own), parents)
    return replace(bare, rows=rows)


def _noisy_max(element: Element, bare: Variable, declared: _Declared, file: str) -> Variable:
    """A noisy MAX: GeNIe orders states from the strongest to the one without effect."""
    states = declared.states
    where, own = f"node '{bare.name}'", len(bare.states)
    sizes = [len(states[parent]) for parent in bare.parents]
    given = _child(element, "parameters", where, file)
    parameters = numbers(given, (sum(sizes) + 1) * own, where, file).reshape(-1, own)[:, ::-1]
    strengths = element.first("strengths")
    order = strengths.text.split() if strengths else [str(i) for n in sizes for i in range(n)]
    rows, at = [], 0
    for parent, size in zip(bare.parents, sizes, strict=True):
        places = order[at : at + size]
        if sorted(places) != sorted(str(i) for i in range(size)):
            what = f"has strengths that are no order of the states of '{parent}'"
            raise bad(file, element.line, where, what)
        table = np.empty((size, own))
        table[[int(place) for place in places]] = parameters[at : at + size]
        # Weakest first, so that the state without effect is the quiet one, as ours is.
        rows.append(declared.ordered(table, [parent]))
        at += size
    causes = Causes(
        bare.parents,
        tuple(declared.upwards(parent) for parent in bare.parents),
        tuple(rows),
        parameters[-1],
    )
    return replace(bare, states=declared.upwards(bare.name), causes=causes)


def _child(element: Element, tag: str, where: str, file: str) -> Element:
    """A child that must be there."""
    child = element.first(tag)
    if child is None:
        raise bad(file, element.line, where, f"has no {tag}")
    return child
