"""Every probability that a question names is what inference gives."""

import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.advise import foreseen
from hickam.advise.joint_sufficiency import joint_sufficiency
from hickam.advise.triage import triage
from hickam.infer import infer_located
from hickam.model.kinds import as_network
from models import models_with_cases
from strategies import documents_by_person, network_of, networks_with_cases

LAW = settings(
    max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
EVERYTHING = ("finding", "risk factor", "category")


@pytest.fixture(autouse=True)
def any_time(monkeypatch):
    """Figures on a busy machine too."""
    monkeypatch.setattr(foreseen, "PATIENCE", None)


@st.composite
def coupled(draw):
    """Three diseases or more that all hang on one risk factor nobody has asked about."""
    rare = st.sampled_from([2.0**-12, 2.0**-9, 2.0**-6])
    links = st.sampled_from([0.0, 0.25, 0.5, 0.9])
    names = [f"d{i}" for i in range(draw(st.integers(3, 5)))]
    document = {
        "risk_factors": [{"id": "r", "prior": draw(st.sampled_from([2.0**-8, 0.05, 0.3]))}],
        "diseases": [
            {"id": name, "leak": draw(rare), "causes": {"r": draw(st.sampled_from([0.5, 0.9]))}}
            for name in names
        ],
        "findings": [
            {"id": f"f{i}", "leak": draw(rare), "causes": {d: draw(links) for d in names}}
            for i in range(draw(st.integers(2, 5)))
        ],
    }
    network = network_of(document)
    present = draw(st.lists(st.sampled_from(network.findings), min_size=1, unique=True))
    return network, Case(present=present)


@st.composite
def of_people(draw):
    """Networks with factors by sex and age, kinds of findings and categories."""
    network = network_of(draw(documents_by_person(risks=2, diseases=4, findings=4)))
    told = draw(st.lists(st.sampled_from(network.findings), unique=True, max_size=3))
    cut = draw(st.integers(0, len(told)))
    sex, age = draw(st.sampled_from(["female", None])), draw(st.sampled_from([5.0, 40.0, None]))
    return network, Case(present=told[:cut], absent=told[cut:], sex=sex, age=age)


anyone = st.one_of(coupled(), coupled(), networks_with_cases(soft=True), of_people())


def answered(case, question, answer):
    """The case with an answer in it."""
    if question.about == "category":
        return replace(case, categories={**case.categories, question.id: answer})
    if question.about == "risk factor":
        return replace(case, risks={**case.risks, question.id: answer == "yes"})
    if answer == "yes":
        return replace(case, present=(*case.present, question.id))
    return replace(case, absent=(*case.absent, question.id))


def check(model, case, question, **assumed):
    """The figures of a question against one inference for each answer."""
    now = hickam.infer(model, case, **assumed)
    then = {
        a: hickam.infer(model, answered(case, question, a), **assumed) for a in question.answers
    }
    assert sum(question.chances) == pytest.approx(1.0)
    if question.about == "finding":
        chance = math.exp(then["yes"].log_evidence - now.log_evidence)
        assert question.chance == pytest.approx(chance, rel=1e-6, abs=1e-9)
    if question.about == "risk factor":
        asked = hickam.query(model, case, {}, {question.id: True}, **assumed).probability
        assert question.chance == pytest.approx(asked, rel=1e-6, abs=1e-9)
    for move in question.moves:
        place = model.diseases.index(move.disease)
        assert move.now == pytest.approx(now.posterior[place], rel=1e-6, abs=1e-9)
        for answer, beliefs in then.items():
            expected = beliefs.posterior[place]
            assert move.after[answer] == pytest.approx(expected, rel=1e-6, abs=1e-8)


@given(anyone, st.sampled_from([{}, {"dial": 0.25}, {"case_mix": 0.5}]))
@LAW
def test_the_figures_of_every_question_are_those_of_inference(drawn, assumed):
    network, case = drawn
    try:
        asked = hickam.next_question(network, case, top=20, about=EVERYTHING, **assumed).questions
    except hickam.InvalidInput:
        assume(False)
    for question in asked:
        if question.chances:  # no answer is impossible
            check(network, case, question, **assumed)
        else:
            assert question.moves == ()
            assert "%" not in question.reason


@given(coupled())
@LAW
def test_a_question_on_a_small_network_has_its_figures(drawn):
    network, case = drawn
    for question in hickam.next_question(network, case, top=20, about=EVERYTHING).questions:
        assert question.chances


@given(coupled())
@LAW
def test_every_question_that_an_interview_shows_is_verified(drawn):
    network, case = drawn
    talk = hickam.interview(network, case, alpha=0.0)
    for question in talk.advice.questions:
        assert question.chances
        check(network, case, question)


@given(models_with_cases())
@settings(LAW, max_examples=40)
def test_the_figures_on_general_models_are_those_of_inference(drawn):
    model, case = drawn
    assume(as_network(model) is None)
    for question in hickam.next_question(model, case, top=20).questions:
        check(model, case, question)


def test_a_finding_counted_by_breadth_is_asked_about_with_its_true_chance():
    """The breadth of a disease weighs what is known, not what may be answered."""
    network = network_of(
        {
            "diseases": [
                {"id": "broad", "leak": 0.25, "per_finding": 0.25},
                {"id": "narrow", "leak": 0.25},
            ],
            "findings": [
                {"id": "f", "leak": 2.0**-6, "causes": {"broad": 0.5, "narrow": 0.5}},
                {"id": "g", "leak": 2.0**-6, "causes": {"broad": 0.75, "narrow": 0.125}},
            ],
        }
    )
    case = Case(present=["f"])
    [question] = hickam.next_question(network, case).questions
    expected = hickam.query(network, case, {}, {"g": True}, "twin").probability
    assert question.chance == pytest.approx(expected, rel=1e-9)


@given(coupled())
@LAW
def test_the_chance_of_a_class_of_urgency_is_between_its_bounds(drawn):
    """Rivals exclude each other, causes of one risk factor come together: no product is right."""
    network, case = drawn
    levels = ("emergency", "emergency", "urgent", "routine", "routine")
    entries = {
        **network.entries,
        **{
            disease: replace(network.entries[disease], urgency=level)
            for disease, level in zip(network.diseases, levels, strict=False)
        },
    }
    urgent = replace(network, entries=entries)
    evidence, beliefs = infer_located(urgent, case, "auto", {})
    verdict = triage(urgent, evidence, beliefs)
    for level, (least, most) in verdict.chances.items():
        some = [d for d in urgent.diseases if entries[d].urgency == level]
        if some:
            keeps = joint_sufficiency(urgent, case, some).keeps
            assert least - 1e-9 <= max(keeps.values()) <= most + 1e-9
        else:
            assert (least, most) == (0.0, 0.0)
