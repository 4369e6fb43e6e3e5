"""The Occam–Hickam dial: a world with n diseases counts γ ** |n - 1|."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exact
import hickam
from hickam.issues import TooHard
from hickam.measures.scores import MEASURES
from models import models_with_cases
from planted import small_instance
from strategies import network_of, networks_with_cases

slowly = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
dials = st.sampled_from([1.0, 0.5, 0.125, 2.0**-10])


def weighed(network, case, dial):
    """The exact scores over worlds that count γ ** |n - 1|, from the definitions."""
    plain = exact.disease_worlds

    def turned(network, case):
        for world, weight in plain(network, case):
            yield world, weight * exact.Fraction(dial) ** abs(sum(world) - 1)

    exact.disease_worlds = turned
    try:
        return exact.by_definition(network, case)
    finally:
        exact.disease_worlds = plain


def assert_scores(beliefs, truth, tolerance=1e-9):
    ones = np.ones(len(beliefs.present))
    for name in ("posterior", "disablement", "sufficiency"):
        expected = [float(x) for x in getattr(truth, name)]
        found = MEASURES[name](beliefs, ones)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=name)
    assert np.exp(beliefs.log_evidence) == pytest.approx(float(truth.evidence), rel=tolerance)


@given(networks_with_cases(soft=True), dials)
@slowly
def test_each_world_counts_gamma_for_every_disease_more_or_fewer_than_one(drawn, dial):
    network, case = drawn
    assert_scores(hickam.infer(network, case, dial=dial), weighed(network, case, dial))


@given(networks_with_cases(risks=2, diseases=3, findings=3), dials)
@slowly
def test_every_engine_of_networks_turns_the_dial_alike(drawn, dial):
    network, case = drawn
    truth = weighed(network, case, dial)
    for engine in ("enumeration", "frontier", "auto"):
        try:
            beliefs = hickam.infer(network, case, engine, dial=dial)
        except TooHard:
            continue
        assert_scores(beliefs, truth)


@given(models_with_cases(tables=False), dials)
@slowly
def test_general_models_turn_the_dial_by_counting_settings_of_the_noise(drawn, dial):
    model, case = drawn
    plain = hickam.infer(model, case, "abduction")
    turned = hickam.infer(model, case, "twin", dial=dial)
    masses = _masses(model, case)
    total = sum(weight * dial ** abs(n - 1) for n, weight in masses.items())
    gap = turned.log_evidence - plain.log_evidence
    assert np.exp(gap) == pytest.approx(total, rel=1e-8)


def _masses(model, case):
    """Number of diseases → probability given the evidence, by one query for each set of them."""
    given = {**dict.fromkeys(case.present, True), **dict.fromkeys(case.absent, False)}
    given |= {risk: on for risk, on in case.risks.items() if on is not None}
    worlds = list(itertools.product((False, True), repeat=len(model.diseases)))
    ratios = [case.likelihoods[d] for d in model.diseases]
    weights = []
    for world in worlds:
        target = dict(zip(model.diseases, world, strict=True))
        chance = hickam.query(model, given, {}, target, "twin").probability
        weights.append(chance * np.prod([r for r, on in zip(ratios, world, strict=True) if on]))
    found = {}
    for world, weight in zip(worlds, weights, strict=True):
        found[sum(world)] = found.get(sum(world), 0.0) + weight / sum(weights)
    return found


@given(networks_with_cases(soft=True))
@slowly
def test_a_dial_of_one_changes_nothing(drawn):
    network, case = drawn
    plain, turned = hickam.infer(network, case), hickam.infer(network, case, dial=1.0)
    assert np.array_equal(plain.posterior, turned.posterior)
    assert plain.log_evidence == turned.log_evidence


@given(networks_with_cases())
@slowly
def test_at_the_end_of_the_dial_the_posterior_is_the_single_fault_one(drawn):
    network, case = drawn
    beliefs = hickam.infer(network, case, dial=1e-15)
    if beliefs.single_fault.sum() == 0.0:
        return  # no single disease can be all there is
    np.testing.assert_allclose(beliefs.posterior, beliefs.single_fault, atol=1e-5)
    assert beliefs.posterior.sum() == pytest.approx(1.0, abs=1e-4)


LEAKY = network_of(
    {
        "risk_factors": [{"id": "old", "prior": 0.25}],
        "diseases": [
            {"id": "a", "leak": 0.01, "causes": {"old": 0.25}},
            {"id": "b", "leak": 0.02, "causes": {"old": 0.125}},
        ],
        "findings": [{"id": "f", "leak": 0.5, "causes": {"a": 0.75}}, {"id": "g", "leak": 0.25}],
    }
)


def test_leaks_do_not_turn_one_disease_into_none():
    beliefs = hickam.infer(LEAKY, hickam.Case(present=["f", "g"]), dial=1e-6)
    assert beliefs.posterior.sum() == pytest.approx(1.0, abs=1e-4)
    # f with a alone: P(present) = 0.5 + 0.5 * 0.75, of which a has no part in 0.5 * 0.25
    share = beliefs.single_fault
    expected = share[0] * 0.5 * 0.25 / 0.875 + share[1]
    assert beliefs.unexplained[1] == pytest.approx(1.0)
    assert beliefs.unexplained[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("dial", [0.5, 0.1, 1e-2, 1e-4])
def test_the_odds_of_no_disease_against_one_fall_with_the_dial(dial):
    def odds(gamma):
        case = hickam.Case(present=["f", "g"], risks={"old": False})
        found = hickam.infer(LEAKY, case, dial=gamma)
        a, b = found.posterior
        worlds = dict.fromkeys(range(3), 0.0)
        for world, weight in exact.disease_worlds(LEAKY, case):
            shown = 0.25 * (0.5 + 0.5 * 0.75 * world[0])
            worlds[sum(world)] += float(weight) * shown * gamma ** abs(sum(world) - 1)
        total = sum(worlds.values())
        assert a + b == pytest.approx((worlds[1] + 2 * worlds[2]) / total, rel=1e-9)
        return worlds[0] / worlds[1]

    assert odds(dial) == pytest.approx(dial * odds(1.0), rel=1e-9)


@pytest.mark.parametrize("dial", [0.5, 0.1, 1e-2, 1e-4, 1e-8])
def test_message_passing_states_an_error_that_holds_at_any_dial(dial):
    for seed in range(30):
        network, case = small_instance(seed)
        truth = hickam.infer(network, case, "enumeration", dial=dial)
        found = hickam.infer(network, case, "bethe", dial=dial)
        ones = np.ones(len(found.present))
        for name in ("posterior", "disablement", "sufficiency"):
            right = MEASURES[name](truth, ones)
            gap = np.abs(MEASURES[name](found, ones) - right) / np.maximum(right, 1e-3)
            assert gap.max() <= found.accuracy.error + truth.accuracy.error + 1e-9


def test_a_cure_under_the_dial_removes_what_disablement_says():
    network = hickam.load("smoker")
    case = hickam.Case(present=["chest pain", "nausea"])
    for dial in (0.3, 1e-3):
        beliefs = hickam.infer(network, case, dial=dial)
        one = hickam.cure(network, case, ["angina"], dial=dial)
        row = beliefs.disabled[network.index["angina"]]
        assert list(one.removed.values()) == pytest.approx(row.tolist(), rel=1e-9)
        everything = hickam.cure(network, case, network.diseases, dial=dial)
        explained = 1.0 - beliefs.unexplained
        # what is left when all are cured is what the leaks produce: at most the explained part goes
        assert np.all(np.array(list(everything.removed.values())) <= explained + 1e-9)


@given(networks_with_cases(), dials)
@slowly
def test_a_cure_of_a_set_under_the_dial_removes_at_least_what_one_does_and_only_what_is_caused(
    drawn, dial
):
    """Between what one of them removes and what diseases cause at all."""
    network, case = drawn
    if len(network.diseases) < 2 or not case.present:
        return
    cured = network.diseases[:2]
    found = hickam.cure(network, case, cured, dial=dial).removed
    beliefs = hickam.infer(network, case, dial=dial)
    for column, finding in enumerate(beliefs.present):
        one, two = (beliefs.disabled[k, column] for k in range(2))
        assert found[finding] >= max(one, two) - 1e-9
        assert found[finding] <= 1.0 - beliefs.unexplained[column] + 1e-9
