"""Diseases that cause or exclude each other, by the engines for three layers.

A case becomes a few cases on a network with stand-ins (`model/tied.py`). Unobserved risk factors of
a disease that causes others are taken as on and as off. Of an exclusive group each member is taken
as the only one allowed, and once none is, which counts negatively. What curing a disease removes by
way of the diseases that it causes is found apart, from two more probabilities of evidence.
See docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.engines import infer_network
from hickam.inference.single_fault import few_diseases
from hickam.issues import ImpossibleEvidence, TooHard
from hickam.model.adapted import USUAL, adapted
from hickam.model.network import Floats, Links, Network
from hickam.model.tied import Tied

MOST_WORLDS = 256
ROUNDING = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One case on the network with stand-ins, and what it counts."""

    network: Network
    evidence: Evidence
    log_weight: float
    sign: float = 1.0


class NotExact(Exception):
    """An engine could only estimate, and a sum with signs would not keep its stated error."""


def infer_tied(tied: Tied, evidence: Evidence, limits: Limits) -> Beliefs | None:
    """Beliefs of a tied network, or None where it takes too many cases or is not exact."""
    network = adapted(tied.network, evidence.circumstances)
    evidence = replace(evidence, circumstances=USUAL)
    settled = _unobserved(tied, evidence)
    groups = 1
    for group in tied.exclusive:
        groups *= len(group) + 1
    if evidence.dial != 1.0 or groups << len(settled) > MOST_WORLDS:
        return None
    try:
        return _mixed(tied, network, evidence, settled, limits)
    except (NotExact, TooHard):
        return None


def _unobserved(tied: Tied, evidence: Evidence) -> list[int]:
    """The unobserved risk factors that cause a disease which causes others."""
    observed = {*evidence.risks_on.tolist(), *evidence.risks_off.tolist()}
    causes = {risk for _, links in tied.own.values() for risk in links}
    return sorted(causes - observed)


def _worlds(
    tied: Tied, network: Network, evidence: Evidence, settled: Sequence[int]
) -> Iterator[World]:
    """Every setting of the risk factors to settle and of the exclusive groups."""
    for setting in product((False, True), repeat=len(settled)):
        known = _knowing(evidence, dict(zip(settled, setting, strict=True)))
        log_weight = _log_chance(network, dict(zip(settled, setting, strict=True)))
        if log_weight == -np.inf:
            continue
        world = replace(network, risk_prior=_priors(tied, network, known))
        for allowed in product(*((None, *group) for group in tied.exclusive)):
            sign, likelihood = 1.0, known.likelihood.copy()
            for group, member in zip(tied.exclusive, allowed, strict=True):
                if member is None:
                    sign *= 1.0 - len(group)
                likelihood[[disease for disease in group if disease != member]] = 0.0
            told = replace(known, likelihood=likelihood) if allowed else known
            yield World(world, told, log_weight, sign)


def _knowing(evidence: Evidence, risks: dict[int, bool]) -> Evidence:
    """The evidence with further risk factors observed."""
    on = [risk for risk, state in risks.items() if state]
    off = [risk for risk, state in risks.items() if not state]
    return replace(
        evidence,
        risks_on=np.concatenate([evidence.risks_on, np.array(on, dtype=np.int64)]),
        risks_off=np.concatenate([evidence.risks_off, np.array(off, dtype=np.int64)]),
    )


def _log_chance(network: Network, risks: dict[int, bool]) -> float:
    """log P(risk factors in these states)."""
    with np.errstate(divide="ignore"):
        return float(
            sum(
                np.log(network.risk_prior[risk] if on else 1.0 - network.risk_prior[risk])
                for risk, on in risks.items()
            )
        )


def _priors(tied: Tied, network: Network, evidence: Evidence) -> Floats:
    """[risk factor] the priors, those of the stand-ins given the causes of their diseases."""
    on = set(evidence.risks_on.tolist())
    prior = network.risk_prior.copy()
    for disease, (leak, links) in tied.own.items():
        fails = leak.fails * np.prod([p.fails for risk, p in links.items() if risk in on])
        first = leak.acts if not on & links.keys() else 1.0 - fails
        prior[tied.stand_in[disease]] = first
    prior.setflags(write=False)
    return prior


def _run(world: World, limits: Limits) -> Beliefs | None:
    """The beliefs of one world; None if the evidence is impossible in it."""
    try:
        found = infer_network(world.network, world.evidence, "auto", limits)
    except ImpossibleEvidence:
        return None
    if not found.accuracy.exact:
        raise NotExact
    return found


def _mixed(
    tied: Tied, network: Network, evidence: Evidence, settled: Sequence[int], limits: Limits
) -> Beliefs | None:
    """The mean of the worlds' beliefs by their weight; None if none of them is possible."""
    worlds = list(_worlds(tied, network, evidence, settled))
    runs = [(world, found) for world in worlds if (found := _run(world, limits)) is not None]
    if not runs:
        return None
    peak = max(world.log_weight + found.log_evidence for world, found in runs)
    shares = np.array(
        [w.sign * np.exp(w.log_weight + found.log_evidence - peak) for w, found in runs]
    )
    total = float(shares.sum())
    size = float(np.abs(shares).sum())
    if not total > 1e-6 * size:
        return None  # cancelled: hardly anything is left of the evidence
    shares /= total

    def mean(name: str) -> Floats:
        parts = (
            share * getattr(found, name) for share, (_, found) in zip(shares, runs, strict=True)
        )
        return np.sum(list(parts), axis=0)

    log_total = peak + float(np.log(total))
    disabled = mean("disabled")
    for disease, column in _downstream(tied, network, evidence):
        removed = _removed(tied, [world for world, _ in runs], disease, column, limits)
        disabled[disease, column] = removed * np.exp(-log_total)
    worst = max(found.accuracy.error for _, found in runs)
    return replace(
        runs[0][1],
        log_evidence=log_total - _log_exclusive(tied, network, evidence, settled, limits),
        posterior=np.clip(mean("posterior"), 0.0, 1.0),
        disabled=np.clip(disabled, 0.0, 1.0),
        sustained=np.clip(mean("sustained"), 0.0, 1.0),
        unexplained=np.clip(mean("unexplained"), 0.0, 1.0),
        single_fault=_single_fault(runs),
        engine="worlds",
        accuracy=Accuracy("exact", max(ROUNDING, 3.0 * worst) * size / total),
        in_force=evidence.in_force,
    )


def _log_exclusive(
    tied: Tied, network: Network, evidence: Evidence, settled: Sequence[int], limits: Limits
) -> float:
    """log P(no two of a group | observed risk factors), which is given and not evidence."""
    if not tied.exclusive:
        return 0.0
    none = np.zeros(0, dtype=np.int64)
    bare = replace(evidence, present=none, absent=none, likelihood=np.ones(len(network.diseases)))
    total = 0.0
    for world in _worlds(tied, network, bare, settled):
        found = _run(world, limits)
        if found is not None:
            total += world.sign * float(np.exp(world.log_weight + found.log_evidence))
    return float(np.log(total))


def _single_fault(runs: Sequence[tuple[World, Beliefs]]) -> Floats:
    """[disease] P(only this disease) over P(exactly one)."""
    logs = [w.log_weight + few_diseases(w.network, w.evidence).only for w, _ in runs]
    peak = max(float(np.max(log)) for log in logs)
    if not np.isfinite(peak):
        return np.zeros(len(logs[0]))
    weight = sum(w.sign * np.exp(log - peak) for (w, _), log in zip(runs, logs, strict=True))
    weight = np.maximum(np.asarray(weight), 0.0)
    return weight / weight.sum() if weight.sum() > 0.0 else weight


def _downstream(tied: Tied, network: Network, evidence: Evidence) -> list[tuple[int, int]]:
    """(disease, present column) where a disease that it causes could cause the finding as well."""
    links = network.effects
    found = []
    for disease in tied.stand_in:
        children = {effect for cause, effect, _ in tied.ties if cause == disease}
        for column, finding in enumerate(evidence.present.tolist()):
            into = links.of_effect(finding)
            if children & set(links.cause[into][links.acts[into] > 0.0].tolist()):
                found.append((disease, column))
    return found


def _removed(
    tied: Tied, worlds: Sequence[World], disease: int, column: int, limits: Limits
) -> float:
    """P(evidence, and a present finding goes away when a disease is cured), over all worlds.

    The disease is there. The finding goes away if its other mechanisms fail and none of the
    diseases that would be left produces it: P(it is absent in the cured world) less P(it is absent
    in this world), with all other evidence as it is.
    """
    finding = int(worlds[0].evidence.present[column])
    parents = _parents(tied, worlds[0], disease, finding)
    if len(worlds) << len(parents) > MOST_WORLDS:
        raise NotExact
    removed = 0.0
    for world in worlds:
        told = _without(world.evidence, column)
        for setting in product((False, True), repeat=len(parents)):
            risks = {**dict(zip(parents, setting, strict=True)), tied.stand_in[disease]: True}
            log_weight = world.log_weight + _log_chance(world.network, risks)
            if log_weight == -np.inf:
                continue
            known = _knowing(told, risks)
            after = replace(
                world.network, effects=_cured(tied, world.network, known, disease, finding)
            )
            for network, sign in ((after, 1.0), (world.network, -1.0)):
                found = _run(World(network, known, log_weight), limits)
                if found is not None:
                    chance = float(np.exp(log_weight + found.log_evidence))
                    removed += world.sign * sign * chance
    return removed


def _without(evidence: Evidence, column: int) -> Evidence:
    """The evidence with one present finding absent."""
    finding = evidence.present[column : column + 1]
    return replace(
        evidence,
        present=np.delete(evidence.present, column),
        absent=np.concatenate([evidence.absent, finding]),
    )


def _parents(tied: Tied, world: World, disease: int, finding: int) -> list[int]:
    """The unobserved causes of the diseases that a disease causes and that cause a finding."""
    causes, effects = world.network.causes, world.network.effects
    into = effects.of_effect(finding)
    able = set(effects.cause[into][effects.acts[into] > 0.0].tolist())
    children = {effect for cause, effect, _ in tied.ties if cause == disease} & able
    observed = {*world.evidence.risks_on.tolist(), *world.evidence.risks_off.tolist()}
    observed.add(tied.stand_in[disease])
    return sorted({int(causes.cause[i]) for c in children for i in causes.of_effect(c)} - observed)


def _cured(tied: Tied, network: Network, evidence: Evidence, disease: int, finding: int) -> Links:
    """The links into the findings, those into one as they act with a disease cured.

    The disease's own link is cut. A disease K that it causes by a link of strength 1 - λ, and that
    would be there without it with probability on, is left with probability on / (1 - off λ) given
    that it is there now; its link acts only then.
    """
    causes, effects = network.causes, network.effects
    acts, fails = effects.acts.copy(), effects.fails.copy()
    ties = {effect: chance for cause, effect, chance in tied.ties if cause == disease}
    here = {*evidence.risks_on.tolist()} - {tied.stand_in[disease]}
    for link in effects.of_effect(finding).tolist():
        cause = int(effects.cause[link])
        if cause == disease:
            acts[link], fails[link] = 0.0, 1.0
        elif cause in ties:
            off = float(network.disease_leak_fails[cause])
            for i in causes.of_effect(cause):
                off *= float(causes.fails[i]) if int(causes.cause[i]) in here else 1.0
            there = 1.0 - off * ties[cause].fails
            left = (1.0 - off) / there if there > 0.0 else 0.0
            acts[link] *= left
            fails[link] = 1.0 - acts[link]
    return replace(effects, acts=acts, fails=fails)
