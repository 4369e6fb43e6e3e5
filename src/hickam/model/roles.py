"""Roles and normal states set by hand on a general model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hickam.issues import Hints, Issue, did_you_mean, error, raise_errors
from hickam.model.kinds import Model, as_scm
from hickam.model.node import ROLES, Node, with_normal_states
from hickam.model.scm import SCM


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
        role = part.role.strip().casefold().replace("_", " ")
        if name not in nodes:
            fix = names.fix(name)
            issues.append(error(f"role of '{name[:80]}'", "names no node of the model", fix))
        elif role and role not in ROLES:
            issues.append(error(f"role of '{name}'", f"is '{part.role[:40]}'", known.fix(role)))
        elif part.normal and part.normal not in nodes[name].states:
            fix = did_you_mean(part.normal, nodes[name].states)
            issues.append(error(f"normal state of '{name}'", f"is '{part.normal[:40]}'", fix))
        elif part.normal and nodes[name].binary and part.normal != nodes[name].states[0]:
            fix = f"of two states it is '{nodes[name].states[0]}'; write 'normal' into the model"
            issues.append(error(f"normal state of '{name}'", f"is '{part.normal}'", fix))
        else:
            nodes[name] = _as_said(nodes[name], role, part.normal)
    raise_errors(issues)
    return replace(scm, nodes=with_normal_states(nodes))


def _as_said(node: Node, role: str, normal: str) -> Node:
    """The node with another role, and another normal state where one is named."""
    state = node.states.index(normal) if normal else node.normal
    return replace(node, role=role or node.role, normal=state)
