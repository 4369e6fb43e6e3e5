"""Networks and cases made to hurt: each structure breaks another assumption of an engine."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import hickam
from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.io.authors import NetworkPolicy, read_authors_network
from hickam.io.cards import CardPolicy, read_authors_cards
from hickam.model.build import build_network
from hickam.model.network import Network
from truth_reference import width_of

NARROWEST = 15  # nodes open at once in a wide structure
Rng = np.random.Generator
Instance = tuple[Network, Case]
Maker = Callable[[Rng], Instance]
Chance = Callable[[], Any]


def between(rng: Rng, lowest: float, highest: float) -> Chance:
    """A source of chances spread evenly."""
    return lambda: float(rng.uniform(lowest, highest))


def spread(rng: Rng, lowest: float, highest: float) -> Chance:
    """A source of chances spread evenly in the logarithm."""
    return lambda: float(np.exp(rng.uniform(np.log(lowest), np.log(highest))))


def assemble(
    causes: list[list[int]],
    effects: list[list[int]],
    *,
    prior: Chance,
    activation: Chance,
    disease_leak: Chance,
    link: Chance,
    finding_leak: Chance,
) -> Network:
    """The network with `causes[disease]` risk factors and `effects[disease]` findings."""
    risks = 1 + max((j for listed in causes for j in listed), default=-1)
    findings = 1 + max(s for listed in effects for s in listed)
    document = {
        "hickam": 1,
        "name": "made to hurt",
        "risk_factors": [{"id": f"r{j}", "prior": prior()} for j in range(risks)],
        "diseases": [
            {
                "id": f"d{k}",
                "leak": disease_leak(),
                "causes": {f"r{j}": activation() for j in sorted(set(listed))},
            }
            for k, listed in enumerate(causes)
        ],
        "findings": [
            {
                "id": f"f{s}",
                "leak": finding_leak(),
                "causes": {f"d{k}": link() for k, listed in enumerate(effects) if s in listed},
            }
            for s in range(findings)
        ],
    }
    network, issues = build_network(document)
    if network is None:
        raise ValueError(issues)
    return network


def scatter(rng: Rng, diseases: int, findings: int, share: float) -> list[list[int]]:
    """The findings of each disease, each with a chance of `share`; every node gets one."""
    hits = rng.random((diseases, findings)) < share
    hits[np.arange(diseases), rng.integers(0, findings, diseases)] = True
    hits[rng.integers(0, diseases, findings), np.arange(findings)] = True
    return [list(map(int, np.flatnonzero(row))) for row in hits]


def pick(rng: Rng, size: int, fewest: int, most: int) -> list[int]:
    """A few distinct indices below `size`."""
    count = min(size, int(rng.integers(fewest, most + 1)))
    return [int(i) for i in rng.permutation(size)[:count]]


def patient(rng: Rng, network: Network, present: int, absent: int = 0, **said: Any) -> Case:
    """A case with so many present and absent findings, however unlikely together."""
    order = [network.findings[i] for i in rng.permutation(len(network.findings))]
    present = min(present, len(order))
    return Case(order[:present], order[present : present + absent], **said)


def usual(rng: Rng) -> dict[str, Chance]:
    """Chances of a common kind, from weak to strong coupling."""
    weakest = 10 ** rng.uniform(-2.5, -0.3)
    return {
        "prior": between(rng, 0.01, float(rng.uniform(0.05, 0.95))),
        "activation": between(rng, weakest, min(0.99, weakest * 10 ** rng.uniform(0.0, 1.5))),
        "disease_leak": spread(rng, 10 ** rng.uniform(-6.0, -3.0), 10 ** rng.uniform(-2.5, -0.5)),
        "link": between(rng, 0.05, 0.95),
        "finding_leak": spread(rng, 10 ** rng.uniform(-5.0, -3.0), 10 ** rng.uniform(-2.5, -0.5)),
    }


def surprising(rng: Rng) -> dict[str, Chance]:
    """Common risk factors, strong activations, small leaks: evidence that surprises."""
    return {
        "prior": between(rng, 0.1, 0.5),
        "activation": between(rng, 0.3, 0.95),
        "disease_leak": spread(rng, 1e-4, 1e-2),
        "link": between(rng, 0.1, 0.6),
        "finding_leak": spread(rng, 1e-3, 3e-2),
    }


def either(rng: Rng) -> dict[str, Chance]:
    """Usual or surprising chances."""
    return usual(rng) if rng.random() < 0.5 else surprising(rng)


def dense(rng: Rng) -> Instance:
    """A few of everything, almost all linked."""
    risks, diseases = int(rng.integers(2, 7)), int(rng.integers(2, 9))
    causes = [pick(rng, risks, 1, risks) for _ in range(diseases)]
    effects = scatter(rng, diseases, int(rng.integers(3, 12)), float(rng.uniform(0.4, 1.0)))
    network = assemble(causes, effects, **either(rng))
    return network, patient(rng, network, int(rng.integers(1, 11)), int(rng.integers(0, 3)))


def ring(rng: Rng) -> Instance:
    """Disease k is caused by risk factors k and k + 1, and the last by the first again."""
    size = int(rng.integers(3, 9))
    causes = [[k, (k + 1) % size] for k in range(size)]
    effects = scatter(rng, size, int(rng.integers(4, 11)), float(rng.uniform(0.2, 1.0)))
    network = assemble(causes, effects, **either(rng))
    return network, patient(rng, network, int(rng.integers(3, 11)))


def bipartite(rng: Rng) -> Instance:
    """Every risk factor causes every disease."""
    risks, diseases = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    causes = [list(range(risks)) for _ in range(diseases)]
    effects = scatter(rng, diseases, int(rng.integers(4, 12)), float(rng.uniform(0.3, 1.0)))
    network = assemble(causes, effects, **either(rng))
    return network, patient(rng, network, int(rng.integers(3, 12)))


def two_by_two(rng: Rng) -> Instance:
    """Two risk factors that both cause both diseases, and eight to fourteen present findings."""
    vary = (lambda: float(np.exp(rng.normal(0.0, 0.7)))) if rng.random() < 0.8 else (lambda: 1.0)

    def near(chance: float, most: float = 0.99) -> Chance:
        return lambda: min(most, chance * vary())

    findings = int(rng.integers(8, 15))
    network = assemble(
        [[0, 1], [0, 1]],
        [list(range(findings))] * 2,
        prior=near(0.3),
        activation=near(0.9),
        disease_leak=near(0.001),
        link=near(0.3),
        finding_leak=near(0.01),
    )
    return network, patient(rng, network, findings)


def near_certain(rng: Rng) -> Instance:
    """Links that fail once in a thousand to once in a million, in both layers."""
    risks, diseases = int(rng.integers(2, 6)), int(rng.integers(2, 7))

    def sure() -> float:
        return 1.0 - float(10 ** rng.uniform(-6, -3)) if rng.random() < 0.7 else float(rng.random())

    network = assemble(
        [pick(rng, risks, 1, 3) for _ in range(diseases)],
        scatter(rng, diseases, int(rng.integers(3, 9)), 0.4),
        prior=spread(rng, 1e-4, 0.5),
        activation=sure,
        disease_leak=spread(rng, 1e-6, 1e-2),
        link=sure,
        finding_leak=spread(rng, 1e-6, 1e-2),
    )
    return network, patient(rng, network, int(rng.integers(1, 7)), int(rng.integers(0, 2)))


def certain(rng: Rng) -> Instance:
    """Links that always act, certain diseases and leaks, known risk factors."""
    risks, diseases = int(rng.integers(2, 6)), int(rng.integers(2, 7))

    def mostly(chance: Chance, odd: list[Any], share: float = 0.3) -> Chance:
        return lambda: odd[int(rng.integers(len(odd)))] if rng.random() < share else chance()

    network = assemble(
        [pick(rng, risks, 1, 3) for _ in range(diseases)],
        scatter(rng, diseases, int(rng.integers(3, 9)), 0.4),
        prior=mostly(between(rng, 0.05, 0.9), [0.0, 1.0], 0.15),
        activation=mostly(between(rng, 0.05, 0.95), ["always", 1.0]),
        disease_leak=mostly(spread(rng, 1e-4, 0.1), [0.0, 1.0], 0.2),
        link=mostly(between(rng, 0.05, 0.95), ["always", 1.0]),
        finding_leak=mostly(spread(rng, 1e-4, 0.1), [1e-9, 1.0], 0.15),
    )
    known = {f"r{j}": bool(rng.random() < 0.7) for j in range(risks) if rng.random() < 0.3}
    known = {name: on for name, on in known.items() if name in network.index}
    absent = int(rng.integers(0, 2))
    return network, patient(rng, network, int(rng.integers(1, 6)), absent, risks=known)


def huge_ratios(rng: Rng) -> Instance:
    """Likelihood ratios of a million to ten thousand million on very rare diseases."""
    risks, diseases = int(rng.integers(2, 7)), int(rng.integers(3, 9))
    network = assemble(
        [pick(rng, risks, 0, 3) for _ in range(diseases)],
        scatter(rng, diseases, int(rng.integers(3, 9)), 0.4),
        prior=spread(rng, 1e-6, 0.3),
        activation=spread(rng, 1e-5, 0.9),
        disease_leak=spread(rng, 1e-10, 1e-4),
        link=between(rng, 0.1, 0.95),
        finding_leak=spread(rng, 1e-4, 0.1),
    )
    ratios = {f"d{k}": float(10 ** rng.uniform(6, 10)) for k in pick(rng, diseases, 1, 2)}
    ratios |= {f"d{k}": float(10 ** rng.uniform(-12, 2)) for k in pick(rng, diseases, 0, 1)}
    return network, patient(rng, network, int(rng.integers(0, 6)), 1, likelihoods=ratios)


def many_findings(rng: Rng) -> Instance:
    """Ten to twenty present findings of diseases with a few each."""
    risks, diseases = int(rng.integers(2, 6)), int(rng.integers(5, 15))
    findings = int(rng.integers(10, 21))
    effects = [
        sorted((k * findings // diseases + int(i)) % findings for i in pick(rng, 7, 2, 5))
        for k in range(diseases)
    ]
    effects[0] = sorted({*effects[0], *(set(range(findings)) - {s for e in effects for s in e})})
    network = assemble([pick(rng, risks, 1, 2) for _ in range(diseases)], effects, **either(rng))
    return network, patient(rng, network, findings)


def rare(rng: Rng) -> Instance:
    """Priors and leaks from one in a hundred thousand to one in a hundred million."""
    risks, diseases = int(rng.integers(2, 7)), int(rng.integers(3, 10))
    network = assemble(
        [pick(rng, risks, 1, 3) for _ in range(diseases)],
        scatter(rng, diseases, int(rng.integers(4, 11)), 0.5),
        prior=spread(rng, 1e-7, 1e-2),
        activation=spread(rng, 1e-4, 0.9),
        disease_leak=spread(rng, 1e-8, 1e-6),
        link=between(rng, 0.1, 0.95),
        finding_leak=spread(rng, 1e-6, 1e-4),
    )
    return network, patient(rng, network, int(rng.integers(2, 10)))


def tree(rng: Rng) -> Instance:
    """Risk factors and diseases without a loop: a chain, or a tree with branches."""
    size = int(rng.integers(3, 11))
    chain = rng.random() < 0.5
    causes = [[k if chain else int(rng.integers(0, k + 1)), k + 1] for k in range(size)]
    effects = scatter(rng, size, int(rng.integers(3, 11)), float(rng.uniform(0.1, 0.6)))
    network = assemble(causes, effects, **either(rng))
    return network, patient(rng, network, int(rng.integers(2, 10)))


def star(rng: Rng) -> Instance:
    """Ten to fourteen weak risk factors that all cause the same few diseases."""
    risks, diseases = int(rng.integers(10, 15)), int(rng.integers(2, 5))
    chances = either(rng) | {"activation": spread(rng, 0.01, float(rng.uniform(0.05, 0.4)))}
    causes = [pick(rng, risks, risks - 3, risks) for _ in range(diseases)]
    effects = scatter(rng, diseases, int(rng.integers(2, 6)), 0.7)
    network = assemble(causes, effects, **chances)
    return network, patient(rng, network, int(rng.integers(1, 5)))


def grid(rng: Rng) -> Instance:
    """Diseases on a grid; each risk factor causes two neighbours."""
    rows, columns = int(rng.integers(2, 4)), int(rng.integers(2, 6))
    causes: list[list[int]] = [[] for _ in range(rows * columns)]
    risks = 0
    for r in range(rows):
        for c in range(columns):
            for other in ([(r, c + 1)] if c + 1 < columns else []) + (
                [(r + 1, c)] if r + 1 < rows else []
            ):
                causes[r * columns + c].append(risks)
                causes[other[0] * columns + other[1]].append(risks)
                risks += 1
    effects = scatter(rng, rows * columns, int(rng.integers(3, 8)), float(rng.uniform(0.1, 0.4)))
    network = assemble(causes, effects, **either(rng))
    return network, patient(rng, network, int(rng.integers(2, 8)))


def sparse(rng: Rng) -> Instance:
    """Fifteen to forty risk factors, each disease caused by a few that stand close together."""
    risks = int(rng.integers(15, 41))
    diseases = int(rng.integers(risks, 2 * risks))
    reach = int(rng.integers(3, 8))
    causes = [
        sorted({int(k * risks / diseases + i) % risks for i in pick(rng, reach, 1, 3)})
        for k in range(diseases)
    ]
    findings = int(rng.integers(8, 30))
    effects = [pick(rng, findings, 1, 4) for _ in range(diseases)]
    effects[0] = sorted({*effects[0], *(set(range(findings)) - {s for e in effects for s in e})})
    causes[0] = sorted({*causes[0], *(set(range(risks)) - {j for c in causes for j in c})})
    network = assemble(causes, effects, **either(rng))
    return network, patient(rng, network, int(rng.integers(2, 9)), int(rng.integers(0, 3)))


def wide(rng: Rng) -> Instance:
    """Twenty to forty risk factors linked at random: exact answers are dear."""
    while True:
        risks = int(rng.integers(20, 41))
        diseases = int(rng.integers(risks, 2 * risks))
        findings = int(rng.integers(8, 20))
        causes = [pick(rng, risks, 1, 3) for _ in range(diseases)]
        effects = [pick(rng, findings, 1, 3) for _ in range(diseases)]
        nowhere = set(range(findings)) - {s for listed in effects for s in listed}
        effects[0] = sorted({*effects[0], *nowhere})
        network = assemble(causes, effects, **either(rng))
        case = patient(rng, network, int(rng.integers(3, 9)))
        if NARROWEST <= width_of(network, case) <= 19:
            return network, case


def strong_and_weak(rng: Rng) -> Instance:
    """A few entangled strong risk factors among many weak ones."""
    risks, diseases = int(rng.integers(6, 13)), int(rng.integers(4, 9))
    strong = int(rng.integers(1, 4))
    chances = either(rng)
    weak, firm = spread(rng, 0.003, 0.1), between(rng, 0.5, 0.99)
    calls = iter(lambda: rng.random() < strong / risks, None)
    chances["activation"] = lambda: firm() if next(calls) else weak()
    causes = [pick(rng, risks, 2, 5) for _ in range(diseases)]
    effects = scatter(rng, diseases, int(rng.integers(4, 10)), float(rng.uniform(0.3, 0.8)))
    network = assemble(causes, effects, **chances)
    return network, patient(rng, network, int(rng.integers(2, 10)))


def shared(rng: Rng) -> Instance:
    """One to three strong risk factors, mostly rare, that most diseases share, and weak ones."""
    weak, diseases = int(rng.integers(5, 12)), int(rng.integers(10, 23))
    strong = int(rng.integers(1, 4))
    firm, faint = between(rng, 0.2, 0.95), spread(rng, 0.003, 0.1)
    causes = [
        [j for j in range(strong) if rng.random() < 0.6]
        + sorted({strong + k % weak, *(strong + j for j in pick(rng, weak, 0, 3))})
        for k in range(diseases)
    ]
    order = iter([j < strong for listed in causes for j in listed])
    ranks = iter(range(strong + weak))
    rare, common = spread(rng, 1e-9, 0.1), between(rng, 0.02, 0.4)
    network = assemble(
        causes,
        scatter(rng, diseases, int(rng.integers(6, 14)), float(rng.uniform(0.2, 0.5))),
        prior=lambda: rare() if next(ranks) < strong else common(),
        activation=lambda: firm() if next(order) else faint(),
        disease_leak=spread(rng, 1e-6, 10 ** rng.uniform(-4.0, -2.0)),
        link=between(rng, 0.1, 0.9),
        finding_leak=spread(rng, 1e-5, 1e-2),
    )
    return network, patient(rng, network, int(rng.integers(6, 14)))


def few_each(rng: Rng) -> Instance:
    """Each risk factor turns on two or three diseases that hardly ever arise without it."""
    risks, reach, findings = (int(rng.integers(*ends)) for ends in ((1, 25), (2, 4), (2, 16)))
    rare, seldom, quiet = (10 ** rng.uniform(*ends) for ends in ((-6, -1), (-9, -3), (-6, -2)))
    weakest = 10 ** rng.uniform(-2.5, -0.3)
    network = assemble(
        [[j] for j in range(risks) for _ in range(reach)],
        scatter(rng, risks * reach, findings, float(rng.uniform(0.02, 0.3))),
        prior=spread(rng, rare, min(0.5, rare * 10 ** rng.uniform(0.0, 2.0))),
        activation=between(rng, weakest, 2.0 * weakest),
        disease_leak=spread(rng, seldom, 10.0 * seldom),
        link=between(rng, 0.05, 0.95),
        finding_leak=spread(rng, quiet, 10.0 * quiet),
    )
    present, absent = int(rng.integers(1, findings + 1)), int(rng.integers(0, 3))
    return network, patient(rng, network, present, absent)


def settled(rng: Rng) -> Instance:
    """Every risk factor known, up to sixteen present findings, ordinary and rare chances."""
    risks, diseases = int(rng.integers(1, 6)), int(rng.integers(3, 25))
    findings = int(rng.integers(4, 17))
    effects = scatter(rng, diseases, findings, float(rng.uniform(0.1, 0.6)))
    chances = either(rng)
    if rng.random() < 0.4:
        chances |= {
            "disease_leak": spread(rng, 1e-9, 1e-5),
            "finding_leak": spread(rng, 1e-6, 1e-4),
        }
    network = assemble([pick(rng, risks, 0, 2) for _ in range(diseases)], effects, **chances)
    known = {r: bool(rng.random() < 0.5) for r in network.risk_factors}
    present = int(rng.integers(1, min(findings, 15) + 1))
    return network, patient(rng, network, present, 1, risks=known)


@lru_cache(maxsize=1)
def _clinic() -> Network:
    return hickam.load("clinic")


def _complaints(rng: Rng, network: Network, count: int) -> list[str]:
    """So many findings of one to three diseases, sometimes one of no matter which."""
    chosen: list[str] = []
    while len(chosen) < count:
        k = int(rng.integers(len(network.diseases)))
        links = network.effects.of_cause(k)
        order = rng.permutation(network.effects.effect[links])
        chosen += [network.findings[s] for s in order[: int(rng.integers(1, count + 1))]]
        if rng.random() < 0.2:
            chosen.append(network.findings[int(rng.integers(len(network.findings)))])
        chosen = list(dict.fromkeys(chosen))
    return chosen[:count]


def clinic(rng: Rng) -> Instance:
    """`clinic` with every risk factor unobserved and two to seven present findings."""
    network = _clinic()
    present = _complaints(rng, network, int(rng.integers(2, 8)))
    others = [f for f in _complaints(rng, network, 3) if f not in present]
    case = Case(present, others[: int(rng.integers(0, 3))])
    try:
        locate(case, network)
    except hickam.InvalidInput:  # a kind of an absent finding is present
        case = Case(present)
    return network, case


def clinic_many(rng: Rng) -> Instance:
    """`clinic` with four to twelve open risk factors and eight to sixteen present findings."""
    network = _clinic()
    present = _complaints(rng, network, int(rng.integers(8, 17)))
    still_open = set(pick(rng, len(network.risk_factors), 4, 12))
    common = network.risk_prior
    known = {
        r: bool(rng.random() < common[j])
        for j, r in enumerate(network.risk_factors)
        if j not in still_open
    }
    return network, Case(present, (), known)


@lru_cache(maxsize=1)
def _network_a() -> tuple[Network, list[Case]]:
    folder = Path(os.environ["HICKAM_AUTHORS"])
    policy = NetworkPolicy(impossible="clip", duplicates="first")
    network, _ = read_authors_network(folder / "example_networks.json", "A", policy)
    cards, _ = read_authors_cards(folder / "vignettes.json", "A", CardPolicy(unsure_risks="absent"))
    return network, [card.case for card in cards]


def network_a(rng: Rng) -> Instance:
    """A vignette on the authors' network A, some of its evidence withheld."""
    network, cases = _network_a()
    full = cases[int(rng.integers(len(cases)))]
    present = [f for f in full.present if rng.random() < 0.8] or list(full.present)
    absent = [f for f in full.absent if rng.random() < 0.8]
    risks = {r: on for r, on in full.risks.items() if rng.random() < 0.8}
    return network, Case(present, absent, risks)


STRUCTURES: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        *(dense, ring, bipartite, two_by_two, near_certain, certain, huge_ratios),
        *(many_findings, rare, tree, star, grid, sparse, wide, strong_and_weak, shared),
        few_each,
        settled,
        *(clinic, clinic_many, network_a),
    )
}
# Cells that the reference may open at once, where more than the default is wanted.
CELLS = {
    "wide": 2.0**19,
    "shared": 2.0**19,
    "clinic": 2.0**18,
    "clinic_many": 2.0**20,
    "network_a": 2.0**18,
}
DEFAULT_CELLS = 2.0**16


def available() -> list[str]:
    """The structures that can be made here; network A needs the folder with its file."""
    return [n for n in STRUCTURES if n != "network_a" or os.environ.get("HICKAM_AUTHORS")]


def instances(
    name: str, seed: int, start: int = 0, step: int = 1
) -> Iterator[tuple[int, Instance]]:
    """Instances of a structure without end, each with its number; the same for the same seed."""
    number = start
    while True:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode()), number])
        yield number, STRUCTURES[name](rng)
        number += step
