"""What is shown while an interview with many findings goes on, beside inference."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from tests.strategies import networks_with_cases

import hickam
from hickam.advise.explanations import explain
from hickam.advise.provisional import ENGINE, provisional
from hickam.advise.standing import AT_ONCE
from hickam.beliefs.beliefs import FLOOR
from hickam.infer import infer_located, take
from hickam.model.adapted import adapted

CLINIC = hickam.load("clinic")
MANY = (
    *("fever", "productive_cough", "pleuritic_chest_pain", "fatigue", "headache", "nausea"),
    *("vomiting", "muscle_aches", "loss_of_appetite", "sore_throat", "night_sweats"),
    *("chills", "back_pain", "palpitations"),
)


def chains(network: hickam.Network, case: hickam.Case) -> hickam.Beliefs:
    evidence, _ = take(network, case, {})
    network = adapted(network, evidence.circumstances)
    return provisional(network, evidence, explain(network, evidence))


@settings(max_examples=100, deadline=None)
@given(networks_with_cases())
def test_the_tables_are_within_their_stated_error(drawn):
    network, case = drawn
    evidence, exact = infer_located(network, case, "auto", {})
    if not len(evidence.present):
        return
    quick = chains(network, case)
    for score in ("posterior", "disabled", "sustained"):
        a, b = getattr(quick, score), getattr(exact, score)
        if a.ndim > 1:
            a, b = a.sum(axis=1), b.sum(axis=1)
        assert (np.abs(a - b) <= quick.accuracy.error * np.maximum(b, FLOOR)).all()


def test_the_same_case_has_the_same_answer():
    case = hickam.Case(present=MANY, age=58.0, sex="male")
    assert np.array_equal(chains(CLINIC, case).posterior, chains(CLINIC, case).posterior)


def test_many_findings_are_sampled_until_the_interview_is_over():
    assert len(MANY) > AT_ONCE
    talk = hickam.interview(CLINIC, hickam.Case(present=MANY, age=58.0, sex="male"))
    assert talk.question is not None
    assert talk.differential.engine == ENGINE
    over = talk.end("Enough.")
    assert over.why == "Enough."
    assert over.differential.engine != ENGINE


def test_a_question_names_the_chance_that_the_list_shows():
    talk = hickam.interview(CLINIC, hickam.Case(present=["fever", "headache"], age=30.0))
    move = talk.question.moves[0]
    assert abs(move.now - talk.differential.of(move.disease).posterior) < 0.005
