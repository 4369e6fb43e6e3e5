"""A located case, or named states, as observations on a general model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hickam.evidence.case import Evidence
from hickam.evidence.stated import read_state
from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, error
from hickam.language.vocabulary import HINTED, node_vocabulary
from hickam.model.exclusive import rules
from hickam.model.network import Floats
from hickam.model.node import Node
from hickam.model.scm import SCM


@dataclass(frozen=True, slots=True)
class Observations:
    """Known factual states, and soft evidence on diseases."""

    states: Mapping[str, int]
    weights: Mapping[str, Floats]  # node → [state] weight
    present: tuple[str, ...]
    risks: Mapping[str, int]  # the part of the states that is given: risk factors, exclusions


def observe(model: SCM, evidence: Evidence) -> Observations:
    """The evidence of a case as states of the model's nodes.

    A finding of several states that is only said to be present is in one of its abnormal ones. The
    state of a risk factor is given, that of any other node is seen.
    """
    risks = {model.risk_factors[i]: 1 for i in evidence.risks_on.tolist()}
    risks |= {model.risk_factors[i]: 0 for i in evidence.risks_off.tolist()}
    issues = [
        error(
            f"risk factor '{name}'",
            f"has the states {', '.join(model.nodes[name].states)}",
            f"name one among the categories, as {name}={model.nodes[name].states[-1]}",
        )
        for name in risks
        if not model.nodes[name].binary
    ]
    if issues:
        raise InvalidInput(issues)
    given = {n: s for n, s in evidence.states.items() if model.nodes[n].role == "risk factor"}
    risks |= given | rules(model)
    present = tuple(model.findings[i] for i in evidence.present.tolist())
    states = {s: 1 for s in present if model.nodes[s].binary}
    absent = [model.nodes[model.findings[i]] for i in evidence.absent.tolist()]
    states |= {node.id: node.off for node in absent}
    states |= evidence.states
    weights = {s: abnormal(model.nodes[s]) for s in present if s not in states}
    weights |= soft_evidence(model, evidence)
    return Observations({**states, **risks}, weights, present, risks)


def abnormal(node: Node) -> Floats:
    """[state] 1 for every state but the normal one."""
    weight = np.ones(len(node.states))
    weight[node.off] = 0.0
    return weight


def soft_evidence(model: SCM, evidence: Evidence) -> dict[str, Floats]:
    """Disease → [state] weight, for those with a likelihood ratio."""
    return {
        disease: np.where(abnormal(model.nodes[disease]) > 0.0, ratio, 1.0)
        for disease, ratio in zip(model.diseases, evidence.likelihood.tolist(), strict=True)
        if ratio != 1.0
    }


def read_states(
    model: SCM, named: Mapping[str, object], word: str
) -> tuple[dict[str, int], list[Issue]]:
    """Node → state from names, with every mistake; true and false stand for on and off."""
    found: dict[str, int] = {}
    issues: list[Issue] = []
    for name, value in named.items():
        node = find_node(model, name, hint=len(issues) < HINTED)
        if isinstance(node, Issue):
            issues.append(node)
            continue
        state = read_state(node, value)
        if isinstance(state, Issue):
            where = f"{word} '{name} = {value}'"
            issues.append(error(where, "names an unknown state", state.fix))
        elif found.setdefault(node.id, state) != state:
            issues.append(error(f"{word} '{name}'", "is given twice, differently", "keep one"))
    return found, issues


def find_node(model: SCM, name: str, *, hint: bool = True) -> Node | Issue:
    """The node with an id, name or synonym, or the issue that explains why there is none."""
    words = node_vocabulary(model)
    found = words.find(name, hint=hint)
    return found if isinstance(found, Issue) else model.nodes[words.ids[found]]


def explain_conflict(
    model: SCM,
    states: Mapping[str, int],
    weights: Mapping[str, Floats],
    log_chance: Callable[[Mapping[str, int], Mapping[str, Floats]], float],
) -> ImpossibleEvidence:
    """The error for impossible evidence, naming a subset from which nothing can be left out."""
    left = dict(states)
    soft = dict(weights)
    for name in states:
        fewer = {node: state for node, state in left.items() if node != name}
        if log_chance(fewer, soft) == -math.inf:
            left = fewer
    for name in weights:
        softer = {node: weight for node, weight in soft.items() if node != name}
        if log_chance(left, softer) == -math.inf:
            soft = softer
    given = rules(model)
    parts = [
        model.label(name) if name in given else f"'{name}' {model.nodes[name].states[state]}"
        for name, state in left.items()
    ]
    parts += [f"disease '{name}' ruled out" for name, weight in soft.items() if weight.min() == 0.0]
    what = "cannot happen in this model" + (" together" if len(parts) > 1 else "")
    fix = "drop one of them, or give the model a leak that allows it"
    return ImpossibleEvidence([error(", ".join(parts) or "the evidence", what, fix)])
