"""Laws of cases that name the state of a node: exact, and at one with what is only present."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam.evidence.locate import locate
from hickam.issues import ImpossibleEvidence, InvalidInput, TooHard
from models import models_of_many_states, models_with_cases

slowly = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
tables = ("posterior", "disabled", "sustained", "unexplained", "single_fault")


def told(case, **more):
    """The case without a finding, whose state is among the categories instead."""
    kept = [name for name in case.present if name not in more]
    return hickam.Case(kept, case.absent, case.risks, case.likelihoods, more)


def infer(model, case, engine="twin", **options):
    try:
        return hickam.infer(model, case, engine=engine, **options)
    except TooHard:
        assume(False)


@given(models_of_many_states(), st.data())
@slowly
def test_every_engine_takes_the_state_of_a_finding_and_of_a_disease(drawn, data):
    model, case = drawn
    nodes = {name: model.nodes[name] for name in ("s", "a")}
    said = {"s": data.draw(st.sampled_from([nodes["s"].states[i] for i in nodes["s"].abnormal]))}
    if data.draw(st.booleans()):
        said["a"] = data.draw(st.sampled_from(nodes["a"].states))
    dial = data.draw(st.sampled_from([1.0, 0.1]))
    found = infer(model, told(case, **said), dial=dial)
    reference = infer(model, told(case, **said), "abduction", dial=dial)
    assert found.log_evidence == pytest.approx(reference.log_evidence, abs=1e-9)
    for name in tables:
        left, right = getattr(found, name), getattr(reference, name)
        np.testing.assert_allclose(left, right, atol=1e-9, err_msg=name)
    if "a" in said:
        assert found.posterior[0] == pytest.approx(
            float(said["a"] != nodes["a"].states[nodes["a"].off])
        )


@given(models_of_many_states())
@slowly
def test_two_states_of_one_finding_are_refused(drawn):
    model, _ = drawn
    states = [model.nodes["s"].states[i] for i in model.nodes["s"].abnormal]
    assume(len(states) > 1)
    written = [f"s={state}" for state in states[:2]]
    for case in (hickam.Case(written), hickam.Case(written[:1], categories={"s": states[1]})):
        with pytest.raises(InvalidInput, match="two states"):
            locate(case, model)


@given(models_of_many_states())
@settings(slowly, max_examples=20)
def test_what_is_only_present_is_the_mixture_of_its_states(drawn):
    model, case = drawn
    node = model.nodes["s"]
    whole = infer(model, case)
    parts = [infer(model, told(case, s=node.states[state])) for state in node.abnormal]
    order = [[part.present.index(name) for name in whole.present] for part in parts]
    share = [math.exp(part.log_evidence - whole.log_evidence) for part in parts]
    assert sum(share) == pytest.approx(1.0)
    for name in ("posterior", "disabled", "sustained", "unexplained"):
        mixed = sum(
            weight * (getattr(part, name) if name == "posterior" else getattr(part, name)[..., at])
            for weight, part, at in zip(share, parts, order, strict=True)
        )
        np.testing.assert_allclose(mixed, getattr(whole, name), atol=1e-9, err_msg=name)


@given(models_of_many_states())
@settings(slowly, max_examples=20)
def test_absent_is_the_normal_state(drawn):
    model, case = drawn
    normal = model.nodes["t"].states[model.nodes["t"].off]
    case = hickam.Case(["s"], likelihoods=case.likelihoods)
    absent = infer(model, hickam.Case(["s"], ["t"], likelihoods=case.likelihoods))
    for said in (normal, "absent"):
        found = infer(model, told(case, t=said))
        assert found.log_evidence == absent.log_evidence
        np.testing.assert_array_equal(found.disabled, absent.disabled)


@given(models_with_cases(), st.data())
@slowly
def test_two_states_say_what_present_absent_and_yes_say(drawn, data):
    model, case = drawn
    said = {name: model.nodes[name].states[1] for name in case.present}
    said |= {name: model.nodes[name].states[0] for name in case.absent}
    said |= {n: model.nodes[n].states[int(on)] for n, on in case.risks.items() if on is not None}
    if data.draw(st.booleans()):
        said = {name: name_state.upper() for name, name_state in said.items()}
    evidence = locate(hickam.Case(likelihoods=case.likelihoods, categories=said), model)
    plain = locate(case, model)
    for name in ("present", "absent", "risks_on", "risks_off"):
        assert sorted(getattr(evidence, name)) == sorted(getattr(plain, name))
    assert not evidence.states


@given(models_with_cases(), st.data())
@slowly
def test_a_known_disease_is_conditioned_on_whatever_the_model_is(drawn, data):
    model, case = drawn
    disease = data.draw(st.sampled_from(model.diseases))
    position = model.index[disease]
    whole = infer(model, case, "auto")
    chance = whole.posterior[position]
    assume(1e-6 < chance < 1.0 - 1e-6)
    parts = []
    for state in (1, 0):
        known = hickam.Case(
            case.present, case.absent, case.risks, case.likelihoods,
            {disease: model.nodes[disease].states[state]},
        )  # fmt: skip
        try:
            parts.append(infer(model, known, "auto"))
        except ImpossibleEvidence:
            assume(False)
    assert parts[0].posterior[position] == 1.0
    assert parts[1].posterior[position] == 0.0
    for name in ("posterior", "disabled", "unexplained"):
        mixed = chance * getattr(parts[0], name) + (1.0 - chance) * getattr(parts[1], name)
        np.testing.assert_allclose(mixed, getattr(whole, name), atol=1e-7, err_msg=name)


@given(models_of_many_states(), st.text(min_size=1, max_size=8))
@slowly
def test_a_state_that_is_none_is_named_with_the_states_there_are(drawn, word):
    model, case = drawn
    states = [state.casefold() for state in model.nodes["s"].states]
    ordinary = ("true", "on", "yes", "present", "1", "false", "off", "no", "absent", "0")
    assume(word.strip().casefold() not in (*states, *ordinary))
    with pytest.raises(InvalidInput) as bad:
        locate(told(case, s=word), model)
    assert "finding 's'" in str(bad.value)
    assert any(state in str(bad.value) for state in model.nodes["s"].states)
