"""Links from risk factors to diseases that a network lacks are proposed."""

from __future__ import annotations

import numpy as np
import pytest

import hickam
from hickam.io.network_document import document_of
from hickam.learn.batch import batches
from hickam.learn.by_engine import turn
from hickam.learn.criticise import criticise
from hickam.learn.expect import expect
from hickam.learn.new_causes import cause_slopes
from hickam.learn.numbers import numbers_of
from hickam.learn.rates import RATE
from hickam.learn.simulate import simulate_records
from hickam.model.random import Recipe, random_network
from hickam.report.criticism import criticism_lines

RECIPE = Recipe(risk_factors=3, diseases=4, findings=7, disease_leak=(0.02, 0.1))


def with_cause(network, risk: str, disease: str, strength: float | None):
    """The network with a link of that strength, or without it."""
    document = document_of(network)
    for item in document["diseases"]:
        if item["id"] == disease:
            causes = item.setdefault("causes", {})
            causes.pop(risk, None)
            if strength is not None:
                causes[risk] = strength
    return hickam.from_dict(document)


def scene(seed: int, count: int, missing: float = 0.3, **hidden: float):
    """(network without a link, with it, its ends, records of the one with it)."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, RECIPE)
    risk = network.risk_factors[int(np.argmax(network.risk_prior))]
    disease = network.diseases[int(rng.integers(4))]
    whole = with_cause(network, risk, disease, 0.4)
    records = simulate_records(numbers_of(whole), count, rng, missing=missing, **hidden)
    return with_cause(network, risk, disease, None), whole, (risk, disease), records


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("hide", [0.0, 0.4, 1.0])
def test_slopes_of_causes_are_those_of_the_likelihood(seed, hide):
    """P(record) with a new link of strength a is P(record) (1 + a x)."""
    without, _, (risk, disease), records = scene(seed, 60, 0.4, hide_risks=hide)
    numbers = numbers_of(without)
    (batch,) = batches(numbers, records)
    before = expect(numbers, numbers.values, batch).log_evidence
    ends = without.risk_factors.index(risk), without.diseases.index(disease)
    found = list(cause_slopes(numbers, numbers.values, batch))
    x = np.concatenate([some.of(*ends)[0] for some in found])
    for strength in (0.1, 0.7):
        other = numbers_of(with_cause(without, risk, disease, strength))
        (same,) = batches(other, records)
        after = expect(other, other.values, same).log_evidence
        np.testing.assert_allclose(after - before, np.log1p(strength * x), atol=1e-9)
    total = sum(some.sums()[0] for some in found)
    squares = sum(some.sums()[1] for some in found)
    assert total[ends] == pytest.approx(x.sum())
    assert squares[ends] == pytest.approx((x**2).sum())


def test_slopes_hold_for_a_disease_that_cannot_be_yet():
    """Without leak and causes a disease is impossible; a new cause makes it possible."""

    def network(causes):
        return hickam.from_dict({
            "hickam": 1, "name": "n", "risk_factors": [{"id": "r", "prior": 0.4}],
            "diseases": [{"id": "d", "leak": 0.0, "causes": causes}, {"id": "e", "leak": 0.1}],
            "findings": [{"id": "f", "leak": 0.05, "causes": {"d": 0.8, "e": 0.3}}],
        })  # fmt: skip

    with_it = numbers_of(network({"r": 0.3}))
    numbers = numbers_of(network({}))
    records = simulate_records(with_it, 80, np.random.default_rng(0), hide_diseases=1.0)
    (batch,), (same,) = batches(numbers, records), batches(with_it, records)
    (found,) = cause_slopes(numbers, numbers.values, batch)
    before = expect(numbers, numbers.values, batch).log_evidence
    after = expect(with_it, with_it.values, same).log_evidence
    np.testing.assert_allclose(after - before, np.log1p(0.3 * found.of(0, 0)[0]), atol=1e-6)
    assert np.ptp(after - before) > 0.1


@pytest.mark.parametrize("seed", range(6))
def test_a_cause_that_was_taken_away_is_proposed_first(seed):
    without, _, ends, records = scene(seed, 3000)
    first = criticise(without, records).proposals[0]
    assert (first.kind, first.cause, first.effect) == ("cause", *ends)
    assert first.q <= RATE
    assert abs(first.strength - 0.4) < 0.2


def of_people(causes):
    """A network in which the odds of a disease hang on sex."""
    return hickam.from_dict({
        "hickam": 1, "name": "n",
        "risk_factors": [{"id": "r", "prior": 0.4}, {"id": "q", "prior": 0.3}],
        "diseases": [
            {"id": "d", "leak": 0.1, "causes": {"q": 0.2, **causes},
             "prevalence": [{"sex": "male", "factor": 4}, {"sex": "female", "factor": 0.3}]},
            {"id": "e", "leak": 0.1},
        ],
        "findings": [{"id": "f", "leak": 0.05, "causes": {"d": 0.8, "e": 0.3}}],
    })  # fmt: skip


PEOPLE = (("female", None), ("male", None), (None, None))


def test_slopes_hold_after_sex_and_age():
    """The chance c of a person becomes c + a (1 - c): for each sex the link has its own a."""
    numbers, with_it = numbers_of(of_people({})), numbers_of(of_people({"r": 0.3}))
    rng = np.random.default_rng(0)
    records = simulate_records(
        with_it, 150, rng, hide_risks=0.0, hide_diseases=0.7, missing=0.2, people=PEOPLE
    )
    (batch,), (same,) = batches(numbers, records), batches(with_it, records)
    (found,) = cause_slopes(numbers, numbers.values, batch)
    x, _ = found.of(0, 0)
    plain = 1.0 - 0.9 * np.where(records.risks[:, 1] == 1, 0.8, 1.0)
    factor = batch.disease_factor[records.person, 0]
    chance, raised = (turn(p, factor).chance for p in (plain, plain + 0.3 * (1.0 - plain)))
    strength = (raised - chance) / (1.0 - chance)
    before = expect(numbers, numbers.values, batch).log_evidence
    after = expect(with_it, with_it.values, same).log_evidence
    np.testing.assert_allclose(after - before, np.log1p(strength * x), atol=1e-9)
    assert np.ptp(strength) > 0.1


def test_people_whose_odds_are_changed_make_no_link():
    """Sex multiplies odds in the records as the network says: no link is missing."""
    network = of_people({})
    accused = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        records = simulate_records(numbers_of(network), 1500, rng, missing=0.3, people=PEOPLE)
        found = criticise(network, records)
        assert found.tested_pairs == 3
        accused += bool(found.proposals)
    assert accused <= 3  # more is one chance in a thousand at a rate of 5 %


def test_the_report_tells_what_is_stated_from_what_fits():
    without, _, ends, records = scene(0, 3000)
    found = criticise(without, records)
    lines = list(criticism_lines(without, found, 100))
    assert f"  {without.label(ends[0])} → {without.label(ends[1])}: about" in "\n".join(lines)
    listed = [line for line in lines if " stated, " in line]
    assert len(listed) == len(found.misfits) > 0
    for line in listed:
        stated, fits = line.split(": ", 1)[1].split(" fits")[0].split(" stated, ")
        assert stated != fits
    explained = sum("other numbers may explain it" in line for line in listed)
    assert explained == sum(one.low <= one.stated <= one.high for one in found.misfits)
