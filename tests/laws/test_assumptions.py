"""Every way to one number agrees, on every kind of model, whatever is assumed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.infer import prior_of
from hickam.model.build import build_model
from hickam.model.kinds import as_scm
from models import models_of_many_states, models_with_cases
from strategies import documents_by_person, network_of, priors

LAW = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
NEARLY = 1.0 - 1e-9  # a dial that is as good as 1
TABLES = ("posterior", "disabled", "sustained", "unexplained", "log_evidence")


@st.composite
def linked(draw):
    """A model whose diseases may cause diseases, exclude each other, and depend on sex and age."""
    document = draw(documents_by_person(risks=2, diseases=4, findings=3))
    names = [disease["id"] for disease in document["diseases"]]
    for position, disease in enumerate(document["diseases"]):
        for cause in names[:position]:
            if draw(st.booleans()):
                disease["causes"][cause] = draw(priors)
    group = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
    if len(group) >= 2:
        document["exclusive"] = [group]
    document.pop("categories", None)
    model, _ = build_model({"hickam": 1, "name": "test", **document})
    assume(model is not None)
    states = {f: draw(st.sampled_from([True, True, False, None])) for f in model.findings}
    ratios = st.sampled_from([0.25, 1.0, 8.0])
    return model, Case(
        present=[f for f, on in states.items() if on],
        absent=[f for f, on in states.items() if on is False],
        risks={r: draw(st.sampled_from([True, False, None])) for r in model.risk_factors},
        likelihoods={d: draw(ratios) for d in model.diseases},
        sex=draw(st.sampled_from(["female", "male", None])),
        age=draw(st.sampled_from([5.0, 40.0, None])),
    )


anything = st.one_of(linked(), linked(), models_with_cases(), models_of_many_states())
assumptions = st.fixed_dictionaries(
    {},
    optional={
        "dial": st.sampled_from([0.9, 0.25, 0.01, 1e-6]),
        "case_mix": st.sampled_from([0.0, 0.5]),
        "prior_shift": st.sampled_from([0.01, 0.2]),
    },
)


def possible(model, case, **assumed):
    """What is inferred, unless the evidence is impossible or hardly possible."""
    try:
        found = hickam.infer(model, case, **assumed)
    except hickam.InvalidInput:
        assume(False)
    assume(found.log_evidence > -25.0)
    return found


@given(anything, assumptions)
@LAW
def test_the_disablement_of_a_disease_is_what_its_cure_removes(drawn, assumed):
    model, case = drawn
    found = possible(model, case, **assumed)
    for row, disease in enumerate(model.diseases):
        removed = hickam.cure(model, case, disease, **assumed).removed
        assert list(removed.values()) == pytest.approx(found.disabled[row].tolist(), abs=1e-8)


@given(anything, assumptions)
@LAW
def test_nothing_jumps_as_the_dial_goes_to_one(drawn, assumed):
    model, case = drawn
    assumed.pop("dial", None)
    at_one = possible(model, case, **assumed)
    nearly = hickam.infer(model, case, **assumed, dial=NEARLY)
    for name in TABLES:
        one, other = getattr(at_one, name), getattr(nearly, name)
        np.testing.assert_allclose(other, one, atol=1e-7, err_msg=name)
    everybody = hickam.cure(model, case, model.diseases, **assumed).removed
    turned = hickam.cure(model, case, model.diseases, **assumed, dial=NEARLY).removed
    assert turned == pytest.approx(everybody, abs=1e-7)


@given(anything, assumptions)
@LAW
def test_a_query_gives_what_inference_and_cures_give(drawn, assumed):
    model, case = drawn
    found = possible(model, case, **assumed)
    for row, disease in enumerate(model.diseases):
        node = as_scm(model).nodes[disease]
        healthy = node.states[node.off]
        asked = hickam.query(model, case, {}, {disease: healthy}, **assumed)
        assert 1.0 - asked.probability == pytest.approx(found.posterior[row], abs=1e-8)
        for column, finding in enumerate(found.present):
            symptom = as_scm(model).nodes[finding]
            gone = {finding: symptom.states[symptom.off]}
            removed = hickam.query(model, case, {disease: healthy}, gone, **assumed)
            assert removed.probability == pytest.approx(found.disabled[row, column], abs=1e-8)


def test_what_a_disease_does_through_another_is_not_cut_at_its_sufficiency():
    """With a → b and both causing f, a cure of a removes more than a alone would keep."""
    model, _ = build_model(
        {
            "hickam": 1,
            "name": "test",
            "diseases": [
                {"id": "a", "leak": 0.25},
                {"id": "b", "leak": 0.0625, "causes": {"a": 0.75}},
            ],
            "findings": [{"id": "f", "leak": 0.015625, "causes": {"a": 0.125, "b": 0.875}}],
        }
    )
    for engine in ("auto", "twin"):
        found = hickam.infer(model, Case(present=["f"]), engine, dial=0.5)
        assert found.disabled[0, 0] > 1.5 * found.sustained[0, 0] > 0.0


@given(anything, assumptions)
@LAW
def test_two_diseases_are_together_as_often_as_queries_say(drawn, assumed):
    model, case = drawn
    possible(model, case, **assumed)
    assume(len(model.diseases) > 1)
    nodes = as_scm(model).nodes

    def well(*diseases):
        target = {disease: nodes[disease].states[nodes[disease].off] for disease in diseases}
        return hickam.query(model, case, {}, target, **assumed).probability

    for pair in hickam.pairs(model, case, **assumed):
        both = 1.0 - sum(well(disease) for disease in pair.diseases) + well(*pair.diseases)
        assert pair.chance == pytest.approx(both, abs=1e-8)


def test_what_is_dangerous_by_way_of_another_disease_is_a_red_flag():
    model, _ = build_model(
        {
            "hickam": 1,
            "name": "test",
            "diseases": [
                {"id": "dissection", "leak": 0.125, "urgency": "emergency"},
                {"id": "tamponade", "leak": 0.0625, "causes": {"dissection": 0.75}},
            ],
            "findings": [{"id": "shock", "leak": 0.015625, "causes": {"tamponade": 0.875}}],
        }
    )
    case = Case(present=["shock"])
    found = hickam.infer(model, case)
    assert found.disabled[0, 0] > 0.3 + found.sustained[0, 0]
    [flag] = hickam.interview(model, case).red_flags.flags
    assert flag.chance == pytest.approx(found.disabled[0, 0])
    assert hickam.diagnose(model, case).bystanders == {}


@given(anything, st.sampled_from([0.0, 0.5, 2.0]))
@LAW
def test_a_case_mix_is_the_same_likelihood_ratio_for_every_patient(drawn, mix):
    """The prior that it tempers is that of all patients: sex and age multiply the odds besides."""
    model, case = drawn
    prior = prior_of(model)
    ratios = {
        disease: case.likelihoods.get(disease, 1.0) * p ** (mix - 1.0)
        for disease, p in zip(model.diseases, prior.tolist(), strict=True)
        if 0.0 < p < 1.0
    }
    mixed = possible(model, case, case_mix=mix)
    written = hickam.infer(model, replace(case, likelihoods={**case.likelihoods, **ratios}))
    for name in TABLES:
        one, other = getattr(written, name), getattr(mixed, name)
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9, err_msg=name)


def test_without_a_case_mix_sex_still_tells_two_rare_diseases_apart():
    network = network_of(
        {
            "diseases": [
                {"id": "rare", "leak": 2.0**-10},
                {
                    "id": "rarer",
                    "leak": 2.0**-16,
                    "prevalence": [{"sex": "male", "factor": 8.0}],
                },
            ],
            "findings": [{"id": "f", "leak": 2.0**-6, "causes": {"rare": 0.5, "rarer": 0.5}}],
        }
    )
    for sex, factor in (("male", 8.0), (None, 1.0)):
        one, other = hickam.infer(network, Case(sex=sex), case_mix=0.0).posterior
        assert other / (1.0 - other) == pytest.approx(factor * one / (1.0 - one), rel=1e-2)
