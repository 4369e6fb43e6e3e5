"""Whose age a note says, and when."""

import pytest

import hickam
from hickam.issues import InvalidInput
from hickam.language.note import LONGEST_NOTE, read_note

CLINIC = hickam.load("clinic")


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("20 year old knee injury", None),
        ("Pain from a 20 year old hip replacement. 67f", 67),
        ("Her 80 yo mother has cough", None),
        ("seen by 45 yo doctor", None),
        ("brought by 45yo male carer. 80f", 80),
        ("pt with 3 year old son. 40F", 40),
        ("asthma since age 5, 30 f", 30),
        ("at the age of 12 had meningitis. 40M cough", 40),
        ("when he was 12 years old he had a fit", None),
        ("since he was 12 years old; now 40", 40),
        ("34 yo mother of two, cough", 34),
        ("45 yo wrist fracture", 45),
        ("45 yo male, wrist fracture", 45),
        ("Call from 67 yo woman with chest pain", 67),
    ],
)
def test_an_age_is_that_of_the_patient_today(text, age):
    assert read_note(CLINIC, text).age == age


def test_a_note_is_read_up_to_a_length():
    assert not read_note(CLINIC, " " * LONGEST_NOTE).lost
    with pytest.raises(InvalidInput, match="more than the 20,000 that are read"):
        read_note(CLINIC, " " * (LONGEST_NOTE + 1))
