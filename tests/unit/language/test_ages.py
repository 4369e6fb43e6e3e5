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


@pytest.mark.parametrize(
    ("text", "age", "sex"),
    [
        ("52/F cough", 52, "female"),
        ("F27 dysuria", 27, "female"),
        ("woman (57) with palpitations", 57, "female"),
        ("just turned 50, woman, hot flushes", 50, "female"),
        ("Mrs Smith, 81, confused", 81, "female"),
        ("Mr Jones, cough for 2 weeks", None, None),
        ("aged 9 months, diarrhoea", 0.75, None),
        ("girl, 6 months, fever", 0.5, "female"),
        ("boy 3 days fever", None, "male"),
        ("man 2 weeks of cough", None, "male"),
        ("F2 fibrosis", None, None),
        ("turned 3 times in the night", None, None),
    ],
)
def test_age_and_sex_are_read_as_people_write_them(text, age, sex):
    note = read_note(CLINIC, text)
    assert (note.age, note.sex) == (age, sex)
