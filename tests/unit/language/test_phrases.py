"""Phrases that mean less than they seem to: short forms, things side by side, turns of phrase."""

import pytest

import hickam
from hickam.language.note import read_note

CLINIC = hickam.load("clinic")


def found(text):
    """(there, not there) by id."""
    read = [one for span in read_note(CLINIC, text).spans for one in span.meant]
    return {one.id for one in read if one.there}, {one.id for one in read if not one.there}


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("MI ruled out", set(), set()),
        ("stroke excluded", set(), set()),
        ("no diabetes", set(), {"known_diabetes"}),
        ("Iron deficiency anaemia", set(), set()),
        ("chest pain  cough", {"chest_pain", "cough"}, set()),
        ("chest pain\tcough", {"chest_pain", "cough"}, set()),
        ("chest pain cough", {"chest_pain", "cough"}, set()),
        ("Sudden back & flank pain.", {"back_pain", "loin_pain"}, set()),
    ],
)
def test_a_phrase_means_what_it_says(text, present, absent):
    assert found(text) == (present, absent)
    assert not read_note(CLINIC, text).lost


@pytest.mark.parametrize(
    "text",
    [
        "PE ruled out.",
        "not PE",
        "PE 2015.",
        "Found on floor by carer.",
        "My throat feels tight.",
        "Can't move my legs",
        "Unable to move her legs",
        "Fed up to the back teeth.",
    ],
)
def test_what_may_mean_several_things_is_not_read_and_may_matter(text):
    note = read_note(CLINIC, text)
    assert note.lost
    assert found(text) == (set(), set())


@pytest.mark.parametrize("length", ["3 mo", "3-month", "2 yr", "6 week", "10 day", "3/52"])
@pytest.mark.parametrize("history", ["hx of", "history of", "h/o", "hx"])
def test_how_long_something_lasts_is_no_history(length, history):
    assert found(f"{length} {history} cough") == ({"cough"}, set())
