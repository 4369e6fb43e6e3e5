"""The order in which questions are put."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.advise.answers import Unasked
from hickam.advise.manner import NEAR, in_order
from hickam.advise.questions import CATEGORY, FINDING, RISK, YES_OR_NO
from hickam.evidence.locate import locate

CLINIC = hickam.load("clinic")
EVIDENCE = locate(hickam.Case(present=["cough"]), CLINIC)
# in the order of an interview
QUESTIONS = (
    Unasked(CATEGORY, "duration", ("days",), 0),
    Unasked(FINDING, "productive_cough", YES_OR_NO, 1),
    Unasked(FINDING, "fever", YES_OR_NO, 3),
    Unasked(RISK, "smoker", YES_OR_NO, 5),
    Unasked(FINDING, "crackles", YES_OR_NO, 7),
    Unasked(FINDING, "chest_xray_shadow", YES_OR_NO, 9),
)
scores = st.lists(st.floats(0.01, 1.0), min_size=len(QUESTIONS), max_size=len(QUESTIONS))


@settings(deadline=None)
@given(scores)
def test_what_is_worth_about_as_much_comes_in_the_order_of_an_interview(drawn):
    score = np.array(drawn)
    order = in_order(CLINIC, EVIDENCE, QUESTIONS, score)
    near = [at for at in order if score[at] >= NEAR * score.max()]
    assert order[: len(near)] == near
    turns = [max(at, 1) for at in near]  # the first two are both about the complaint
    assert turns == sorted(turns)
    rest = score[order[len(near) :]]
    assert (np.diff(rest) <= 0.0).all()
    assert sorted(order) == list(range(len(QUESTIONS)))


@settings(deadline=None)
@given(scores)
def test_the_last_questions_come_by_what_they_are_worth(drawn):
    score = np.array(drawn)
    order = in_order(CLINIC, EVIDENCE, QUESTIONS, score, strictly=True)
    assert (np.diff(score[order]) <= 0.0).all()
