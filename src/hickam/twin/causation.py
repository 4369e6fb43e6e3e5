"""The probabilities of causation: necessity, sufficiency, and both, for a set of causes.

With x the causes as they are named, x' their contrasts, y the finding as it is named, y' its
contrast, and e what the case says of everything else:

- necessity, PN = P(y' had it been x' | x, y, e)
- sufficiency, PS = P(y had it been x | x', y', e)
- both, PNS = P(y had it been x, and y' had it been x' | e), in two worlds with one noise
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case
from hickam.issues import ImpossibleEvidence, InvalidInput, Issue, error, invalid
from hickam.model.kinds import Model
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.answer import Answer, Event, States, answer, named
from hickam.twin.exact import Setting
from hickam.twin.identify import recognition_notes
from hickam.twin.observe import find_node, read_states
from hickam.twin.query import ready
from hickam.twin.worlds import Action


@dataclass(frozen=True, slots=True)
class Causation:
    """How far causes are necessary and sufficient for a finding, with what each number rests on.

    `necessity` and `sufficiency` are None where their condition cannot happen; `notes` say why.
    """

    model: str
    causes: States
    contrast: States  # the causes as they are where they do not act
    finding: str
    given: States  # what else was seen, states of nodes that are named
    necessity: Answer | None  # PN
    sufficiency: Answer | None  # PS
    both: Answer  # PNS
    engine: str
    accuracy: Accuracy
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found = {key: getattr(self, key) for key in ("model", "finding", "engine", "notes")}
        states = {key: dict(getattr(self, key)) for key in ("causes", "contrast", "given")}
        answers = {key: getattr(self, key) for key in ("necessity", "sufficiency", "both")}
        plain = {key: one and one.to_dict() for key, one in answers.items()}
        return {**found, **states, **plain, "accuracy": self.accuracy.to_dict()}


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked, read and checked: the causes, the finding, and the evidence about the rest."""

    setting: Setting
    limits: Limits
    on: Mapping[str, int]  # x
    off: Mapping[str, int]  # x'
    finding: Node
    there: tuple[int, ...]  # y
    notes: tuple[str, ...]

    @property
    def gone(self) -> tuple[int, ...]:
        """The states of the finding that do not count as being there: y'."""
        return tuple(s for s in range(len(self.finding.states)) if s not in self.there)

    def answered(
        self, found: Mapping[str, Answer], engine: str, accuracy: Accuracy, notes: Sequence[str]
    ) -> Causation:
        """The answers with what was asked."""
        model = self.setting.model
        return Causation(
            model=model.name,
            causes=named(model, self.on),
            contrast=named(model, self.off),
            finding=f"{self.finding.id} = {either(self.finding, self.there)}",
            given=named(model, self.setting.observed),
            necessity=found.get("necessity"),
            sufficiency=found.get("sufficiency"),
            both=found["both"],
            engine=engine,
            accuracy=accuracy,
            notes=(*self.notes, *notes),
        )


def read_question(
    model: Model,
    case: Case | Mapping[str, object],
    causes: str | Sequence[str] | Mapping[str, object],
    finding: str,
    engine: str,
    options: Any,
) -> Question:
    """The question by its names; every mistake in it is reported at once."""
    scm, whole, limits, issues = ready(model, case, engine, options)
    on, off, node, there = _asked(scm, causes, finding, issues)
    asked = {*on, node.id}
    rest = {name: state for name, state in whole.observed.items() if name not in asked}
    abnormal = {node.id} if node.role == "finding" else set()  # of a finding that is just present
    weights = {name: w for name, w in whole.weights.items() if name not in abnormal}
    notes = [*recognition_notes(scm)]
    if aside := (asked & whole.observed.keys()) | (abnormal & whole.weights.keys()):
        names = " and ".join(f"'{name}'" for name in sorted(aside))
        notes.append(f"what the case says of {names} is set aside: each probability states it")
    setting = replace(whole, observed=rest, weights=weights)
    return Question(setting, limits, on, off, node, there, tuple(notes))


def by_twins(asked: Question, engine: str) -> Causation:
    """The answers by the engines of general models."""
    setting, node = asked.setting, asked.finding
    questions = {
        "both": (setting, [asked.on, asked.off], [asked.there, asked.gone]),
        "necessity": (_knowing(setting, asked.on, node, asked.there), [asked.off], [asked.gone]),
        "sufficiency": (_knowing(setting, asked.off, node, asked.gone), [asked.on], [asked.there]),
    }
    found: dict[str, Answer] = {}
    notes, accuracy = [], Accuracy("exact", 0.0)
    for word, (known, actions, states) in questions.items():
        worlds = [Action(do=do) for do in actions]
        try:
            (found[word],), _, used, how = answer(
                known, worlds, [_event(node, states)], engine, asked.limits
            )
        except ImpossibleEvidence as bad:
            if word == "both":
                raise
            why = f"{bad.issues[0].where} {bad.issues[0].what}"
            notes.append(f"there is no probability of {word}: {why}")
            continue
        accuracy = max(accuracy, how, key=lambda one: one.error)
    return asked.answered(found, used, accuracy, notes)


def _knowing(
    setting: Setting, causes: Mapping[str, int], node: Node, states: Sequence[int]
) -> Setting:
    """The setting in which the causes are seen, and the finding in one of some states."""
    observed = {**setting.observed, **causes}
    if len(states) == 1 and node.id not in setting.weights:
        return replace(setting, observed={**observed, node.id: states[0]})
    possible = np.isin(np.arange(len(node.states)), states).astype(np.float64)
    weight = possible * setting.weights.get(node.id, 1.0)
    return replace(setting, observed=observed, weights={**setting.weights, node.id: weight})


def _event(node: Node, worlds: Sequence[Sequence[int]]) -> Event:
    """The finding is in one of some states in world 1, in one of others in world 2, …"""
    numbered = [[(world, node.id, s) for s in states] for world, states in enumerate(worlds, 1)]
    return Event({node.id: either(node, worlds[0])}, list(itertools.product(*numbered)))


def either(node: Node, states: Sequence[int]) -> str:
    """The names of some states."""
    return " or ".join(node.states[state] for state in states)


def _asked(
    model: SCM,
    causes: str | Sequence[str] | Mapping[str, object],
    finding: str,
    issues: list[Issue],
) -> tuple[dict[str, int], dict[str, int], Node, tuple[int, ...]]:
    """(the causes' states, their contrasts, the finding's node, its states that count as there)."""
    if not isinstance(causes, Mapping):
        listed = (
            causes if isinstance(causes, Iterable) and not isinstance(causes, str) else [causes]
        )
        causes = dict(map(_read, listed))
    on, more = read_states(model, causes, "cause")
    issues += more
    if not causes:
        issues.append(error("the set of causes", "is empty", "name at least one cause"))
    off: dict[str, int] = {}
    for name, state in on.items():
        contrast = _contrast(model.nodes[name], state)
        if isinstance(contrast, Issue):
            issues.append(contrast)
        else:
            off[name] = contrast
    name, said = _read(finding)
    node = find_node(model, name)
    if isinstance(node, Issue):
        raise InvalidInput([*issues, node])
    there: tuple[int, ...] = node.abnormal
    if said is not True:
        states, more = read_states(model, {node.id: said}, "finding")
        issues += more
        there = tuple(states.values())
    elif node.normal is None:
        fix = f"write {node.id}={node.states[-1]}"
        issues.append(error(f"finding '{node.id}'", "has no normal state", fix))
    if node.id in on:
        issues.append(error(f"'{node.id}'", "is a cause and the finding", "keep one"))
    if issues:
        raise InvalidInput(issues)
    return on, off, node, there


def _read(text: str) -> tuple[str, object]:
    """NODE=STATE as a node and its state; a bare node is there."""
    if not isinstance(text, str):
        raise invalid(f"{text!r:.40}", "is not the name of a node", "write its id or name as text")
    name, mark, state = text.partition("=")
    return name.strip(), state.strip() if mark else True


def _contrast(node: Node, state: int) -> int | Issue:
    """The state in which a cause does not act: the normal one, or the other of two."""
    if node.binary:
        return 1 - state
    if node.normal is None or node.normal == state:
        what = "has no normal state to be compared with" if node.normal is None else "is normal"
        fix = f"name another state: {', '.join(node.states)}"
        return error(f"cause '{node.id} = {node.states[state]}'", what, fix)
    return node.normal
