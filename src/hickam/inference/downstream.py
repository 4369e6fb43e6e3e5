"""What curing a disease removes by way of the diseases that it causes. [CD expected-disablement]

In the cured world a disease K that D has caused is there only if another of its causes acts. With D
there, P(finding s is present and would go away) = P(s' absent) - P(s absent), all else as it is,
where s' is the finding in the cured world. For the first, let m_K say whether D's link to K fired:

- if not, K is what its other causes make it, in both worlds;
- if so, K is there, and in the cured world it is what its other causes make it: a disease that
  nothing but s' shows.

Either is a case on three layers again. See docs/derivations.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from hickam.evidence.case import Evidence
from hickam.inference.worlds import Allowance, Layout, Unsuited, World, run
from hickam.model.is_a import either
from hickam.model.network import Network
from hickam.model.numbers import Chance

MOST_CASES = 1_000


@dataclass(frozen=True, slots=True)
class Removed:
    """P(evidence, and the finding goes away), and the sum of the parts that it is the rest of."""

    chance: float
    size: float
    error: float  # the worst stated error of an engine


def reaches(layout: Layout, network: Network, disease: int, finding: int) -> dict[int, Chance]:
    """Disease that this one causes and that can cause the finding → strength of the first link."""
    links = network.effects
    into = links.of_effect(finding)
    able = set(links.cause[into][links.acts[into] > 0.0].tolist())
    effects = layout.tied.effects[disease]
    return {k: p for k, p in effects.items() if k in able and p.acts > 0.0}


def removed(
    layout: Layout, worlds: Sequence[World], disease: int, column: int, allowance: Allowance
) -> Removed:
    """What curing the disease does to a present finding, over all worlds; scaled as they are."""
    standing = layout.layers.stand_in.get(disease)
    here = [
        world
        for world in worlds
        if disease in world.there
        or (standing is not None and world.evidence.likelihood[disease] > 0.0)
    ]
    if not here:
        return Removed(0.0, 0.0, 0.0)
    finding = int(here[0].evidence.present[column])
    between = reaches(layout, here[0].network, disease, finding)
    if len(here) * (1 + (1 << len(between))) > MOST_CASES:
        raise Unsuited
    chance = size = worst = 0.0
    for world in here:
        told, log_weight = _absent(world.evidence, column), world.log_weight
        if standing is not None:
            prior = float(world.network.risk_prior[standing])
            if prior == 0.0:
                continue
            on = np.concatenate([told.risks_on, np.array([standing])])
            told, log_weight = replace(told, risks_on=on), log_weight + math.log(prior)
        parts = [(world.network, told, -1.0)]
        for fired in product((False, True), repeat=len(between)):
            parts.append(_cured(layout, world, told, disease, finding, between, fired))
        for network, evidence, weight in parts:
            if weight == 0.0:
                continue
            found = run(network, evidence, allowance)
            if found is not None:
                part = weight * math.exp(log_weight + found.log_evidence)
                chance += world.sign * part
                size += abs(world.sign * part)
                worst = max(worst, found.accuracy.error)
    return Removed(chance, size, worst)


def _absent(evidence: Evidence, column: int) -> Evidence:
    """The evidence with one present finding absent."""
    finding = evidence.present[column : column + 1]
    return replace(
        evidence,
        present=np.delete(evidence.present, column),
        absent=np.concatenate([evidence.absent, finding]),
    )


def _cured(
    layout: Layout,
    world: World,
    evidence: Evidence,
    disease: int,
    finding: int,
    between: dict[int, Chance],
    fired: Sequence[bool],
) -> tuple[Network, Evidence, float]:
    """(network, evidence, weight) with the finding as it is in the cured world."""
    network, there = world.network, world.there
    causes, effects = network.causes, network.effects
    acts, fails = effects.acts.copy(), effects.fails.copy()
    cause_acts, cause_fails = causes.acts.copy(), causes.fails.copy()
    leak, leak_fails = network.finding_leak.copy(), network.finding_leak_fails.copy()
    disease_leak = network.disease_leak.copy()
    disease_fails = network.disease_leak_fails.copy()
    likelihood = evidence.likelihood.copy()
    standing = layout.layers.stand_in.get(disease)
    weight = 1.0
    for link in effects.of_effect(finding).tolist():
        if int(effects.cause[link]) == disease:
            acts[link], fails[link] = 0.0, 1.0
    for (child, tie), fires in zip(between.items(), fired, strict=True):
        weight *= tie.acts if fires else tie.fails
        disease_leak[child], disease_fails[child] = layout.leak(child, there - {disease})
        for link in causes.of_effect(child).tolist():
            if int(causes.cause[link]) == standing:
                cause_acts[link], cause_fails[link] = 0.0, 1.0
        if fires:
            weight *= float(likelihood[child])
            likelihood[child] = 1.0
            for link in range(effects.start[child], effects.start[child + 1]):
                shown = int(effects.effect[link])
                if shown != finding:
                    leak[shown], leak_fails[shown] = either(
                        Chance(float(leak[shown]), float(leak_fails[shown])),
                        Chance(float(acts[link]), float(fails[link])),
                    )
                    acts[link], fails[link] = 0.0, 1.0
    cured = replace(
        network,
        disease_leak=disease_leak,
        disease_leak_fails=disease_fails,
        finding_leak=leak,
        finding_leak_fails=leak_fails,
        causes=replace(causes, acts=cause_acts, fails=cause_fails),
        effects=replace(effects, acts=acts, fails=fails),
    )
    return cured, replace(evidence, likelihood=likelihood), weight
