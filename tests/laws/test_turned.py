"""Another normal state is another reading of the same model: no probability changes."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hickam
from hickam.io.save_scm import scm_document
from hickam.model.roles import Part, with_roles
from hickam.model.scm_build import build_scm
from models import models_with_cases

slowly = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@given(models_with_cases(), st.data())
@slowly
def test_turning_a_node_keeps_every_probability_by_name(drawn, data):
    model, _ = drawn
    names = list(model.nodes)
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    said = {name: Part("", model.nodes[name].states[1]) for name in chosen}
    other = with_roles(model, said)
    for name in chosen:
        assert other.nodes[name].states == model.nodes[name].states[::-1]
    saved, issues = build_scm(scm_document(other))
    assert saved is not None, issues
    seen = data.draw(st.sampled_from(names))
    state = data.draw(st.sampled_from(model.nodes[seen].states))
    asked = [name for name in names if name != seen][:3]
    try:
        before = hickam.query(model, {seen: state}, {}, asked)
    except hickam.ImpossibleEvidence:
        return
    for turned in (other, saved):
        after = hickam.query(turned, {seen: state}, {}, asked)
        assert after.log_evidence == pytest.approx(before.log_evidence, abs=1e-9)
        chances = {tuple(sorted(a.target.items())): a.probability for a in before.answers}
        for answer in after.answers:
            key = tuple(sorted(answer.target.items()))
            assert answer.probability == pytest.approx(chances[key], abs=1e-9)


@given(models_with_cases())
@slowly
def test_turning_everything_twice_changes_nothing(drawn):
    model, case = drawn
    back = model
    for _ in range(2):
        back = with_roles(back, {n.id: Part("", n.states[1]) for n in back})
    for name in model.nodes:
        assert back.nodes[name].states == model.nodes[name].states
    found, before = hickam.infer(back, case), hickam.infer(model, case)
    assert found.posterior == pytest.approx(before.posterior, abs=1e-9)


@given(models_with_cases(), st.data())
@slowly
def test_turning_changes_neither_a_status_nor_what_is_identified(drawn, data):
    model, case = drawn
    chosen = data.draw(st.lists(st.sampled_from(list(model.nodes)), unique=True, min_size=1))
    other = with_roles(model, {name: Part("", model.nodes[name].states[1]) for name in chosen})
    saved, _ = build_scm(scm_document(other))
    seen = dict.fromkeys(case.present, "present")
    done, asked = (data.draw(st.sampled_from(list(model.nodes))) for _ in range(2))
    do = {done: data.draw(st.sampled_from(model.nodes[done].states))}
    target = {asked: data.draw(st.sampled_from(model.nodes[asked].states))}
    first = hickam.query(model, seen, do, target)[0]
    for turned in (other, saved):
        second = hickam.query(turned, seen, do, target)[0]
        assert second.status == first.status
        if first.status == "identified":
            assert second.probability == pytest.approx(first.probability, abs=1e-8)
