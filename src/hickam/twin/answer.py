"""The probability of events in worlds that share their noise, and how far it is determined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.issues import InvalidInput, TooHard
from hickam.model.mechanism import Table
from hickam.model.scm import SCM
from hickam.twin.abduction import abduct
from hickam.twin.bounds import bound
from hickam.twin.exact import Setting, log_chance
from hickam.twin.extremes import Demand
from hickam.twin.observe import explain_conflict
from hickam.twin.particles import Particles
from hickam.twin.proposal import propose, tune
from hickam.twin.sample import MOST, sample
from hickam.twin.worlds import Action

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        keys = ("target", "probability", "lower", "upper", "status", "why", "couplings")
        found = {key: getattr(self, key) for key in keys}
        return found | {key: dict(found[key]) for key in ("target", "couplings")}


class Event(NamedTuple):
    """What is asked: alternatives that exclude each other, each a set of demands that all hold."""

    target: States  # how the event is named
    alternatives: Sequence[Sequence[Demand]]


def answer(
    setting: Setting,
    actions: Sequence[Action],
    events: Sequence[Event],
    engine: str,
    limits: Limits,
) -> tuple[tuple[Answer, ...], float, str, Accuracy]:
    """The answers, log P(evidence), the engine used and its accuracy.

    World 0 is the factual one, world 1 that of the first action, and so on.
    """
    if engine not in ("abduction", "sampling"):
        try:
            answers, log_evidence = _exactly(setting, actions, events)
            used = "twin" if engine == "auto" else engine
            return answers, log_evidence, used, Accuracy("exact", 1e-10)
        except TooHard:
            if engine != "auto":
                raise
    targets = [node for event in events for demands in event.alternatives for _, node, _ in demands]
    if engine == "abduction":
        particles = abduct(setting.model, setting.observed, setting.weights, targets)
    else:
        particles = _sampled(setting, targets, limits)
    if particles.log_evidence == -math.inf:
        raise _conflict(setting)
    answers, worst = _counted(particles, actions, events)
    if engine == "abduction":
        return answers, particles.log_evidence, engine, Accuracy("exact", 1e-10)
    note = f"{len(particles.weight)} samples, worth {particles.effective:.0f} independent ones"
    accuracy = Accuracy("sampled", worst, notes=(note,), log_evidence=particles.log_error)
    return answers, particles.log_evidence, "sampling", accuracy


def _exactly(
    setting: Setting, actions: Sequence[Action], events: Sequence[Event]
) -> tuple[tuple[Answer, ...], float]:
    """The answers by exact inference, with bounds over couplings."""
    log_evidence = log_chance(setting)
    if log_evidence == -math.inf:
        raise _conflict(setting)
    answers = []
    for target, alternatives in events:
        logs = [log_chance(setting, actions, demands) for demands in alternatives]
        chance = min(sum(math.exp(log - log_evidence) for log in logs if log > -math.inf), 1.0)
        limits = bound(setting, actions, alternatives, chance)
        answers.append(
            Answer(
                target=target,
                probability=chance,
                lower=min(limits.lower, chance) if limits.computed else None,
                upper=min(max(limits.upper, chance), 1.0) if limits.computed else None,
                status=limits.status,
                why=limits.why,
                couplings={
                    setting.model.shown(name): _coupling(setting.model, name)
                    for name in limits.tables
                },
            )
        )
    return tuple(answers), log_evidence


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
    particles: Particles, actions: Sequence[Action], events: Sequence[Event]
) -> tuple[tuple[Answer, ...], float]:
    """The answers by counting particles, and the worst stated error."""
    worlds = [particles.factual, *(particles.imagine(action) for action in actions)]
    answers, worst = [], 0.0
    for target, alternatives in events:
        held = np.zeros(len(particles.weight), dtype=bool)
        for demands in alternatives:
            held |= np.all([worlds[world][node] == state for world, node, state in demands], axis=0)
        chance = particles.chance(held)
        worst = max(worst, particles.stated_error(held))
        why = "counted over settings of the noise, under the named couplings"
        answers.append(Answer(target, chance, None, None, "not examined", why, {}))
    return tuple(answers), worst


def _conflict(setting: Setting) -> InvalidInput:
    """The error for impossible evidence."""
    return explain_conflict(
        setting.model,
        setting.observed,
        setting.weights,
        lambda states, weights: log_chance(replace(setting, observed=states, weights=weights)),
    )


def named(model: SCM, states: Mapping[str, int]) -> dict[str, str]:
    """Node → name of its state."""
    return {node: model.nodes[node].states[state] for node, state in states.items()}
