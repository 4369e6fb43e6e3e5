"""What a question promises is what the differential then shows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.strategies import networks_with_cases

import hickam
from hickam.advise import foreseen
from hickam.advise.estimates import Estimate, Wish, estimates
from hickam.advise.next_question import next_question
from hickam.advise.questions import Move
from hickam.advise.standing import standing
from hickam.advise.worth import find_objective
from hickam.beliefs.options import Options
from hickam.words import percent

CLINIC = hickam.load("clinic")
PATIENTS = {
    "bowel": hickam.Case(present=["fatigue", "weight loss"], age=72.0, sex="male"),
    "heart": hickam.Case(present=["fatigue", "nausea"], age=78.0, sex="female"),
    "head": hickam.Case(present=["headache", "fatigue"], age=74.0, sex="female"),
}


def check_promise(talk):
    """The moves and the figures of the reason are those that inference gives afterwards."""
    question = talk.question
    for answer in question.answers:
        # A question given by hand is inferred afresh, not taken from what was foreseen.
        after = talk.answer(answer, question)
        assert after.inferred is None
        then = hickam.infer(talk.model, after.case, **talk.options)
        for move in question.moves:
            place = talk.model.diseases.index(move.disease)
            assert move.after[answer] == pytest.approx(then.posterior[place], rel=1e-6, abs=1e-9)
        shown = talk.answer(answer).differential
        for move in question.moves:
            assert shown.of(move.disease).posterior == pytest.approx(move.after[answer], abs=1e-9)
    if question.moves and question.about != "category":
        first = question.moves[0]
        assert f"{percent(first.if_present)} if yes" in question.reason
        assert f"{percent(first.now)} now" in question.reason


@settings(max_examples=40, deadline=None)
@given(networks_with_cases())
def test_on_any_small_network_a_promise_is_kept(drawn):
    network, case = drawn
    try:
        talk = hickam.interview(network, case, limit=4, alpha=0.0)
        verified = not talk.stop and bool(talk._advised[1])
    except hickam.InvalidInput:
        return  # the findings are impossible
    if verified:
        check_promise(talk)


@pytest.mark.parametrize("who", PATIENTS)
def test_in_the_clinic_a_promise_is_kept(who, monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", None)
    talk = hickam.interview(CLINIC, PATIENTS[who], limit=5)
    while not talk.stop:
        check_promise(talk)
        talk = talk.answer("no" if talk.question.about != "category" else "?")


def test_what_cannot_be_verified_states_no_figures(monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", 0.0)
    talk = hickam.interview(CLINIC, PATIENTS["heart"])
    for asked in (talk.advice, next_question(CLINIC, PATIENTS["heart"])):
        assert asked.accuracy is None
        for question in asked.questions:
            assert (question.chances, question.moves) == ((), ())
            assert question.reason
            assert "%" not in question.reason


def test_a_question_that_tells_far_less_than_was_estimated_goes_back(monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", None)
    case = PATIENTS["bowel"]
    aim = find_objective("differential")
    stood = standing(CLINIC, case, Options())
    wish = Wish(aim, 0.0, {}, 5, ("finding",), (), (), None)
    asked = estimates(CLINIC, CLINIC, case, stood, wish)
    name = "colorectal_cancer"
    untrue = Move(name, CLINIC.label(name), 0.016, {"yes": 0.9, "no": 0.001})
    worth = 2 * asked[0].question.value
    boast = replace(asked[-1].question, id="clicking_jaw", value=worth, net=worth)
    found = (Estimate(boast, (0.02, 0.98), (untrue,)), *asked)
    seen = foreseen.foresee(CLINIC, case, stood, found, aim, Options(), len(found))
    questions = [one.question for one in seen.found]
    assert questions[0].id == asked[0].question.id
    [humbled] = [q for q in questions if q.id == boast.id]
    assert humbled.value < foreseen.FAR * boast.value
    assert len(questions) == len(asked) + 1


@pytest.mark.parametrize("who", PATIENTS)
def test_a_verified_question_has_an_answer_that_moves_something(who, monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", None)
    talk = hickam.interview(CLINIC, PATIENTS[who], limit=8)
    while not talk.stop:
        if talk._advised[1]:
            spans = (max(m.after.values()) - min(m.after.values()) for m in talk.question.moves)
            assert max(spans) >= foreseen.SLIGHT
        talk = talk.answer("no" if talk.question.about != "category" else "?")


def test_where_no_answer_would_move_anything_the_interview_is_over(monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", None)
    monkeypatch.setattr(foreseen, "SLIGHT", 1.1)
    talk = hickam.interview(CLINIC, PATIENTS["head"])
    assert talk.stop
    assert "No answer would noticeably change" in talk.why
