"""P(targets would hold | evidence, had X been x), for any sets of variables. [CD counterfactual]"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.engine import choose
from hickam.beliefs.options import Limits, read_options
from hickam.evidence.assume import assume
from hickam.evidence.case import Assumptions, Case
from hickam.evidence.locate import locate
from hickam.issues import InvalidInput, Issue, TooHard, error
from hickam.language.vocabulary import HINTED
from hickam.model.exclusive import rules
from hickam.model.kinds import Model, as_scm
from hickam.model.mechanism import Table
from hickam.model.network import Floats
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm
from hickam.twin.abduction import abduct
from hickam.twin.bounds import Bounds, bound
from hickam.twin.exact import Setting, log_chance
from hickam.twin.identify import recognition_notes
from hickam.twin.infer import ENGINES, disease_priors
from hickam.twin.observe import explain_conflict, find_node, observe, read_states, soft_evidence
from hickam.twin.particles import Particles
from hickam.twin.proposal import propose, tune
from hickam.twin.sample import MOST, sample
from hickam.twin.worlds import Action

MOST_COMBINATIONS = 256

States = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """The probability of one joint state of the targets, and how far it is determined.

    `lower` and `upper` are sharp bounds over every coupling of the noise of bare tables, None where
    they were not computed; they equal the probability where it is identified.
    """

    target: States
    probability: float
    lower: float | None
    upper: float | None
    status: str  # "identified" | "monotone" | "bounded" | "open" | "not examined"
    why: str
    couplings: Mapping[str, str]  # bare table that matters → the coupling behind the probability


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
            "answers": [
                {
                    "target": dict(a.target),
                    "probability": a.probability,
                    "lower": a.lower,
                    "upper": a.upper,
                    "status": a.status,
                    "why": a.why,
                    "couplings": dict(a.couplings),
                }
                for a in self.answers
            ],
        }


def query(
    model: Model,
    evidence: Case | Mapping[str, object],
    do: Mapping[str, object],
    target: Mapping[str, object] | Sequence[str] | str,
    engine: str = "auto",
    **options: Any,
) -> Answers:
    """P(target | evidence, do), where the target is in the world after the intervention.

    `evidence` is a case, or node → state (true and false for on and off); `do` likewise, and may be
    empty. `target` is node → state, or names of nodes, for all their joint states.

    >>> import hickam
    >>> network = hickam.load("smoker")
    >>> cured = query(network, {"chest pain": True}, {"angina": False}, {"chest pain": False})
    >>> 0.0 < cured.probability < 1.0
    True
    """
    scm = as_scm(model)
    located = locate(evidence if isinstance(evidence, Case) else Case(), scm)
    scm = adapted_scm(scm, located.circumstances)
    choose(ENGINES, engine)
    assumptions, limits = read_options(options)
    observed, weights, issues = _evidence(scm, evidence, assumptions)
    action, more = read_states(scm, do, "intervention")
    wanted, yet_more = _targets(scm, target)
    if issues or more or yet_more:
        raise InvalidInput([*issues, *more, *yet_more])
    solver = "junction tree" if engine == "junction_tree" else "elimination"
    setting = Setting(scm, observed, weights, limits.memory, solver=solver)
    answers, log_evidence, used, accuracy = _answer(
        setting, Action(do=action), wanted, engine, limits
    )
    return Answers(
        model=scm.name,
        given=_named(scm, observed),
        do=_named(scm, action),
        answers=tuple(answers),
        log_evidence=log_evidence,
        engine=used,
        accuracy=accuracy,
        notes=recognition_notes(scm),
    )


def _evidence(
    model: SCM, evidence: Case | Mapping[str, object], assumptions: Assumptions
) -> tuple[Mapping[str, int], Mapping[str, Floats], list[Issue]]:
    """(observed states, soft evidence and assumptions, issues)."""
    if isinstance(evidence, Case):
        located = locate(evidence, model)
        seen = observe(model, assume(located, assumptions, lambda: disease_priors(model)))
        return seen.states, seen.weights, []
    states, issues = read_states(model, evidence, "evidence")
    nothing = assume(locate(Case(), model), assumptions, lambda: disease_priors(model))
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


def _named(model: SCM, states: Mapping[str, int]) -> dict[str, str]:
    """Node → name of its state."""
    return {node: model.nodes[node].states[state] for node, state in states.items()}


def _answer(
    setting: Setting,
    action: Action,
    wanted: Sequence[Mapping[str, int]],
    engine: str,
    limits: Limits,
) -> tuple[list[Answer], float, str, Accuracy]:
    """The answers, log P(evidence), the engine used and its accuracy."""
    if engine not in ("abduction", "sampling"):
        try:
            answers, log_evidence = _exactly(setting, action, wanted)
            used = "twin" if engine == "auto" else engine
            return answers, log_evidence, used, Accuracy("exact", 1e-10)
        except TooHard:
            if engine != "auto":
                raise
    targets = [node for states in wanted for node in states]
    if engine == "abduction":
        particles = abduct(setting.model, setting.observed, setting.weights, targets)
    else:
        particles = _sampled(setting, targets, limits)
    if particles.log_evidence == -math.inf:
        raise _conflict(setting)
    answers, worst = _counted(setting, particles, action, wanted)
    if engine == "abduction":
        return answers, particles.log_evidence, engine, Accuracy("exact", 1e-10)
    note = f"{len(particles.weight)} samples, worth {particles.effective:.0f} independent ones"
    return answers, particles.log_evidence, "sampling", Accuracy("sampled", worst, notes=(note,))


def _exactly(
    setting: Setting, action: Action, wanted: Sequence[Mapping[str, int]]
) -> tuple[list[Answer], float]:
    """The answers by exact inference, with bounds over couplings."""
    log_evidence = log_chance(setting)
    if log_evidence == -math.inf:
        raise _conflict(setting)
    answers = []
    for states in wanted:
        demands = [(1, node, state) for node, state in states.items()]
        log_both = log_chance(setting, [action], demands)
        chance = math.exp(min(log_both - log_evidence, 0.0)) if log_both > -math.inf else 0.0
        answers.append(
            _as_answer(setting.model, states, chance, bound(setting, [action], [demands], chance))
        )
    return answers, log_evidence


def _as_answer(model: SCM, states: Mapping[str, int], chance: float, limits: Bounds) -> Answer:
    """One answer with its bounds."""
    return Answer(
        target=_named(model, states),
        probability=chance,
        lower=min(limits.lower, chance) if limits.computed else None,
        upper=max(limits.upper, chance) if limits.computed else None,
        status=limits.status,
        why=limits.why,
        couplings={name: _coupling(model, name) for name in limits.tables},
    )


def _coupling(model: SCM, name: str) -> str:
    """The coupling of a bare table."""
    table = model.nodes[name].mechanism
    assert isinstance(table, Table)
    return table.coupling


def _sampled(setting: Setting, targets: list[str], limits: Limits) -> Particles:
    """Particles given the evidence."""
    generator = np.random.default_rng(int(limits.seed))
    proposal = propose(setting.model, setting.observed, setting.weights, targets)
    tune(proposal, generator)
    return sample(proposal, MOST, generator)


def _counted(
    setting: Setting, particles: Particles, action: Action, wanted: Sequence[Mapping[str, int]]
) -> tuple[list[Answer], float]:
    """The answers by counting particles, and the worst stated error."""
    world = particles.imagine(action)
    answers, worst = [], 0.0
    for states in wanted:
        event = np.all([world[node] == state for node, state in states.items()], axis=0)
        chance = particles.chance(event)
        worst = max(worst, particles.stated_error(event))
        why = "counted over settings of the noise, under the named couplings"
        named = _named(setting.model, states)
        answers.append(Answer(named, chance, None, None, "not examined", why, {}))
    return answers, worst


def _conflict(setting: Setting) -> InvalidInput:
    """The error for impossible evidence."""
    return explain_conflict(
        setting.model,
        setting.observed,
        setting.weights,
        lambda states, weights: log_chance(replace(setting, observed=states, weights=weights)),
    )
