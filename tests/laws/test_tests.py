"""A test by sensitivity and specificity: the same odds as a finding and as soft evidence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.model.build import build_network
from strategies import network_of

LAW = settings(deadline=None, max_examples=100, derandomize=True)
shares = st.integers(1, 63).map(lambda n: n / 64)


def networks(prior, sensitivity, specificity):
    """The same test as a finding and as a category."""
    test = {"id": "test", "sensitivity": {"d": sensitivity}, "specificity": specificity}
    rest = {"id": "other", "leak": 0.5, "causes": {"d": 0.5}}
    diseases = [{"id": "d", "leak": prior}]
    return (
        network_of({"diseases": diseases, "findings": [rest, test]}),
        network_of({"diseases": diseases, "findings": [rest], "categories": [test]}),
    )


@given(shares, shares, shares)
@LAW
def test_a_result_multiplies_the_odds_by_its_likelihood_ratio(prior, sensitivity, specificity):
    if sensitivity < 1.0 - specificity:
        sensitivity, specificity = 1.0 - sensitivity, 1.0 - specificity
    finding, category = networks(prior, sensitivity, specificity)
    odds = prior / (1.0 - prior)
    for positive in (True, False):
        ratio = sensitivity / (1.0 - specificity) if positive else (1.0 - sensitivity) / specificity
        expected = odds * ratio / (1.0 + odds * ratio)
        told = {"present": ["test"]} if positive else {"absent": ["test"]}
        word = "positive" if positive else "negative"
        one = hickam.infer(finding, Case(**told))
        two = hickam.infer(category, Case(categories={"test": word}))
        assert one.posterior[0] == pytest.approx(expected, rel=1e-9)
        assert two.posterior[0] == pytest.approx(expected, rel=1e-9)


def test_two_diseases_make_a_test_as_a_finding_likelier_together_as_causes_do():
    network = network_of(
        {
            "diseases": [{"id": "a", "leak": 0.5}, {"id": "b", "leak": 0.5}],
            "findings": [
                {"id": "t", "sensitivity": {"a": 0.8, "b": 0.6}, "specificity": 0.9},
                {"id": "s", "leak": 0.5, "causes": {"a": 0.1, "b": 0.1}},
            ],
        }
    )
    quiet = 0.9 * (0.2 / 0.9) * (0.4 / 0.9)
    weights = {(0, 0): 0.1, (1, 0): 0.8, (0, 1): 0.6, (1, 1): 1.0 - quiet}
    both = hickam.infer(network, Case(present=["t"])).posterior
    assert both[0] == pytest.approx((0.8 + weights[1, 1]) / sum(weights.values()))


def test_a_test_that_a_disease_makes_rarer_is_no_finding():
    findings = [{"id": "t", "sensitivity": {"a": 0.05}, "specificity": 0.9}]
    document = {"hickam": 1, "diseases": [{"id": "a", "leak": 0.5}], "findings": findings}
    network, issues = build_network(document)
    assert network is None
    assert "below 1 - specificity" in str(issues[0])
    findings[0] |= {"sensitivity": {"a": 0.5}, "leak": 0.1}
    assert "'leak' besides a sensitivity" in str(build_network(document)[1][0])
