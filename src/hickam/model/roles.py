"""Roles and normal states set by hand on a general model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hickam.issues import Hints, Issue, did_you_mean, error, raise_errors
from hickam.model.kinds import Model, as_scm
from hickam.model.node import ROLES, with_normal_states
from hickam.model.scm import SCM
from hickam.model.turned import turned

SYNONYMS = {"ignored": "other", "ignore": "other", "risk": "risk factor", "symptom": "finding"}


@dataclass(frozen=True, slots=True)
class Part:
    """What is said about one node: its role, and its normal state if that is said too."""

    role: str
    normal: str = ""


def with_roles(model: Model, parts: Mapping[str, Part]) -> SCM:
    """The model with other roles and normal states for some nodes; the others keep theirs."""
    scm = as_scm(model)
    issues: list[Issue] = []
    names, known = Hints(scm.nodes), Hints(ROLES)
    nodes = dict(scm.nodes)
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
        scm = _with_normal(scm, name, part.normal, issues) if part.normal else scm
    raise_errors(issues)
    nodes = dict(scm.nodes)
    for name, part in parts.items():
        role = _role(part)
        nodes[name] = replace(nodes[name], role=role or nodes[name].role)
    return replace(scm, nodes=with_normal_states(nodes))


def _role(part: Part) -> str:
    """The role that is said, in our word for it."""
    role = part.role.strip().casefold().replace("_", " ")
    return SYNONYMS.get(role, role)


def _with_normal(scm: SCM, name: str, normal: str, issues: list[Issue]) -> SCM:
    """The model with another normal state of one node."""
    node = scm.nodes[name]
    if not node.binary:
        said = replace(node, normal=node.states.index(normal))
        return replace(scm, nodes={**scm.nodes, name: said})
    if normal == node.states[0]:
        return scm
    found = turned(scm, name)
    if found is None:
        fix = "write it into the file that the model comes from"
        what = f"is '{normal}': its tables would be too large to turn"
        issues.append(error(f"normal state of '{name}'", what, fix))
    return found or scm
