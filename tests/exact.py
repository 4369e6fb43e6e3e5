"""The paper in exact rational arithmetic, written from its definitions and not from our engines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.model.network import Network


class Scores(NamedTuple):
    """Exact answers, per disease."""

    posterior: list[Fraction]
    disablement: list[Fraction]
    sufficiency: list[Fraction]
    evidence: Fraction


def _fails(acts: float, fails: float) -> Fraction:
    """λ from the smaller of the two sides, which has all of its digits."""
    return 1 - Fraction(float(acts)) if acts < fails else Fraction(float(fails))


def _parts(network: Network) -> tuple[list[dict[int, Fraction]], list[dict[int, Fraction]]]:
    """λ of each cause, per disease and per finding, as fractions."""
    into_disease: list[dict[int, Fraction]] = [{} for _ in network.diseases]
    into_finding: list[dict[int, Fraction]] = [{} for _ in network.findings]
    for links, into in ((network.causes, into_disease), (network.effects, into_finding)):
        sides = zip(links.cause, links.effect, links.acts, links.fails, strict=True)
        for cause, effect, acts, fails in sides:
            into[int(effect)][int(cause)] = _fails(acts, fails)
    return into_disease, into_finding


def disease_worlds(network: Network, case: Case) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every disease state with its prior weight given the observed risk factors."""
    into_disease, _ = _parts(network)
    evidence = locate(case, network)
    fixed = {int(r): 1 for r in evidence.risks_on} | {int(r): 0 for r in evidence.risks_off}
    free = [r for r in range(len(network.risk_factors)) if r not in fixed]
    for setting in itertools.product((0, 1), repeat=len(free)):
        risks = {**fixed, **dict(zip(free, setting, strict=True))}
        chance = Fraction(1)
        for risk, on in zip(free, setting, strict=True):
            prior = Fraction(float(network.risk_prior[risk]))
            chance *= prior if on else 1 - prior
        off = []
        for disease, causes in enumerate(into_disease):
            fails = _fails(network.disease_leak[disease], network.disease_leak_fails[disease])
            for risk, lam in causes.items():
                fails *= lam if risks[risk] else 1
            off.append(fails)
        for world in itertools.product((0, 1), repeat=len(network.diseases)):
            weight = chance
            for disease, on in enumerate(world):
                ratio = Fraction(float(evidence.likelihood[disease]))
                weight *= (1 - off[disease]) * ratio if on else off[disease]
            if weight:
                yield world, weight


def by_definition(network: Network, case: Case) -> Scores:
    """Abduction, action, prediction over every noise bit of the present findings.

    For each disease state and each state of the mechanisms u of a finding, solve the structural
    equation s = leak or any(d_i and not u_i) in the factual world, under do(D_k = 0), and under
    do(every other cause = 0).
    """
    _, into_finding = _parts(network)
    evidence = locate(case, network)
    size = len(network.diseases)
    total = Fraction(0)
    posterior = [Fraction(0)] * size
    disablement = [Fraction(0)] * size
    sufficiency = [Fraction(0)] * size
    for world, prior in disease_worlds(network, case):
        weight = prior
        for finding in map(int, evidence.absent):
            weight *= _absent_chance(network, into_finding[finding], finding, world)
        factual, goes, stays = [], [], []
        for finding in map(int, evidence.present):
            on, gone, kept = _twins(network, into_finding[finding], finding, world)
            factual.append(on)
            goes.append(gone)
            stays.append(kept)
        joint = weight
        for on in factual:
            joint *= on
        total += joint
        for disease in range(size):
            posterior[disease] += joint * world[disease]
            for i in range(len(factual)):
                others = weight
                for j, on in enumerate(factual):
                    others *= on if j != i else 1
                disablement[disease] += others * goes[i][disease]
                sufficiency[disease] += others * stays[i][disease]
    return Scores(
        [p / total for p in posterior],
        [p / total for p in disablement],
        [p / total for p in sufficiency],
        total,
    )


def _absent_chance(
    network: Network, causes: dict[int, Fraction], finding: int, world: tuple[int, ...]
) -> Fraction:
    """P(finding absent | diseases), by summing the noise bits that leave it off."""
    on, _, _ = _twins(network, causes, finding, world)
    return 1 - on


def _twins(
    network: Network, causes: dict[int, Fraction], finding: int, world: tuple[int, ...]
) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """P(on), and per disease P(on and off under do(D=0)), P(on and on with all else off)."""
    size = len(world)
    on = Fraction(0)
    gone, kept = [Fraction(0)] * size, [Fraction(0)] * size
    names = list(causes)
    leak_fails = _fails(network.finding_leak[finding], network.finding_leak_fails[finding])
    for fails in itertools.product((0, 1), repeat=len(names) + 1):
        weight = leak_fails if fails[-1] else 1 - leak_fails
        for name, failed in zip(names, fails, strict=False):
            weight *= causes[name] if failed else 1 - causes[name]
        if not weight:
            continue
        active = {
            name for name, failed in zip(names, fails, strict=False) if world[name] and not failed
        }
        leaking = not fails[-1]
        if not (active or leaking):
            continue
        on += weight
        for disease in range(size):
            if not leaking and not (active - {disease}):
                gone[disease] += weight
            if disease in active:
                kept[disease] += weight
    return on, gone, kept


def by_theorem(network: Network, case: Case) -> Scores:
    """The paper's closed form, an alternating sum over subsets of the present findings.

    Only for networks without certain links into present findings (λ > 0), as the paper assumes.
    """
    _, into_finding = _parts(network)
    evidence = locate(case, network)
    size = len(network.diseases)
    worlds = list(disease_worlds(network, case))
    present = [int(f) for f in evidence.present]
    total = Fraction(0)
    sums = [[Fraction(0)] * size for _ in range(3)]
    for count in range(len(present) + 1):
        for subset in itertools.combinations(present, count):
            sign = (-1) ** count
            joint = [Fraction(0)] * size
            for world, prior in worlds:
                weight = prior
                for finding in (*map(int, evidence.absent), *subset):
                    weight *= Fraction(float(network.finding_leak_fails[finding]))
                    for disease, lam in into_finding[finding].items():
                        weight *= lam if world[disease] else 1
                total += sign * weight
                for disease in range(size):
                    joint[disease] += weight * world[disease]
            for disease in range(size):
                lams = {f: into_finding[f].get(disease, Fraction(1)) for f in present}
                sums[0][disease] += sign * joint[disease]
                tau = sum((1 - 1 / lams[f] for f in subset), Fraction(0))
                sums[1][disease] += sign * joint[disease] * tau
                tau = sum((1 - lams[f] for f in present if f not in subset), Fraction(0))
                sums[2][disease] += sign * joint[disease] * tau
    return Scores(*([x / total for x in column] for column in sums), total)
