"""An interview as a value."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hickam
from hickam.advise.next_question import next_question
from hickam.advise.questions import Move
from hickam.advise.replies import read_answer
from hickam.advise.settled import act_now

SMOKER = hickam.load("smoker")
CLINIC = hickam.load("clinic")
CHEST = hickam.Case(present=["chest pain"])


def test_an_answer_is_in_the_next_case_and_undo_takes_it_back():
    talk = hickam.interview(SMOKER, CHEST)
    asked = talk.question
    assert asked is not None
    told = talk.answer("no")
    known = (*told.case.absent, *told.case.risks, *told.case.categories)
    assert asked.id in known
    assert told.undo() is talk
    assert talk.case == CHEST


def test_what_the_patient_does_not_know_is_never_asked_again():
    talk = hickam.interview(SMOKER, CHEST)
    asked = []
    while talk.question is not None:
        asked.append(talk.question.id)
        talk = talk.answer("?")
    assert len(asked) == len(set(asked)) > 1
    assert talk.case == CHEST


def test_unknowns_may_be_given_by_any_of_their_names():
    first = hickam.interview(SMOKER, CHEST).question
    talk = hickam.interview(SMOKER, CHEST, unknown=[first.name.upper()])
    assert talk.unknown == (first.id,)
    assert talk.question is None or talk.question.id != first.id


def test_an_unknown_that_is_not_in_the_network_is_refused():
    with pytest.raises(hickam.InvalidInput, match="Fatigue"):
        hickam.interview(SMOKER, CHEST, unknown=["fatgiue"])


def test_every_interview_comes_to_an_end_with_a_reason():
    case = hickam.Case(present=["headache", "fever"], age=30.0, sex="female")
    talk = hickam.interview(CLINIC, case)
    for _ in range(400):
        if talk.stop:
            break
        talk = talk.answer("no" if talk.question.about != "category" else "?")
    assert talk.stop
    assert talk.why


def test_a_settled_cause_ends_the_interview_and_is_named():
    case = hickam.Case(
        present=["rlq pain", "migrating abdominal pain", "guarding", "fever", "loss of appetite"],
        age=19.0,
        sex="male",
    )
    talk = hickam.interview(CLINIC, case)
    while not talk.stop and len(talk.turns) < 5:
        talk = talk.answer("?")
    assert talk.stop
    assert talk.differential[0].disease == "appendicitis"


def test_the_limit_ends_an_interview():
    talk = hickam.interview(SMOKER, CHEST, limit=1).answer("?")
    assert talk.stop
    assert "1 question asked" in talk.why
    with pytest.raises(hickam.InvalidInput, match="no question to answer"):
        talk.answer("yes")


@pytest.mark.parametrize("limit", [-1, True, 2.5])
def test_a_bad_limit_is_refused(limit):
    with pytest.raises(hickam.InvalidInput, match="limit"):
        hickam.interview(SMOKER, CHEST, limit=limit)


def test_there_is_nothing_to_take_back_at_the_beginning():
    with pytest.raises(hickam.InvalidInput, match="take back"):
        hickam.interview(SMOKER, CHEST).undo()


@pytest.mark.parametrize(("text", "answer"), [("Y", "yes"), ("no", "no"), (" ? ", "?")])
def test_answers_are_read_in_the_usual_spellings(text, answer):
    question = hickam.interview(SMOKER, CHEST).question
    assert read_answer(question, text) == answer


@pytest.mark.parametrize("text", ["", "maybe", "yes no", "x" * 10_000])
def test_an_answer_that_is_none_is_refused(text):
    question = hickam.interview(SMOKER, CHEST).question
    with pytest.raises(hickam.InvalidInput, match="answer"):
        read_answer(question, text)


def test_a_value_may_be_shortened_while_it_is_clear():
    case = hickam.Case(present=["headache"], age=30.0, sex="female")
    asked = next_question(CLINIC, case, about=["category"], top=10).questions
    [duration] = [question for question in asked if question.id == "duration"]
    assert read_answer(duration, "mon") == "months"
    with pytest.raises(hickam.InvalidInput, match="hours"):
        read_answer(duration, "hour s")


def test_an_interview_of_a_general_model_asks_and_ends():
    network = hickam.load("smoker")
    from hickam.model.kinds import as_scm

    talk = hickam.interview(as_scm(network), CHEST, limit=2)
    assert talk.question is not None
    assert talk.answer("no").answer("no").stop


def test_the_state_as_plain_values_holds_what_a_page_needs():
    talk = hickam.interview(CLINIC, CHEST, limit=3)
    said = talk.question.answers[-1]
    plain = talk.answer(said).to_dict()
    assert [turn["answer"] for turn in plain["turns"]] == [said]
    assert plain["triage"]["level"] in ("emergency", "urgent", "routine", "self-care")
    assert plain["differential"]["candidates"]


def test_an_emergency_that_is_almost_certain_ends_the_interview():
    case = hickam.Case(
        present=["headache", "vomiting", "thunderclap headache"],
        categories={"onset": "sudden"},
        age=48.0,
        sex="female",
    )
    talk = hickam.interview(CLINIC, case)
    assert talk.differential[0].disease == "subarachnoid_haemorrhage"
    assert talk.stop
    assert talk.why.startswith("Act now: Subarachnoid haemorrhage")


@pytest.mark.parametrize(
    ("chances", "left", "stop"), [((0.3, 0.7), 0.2, False), ((0.01, 0.99), 0.2, True)]
)
def test_a_question_that_may_change_what_to_do_is_still_asked(chances, left, stop):
    case = hickam.Case(
        present=["headache", "vomiting", "thunderclap headache"],
        categories={"onset": "sudden"},
        age=48.0,
        sex="female",
    )
    name = "subarachnoid_haemorrhage"
    move = Move(name, CLINIC.label(name), 0.9, {"yes": left, "no": 0.95})
    asked = next_question(CLINIC, case).questions[0]
    question = replace(asked, moves=(move,), chances=chances)
    assert bool(act_now(CLINIC, hickam.infer(CLINIC, case), question)) is stop
