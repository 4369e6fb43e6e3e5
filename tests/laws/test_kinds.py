"""Findings that are kinds of others: counted once, exactly, whatever is present or absent."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.model.is_a import kinds_of
from hickam.model.kinds import as_scm
from strategies import documents_with_kinds, network_of

LAW = settings(deadline=None, max_examples=150, derandomize=True)
HEADACHE = {
    "diseases": [{"id": "bleed", "leak": 0.01}, {"id": "migraine", "leak": 0.2}],
    "findings": [
        {"id": "headache", "leak": 0.05, "causes": {"bleed": 0.9, "migraine": 0.8}},
        {"id": "thunderclap", "is_a": "headache", "leak": 0.001, "causes": {"bleed": 0.8}},
        {"id": "nausea", "leak": 0.1, "causes": {"migraine": 0.5, "bleed": 0.4}},
    ],
}


@st.composite
def networks_with_stated_cases(draw):
    """A network with kinds and a case on it that contradicts neither itself nor the network."""
    network = network_of(draw(documents_with_kinds(risks=2, diseases=3, findings=5)))
    kinds = kinds_of(network)
    states = [draw(st.sampled_from([1, 0, None])) for _ in network.findings]
    for finding, wider in kinds.above.items():
        assume(not (states[finding] == 1 and any(states[w] == 0 for w in wider)))
    case = Case(
        present=[f for f, s in zip(network.findings, states, strict=True) if s == 1],
        absent=[f for f, s in zip(network.findings, states, strict=True) if s == 0],
    )
    assume(_weights(network, case).sum() > 1e-9)
    return network, case


def _weights(network, case):
    """[world of the diseases] P(world, case), by inclusion and exclusion over nested events.

    Written from the meaning alone: of findings that are all absent, only those that are no kind of
    another among them need to be, and these are independent given the diseases.
    """
    chance = []
    present = [network.index[f] for f in case.present]
    absent = [network.index[f] for f in case.absent]
    for world in itertools.product((0, 1), repeat=len(network.diseases)):
        total = 0.0
        for count in range(len(present) + 1):
            for chosen in itertools.combinations(present, count):
                total += (-1) ** count * _all_absent(network, {*chosen, *absent}, world)
        chance.append(total * _prior(network, world))
    return np.maximum(np.array(chance), 0.0)


def _all_absent(network, findings, world):
    above = kinds_of(network).above
    widest = [f for f in findings if not any(w in findings for w in above.get(f, ()))]
    links = network.effects
    return math.prod(
        network.finding_leak_fails[f]
        * math.prod(links.fails[i] for i in links.of_effect(f) if world[links.cause[i]])
        for f in widest
    )


def _prior(network, world):
    total = 0.0
    links = network.causes
    for risks in itertools.product((0, 1), repeat=len(network.risk_factors)):
        chance = math.prod(
            p if on else 1.0 - p for p, on in zip(network.risk_prior, risks, strict=True)
        )
        for disease, on in enumerate(world):
            off = network.disease_leak_fails[disease] * math.prod(
                links.fails[i] for i in links.of_effect(disease) if risks[links.cause[i]]
            )
            chance *= 1.0 - off if on else off
        total += chance
    return total


@given(networks_with_stated_cases())
@LAW
def test_the_posterior_is_that_of_nested_events(drawn):
    network, case = drawn
    weights = _weights(network, case)
    worlds = np.array(list(itertools.product((0, 1), repeat=len(network.diseases))))
    beliefs = hickam.infer(network, case)
    assert beliefs.log_evidence == pytest.approx(math.log(weights.sum()), abs=1e-6)
    assert beliefs.posterior == pytest.approx(weights @ worlds / weights.sum(), abs=1e-6)


@given(networks_with_stated_cases())
@LAW
def test_every_table_is_that_of_the_general_model_in_which_a_kind_always_causes_the_whole(drawn):
    network, case = drawn
    fast, general = hickam.infer(network, case), hickam.infer(as_scm(network), case, "twin")
    assert fast.present == general.present
    for name in ("posterior", "disabled", "sustained", "unexplained"):
        assert getattr(fast, name) == pytest.approx(getattr(general, name), abs=1e-8), name


@given(networks_with_stated_cases())
@LAW
def test_what_follows_from_a_case_changes_nothing_when_it_is_entered(drawn):
    network, case = drawn
    kinds = kinds_of(network)
    at = network.index
    wider = {w for f in case.present for w in kinds.above.get(at[f], ())}
    narrower = {n for f in case.absent for n in kinds.below.get(at[f], ())}
    told = Case(
        present=[*case.present, *(network.findings[f] for f in wider)],
        absent=[*case.absent, *(network.findings[f] for f in narrower)],
    )
    before, after = hickam.infer(network, case), hickam.infer(network, told)
    assert after.present == before.present
    assert after.posterior == pytest.approx(before.posterior, abs=1e-12)
    assert after.disabled == pytest.approx(before.disabled, abs=1e-12)


@given(documents_with_kinds(findings=6))
@LAW
def test_no_kind_is_ever_likelier_than_the_whole(document):
    network = network_of(document)
    acts = np.zeros((len(network.diseases), len(network.findings)))
    acts[network.effects.cause, network.effects.effect] = network.effects.acts
    for finding, wider in kinds_of(network).above.items():
        assert np.all(acts[:, finding] <= acts[:, wider[0]] + 1e-12)
        assert network.finding_leak[finding] <= network.finding_leak[wider[0]] + 1e-12


def test_a_headache_that_is_no_thunderclap_speaks_against_the_bleed():
    network = network_of(HEADACHE)
    some = hickam.infer(network, Case(present=["headache"])).posterior
    mild = hickam.infer(network, Case(present=["headache"], absent=["thunderclap"])).posterior
    assert mild[0] < some[0] / 2
    # P(headache, no thunderclap | D) = P(no thunderclap | D) - P(no headache | D)
    weight = {}
    for bleed, migraine in itertools.product((0, 1), repeat=2):
        prior = (0.01 if bleed else 0.99) * (0.2 if migraine else 0.8)
        quiet = 0.95 * 0.1**bleed * 0.2**migraine
        weight[bleed, migraine] = prior * (0.999 * 0.2**bleed - quiet)
    expected = (weight[1, 0] + weight[1, 1]) / sum(weight.values())
    assert mild[0] == pytest.approx(expected, rel=1e-9)


def test_a_kind_without_what_it_is_a_kind_of_is_refused_with_both_names():
    with pytest.raises(hickam.InvalidInput, match=r"thunderclap.*'headache'.*keep one of the two"):
        hickam.infer(network_of(HEADACHE), Case(present=["thunderclap"], absent=["headache"]))
