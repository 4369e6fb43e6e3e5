"""The E step against the definition, the engines and the slope of the likelihood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hickam
from hickam.learn.batch import batches
from hickam.learn.by_engine import expect_record
from hickam.learn.expect import expect
from hickam.learn.numbers import numbers_of
from hickam.learn.records import together
from hickam.learn.simulate import simulate_records
from hickam.model.random import Recipe, random_network
from learning_worlds import by_worlds

SMALL = Recipe(risk_factors=2, diseases=2, findings=2, causes=(1, 2), effects=(1, 2))
KINDS = {
    "hickam": 1,
    "name": "kinds",
    "risk_factors": [{"id": "r", "prior": 0.3}],
    "diseases": [
        {"id": "a", "leak": 0.2, "causes": {"r": 0.4},
         "prevalence": [{"sex": "male", "factor": 3}]},
        {"id": "b", "leak": 0.1, "prevalence": [{"sex": "female", "factor": 0.4}]},
    ],
    "findings": [
        {"id": "pain", "leak": 0.1, "causes": {"a": 0.6, "b": 0.5}},
        {"id": "sharp", "is_a": "pain", "leak": 0.02, "causes": {"a": 0.3}},
        {"id": "burning", "is_a": "pain", "leak": 0.03, "causes": {"b": 0.2},
         "prevalence": [{"sex": "male", "factor": 2}]},
        {"id": "fever", "leak": 0.05, "causes": {"b": 0.7}},
    ],
}  # fmt: skip
BOTH = (("female", 30.0), ("male", 30.0))


def one_batch(numbers, records, **options):
    (batch,) = batches(numbers, together(records), **options)
    return batch


@pytest.mark.parametrize("seed", range(6))
def test_statistics_are_those_of_all_worlds(seed):
    rng = np.random.default_rng(seed)
    numbers = numbers_of(random_network(rng, SMALL))
    batch = one_batch(numbers, simulate_records(numbers, 60, rng, missing=0.4))
    found = expect(numbers, numbers.values, batch)
    logs, score = by_worlds(numbers, numbers.values, batch.records)
    np.testing.assert_allclose(found.log_evidence, logs, atol=1e-10)
    np.testing.assert_allclose(found.acted - numbers.values * found.could, score, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_kernel_and_twin_agree(seed):
    rng = np.random.default_rng(seed)
    numbers = numbers_of(hickam.from_dict(KINDS))
    batch = one_batch(numbers, simulate_records(numbers, 80, rng, missing=0.4, people=BOTH))
    families = [np.array([0, 2, 3]), np.arange(numbers.size)]
    found = expect(numbers, numbers.values, batch, posterior=True, families=families)
    acted, could = np.zeros(numbers.size), np.zeros(numbers.size)
    products = [np.zeros((len(family), len(family))) for family in families]
    for record, count in enumerate(batch.records.counts):
        one = expect_record(numbers, numbers.values, batch, record)
        acted += count * one.acted
        could += count * one.could
        assert one.log_evidence == pytest.approx(found.log_evidence[record], abs=1e-11)
        np.testing.assert_allclose(one.posterior, found.posterior[record], atol=1e-11)
        score = one.acted - numbers.values * one.could
        for at, family in enumerate(families):
            products[at] += count * np.outer(score[family], score[family])
    for product, summed in zip(found.products, products, strict=True):
        np.testing.assert_allclose(product, summed, atol=1e-9)
    np.testing.assert_allclose(found.acted, acted, atol=1e-9)
    np.testing.assert_allclose(found.could, could, atol=1e-9)


@pytest.mark.parametrize("settings", [64, 2])
def test_score_is_the_slope_of_the_log_likelihood(settings):
    """With kinds, sex, every layer missing in part; and where settings are sampled."""
    rng = np.random.default_rng(0)
    document = {**KINDS, "risk_factors": [{"id": r, "prior": 0.3} for r in ("r", "q", "p")]}
    document["diseases"] = [dict(one) for one in KINDS["diseases"]]
    document["diseases"][1]["causes"] = {"q": 0.3, "r": 0.2, "p": 0.5}
    numbers = numbers_of(hickam.from_dict(document))
    records = simulate_records(numbers, 120, rng, missing=0.4, people=BOTH)
    batch = one_batch(numbers, records, most_settings=settings)
    assert (batch.settings.sampled > 0) == (settings == 2)
    values = numbers.values
    found = expect(numbers, values, batch)
    score = found.acted - values * found.could
    for number in np.flatnonzero((values > 0.0) & (values < 1.0)):
        sides = []
        for off in (1e-4, -1e-4):
            odds = values[number] / (1.0 - values[number]) * np.exp(off)
            moved = values.copy()
            moved[number] = odds / (1.0 + odds)
            logs = expect(numbers, moved, batch).log_evidence
            sides.append((logs * batch.records.counts).sum())
        slope = (sides[0] - sides[1]) / 2e-4
        assert score[number] == pytest.approx(slope, abs=1e-4), numbers.names[number]


def test_posterior_is_that_of_inference():
    """Records of the clinic, with kinds, sex and age: the same posterior as a case."""
    network = hickam.load("clinic")
    numbers = numbers_of(network)
    rng = np.random.default_rng(1)
    people = (("female", 34.0), ("male", 71.0))
    records = simulate_records(
        numbers, 30, rng, missing=0.9, hide_risks=0.0, hide_diseases=1.0, people=people
    )
    (batch,) = batches(numbers, records)
    found = expect(numbers, numbers.values, batch, posterior=True)
    for at in range(len(records)):
        sex, age = people[records.person[at]]
        names = np.array(network.findings)
        case = hickam.Case(
            present=names[records.findings[at] == 1].tolist(),
            absent=names[records.findings[at] == 0].tolist(),
            risks=dict(zip(network.risk_factors, (records.risks[at] == 1).tolist(), strict=True)),
            sex=sex,
            age=age,
        )
        beliefs = hickam.infer(network, case)
        np.testing.assert_allclose(found.posterior[at], beliefs.posterior, atol=1e-9)


def test_hard_records_go_to_the_engines(monkeypatch):
    numbers = numbers_of(hickam.load("smoker"))
    records = simulate_records(numbers, 50, np.random.default_rng(0), missing=0.3)
    batch = one_batch(numbers, records)
    usual = expect(numbers, numbers.values, batch)
    monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    slow = expect(numbers, numbers.values, batch)
    assert slow.by_engine == len(batch.records)
    np.testing.assert_allclose(slow.acted, usual.acted, atol=1e-9)


def test_impossible_records_say_nothing():
    document = {
        "hickam": 1, "name": "certain", "diseases": [{"id": "a", "leak": 0.1}],
        "findings": [{"id": "s", "leak": 0.0, "causes": {"a": 0.5}}],
    }  # fmt: skip
    numbers = numbers_of(hickam.from_dict(document))
    records = simulate_records(numbers, 2, np.random.default_rng(0))
    states = np.array([[0], [1]], dtype=np.int8)
    records = replace(records, diseases=states, findings=np.array([[1], [1]], dtype=np.int8))
    found = expect(numbers, numbers.values, one_batch(numbers, records))
    assert np.isneginf(found.log_evidence).tolist() == [True, False]
    assert found.could[0] == 1.0
