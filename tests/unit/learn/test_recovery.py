"""The numbers that made the records are inside their intervals as often as stated."""

from __future__ import annotations

import numpy as np
import pytest

from hickam.learn.belief import Belief
from hickam.learn.em import log_odds
from hickam.learn.numbers import numbers_of
from hickam.learn.run import Plan, learn_from
from hickam.learn.simulate import simulate_records
from hickam.model.random import Recipe, random_network

RECIPE = Recipe(risk_factors=3, diseases=4, findings=6, disease_leak=(0.01, 0.1))


@pytest.mark.slow
def test_intervals_hold_the_truth_at_the_nominal_rate():
    """From 10,000 records with 30 % of values missing and a start that is off."""
    inside, standard = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth = numbers_of(random_network(rng, RECIPE))
        records = simulate_records(truth, 10_000, rng, missing=0.3)
        noise = rng.normal(0.0, 0.7, truth.size)
        start = 1.0 / (1.0 + np.exp(-log_odds(truth.values) - noise))
        plan = Plan(trust={"estimate": 1.0}, workers=2)
        found = learn_from(truth.network_with(start), records, plan)
        assert found.state.done
        low, high = found.certainty.low, found.certainty.high
        inside += ((low <= truth.values) & (truth.values <= high)).tolist()
        off = log_odds(found.values) - log_odds(truth.values)
        standard += (off / found.certainty.errors).tolist()
    margin = 3.0 * np.sqrt(0.95 * 0.05 / len(inside))  # three standard errors of the share
    assert abs(np.mean(inside) - 0.95) < margin, np.mean(inside)
    assert 0.85 < np.sqrt(np.mean(np.square(standard))) < 1.15


def test_a_belief_is_centred_on_its_number():
    centre = np.array([0.2, 0.7])
    belief = Belief(centre, np.array([10.0, 50.0]))
    best = belief.log_density(centre)
    for step in (-0.01, 0.01):
        assert belief.log_density(centre + step) < best


def test_certain_numbers_and_those_without_records_stay():
    import hickam

    document = {
        "hickam": 1, "name": "certain", "diseases": [{"id": "a", "leak": 0.1}],
        "findings": [{"id": "s", "leak": 0.0, "causes": {"a": 1.0}},
                     {"id": "t", "leak": 0.2,
                      "causes": {"a": {"probability": 0.5, "source": "X"}}}],
    }  # fmt: skip
    network = hickam.from_dict(document)
    numbers = numbers_of(network)
    records = simulate_records(numbers, 500, np.random.default_rng(0))
    records.findings[:, 1] = -1
    found = learn_from(network, records, Plan(workers=1), source="r.csv")
    learnt = found.network()
    assert learnt.effects.acts.tolist() == network.effects.acts.tolist()
    assert learnt.finding_leak.tolist() == network.finding_leak.tolist()
    assert learnt.link_sources[("a", "t")] == "X"
    assert learnt.disease_leak[0] != network.disease_leak[0]
    assert "r.csv" in learnt.link_sources[("a", "a")]
    assert "n = 500" in learnt.link_sources[("a", "a")]
