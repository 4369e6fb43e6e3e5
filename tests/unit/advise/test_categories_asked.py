"""Which categories an interview asks about."""

from pathlib import Path

import hickam
from hickam.advise.interview import interview
from hickam.advise.questions import CATEGORY

BEDSIDE = Path(__file__).parents[3] / "examples" / "bedside.yaml"


def asked(*present: str) -> set[str]:
    advice = interview(hickam.load(BEDSIDE), hickam.Case(present=present), alpha=0.0).advice
    return {question.id for question in advice.questions if question.about == CATEGORY}


def test_a_measurement_with_a_curve_and_no_values_does_not_stop_the_interview():
    assert "crp" not in asked("headache")


def test_how_a_finding_began_is_asked_only_when_it_is_there():
    assert "onset" in asked("headache")
    assert "onset" not in asked("fever")
