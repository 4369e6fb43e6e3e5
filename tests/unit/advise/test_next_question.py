"""Which finding to ask next."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import hickam
from hickam.advise.next_question import Answers, information, next_question
from hickam.evidence.locate import locate

SMOKER = hickam.load("smoker")
CHEST = hickam.Case(present=["chest pain", "nausea"], risks={"smoker": True, "elderly": True})


@pytest.mark.parametrize(
    ("network", "case"),
    [
        ("car", hickam.Case(present=["slow_crank"], risks={"cold_weather": True})),
        ("clinic", hickam.Case(present=["chest pain", "sweating"], absent=["fever"], age=62.0)),
    ],
)
def test_the_best_questions_are_those_of_asking_every_finding(
    network: str, case: hickam.Case
) -> None:
    loaded = hickam.load(network)
    now = hickam.infer(loaded, case)
    suspects = np.any(now.sustained > 0.0, axis=1).astype(float)
    evidence = locate(case, loaded)
    known = {*evidence.present.tolist(), *evidence.absent.tolist()}
    asked = [f for position, f in enumerate(loaded.findings) if position not in known]
    yes = [hickam.infer(loaded, replace(case, present=(*case.present, f))) for f in asked]
    no = [hickam.infer(loaded, replace(case, absent=(*case.absent, f))) for f in asked]
    value = information(
        Answers(
            np.array([loaded.index[f] for f in asked]),
            np.array([math.exp(b.log_evidence - now.log_evidence) for b in yes]),
            now.posterior,
            suspects,
            np.array([b.posterior for b in yes]),
            np.array([b.posterior for b in no]),
        )
    )
    best = [asked[at] for at in np.argsort(-value)[:3]]
    questions = next_question(loaded, case, top=3).questions
    assert [question.finding for question in questions] == best
    assert [question.value for question in questions] == pytest.approx(
        np.sort(value)[::-1][:3], rel=0.02
    )


def test_a_bystander_is_not_worth_a_question() -> None:
    # Only emphysema causes a chronic cough, and it causes none of the present findings.
    found = {q.finding: q.value for q in next_question(SMOKER, CHEST).questions}
    assert found["fatigue"] > 0.01
    assert found.get("chronic_cough", 0.0) < 1e-9


def test_the_value_is_the_mutual_information_in_bits() -> None:
    # One disease, one finding: I(D; S) = H(D) - H(D | S), by hand.
    answers = Answers(
        findings=np.array([0]),
        chance=np.array([0.5]),
        now=np.array([0.5]),
        suspects=np.array([1.0]),
        if_present=np.array([[1.0]]),
        if_absent=np.array([[0.0]]),
    )
    assert information(answers) == pytest.approx([1.0])


def test_a_cost_moves_a_question_down() -> None:
    free = next_question(SMOKER, CHEST).questions
    dear = next_question(SMOKER, CHEST, alpha=1.0, costs={free[0].finding: 50.0}).questions
    assert dear[0].finding != free[0].finding
    assert all(q.net == pytest.approx(q.value - q.cost) for q in dear)


def test_it_says_stop_when_nothing_is_worth_its_price() -> None:
    advice = next_question(SMOKER, CHEST, alpha=1e3)
    assert advice.stop
    assert "cost" in advice.why


def test_it_says_stop_when_everything_was_asked() -> None:
    rest = [f for f in SMOKER.findings if f not in ("chest_pain", "nausea")]
    advice = next_question(SMOKER, hickam.Case(present=["chest_pain", "nausea"], absent=rest))
    assert advice.stop
    assert advice.questions == ()


def test_the_answers_average_to_what_is_known_now() -> None:
    for question in next_question(SMOKER, CHEST).questions:
        for move in question.moves:
            mean = question.chance * move.if_present + (1 - question.chance) * move.if_absent
            assert mean == pytest.approx(move.now, rel=1e-9)


def test_the_reason_names_the_disease_that_the_answer_moves_most() -> None:
    question = next_question(SMOKER, CHEST).questions[0]
    assert question.moves[0].name in question.reason


@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf, True])
def test_a_bad_price_is_refused(alpha: float) -> None:
    with pytest.raises(hickam.InvalidInput, match="alpha"):
        next_question(SMOKER, CHEST, alpha=alpha)


def test_a_deadline_is_for_all_questions_together_and_what_it_leaves_out_is_said(monkeypatch):
    """On a clock that moves a second with every look, ten seconds are soon over."""
    seconds = itertools.count()
    monkeypatch.setattr("hickam.beliefs.deadline.monotonic", lambda: float(next(seconds)))
    network = hickam.load("smoker")
    case = hickam.Case(present=["chest pain"])
    everything = next_question(network, case)
    hurried = next_question(network, case, deadline=10.0)
    assert everything.unweighed == 0
    assert 0 < hurried.unweighed < len(network.findings)
    assert f"{hurried.unweighed} other finding" in hurried.why
    assert len(hurried.questions) + hurried.unweighed == len(everything.questions)


def test_no_time_at_all_is_no_reason_to_stop_asking(monkeypatch):
    def refuse(*_args, **_options):
        raise hickam.TooHard([])

    monkeypatch.setattr("hickam.advise.next_question.infer", refuse)
    advice = next_question(SMOKER, hickam.Case(present=["chest pain"]), deadline=1.0)
    assert not advice.questions
    assert not advice.stop
    assert "no time" in advice.why
