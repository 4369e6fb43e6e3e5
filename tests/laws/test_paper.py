"""Statements of the paper, over random networks."""

import numpy as np
from hypothesis import assume, given, settings

import hickam
from exact import by_definition, by_theorem
from strategies import networks_with_cases

settings.register_profile("laws", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("laws")


def scores(beliefs):
    return beliefs.posterior, beliefs.disabled.sum(axis=1), beliefs.sustained.sum(axis=1)


@given(networks_with_cases(soft=True, risks=2, diseases=3, findings=3))
def test_the_engine_agrees_with_abduction_action_prediction(drawn):
    network, case = drawn
    truth = by_definition(network, case)
    beliefs = hickam.infer(network, case)
    for ours, exact in zip(scores(beliefs), truth[:3], strict=True):
        np.testing.assert_allclose(ours, [float(x) for x in exact], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(np.exp(beliefs.log_evidence), float(truth.evidence), rtol=1e-9)


@given(networks_with_cases(risks=2, diseases=3, findings=3))
def test_the_closed_form_of_the_theorem_is_exactly_the_definition(drawn):
    network, case = drawn
    present = {network.index[f] for f in case.present}
    links = network.effects
    certain = [e for e, lam in zip(links.effect, links.fails, strict=True) if lam == 0.0]
    assume(not present & set(certain))
    assert by_theorem(network, case) == by_definition(network, case)


@given(networks_with_cases(soft=True))
def test_auto_agrees_with_enumeration(drawn):
    network, case = drawn
    fast, slow = hickam.infer(network, case), hickam.infer(network, case, "enumeration")
    for name in ("posterior", "disabled", "sustained", "unexplained", "single_fault"):
        np.testing.assert_allclose(
            getattr(fast, name), getattr(slow, name), rtol=1e-8, atol=1e-12, err_msg=name
        )


@given(networks_with_cases(soft=True))
def test_disabled_is_at_most_sustained_is_at_most_posterior(drawn):
    beliefs = hickam.infer(*drawn)
    assert np.all(beliefs.disabled >= 0.0)
    assert np.all(beliefs.disabled <= beliefs.sustained)
    assert np.all(beliefs.sustained <= beliefs.posterior[:, None])
    assert np.all(beliefs.posterior <= 1.0)


@given(networks_with_cases())
def test_consistency_scores_are_the_posterior_times_the_scores_given_the_disease(drawn):
    network, case = drawn
    beliefs = hickam.infer(network, case)
    for position, disease in enumerate(network.diseases):
        chance = beliefs.posterior[position]
        if not 1e-4 < chance < 1.0:
            continue
        sure = hickam.Case(**{**fields(case), "likelihoods": {disease: 1e13}})
        given_disease = hickam.infer(network, sure)
        for ours, theirs in zip(scores(beliefs), scores(given_disease), strict=True):
            np.testing.assert_allclose(
                ours[position], chance * theirs[position], rtol=1e-5, atol=1e-9
            )


@given(networks_with_cases())
def test_causality_a_disease_that_causes_no_present_finding_scores_zero(drawn):
    network, case = drawn
    beliefs = hickam.infer(network, case)
    present = [network.index[f] for f in case.present]
    for disease in range(len(network.diseases)):
        row = network.effects.of_cause(disease)
        causes = network.effects.effect[row][network.effects.acts[row] > 0.0]
        if not set(causes.tolist()) & set(present):
            assert beliefs.disabled[disease].sum() == 0.0
            assert beliefs.sustained[disease].sum() == 0.0


@given(networks_with_cases())
def test_simplicity_scores_are_bounded_by_the_findings_a_disease_can_explain(drawn):
    network, case = drawn
    _, disablement, sufficiency = scores(hickam.infer(network, case))
    present = {network.index[f] for f in case.present}
    for disease in range(len(network.diseases)):
        row = network.effects.of_cause(disease)
        able = set(network.effects.effect[row][network.effects.acts[row] > 0.0].tolist())
        assert disablement[disease] <= len(able & present)
        assert sufficiency[disease] <= len(able & present)


@given(networks_with_cases())
def test_sufficiency_is_positive_whenever_a_disease_may_be_causing_something(drawn):
    network, case = drawn
    beliefs = hickam.infer(network, case)
    present = {network.index[f] for f in case.present}
    for disease in range(len(network.diseases)):
        row = network.effects.of_cause(disease)
        able = set(network.effects.effect[row][network.effects.acts[row] > 0.0].tolist())
        if able & present and beliefs.posterior[disease] > 0.0:
            assert beliefs.sustained[disease].sum() > 0.0


def fields(case):
    names = ("present", "absent", "risks", "likelihoods")
    return {name: getattr(case, name) for name in names}
