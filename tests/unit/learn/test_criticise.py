"""A planted defect is named first; a right network is left in peace."""

from __future__ import annotations

import numpy as np
import pytest

import hickam
from hickam.io.network_document import document_of
from hickam.learn.batch import batches
from hickam.learn.criticise import criticise
from hickam.learn.expect import expect
from hickam.learn.left_out import best_strength, slopes
from hickam.learn.numbers import numbers_of
from hickam.learn.rates import RATE, q_values
from hickam.learn.simulate import simulate_records
from hickam.model.random import Recipe, random_network

RECIPE = Recipe(risk_factors=3, diseases=5, findings=7, disease_leak=(0.02, 0.1))


def drawn(seed: int, count: int = 3000):
    rng = np.random.default_rng(seed)
    network = random_network(rng, RECIPE)
    return network, simulate_records(numbers_of(network), count, rng, missing=0.3), rng


def changed(network, finding: str, disease: str, strength: float | None):
    """The network with one link taken away, or of another strength."""
    document = document_of(network)
    for item in document["findings"]:
        if item["id"] == finding:
            causes = item.setdefault("causes", {})
            causes.pop(disease, None)
            if strength is not None:
                causes[disease] = strength
    return hickam.from_dict(document)


def strong_link(network, rng):
    links = network.effects
    able = np.flatnonzero((links.acts > 0.3) & (network.prior[links.cause] > 0.03))
    link = int(rng.choice(able))
    return network.diseases[links.cause[link]], network.findings[links.effect[link]], link


@pytest.mark.parametrize("seed", range(6))
def test_a_link_that_was_taken_away_is_proposed_first(seed):
    network, records, rng = drawn(seed)
    disease, finding, link = strong_link(network, rng)
    found = criticise(changed(network, finding, disease, None), records).proposals
    assert (found[0].cause, found[0].effect) == (disease, finding)
    assert found[0].q <= RATE
    assert abs(found[0].strength - network.effects.acts[link]) < 0.2


@pytest.mark.parametrize("seed", range(4))
def test_a_link_that_is_not_there_never_acts(seed):
    network, records, rng = drawn(seed)
    links = set(zip(network.effects.cause.tolist(), network.effects.effect.tolist(), strict=True))
    pairs = [(d, f) for d in range(5) for f in range(7) if (d, f) not in links]
    pairs = [pair for pair in pairs if network.prior[pair[0]] > 0.03]
    disease, finding = pairs[int(rng.integers(len(pairs)))]
    names = network.diseases[disease], network.findings[finding]
    found = criticise(changed(network, names[1], names[0], 0.5), records).misfits
    named = [(one.cause, one.effect) for one in found if one.never]
    assert named[0] == names


@pytest.mark.parametrize("seed", range(4))
def test_a_wrong_prior_is_named(seed):
    network, records, rng = drawn(seed)
    document = document_of(network)
    risk = document["risk_factors"][int(rng.integers(3))]
    risk["prior"] = 0.5 * risk["prior"] if risk["prior"] > 0.1 else 3.0 * risk["prior"]
    found = criticise(hickam.from_dict(document), records).misfits
    assert [(one.kind, one.cause) for one in found] == [("prior", risk["id"])]


def test_right_networks_are_left_in_peace():
    """With a rate of 5 %, more than 4 of 15 right networks accused is one chance in a thousand."""
    accused = 0
    for seed in range(100, 115):
        network, records, _ = drawn(seed, 1500)
        found = criticise(network, records)
        accused += bool(found.proposals) + bool(found.misfits)
    assert accused <= 4


def test_slopes_are_those_of_the_likelihood():
    """P(record) with a new link of strength a is P(record) (1 + a x)."""
    network, records, rng = drawn(3, 200)
    disease, finding, _ = strong_link(network, rng)
    without = changed(network, finding, disease, None)
    numbers = numbers_of(without)
    (batch,) = batches(numbers, records)
    place = without.findings.index(finding)
    found = slopes(numbers, numbers.values, batch, np.array([place]))
    x, counts = found.of(without.diseases.index(disease), place)
    before = expect(numbers, numbers.values, batch).log_evidence.sum()
    for strength in (0.1, 0.6):
        other = numbers_of(changed(network, finding, disease, strength))
        (same,) = batches(other, records)
        after = expect(other, other.values, same).log_evidence.sum()
        assert after - before == pytest.approx((counts * np.log1p(strength * x)).sum(), abs=1e-8)
    best, _, gain = best_strength(x, counts)
    nearby = [(counts * np.log1p(a * x)).sum() for a in np.linspace(0.0, 0.99, 100)]
    assert gain >= max(nearby) - 1e-9
    assert 0.0 < best < 1.0


@pytest.mark.parametrize("finding", ["pain", "sharp", "burning", "fever"])
def test_slopes_hold_with_kinds(finding):
    """A finding that is a kind or has kinds: the new link is one of what it has besides them."""

    def with_link(strength):
        """The pain of c comes with its kinds: it is stated as the whole."""
        own = {"pain": {}, "sharp": {}, "burning": {}, "fever": {}}
        own[finding] = {"c": strength}
        if finding in ("sharp", "burning"):
            own["pain"] = {"c": strength}
        causes = {"pain": {"a": 0.6}, "sharp": {"a": 0.3}, "burning": {"b": 0.2}, "fever": {}}
        return hickam.from_dict({
            "hickam": 1, "name": "kinds",
            "diseases": [{"id": d, "leak": 0.2} for d in "abc"],
            "findings": [
                {"id": f, "leak": 0.2 if f == "pain" else 0.05, "causes": {**causes[f], **own[f]},
                 **({"is_a": "pain"} if f in ("sharp", "burning") else {})}
                for f in causes
            ] + [{"id": "other", "leak": 0.1, "causes": {"c": 0.5}}],
        })  # fmt: skip

    tiny = 1e-7
    first, second = numbers_of(with_link(tiny)), numbers_of(with_link(0.4))
    records = simulate_records(second, 200, np.random.default_rng(1), missing=0.4)
    (batch,) = batches(first, records)
    found = slopes(first, first.values, batch, np.arange(5))
    x, counts = found.of(2, first.network.findings.index(finding))
    logs = []
    for numbers in (first, second):
        (same,) = batches(numbers, records)
        logs.append(expect(numbers, numbers.values, same).log_evidence.sum())
    gain = (counts * np.log1p(0.4 * x)).sum()
    assert logs[1] - logs[0] == pytest.approx(gain, abs=1e-3)
    assert abs(gain) > 0.01


def test_q_values_grow_with_the_chance():
    chances = np.random.default_rng(0).random(50)
    q = q_values(chances, 80)
    order = np.argsort(chances)
    assert np.all(np.diff(q[order]) >= 0.0)
    assert np.all(q >= chances)
    assert np.all(q <= 1.0)
