"""What evidence must and must not change, over random networks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from strategies import cases_for, documents, network_of, networks_with_cases

settings.register_profile("laws", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("laws")


def tables(beliefs):
    return np.column_stack([beliefs.posterior, beliefs.disabled, beliefs.sustained])


@given(st.data())
def test_an_irrelevant_disease_changes_nothing(data):
    document = data.draw(documents())
    network = network_of(document)
    case = data.draw(cases_for(network, soft=True))
    stranger = {"id": "stranger", "leak": 0.25}
    unasked = {"id": "unasked", "leak": 0.125, "causes": {"stranger": 0.5}}
    larger = network_of(
        {
            **document,
            "diseases": [stranger, *document["diseases"]],
            "findings": [unasked, *document["findings"]],
        }
    )
    before, after = hickam.infer(network, case), hickam.infer(larger, case)
    np.testing.assert_allclose(tables(after)[1:], tables(before), rtol=1e-9, atol=1e-14)
    assert abs(after.posterior[0] - 0.25) < 1e-15


@given(st.data())
def test_the_order_of_nodes_changes_nothing(data):
    document = data.draw(documents())
    network = network_of(document)
    case = data.draw(cases_for(network, soft=True))
    shuffled = {key: data.draw(st.permutations(nodes)) for key, nodes in document.items()}
    other = network_of(shuffled)
    ours, theirs = hickam.infer(network, case), hickam.infer(other, case)
    rows = [other.diseases.index(disease) for disease in network.diseases]
    np.testing.assert_allclose(tables(theirs)[rows], tables(ours), rtol=1e-9, atol=1e-14)


@given(networks_with_cases())
def test_an_unobserved_risk_factor_is_the_mixture_of_its_two_observations(drawn):
    network, case = drawn
    unknown = [r for r in network.risk_factors if case.risks.get(r) is None]
    if not unknown:
        return
    prior = network.risk_prior[network.risk_factors.index(unknown[0])]
    mixed, total = 0.0, 0.0
    for value, chance in ((True, prior), (False, 1.0 - prior)):
        seen = hickam.Case(case.present, case.absent, {**case.risks, unknown[0]: value})
        try:
            beliefs = hickam.infer(network, seen)
        except hickam.ImpossibleEvidence:
            continue
        weight = chance * np.exp(beliefs.log_evidence)
        mixed, total = mixed + weight * tables(beliefs), total + weight
    whole = hickam.infer(network, case)
    np.testing.assert_allclose(tables(whole), mixed / total, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(np.exp(whole.log_evidence), total, rtol=1e-9)


@given(networks_with_cases())
def test_a_likelihood_ratio_of_one_changes_nothing(drawn):
    network, case = drawn
    said = hickam.Case(
        case.present, case.absent, case.risks, likelihoods=dict.fromkeys(network.diseases, 1.0)
    )
    assert np.array_equal(tables(hickam.infer(network, said)), tables(hickam.infer(network, case)))


@given(networks_with_cases())
def test_a_likelihood_ratio_multiplies_the_odds_of_its_disease(drawn):
    network, case = drawn
    plain = hickam.infer(network, case).posterior[0]
    said = hickam.Case(case.present, case.absent, case.risks, {network.diseases[0]: 3.0})
    weighted = hickam.infer(network, said).posterior[0]
    np.testing.assert_allclose(weighted, 3.0 * plain / (3.0 * plain + 1.0 - plain), rtol=1e-8)


@given(networks_with_cases())
def test_a_case_mix_of_zero_makes_priors_count_the_same_for_all(drawn):
    network, case = drawn
    beliefs = hickam.infer(network, case, case_mix=0.0)
    prior = network.prior
    ratios = {d: 1.0 / prior[i] for i, d in enumerate(network.diseases) if 0.0 < prior[i] < 1.0}
    by_hand = hickam.infer(network, hickam.Case(case.present, case.absent, case.risks, ratios))
    np.testing.assert_allclose(tables(beliefs), tables(by_hand), rtol=1e-8, atol=1e-12)
