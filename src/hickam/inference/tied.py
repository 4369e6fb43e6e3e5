"""Diseases that cause or exclude each other, by the engines for three layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy, Beliefs
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.dial import Few, turn
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.downstream import reaches, removed
from hickam.inference.single_fault import few_diseases
from hickam.inference.worlds import Allowance, Layout, Unsuited, World, run
from hickam.issues import TooHard
from hickam.model.network import Floats
from hickam.model.tied import Tied

MOST_WORLDS = 256
MOST_CURES = 400
ROUNDING = 1e-10
CANCELLED = 1e-6  # of the parts, if no more is left the digits are gone
Runs = Sequence[tuple[World, Beliefs]]


def infer_tied(tied: Tied, evidence: Evidence, limits: Limits) -> Beliefs | None:
    """Beliefs on tied layers, or None where that takes too many cases or can only be sampled."""
    layout = Layout.of(tied, evidence)
    if layout.size > MOST_WORLDS:
        return None
    allowance = Allowance(limits, Deadline.after(limits.deadline))
    try:
        return _mixed(layout, evidence, allowance)
    except Unsuited:
        return None
    except TooHard:
        if limits.deadline is None:
            return None
        raise allowance.spent() from None


def _mixed(layout: Layout, evidence: Evidence, allowance: Allowance) -> Beliefs | None:
    """The mean of the worlds' beliefs by their weights; None if none of them is possible."""
    runs = [
        (world, found)
        for world in layout.worlds(evidence)
        if (found := run(world.network, world.evidence, allowance)) is not None
    ]
    if not runs:
        return None
    logs = np.array([world.log_weight + found.log_evidence for world, found in runs])
    signs = np.array([world.sign for world, _ in runs])
    peak = float(logs.max())
    shares = signs * np.exp(logs - peak)
    total, size = float(shares.sum()), float(np.abs(shares).sum())
    if not total > CANCELLED * size:
        return None
    shares /= total

    def mean(name: str) -> Floats:
        table = np.stack([getattr(found, name) for _, found in runs])
        return np.clip(np.tensordot(shares, table, axes=1), 0.0, 1.0)

    worst = max(found.accuracy.error for _, found in runs)
    error = 3.0 * worst * size / total
    disabled = mean("disabled")
    log_total = peak + float(np.log(total))
    scaled = [replace(world, log_weight=world.log_weight - log_total) for world, _ in runs]
    for disease, column in _by_way_of_others(layout, runs[0][0]):
        part = removed(layout, scaled, disease, column, allowance)
        disabled[disease, column] = np.clip(part.chance, 0.0, 1.0)
        lost = max(part.error, worst) * part.size
        error = max(error, 3.0 * lost / max(abs(part.chance), FLOOR))
    exact = all(found.accuracy.exact for _, found in runs)
    notes = layout.tied.model.notes
    few = _few(runs, evidence.dial)
    given = _log_exclusive(layout, evidence, allowance)
    found = replace(
        runs[0][1],
        log_evidence=log_total - given,
        posterior=mean("posterior"),
        disabled=disabled,
        sustained=mean("sustained"),
        unexplained=mean("unexplained"),
        single_fault=_single_fault(few),
        engine="worlds",
        accuracy=Accuracy("exact" if exact else "estimated", max(ROUNDING, error), notes=notes),
        in_force=evidence.in_force,
    )
    if evidence.dial == 1.0:
        return found
    return turn(found, replace(few, nobody=few.nobody - given, only=few.only - given))


def _by_way_of_others(layout: Layout, world: World) -> list[tuple[int, int]]:
    """(disease, present column) where a disease may act on a finding through another disease."""
    found = [
        (disease, column)
        for disease in layout.tied.effects
        for column, finding in enumerate(world.evidence.present.tolist())
        if reaches(layout, world.network, disease, finding)
    ]
    if len(found) > MOST_CURES:
        raise Unsuited
    return found


def _log_exclusive(layout: Layout, evidence: Evidence, allowance: Allowance) -> float:
    """log P(no two of a group | observed risk factors), which is given and not evidence."""
    if not layout.tied.exclusive:
        return 0.0
    none = np.zeros(0, dtype=np.int64)
    said = np.ones(len(evidence.likelihood))
    total = 0.0
    for world in layout.worlds(replace(evidence, present=none, absent=none, likelihood=said)):
        found = run(world.network, world.evidence, allowance)
        if found is not None:
            total += world.sign * float(np.exp(world.log_weight + found.log_evidence))
    return float(np.log(total))


def _few(runs: Runs, dial: float) -> Few:
    """The worlds with no disease and with exactly one, on the scale of the worlds' weights."""
    nobody, only = [], []
    for world, _ in runs:
        few = few_diseases(world.network, world.evidence)
        log = world.log_weight + few.only
        for disease in world.there:  # who is there cannot be missing from the only one
            log[np.arange(len(log)) != disease] = -np.inf
        only.append(log)
        nobody.append(-np.inf if world.there else world.log_weight + few.nobody)
    signs = np.array([world.sign for world, _ in runs])
    return Few(dial, float(_log_sum(np.array(nobody), signs)), _log_sum(np.array(only), signs))


def _log_sum(logs: Floats, signs: Floats) -> Floats:
    """The log of a signed sum of exponentials over the first axis; below 0 is rounding."""
    peak = logs.max(axis=0)
    safe = np.where(np.isfinite(peak), peak, 0.0)
    with np.errstate(divide="ignore"):
        return safe + np.log(np.maximum(np.tensordot(signs, np.exp(logs - safe), axes=1), 0.0))


def _single_fault(few: Few) -> Floats:
    """[disease] P(only this disease) over P(exactly one)."""
    peak = few.only.max(initial=-np.inf)
    if not np.isfinite(peak):
        return np.zeros(len(few.only))
    weight = np.exp(few.only - peak)
    return weight / weight.sum()
