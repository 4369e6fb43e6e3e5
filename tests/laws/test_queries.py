"""A query on three layers: the answer of the twins, by the engines of inference."""

import itertools
import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.advise.finding_ratios import finding_ratios
from hickam.infer import prior_of
from hickam.model.kinds import as_scm
from models import models_with_cases
from strategies import documents_by_person, network_of, networks_with_cases

LAW = settings(
    max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
CLINIC = hickam.load("clinic")


@st.composite
def of_people(draw):
    """Networks with kinds of findings, factors by sex and age, and categories."""
    network = network_of(draw(documents_by_person(risks=2, diseases=3, findings=3)))
    told = draw(st.lists(st.sampled_from(network.findings), unique=True, max_size=3))
    cut = draw(st.integers(0, len(told)))
    risks = {risk: draw(st.sampled_from([True, False, None])) for risk in network.risk_factors}
    return network, Case(told[:cut], told[cut:], risks, sex="female", age=40.0)


drawn_cases = st.one_of(networks_with_cases(soft=True), of_people())


@given(drawn_cases, st.data())
@LAW
def test_every_joint_state_has_the_probability_that_the_twins_give(drawn, data):
    network, case = drawn
    nodes = (*network.risk_factors, *network.diseases, *network.findings)
    chosen = data.draw(st.lists(st.sampled_from(nodes), unique=True, min_size=1, max_size=3))
    cured = data.draw(st.lists(st.sampled_from(network.diseases), unique=True, max_size=2))
    dial = data.draw(st.sampled_from([1.0, 0.25]))
    do = dict.fromkeys(cured, False)
    try:
        twins = hickam.query(network, case, do, chosen, "twin", dial=dial)
    except hickam.InvalidInput:
        assume(False)
    assume(twins.log_evidence > -25.0)
    found = hickam.query(network, case, do, chosen, dial=dial)
    assert found.given == twins.given
    assert found.log_evidence == pytest.approx(twins.log_evidence, abs=1e-8)
    for one, other in zip(found, twins, strict=True):
        assert one.target == other.target
        assert one.probability == pytest.approx(other.probability, abs=1e-8)


@given(networks_with_cases())
@LAW
def test_what_is_observed_may_be_named_as_states(drawn):
    network, case = drawn
    states = {**dict.fromkeys(case.present, True), **dict.fromkeys(case.absent, False)}
    states |= {risk: on for risk, on in case.risks.items() if on is not None}
    for target in (*network.diseases, *network.findings):
        one = hickam.query(network, states, {}, target)
        other = hickam.query(network, case, {}, target)
        assert [a.probability for a in one] == pytest.approx([a.probability for a in other])


def test_a_query_on_the_clinic_is_as_exact_as_inference():
    """Open risk factors couple hundreds of diseases: twins could only be sampled."""
    case = Case(present=["chest pain", "nausea", "fatigue"])
    now = hickam.infer(CLINIC, case)
    place = CLINIC.index["angina"]
    assert now.accuracy.exact
    asked = hickam.query(CLINIC, case, {}, {"angina": True})
    assert asked.accuracy.exact
    assert asked.probability == pytest.approx(now.posterior[place])
    for finding, column in (("chest_pain", 0), ("nausea", 1)):
        cured = hickam.query(CLINIC, case, {"angina": False}, {finding: False})
        assert cured.accuracy.exact
        assert cured.probability == pytest.approx(now.disabled[place, column])
    more = Case(present=[*case.present, "fever"])
    fever = hickam.query(CLINIC, case, {}, {"fever": True})
    gap = hickam.infer(CLINIC, more).log_evidence - now.log_evidence
    assert fever.probability == pytest.approx(math.exp(gap), rel=1e-4)
    both = hickam.query(CLINIC, case, {}, ["fever", "angina"])
    assert sum(answer.probability for answer in both) == pytest.approx(1.0, abs=1e-4)
    assert all(answer.status == "identified" for answer in itertools.chain(asked, both))


@given(st.one_of(networks_with_cases(), models_with_cases()))
@LAW
def test_what_a_finding_alone_speaks_for_is_a_ratio_of_two_queries(drawn):
    """Also where a shared risk factor or another disease makes rivals likelier with the disease."""
    model, case = drawn
    ratios = finding_ratios(model, case.present, case.absent)
    nodes = as_scm(model).nodes
    for row, disease in enumerate(model.diseases):
        if not 0.0 < prior_of(model)[row] < 1.0:
            continue
        for finding in (*case.present, *case.absent):
            on = nodes[finding].states[1 if finding in case.present else 0]
            with_it, without = (
                hickam.query(model, {disease: ill}, {}, {finding: on}).probability
                for ill in (True, False)
            )
            if min(with_it, without) > 1e-6:
                assert ratios[finding][row] == pytest.approx(with_it / without, rel=1e-6)
