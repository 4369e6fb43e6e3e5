"""Laws of learning: every step raises the log posterior, and nothing depends on the order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hickam.learn.batch import batches
from hickam.learn.belief import Belief, belief_of
from hickam.learn.em import LEAST, learn, updated
from hickam.learn.numbers import numbers_of
from hickam.learn.records import split, together
from hickam.learn.run import Plan, learn_from, local
from hickam.learn.simulate import simulate_records
from hickam.model.random import Recipe, random_network

RECIPE = Recipe(risk_factors=3, diseases=3, findings=4, disease_leak=(0.01, 0.2))
seeds = st.integers(0, 10_000)


def scene(seed: int, count: int = 150, missing: float = 0.3):
    rng = np.random.default_rng(seed)
    numbers = numbers_of(random_network(rng, RECIPE))
    return numbers, simulate_records(numbers, count, rng, missing=missing), rng


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(0.0, 20.0), st.floats(0.0, 0.9), st.sampled_from([1, 2, 64]))
def test_every_step_raises_the_log_posterior(seed, weight, missing, most):
    numbers, records, rng = scene(seed, missing=missing)
    start = rng.uniform(0.05, 0.95, numbers.size)
    belief = Belief(start, np.full(numbers.size, weight))
    parts = batches(numbers, together(records), most, seed)
    look = local(numbers, parts, 1)
    levels = []
    values = start
    for _ in range(6):
        totals = look(values)
        levels.append(totals.log_evidence + belief.log_density(values))
        values = updated(totals, belief, values)
    assert np.all(np.diff(levels) >= -1e-9 * np.abs(levels[1:]))
    state = learn(look, belief, most_steps=60)
    assert np.all(np.diff(state.history) >= 0.0)
    assert state.history[-1] >= levels[-1] - 1.0


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_where_learning_ends_nothing_more_is_gained(seed):
    numbers, records, _ = scene(seed)
    belief = belief_of(numbers)
    look = local(numbers, batches(numbers, together(records)), 1)
    state = learn(look, belief, tolerance=1e-9, most_steps=2000)
    assert state.done
    totals = look(state.values)
    again = updated(totals, belief, state.values)
    level = totals.log_evidence + belief.log_density(state.values)
    after = look(again).log_evidence + belief.log_density(again)
    assert after - level < 1e-4
    inner = (state.values > 2 * LEAST) & (state.values < 1 - 2 * LEAST)
    slope = totals.acted - state.values * totals.could
    slope += belief.weight * (belief.centre - state.values)
    assert np.abs(slope[inner]).max() < 0.05


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_order_and_likeness_of_records_do_not_matter(seed):
    numbers, records, rng = scene(seed, 60)
    look = local(numbers, batches(numbers, together(records)), 1)
    plain = local(numbers, batches(numbers, records, size=7), 2)
    shuffled = records.take(rng.permutation(len(records)))
    other = local(numbers, batches(numbers, together(shuffled)), 1)
    for found in (plain(numbers.values), other(numbers.values)):
        np.testing.assert_allclose(found.acted, look(numbers.values).acted, atol=1e-9)
        np.testing.assert_allclose(found.could, look(numbers.values).could, atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(seeds, st.floats(0.0, 0.9))
def test_a_split_keeps_every_patient(seed, share):
    _, records, rng = scene(seed)
    kept, out = split(together(records), share, rng)
    assert kept.patients + out.patients == records.patients
    assert out.patients == round(share * records.patients)


@settings(max_examples=8, deadline=None)
@given(seeds)
def test_more_trust_moves_less(seed):
    numbers, records, _ = scene(seed)
    off = []
    for weight in (1.0, 1000.0, 1e6):
        plan = Plan(trust={"estimate": weight}, workers=1)
        found = learn_from(numbers.network, records, plan)
        off.append(np.abs(found.values - numbers.values).max())
    assert off[2] <= off[1] <= off[0] + 1e-9
    assert off[2] < 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_learning_survives_saving(seed, tmp_path):
    import hickam

    numbers, records, _ = scene(seed)
    network = learn_from(numbers.network, records, Plan(workers=1), source="r.csv").network()
    for name in ("n.yaml", "n.json", "sheets"):
        hickam.save(network, tmp_path / name)
        assert hickam.load(tmp_path / name).hash == network.hash
