"""P(targets would hold | evidence, had X been x), for any sets of variables. [CD counterfactual]"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.engine import choose
from hickam.beliefs.options import Limits, read_options
from hickam.evidence.assume import assume
from hickam.evidence.case import Assumptions, Case
from hickam.evidence.locate import locate
from hickam.issues import InvalidInput, Issue, error
from hickam.language.vocabulary import HINTED
from hickam.model.anyone_ill import with_anyone_ill
from hickam.model.exclusive import rules
from hickam.model.kinds import Model, as_scm
from hickam.model.network import Floats
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm
from hickam.twin.answer import Answer, Event, States, answer, named
from hickam.twin.exact import Setting
from hickam.twin.identify import recognition_notes
from hickam.twin.infer import ENGINES, disease_priors
from hickam.twin.observe import find_node, observe, read_states, soft_evidence
from hickam.twin.worlds import Action

MOST_COMBINATIONS = 256


@dataclass(frozen=True, slots=True)
class Answers(Sequence[Answer]):
    """All answers to one query, with what was asked and how it was computed."""

    model: str
    given: States
    do: States
    answers: tuple[Answer, ...]
    log_evidence: float
    engine: str
    accuracy: Accuracy
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, index: Any) -> Any:
        return self.answers[index]

    @property
    def probability(self) -> float:
        """The probability of the first (often the only) answer."""
        return self.answers[0].probability

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "model": self.model,
            "given": dict(self.given),
            "do": dict(self.do),
            "engine": self.engine,
            "accuracy": {
                "kind": self.accuracy.kind,
                "error": self.accuracy.error,
                "notes": list(self.accuracy.notes),
            },
            "log_evidence": self.log_evidence,
            "notes": list(self.notes),
            "answers": [one.to_dict() for one in self.answers],
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """A question read: the model for this patient, what is known, what is done and asked."""

    scm: SCM
    setting: Setting
    limits: Limits
    do: Mapping[str, int]
    wanted: Sequence[Mapping[str, int]]  # joint states of the targets


def read_query(
    model: Model,
    evidence: Case | Mapping[str, object],
    do: Mapping[str, object],
    target: Mapping[str, object] | Sequence[str] | str,
    engine: str,
    options: Any,
) -> Asked:
    """The question with every name found, or every mistake at once."""
    scm, setting, limits, issues = ready(model, evidence, engine, options)
    action, more = read_states(scm, do, "intervention")
    wanted, yet_more = _targets(scm, target)
    if issues or more or yet_more:
        raise InvalidInput([*issues, *more, *yet_more])
    return Asked(scm, setting, limits, action, wanted)


def by_twins(asked: Asked, engine: str) -> Answers:
    """The answers in worlds that share their noise. [CD counterfactual]"""
    scm, setting = asked.scm, asked.setting
    events = [
        Event(named(scm, states), [[(1, node, state) for node, state in states.items()]])
        for states in asked.wanted
    ]
    answers, log_evidence, used, accuracy = answer(
        setting, [Action(do=asked.do)], events, engine, asked.limits
    )
    return Answers(
        model=scm.name,
        given=named(scm, setting.observed),
        do=named(scm, asked.do),
        answers=answers,
        log_evidence=log_evidence,
        engine=used,
        accuracy=accuracy,
        notes=recognition_notes(scm),
    )


def ready(
    model: Model, evidence: Case | Mapping[str, object], engine: str, options: Any
) -> tuple[SCM, Setting, Limits, list[Issue]]:
    """(the model for this patient, the evidence under the assumptions, limits, issues)."""
    usual = as_scm(model)
    located = locate(Case() if isinstance(evidence, Mapping) else evidence, usual)
    choose(ENGINES, engine)
    assumptions, limits = read_options(options)
    scm = whole = adapted_scm(usual, located.circumstances)
    observed, weights, issues = _evidence(scm, evidence, assumptions, usual)
    if assumptions.dial != 1.0:
        whole, turned = with_anyone_ill(scm, assumptions.dial)
        weights = {**weights, **turned}
    solver = "junction tree" if engine == "junction_tree" else "elimination"
    return scm, Setting(whole, observed, weights, limits.memory, solver=solver), limits, issues


def _evidence(
    model: SCM, evidence: Case | Mapping[str, object], assumptions: Assumptions, usual: SCM
) -> tuple[Mapping[str, int], Mapping[str, Floats], list[Issue]]:
    """(observed states, soft evidence and assumptions, issues); priors are those as `usual`."""
    if isinstance(evidence, Case):
        located = locate(evidence, model)
        seen = observe(model, assume(located, assumptions, lambda: disease_priors(usual)))
        return seen.states, seen.weights, []
    states, issues = read_states(model, evidence, "evidence")
    nothing = assume(locate(Case(), model), assumptions, lambda: disease_priors(usual))
    return {**rules(model), **states}, soft_evidence(model, nothing), issues


def _targets(
    model: SCM, target: Mapping[str, object] | Sequence[str] | str
) -> tuple[list[dict[str, int]], list[Issue]]:
    """The joint states asked for."""
    if isinstance(target, Mapping):
        states, issues = read_states(model, target, "target")
        if not target:
            issues = [error("the target", "is empty", "name at least one node")]
        return [states], issues
    names = [target] if isinstance(target, str) else list(target)
    found = [find_node(model, name, hint=number < HINTED) for number, name in enumerate(names)]
    issues = [node for node in found if isinstance(node, Issue)]
    nodes = [node for node in found if not isinstance(node, Issue)]
    combinations = math.prod(len(node.states) for node in nodes)
    if combinations > MOST_COMBINATIONS:
        what = f"has {combinations} joint states (at most {MOST_COMBINATIONS})"
        issues.append(error("the target", what, "give the states you want, as NODE=STATE"))
    if issues or not nodes:
        return [], issues or [error("the target", "is empty", "name at least one node")]
    ranges = [range(len(node.states)) for node in nodes]
    ids = [node.id for node in nodes]
    return [dict(zip(ids, states, strict=True)) for states in itertools.product(*ranges)], []
