"""Nodes of a general model that a case says are in one of their states.

Among the categories of a case a node of a general model may be named with a state: a finding that
is severe and not only present, a risk factor of several states, a disease that is known. A present
finding written "dyspnoea=severe" and a risk factor with a state for its value say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from hickam.evidence.case import Case, Evidence
from hickam.issues import Issue, did_you_mean, error
from hickam.language.vocabulary import HINTED, Vocabulary, node_vocabulary
from hickam.model.described import Described
from hickam.model.kinds import Model, as_network, general_of
from hickam.model.network import Network
from hickam.model.normal import yes_of

if TYPE_CHECKING:
    from hickam.model.node import Node
    from hickam.model.scm import SCM

ON_WORDS = ("true", "on", "yes", "present", "1")
OFF_WORDS = ("false", "off", "no", "absent", "0")


@dataclass(frozen=True, slots=True)
class Stated:
    """What the states that a case names say: findings, risk factors, and the rest as states."""

    present: list[int] = field(default_factory=list)
    absent: list[int] = field(default_factory=list)
    risks: dict[int, bool] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)  # of what no list above can say


def take_states(
    network: Described, words: Mapping[str, Vocabulary], case: Case, issues: list[Issue]
) -> tuple[Case, Stated]:
    """The case without the nodes that it names with a state, and those."""
    stated = Stated()
    model = general_of(network)
    if model is None:
        return case, stated
    nodes, categories = node_vocabulary(model), words["category"]
    case, pairs = _gathered(words, _answered(model, nodes, case))
    kept = {}
    seen: dict[str, int] = {}
    for name, value in pairs:
        at = nodes.find(name, hint=False)
        if categories.knows(name) or (isinstance(at, Issue) and model.categories):
            kept[name] = value
        elif isinstance(at, Issue):
            hinted = nodes.find(name, hint=len(issues) < HINTED)
            issues.append(hinted if isinstance(hinted, Issue) else at)
        else:
            node = model.nodes[nodes.ids[at]]
            state = read_state(node, value)
            if isinstance(state, Issue):
                issues.append(state)
            elif seen.setdefault(node.id, state) != state:
                where = f"{node.role} '{node.id}'"
                issues.append(error(where, "is given in two states", "keep one"))
            else:
                _sort(model, node, state, stated)
    return replace(case, categories=kept), stated


def _answered(model: SCM, nodes: Vocabulary, case: Case) -> Case:
    """The case with a yes or no to a risk factor whose "yes" is normal as the name of a state."""
    named: dict[str, str] = {}
    for name, value in case.risks.items():
        at = nodes.find(name, hint=False) if isinstance(value, bool) else None
        if isinstance(at, int):
            states = model.nodes[nodes.ids[at]].states
            yes = yes_of(states)
            if yes == states[0]:
                named[name] = states[0 if value else 1]
    if not named:
        return case
    risks = {name: value for name, value in case.risks.items() if name not in named}
    return replace(case, risks=risks, categories={**case.categories, **named})


def _gathered(
    words: Mapping[str, Vocabulary], case: Case
) -> tuple[Case, list[tuple[str, str | float]]]:
    """The case without the states that it names, and all (name, state), wherever written."""
    findings = words["finding"]
    written = [n for n in case.present if isinstance(n, str) and "=" in n and not findings.knows(n)]
    risks = {name: str(value) for name, value in case.risks.items() if isinstance(value, str)}
    split = (text.partition("=") for text in written)
    pairs: list[tuple[str, str | float]] = [*case.categories.items(), *risks.items()]
    pairs += [(name.strip(), state.strip()) for name, _, state in split]
    if written or risks:
        present = [name for name in case.present if name not in written]
        others = {name: value for name, value in case.risks.items() if name not in risks}
        case = replace(case, present=present, risks=others)
    return case, pairs


def _sort(network: SCM, node: Node, state: int, stated: Stated) -> None:
    """Put the state of a node where evidence holds it."""
    if node.role == "finding":
        normal = state == node.off
        (stated.absent if normal else stated.present).append(network.index[node.id])
        if not normal and not node.binary:
            stated.states[node.id] = state
    elif node.role == "risk factor" and node.binary:
        stated.risks[network.index[node.id]] = state == 1
    else:
        stated.states[node.id] = state


def add_findings(
    network: Described,
    stated: Stated,
    present: list[int],
    absent: list[int],
    issues: list[Issue],
) -> None:
    """Add the findings whose state is named; one that is also said to be otherwise is an issue."""
    sides = (
        (stated.present, present, absent, "absent"),
        (stated.absent, absent, present, "present"),
    )
    for meant, own, other, said in sides:
        for position in meant:
            if position in other:
                where = f"finding '{network.findings[position]}'"
                what = f"is said to be {said}, and to be in a state that is not"
                issues.append(error(where, what, "keep one of the two"))
            elif position not in own:
                own.append(position)


def read_state(node: Node, value: object) -> int | Issue:
    """The position of a state given by name; the usual words stand for the two states of one.

    "absent" and its like are the normal state of a node that has one.
    """
    names = [state.casefold() for state in node.states]
    text = str(bool(value) if isinstance(value, np.bool_) else value).strip().casefold()
    if text in names:
        return names.index(text)
    if node.binary and text in ON_WORDS:
        return 1
    if text in OFF_WORDS and node.normal is not None:
        return node.normal
    where = f"state of {node.role} '{node.id}'"
    fix = did_you_mean(str(value)[:60], node.states)
    if text in ON_WORDS and node.role == "finding":
        fix = f"give it among the present findings, or name its state: {', '.join(node.states)}"
    return error(where, f"is '{value!s:.40}'", fix)


def in_words(network: Described, stated: Stated) -> list[str]:
    """What is seen in a state, in words."""
    model = general_of(network)
    if model is None:
        return []
    return [
        f"{model.label(node)}: {model.nodes[node].states[state]}"
        for node, state in stated.states.items()
    ]


def several_states(network: Described, node: str) -> tuple[str, ...]:
    """The states that a node can be said to be in, besides present and absent; most have none."""
    model = general_of(network)
    if model is None or model.nodes[node].binary:
        return ()
    found = model.nodes[node]
    chosen = found.abnormal if found.role == "finding" else range(len(found.states))
    return tuple(found.states[state] for state in chosen)


def layered(model: Model, evidence: Evidence) -> Network | None:
    """The three-layer network that a model is, if its engines can hold the evidence.

    They cannot where a disease is seen in a state, which only the twins take as it is.
    """
    return None if evidence.states else as_network(model)
