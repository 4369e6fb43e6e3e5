"""What is denied, answered or another's in a note is never read as its opposite."""

import pytest

import hickam
from hickam.language.note import read_note

CLINIC = hickam.load("clinic")


def read(text):
    """(present, absent, risk factors, whether a part is named as not understood) of a text."""
    note = read_note(CLINIC, text)
    meant = [one for span in note.spans for one in span.meant]
    present = {one.id for one in meant if one.kind == "finding" and one.there}
    absent = {one.id for one in meant if one.kind == "finding" and not one.there}
    return present, absent, {one.id for one in meant if one.kind == "risk factor"}, bool(note.lost)


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("Fever: no. Haemoptysis: no.", set(), {"fever", "haemoptysis"}),
        ("Fever: no, cough: yes", {"cough"}, {"fever"}),
        ("fever (no), cough (yes)", {"cough"}, {"fever"}),
        ("Rash: none. Wt loss - denies.", set(), {"rash", "weight_loss"}),
        ("Chest pain - no. Syncope - nil", set(), {"chest_pain", "syncope"}),
        ("Fever: no\nCough: yes", {"cough"}, {"fever"}),
        ("Negative for:\nfever", set(), {"fever"}),
        (
            "No headache, fever,\nvomiting or rash.",
            set(),
            {"headache", "fever", "vomiting", "rash"},
        ),
        ("no fever\ncough", {"cough"}, {"fever"}),
        ("Haemoptysis? No.", set(), {"haemoptysis"}),
        ("Neck stiffness? yes.", {"neck_stiffness"}, set()),
        ("Haemoptysis? Yes, twice.", {"haemoptysis"}, set()),
        ("Cough without haemoptysis, with fever.", {"cough", "fever"}, {"haemoptysis"}),
    ],
)
def test_an_answer_and_a_line_that_goes_on_are_read(text, present, absent):
    assert read(text)[:2] == (present, absent)


@pytest.mark.parametrize(
    "text",
    [
        "No:\n- chest pain\n- fever",
        "fever-, rash-",
        "+fever -chills",
        "(-) syncope",
        "∅ rash",
        "Vomiting [ ]",
        "☐ fever ☑ cough",
        "cough & fever? no",
    ],
)
def test_a_sign_that_may_deny_is_named(text):
    present, _, _, lost = read(text)
    assert lost
    assert not present


@pytest.mark.parametrize(
    "text",
    [
        "Not breathing",
        "No urine for 24 hours",
        "No feeling in legs",
        "No vision in right eye",
        "Stopped breathing",
        "heart stopped",
        "no longer able to walk",
        "no sensation in feet",
        "never walks",
        "blood",
        "blood in eye",
    ],
)
def test_what_is_missing_or_stopped_is_named_unless_it_is_read(text):
    present, absent, _, lost = read(text)
    assert lost
    assert not present
    assert not absent


@pytest.mark.parametrize(
    "text",
    [
        "Her dad is a smoker with COPD.",
        "Brother with epilepsy and diabetes",
        "Sister smoker with asthma",
        "FH: bowel cancer\nasthma",
        "My dog has fits",
    ],
)
def test_what_a_relative_has_is_not_the_patients(text):
    present, _, risks, _ = read(text)
    assert not present
    assert not any(risk.startswith("known") for risk in risks)
