"""The reference of the truth benchmark against abduction over every mechanism, in fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import truth_reference
from hickam.evidence.case import Case
from hickam.model.build import build_network
from hickam.model.network import Network
from truth_reference import Impossible, TooWide, truth


def noise_worlds(chances: list[int], unit: int) -> Iterator[tuple[tuple[bool, ...], int]]:
    """Every state of independent mechanisms, fired or not, that has a probability."""
    if not chances:
        yield (), 1
        return
    for rest, weight in noise_worlds(chances[1:], unit):
        if chances[0] < unit:
            yield (False, *rest), weight * (unit - chances[0])
        if chances[0] > 0:
            yield (True, *rest), weight * chances[0]


def in_whole_numbers(fractions: list[Fraction]) -> tuple[list[int], int]:
    """Floating-point numbers without rounding as multiples of one unit, and how many make one."""
    unit = max((x.denominator for x in fractions), default=1)  # powers of two
    return [x.numerator * (unit // x.denominator) for x in fractions], unit


def abduce(network: Network, case: Case) -> dict[str, Any]:
    """Abduction, action and prediction in every world that the mechanisms can make.

    The noise is one bit per risk factor, link and leak. Each world is solved as it is, with one
    disease cured, with every cause but one disease off, and with every disease off.
    """
    size, width = len(network.diseases), len(case.present)
    present = [network.index[f] for f in case.present]
    absent = [network.index[f] for f in case.absent]
    risks, causes, effects = network.risk_factors, network.causes, network.effects
    chances = [Fraction(float(p)) for p in network.risk_prior]
    for name, value in case.risks.items():
        if chances[network.index[name]] == 1 - value:
            raise Impossible
        chances[network.index[name]] = Fraction(int(value))
    cuts = [len(chances)]
    for group in (network.disease_leak, causes.acts, network.finding_leak, effects.acts):
        chances += [Fraction(float(p)) for p in group]
        cuts.append(len(chances))
    ratios, one = in_whole_numbers([Fraction(float(x)) for x in case.likelihoods.values()])
    judged = [(network.index[name], x) for name, x in zip(case.likelihoods, ratios, strict=True)]
    whole, unit = in_whole_numbers(chances)
    total = 0
    posterior = [0] * size
    disabled = [[0] * width for _ in range(size)]
    sustained = [[0] * width for _ in range(size)]
    unexplained = [0] * width
    for noise, chance in noise_worlds(whole, unit):
        risk = noise[: len(risks)]
        disease_leak, link, finding_leak, effect = (
            noise[start:end] for start, end in pairwise(cuts)
        )
        disease = list(disease_leak)
        for j, k, fires in zip(causes.cause, causes.effect, link, strict=True):
            disease[k] |= risk[j] and fires

        def findings(
            on: list[bool], leaks: tuple[bool, ...], effect: tuple[bool, ...] = effect
        ) -> list[bool]:
            state = list(leaks)
            for k, s, fires in zip(effects.cause, effects.effect, effect, strict=True):
                state[s] |= on[k] and fires
            return state

        factual = findings(disease, finding_leak)
        if not all(factual[s] for s in present) or any(factual[s] for s in absent):
            continue
        weight = chance
        for k, ratio in judged:
            weight *= ratio if disease[k] else one
        total += weight
        well = findings([False] * size, finding_leak)
        no_leak = (False,) * len(finding_leak)
        sick_only = findings(disease, no_leak)
        for i, s in enumerate(present):
            unexplained[i] += weight * (well[s] and not sick_only[s])
        for k in range(size):
            posterior[k] += weight * disease[k]
            cured = findings([on and i != k for i, on in enumerate(disease)], finding_leak)
            alone = findings([on and i == k for i, on in enumerate(disease)], no_leak)
            for i, s in enumerate(present):
                disabled[k][i] += weight * (not cured[s])
                sustained[k][i] += weight * alone[s]
    if not total:
        raise Impossible
    everything = Fraction(total)
    return {
        "posterior": np.array(posterior, dtype=object) / everything,
        "disabled": np.array(disabled, dtype=object).reshape(size, width) / everything,
        "sustained": np.array(sustained, dtype=object).reshape(size, width) / everything,
        "unexplained": np.array(unexplained, dtype=object) / everything,
        "evidence": everything / (unit ** len(whole) * one ** len(ratios)),
    }


def tiny(seed: int) -> tuple[Network, Case]:
    """A network of at most fourteen mechanisms with extreme numbers, and a case."""
    rng = np.random.default_rng(seed)
    odd = [0.0, 1.0, 1e-7, 1e-12, 1.0 - 1e-9]

    def chance() -> float:
        return float(rng.choice(odd)) if rng.random() < 0.25 else float(rng.random())

    names = [f"{layer}{i}" for layer in "rdf" for i in range(3 if layer == "d" else 2)]
    below = {"d": "r", "f": "d"}
    pairs = [(c, e) for e in names for c in names if below.get(e[0]) == c[0]]
    kept = [pairs[i] for i in rng.permutation(len(pairs))[: rng.integers(3, 9)]]
    document = {"hickam": 1, "name": "tiny", "risk_factors": [], "diseases": [], "findings": []}
    sections = {"r": "risk_factors", "d": "diseases", "f": "findings"}
    for node in names:
        entry: dict[str, Any] = {"id": node, "prior" if node[0] == "r" else "leak": chance()}
        if node[0] != "r":
            entry["causes"] = {c: chance() for c, e in kept if e == node}
            if not entry["causes"] and not entry["leak"]:
                entry["leak"] = 0.1
        document[sections[node[0]]].append(entry)  # type: ignore[attr-defined]
    network, issues = build_network(document)
    assert network is not None, issues
    states = rng.choice(["present", "present", "absent", "unknown"], 2)
    return network, Case(
        [f for f, state in zip(network.findings, states, strict=True) if state == "present"],
        [f for f, state in zip(network.findings, states, strict=True) if state == "absent"],
        {r: bool(rng.random() < 0.5) for r in network.risk_factors if rng.random() < 0.25},
        {d: float(10.0 ** rng.uniform(-12, 12)) for d in network.diseases if rng.random() < 0.3},
    )


def assert_right(network: Network, case: Case) -> None:
    """The reference says what abduction says, or both say that the evidence is impossible."""
    try:
        right = abduce(network, case)
    except Impossible:
        with pytest.raises(Impossible):
            truth(network, case)
        return
    found = truth(network, case)
    for name in ("posterior", "disabled", "sustained", "unexplained"):
        expected = right[name].astype(np.float64)
        got = np.asarray(getattr(found, name), dtype=np.float64)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14, err_msg=name)
    exact = np.log(float(right["evidence"]))
    assert found.log_evidence == pytest.approx(exact, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_reference_agrees_with_abduction_over_every_mechanism(seed):
    assert_right(*tiny(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_the_reference_agrees_with_abduction_in_hundreds_of_networks(seed):
    assert_right(*tiny(seed))


def test_a_disease_without_evidence_follows_two_risk_factors_that_never_meet():
    document = {
        "hickam": 1,
        "name": "apart",
        "risk_factors": [{"id": "r0", "prior": 0.2}, {"id": "r1", "prior": 0.4}],
        "diseases": [
            {"id": "d0", "leak": 0.01, "causes": {"r0": 0.7}},
            {"id": "d1", "leak": 0.02, "causes": {"r1": 0.6}},
            {"id": "d2", "leak": 0.03, "causes": {"r0": 0.5, "r1": 0.8}},
        ],
        "findings": [
            {"id": "f0", "leak": 0.05, "causes": {"d0": 0.9, "d1": 0.3}},
            {"id": "f1", "leak": 0.05, "causes": {"d1": 0.9}},
            {"id": "f2", "leak": 0.05, "causes": {"d2": 0.9}},
        ],
    }
    network, _ = build_network(document)
    assert_right(network, Case(["f0", "f1"]))


def wide(seed: int) -> tuple[Network, Case]:
    """A coupled network in which the reference has nodes to open and close."""
    rng = np.random.default_rng(seed)
    document = {
        "hickam": 1,
        "name": "wide",
        "risk_factors": [{"id": f"r{j}", "prior": float(rng.random())} for j in range(6)],
        "diseases": [
            {
                "id": f"d{k}",
                "leak": float(rng.random() / 10),
                "causes": {f"r{j}": float(rng.random()) for j in rng.permutation(6)[:3]},
            }
            for k in range(9)
        ],
        "findings": [
            {
                "id": f"f{s}",
                "leak": float(rng.random() / 10),
                "causes": {f"d{k}": float(rng.random()) for k in rng.permutation(9)[:3]},
            }
            for s in range(6)
        ],
    }
    network, issues = build_network(document)
    assert network is not None, issues
    return network, Case([f"f{s}" for s in range(4)], ["f4"], {"r0": True})


@pytest.mark.parametrize("seed", range(8))
def test_the_answers_do_not_depend_on_how_many_tables_are_kept(seed, monkeypatch):
    network, case = wide(seed)
    once = truth(network, case)
    monkeypatch.setattr(truth_reference, "KEPT", 0)
    twice = truth(network, case)
    np.testing.assert_array_equal(once.posterior, twice.posterior)
    np.testing.assert_array_equal(once.disabled, twice.disabled)


@pytest.mark.parametrize("seed", range(8))
def test_double_precision_is_within_its_doubt_of_extended_precision(seed):
    network, case = wide(seed)
    double, extended = truth(network, case), truth(network, case, dtype=np.longdouble)
    for name in ("posterior", "disabled", "sustained"):
        right = getattr(extended, name)
        gap = np.abs(getattr(double, name) - right) / np.maximum(np.abs(right), 1e-3)
        assert gap.max() <= double.doubt


def test_a_problem_that_is_too_wide_is_refused():
    network, case = wide(0)
    with pytest.raises(TooWide):
        truth(network, case, cells=4)
