"""Beliefs about one case on a general model: exactly on twins, or from weighted particles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hickam.model.mechanism import Table
from hickam.model.network import Floats
from hickam.model.scm import SCM
from hickam.twin.actions import cure, healthy, no_background, no_disease, only
from hickam.twin.alone import single_fault
from hickam.twin.exact import (
    Prepared,
    Setting,
    chance_of,
    chance_of_any,
    log_chance,
    prepare,
    solve,
)
from hickam.twin.particles import Particles
from hickam.twin.worlds import ancestry


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The numbers of `Beliefs`, still without the names."""

    log_evidence: float  # of everything observed, risk factors included
    posterior: Floats  # [disease]
    disabled: Floats  # [disease, present]
    sustained: Floats  # [disease, present]
    unexplained: Floats  # [present]
    error: float  # stated error relative to max(score, FLOOR); 0 when exact
    single_fault: Floats  # [disease]


def exact_tables(setting: Setting, present: tuple[str, ...]) -> Tables:
    """The tables by exact inference on merged twins: one [E] and one [F] for each disease.

    All twins are built and planned before the first is computed, so that a refusal comes early.
    """
    model = setting.model
    twins = _prepare_twins(setting, present)
    unexplained, log_evidence, posterior = _factual(setting, present)
    disabled = np.zeros((len(model.diseases), len(present)))
    sustained = np.zeros_like(disabled)
    if log_evidence == -math.inf:
        return Tables(log_evidence, posterior, disabled, sustained, unexplained, 0.0, posterior)
    for row, (reached, cured, only_it) in twins.items():
        if posterior[row] == 0.0:
            continue
        twin, other = cured.solve(), only_it.solve()
        for finding in reached:
            column = present.index(finding)
            off = model.nodes[finding].off
            disabled[row, column] = chance_of(twin, finding, world=1, state=off)
            values, chance = other.table(finding)
            stays = (values[:, 1] != off) & (values[:, 2] == off)
            sustained[row, column] = chance[stays].sum()
    alone = single_fault(setting)
    return Tables(log_evidence, posterior, disabled, sustained, unexplained, 0.0, alone)


def _prepare_twins(
    setting: Setting, present: tuple[str, ...]
) -> dict[int, tuple[list[str], Prepared, Prepared]]:
    """Disease → (findings it can affect, the twin [E], the twin [F])."""
    model = setting.model
    found = {}
    for row, disease in enumerate(model.diseases):
        reached = [s for s in present if s in model.descendants(disease)]
        if reached:
            cured = prepare(setting, [cure(model, disease)], [(1, s) for s in reached])
            only_it = [only(model, disease), only(model, disease, on=False)]
            asked = [(world, s) for world in (1, 2) for s in reached]
            found[row] = (reached, cured, prepare(setting, only_it, asked))
    return found


def unexplained_in(setting: Setting, present: tuple[str, ...]) -> Floats:
    """[present] P(no disease causes the finding | evidence); all 0 for impossible evidence."""
    return _factual(setting, present)[0]


def _factual(setting: Setting, present: tuple[str, ...]) -> tuple[Floats, float, Floats]:
    """([present] unexplained, log P(evidence), [disease] posterior)."""
    model = setting.model
    solved = solve(setting, (), [(0, disease) for disease in model.diseases])
    posterior = np.zeros(len(model.diseases))
    unexplained = np.zeros(len(present))
    if solved.log_total == -math.inf:
        return unexplained, -math.inf, posterior
    posterior[:] = [chance_of_any(solved, model.nodes[d]) for d in model.diseases]
    worlds = [no_background(model), no_disease(model)]
    for world, action in enumerate(worlds):
        asked = [s for s in present if _has_table(model, s) == bool(world)]
        if not asked:
            continue
        twin = solve(setting, [action], [(1, s) for s in asked])
        for finding in asked:
            gone = chance_of(twin, finding, world=1, state=model.nodes[finding].off)
            unexplained[present.index(finding)] = 1.0 - gone if world else gone
    return unexplained, solved.log_total, posterior


def _has_table(model: SCM, finding: str) -> bool:
    """Whether the finding's background cannot be told apart from its causes."""
    table = model.nodes[finding].mechanism
    return isinstance(table, Table) and table.gate is None


def particle_tables(particles: Particles, present: tuple[str, ...]) -> Tables:
    """The tables by counting over weighted settings of the noise: action and prediction."""
    model = particles.model
    ill = {d: particles.factual[d] != model.nodes[d].off for d in model.diseases}
    posterior = np.array([particles.chance(ill[d]) for d in model.diseases])
    errors = [particles.stated_error(ill[d]) for d in model.diseases]
    off = {s: model.nodes[s].off for s in present}
    disabled = np.zeros((len(model.diseases), len(present)))
    sustained = np.zeros_like(disabled)
    above = ancestry(model, present)
    for row, disease in enumerate(model.diseases):
        reached = [s for s in present if s in model.descendants(disease)]
        if not reached:
            continue
        cured = particles.imagine(cure(model, disease), above)
        alone = particles.imagine(only(model, disease), above)
        none = particles.imagine(only(model, disease, on=False), above)
        for table, events in (
            (disabled, {s: cured[s] == off[s] for s in reached}),
            (sustained, {s: (alone[s] != off[s]) & (none[s] == off[s]) for s in reached}),
        ):
            for finding, event in events.items():
                table[row, present.index(finding)] = particles.chance(event)
            count = np.sum(list(events.values()), axis=0)
            errors.append(particles.stated_error(count))
    without, well = (
        particles.imagine(action, above) for action in (no_background(model), no_disease(model))
    )
    unexplained = np.array(
        [
            particles.chance(well[s] != off[s] if _has_table(model, s) else without[s] == off[s])
            for s in present
        ]
    )
    return Tables(
        particles.log_evidence,
        posterior,
        disabled,
        sustained,
        unexplained,
        max(errors, default=0.0),
        _single_fault(particles),
    )


def _single_fault(particles: Particles) -> Floats:
    """[disease] the posterior among the particles with exactly one disease."""
    nodes = particles.model.nodes
    states = np.array([particles.factual[d] != nodes[d].off for d in particles.model.diseases])
    alone = np.where(states.sum(axis=0, dtype=np.int64) == 1, particles.weight, 0.0)
    total = alone.sum()
    return states @ alone / total if total > 0.0 else np.zeros(len(states))


def log_with(setting: Setting, on: Mapping[str, int]) -> float:
    """log P(evidence, these diseases and no other), observed risk factors included."""
    said = {**healthy(setting.model), **on}
    if any(setting.observed.get(disease, state) != state for disease, state in said.items()):
        return -math.inf
    return log_chance(replace(setting, observed={**setting.observed, **said}))
