"""Roles and normal states set by hand on a general model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hickam.issues import Hints, Issue, did_you_mean, error, raise_errors
from hickam.model.kinds import Model, as_scm
from hickam.model.network import Floats
from hickam.model.node import PART, ROLES, Node
from hickam.model.normal import normal_state, yes_of
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of
from hickam.model.turned import turned

UNLIKELY = 0.2  # below this chance with every cause normal, "no" is not taken for granted
EVEN = 1e-9  # chances that differ by less are as likely
SYNONYMS = {"ignored": "other", "ignore": "other", "risk": "risk factor", "symptom": "finding"}


@dataclass(frozen=True, slots=True)
class Part:
    """What is said about one node: its role, and its normal state if that is said too."""

    role: str
    normal: str = ""


def with_roles(model: Model, parts: Mapping[str, Part]) -> SCM:
    """The model with other roles and normal states for some nodes; the others keep theirs.

    What is said is no guess any more; a normal state that nobody says and a role needs is one.
    """
    scm = as_scm(model)
    issues: list[Issue] = []
    nodes = {name: node for name, node in scm.nodes.items() if node.role != PART}
    names, known = Hints(nodes), Hints(ROLES)
    for name, part in parts.items():
        role = _role(part)
        if name not in nodes:
            fix = names.fix(name)
            issues.append(error(f"role of '{name[:80]}'", "names no node of the model", fix))
        elif role and role not in ROLES:
            issues.append(error(f"role of '{name}'", f"is '{part.role[:40]}'", known.fix(role)))
        elif part.normal and part.normal not in nodes[name].states:
            fix = did_you_mean(part.normal, nodes[name].states)
            issues.append(error(f"normal state of '{name}'", f"is '{part.normal[:40]}'", fix))
    raise_errors(issues)
    for name, part in parts.items():
        if part.normal:
            found = with_normal(scm, name, nodes[name].states.index(part.normal))
            if found is None:
                fix = "write it into the file that the model comes from"
                what = f"is '{part.normal}': its tables would be too large to turn"
                issues.append(error(f"normal state of '{name}'", what, fix))
            scm = found or scm
    raise_errors(issues)
    nodes = dict(scm.nodes)
    for name, part in parts.items():
        nodes[name] = replace(nodes[name], role=_role(part) or nodes[name].role)
    said = [name for name, part in parts.items() if part.role]
    guessed = scm.guessed.without(said, [name for name, part in parts.items() if part.normal])
    return with_normal_states(replace(scm, nodes=nodes, guessed=guessed))


def with_normal_states(scm: SCM) -> SCM:
    """The model with a normal state for every disease and finding; those that nobody said, guessed.

    The guess is the likeliest state with every cause normal. "No" and its like are normal unless
    they are unlikely then: what a variable asks may be whether all is well.
    """
    taken = []
    likely: dict[str, Floats] = {}
    for name in scm.nodes:
        node = scm.nodes[name]
        needed = node.role in ("disease", "finding")
        if node.normal is not None:
            continue
        chances = likely[name] = _usual(node, scm, likely)
        told = normal_state(node.states, scm.label(name)) if yes_of(node.states) else None
        if told is not None and chances[node.states.index(told)] >= UNLIKELY:
            scm = with_normal(scm, name, node.states.index(told)) or scm
        elif needed:
            most = [
                s for s, c in zip(node.states, chances, strict=True) if c > chances.max() - EVEN
            ]
            scm = with_normal(scm, name, node.states.index(min(most))) or scm
            taken.append(name)
    kept = [name for name in scm.guessed.normal if name not in taken]
    return replace(scm, guessed=replace(scm.guessed, normal=(*kept, *taken)))


def _usual(node: Node, scm: SCM, likely: Mapping[str, Floats]) -> Floats:
    """[state] how likely each state is with every cause normal, or as it then is if none is."""
    rows = table_of(node, scm)
    if rows is None:  # a gate too wide to be written out: with every cause off
        return np.array([1.0, 0.0])
    for parent in reversed(node.parents):
        axis = rows.ndim - 2
        normal = scm.nodes[parent].normal
        if normal is None:
            rows = np.moveaxis(rows, axis, -1) @ likely[parent]
        else:
            rows = np.take(rows, normal, axis=axis)
    return rows


def with_normal(scm: SCM, name: str, normal: int) -> SCM | None:
    """The model with another normal state of a node; None if a table would be too large to turn."""
    node = scm.nodes[name]
    if len(node.states) == 2 and normal == 1:
        found, normal = turned(scm, name), 0
        if found is None:
            return None
        scm, node = found, found.nodes[name]
    if node.normal == normal:
        return scm
    return replace(scm, nodes={**scm.nodes, name: replace(node, normal=normal)})


def _role(part: Part) -> str:
    """The role that is said, in our word for it."""
    role = part.role.strip().casefold().replace("_", " ")
    return SYNONYMS.get(role, role)
