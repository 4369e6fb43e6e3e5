"""Patients in whom given numbers of a network matter, drawn from the network itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hickam.evidence.case import Case
from hickam.model.is_a import kinds_of
from hickam.model.network import Floats, Links, Network
from hickam.trust.experts import Opinions

MOST_PRESENT = 6
MOST_ABSENT = 6
TRIES = 50  # patients drawn for one with a present finding


def concerned(
    network: Network, opinions: Sequence[Opinions], each: int, rng: np.random.Generator
) -> list[Case]:
    """So many patients for each number, who have what it is about.

    For a link from a disease to a finding, every other patient has the disease; the others have
    the finding by one of its causes, the likelier the oftener: there the link competes.
    """
    cases = []
    for one in opinions:
        for turn in range(each):
            case = _patient(network, one, turn, rng)
            if case is not None:
                cases.append(case)
    return cases


def _patient(network: Network, one: Opinions, turn: int, rng: np.random.Generator) -> Case | None:
    """One patient whom a number concerns; None if hardly anyone has a finding."""
    for _ in range(TRIES):
        risks = rng.random(len(network.risk_factors)) < network.risk_prior
        ill = _fired(network.causes, risks, network.disease_leak, rng)
        if one.effect in network.findings:
            finding = network.index[one.effect]
            alone = one.kind == "link" and turn % 2 == 0
            ill[network.index[one.cause] if alone else _cause(network, finding, rng)] = True
        elif one.effect in network.diseases:
            ill[network.index[one.effect]] = True
        else:
            risks[network.index[one.effect]] = True
        seen = _fired(network.effects, ill, network.finding_leak, rng)
        if one.effect in network.findings and turn % 2:
            seen[network.index[one.effect]] = True
        if seen.any():
            return _case(network, risks, seen, ill, rng)
    return None


def _case(
    network: Network,
    risks: npt.NDArray[np.bool_],
    seen: npt.NDArray[np.bool_],
    ill: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> Case:
    """What is told of a patient: some findings, what their diseases did not cause, all risks."""
    kinds = kinds_of(network)
    for finding in np.flatnonzero(seen).tolist():
        seen[list(kinds.above.get(finding, ()))] = True
    present = rng.permutation(np.flatnonzero(seen))[:MOST_PRESENT].tolist()
    links = network.effects
    expected = np.unique(links.effect[ill[links.cause]])
    expected = expected[~seen[expected]]
    absent = rng.permutation(expected)[:MOST_ABSENT].tolist()
    return Case(
        present=[network.findings[finding] for finding in present],
        absent=[network.findings[finding] for finding in absent],
        risks={name: bool(on) for name, on in zip(network.risk_factors, risks, strict=True)},
    )


def _cause(network: Network, finding: int, rng: np.random.Generator) -> int:
    """A disease that causes a finding, the likelier the oftener."""
    into = network.effects.of_effect(finding)
    diseases = network.effects.cause[into]
    chances = network.prior[diseases] * network.effects.acts[into]
    total = chances.sum()
    if not total > 0.0:
        return int(rng.integers(len(network.diseases)))
    return int(rng.choice(diseases, p=chances / total))


def _fired(
    links: Links, causes: npt.NDArray[np.bool_], leak: Floats, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """[effect] which effects come about, by a leak or by a link of a cause that is there."""
    found: npt.NDArray[np.bool_] = rng.random(len(leak)) < leak
    acting = causes[links.cause] & (rng.random(len(links)) < links.acts)
    found[links.effect[acting]] = True
    return found
