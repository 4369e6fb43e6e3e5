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
        ("Symptoms denied:\n- fever\n- cough", set(), {"fever", "cough"}),
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
        "fever -",
        "0 fever",
        "fever=0",
        "Fever....no",
        "Fever, no",
        "fever — none today",
        "rash - not at present",
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


@pytest.mark.parametrize(
    "text",
    [
        "Told to come back if develops chest pain, SOB or blackouts.",
        "Return if vomiting, rash, stiff neck or drowsy.",
        "To call back should he develop fever or rash",
        "red flags discussed: chest pain, syncope",
        "If she has chest pain, fever or a rash",
    ],
)
def test_all_that_an_if_is_about_is_not_there(text):
    assert not read(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "The headache isn't getting better.",
        "She has never had chest pain until today.",
        "No cough until yesterday.",
        "Never had a fit before; had one this morning.",
        "Never stops coughing",
        "Can't stop vomiting",
        "Not SOB at rest",
        "No worse headache",
        "cough has not settled",
        "My mum had fits and i have been having them too",
        "sight gone in left eye",
        "not without fever",
        "feeling gone from legs",
    ],
)
def test_a_denial_of_a_change_or_a_time_is_named(text):
    _, absent, _, lost = read(text)
    assert lost
    assert not absent


@pytest.mark.parametrize(
    "text",
    [
        "no longer has chest pain",
        "Fever gone.",
        "chest pain gone",
        "Headache has completely resolved.",
        "Cough better now",
    ],
)
def test_what_is_gone_is_past_and_says_nothing_else(text):
    note = read_note(CLINIC, text)
    assert [span.status for span in note.spans if span.status] == ["past"]
    assert not any(span.meant for span in note.spans)


@pytest.mark.parametrize(
    ("text", "there"),
    [("Cough since last year", "cough"), ("fever has gone up", "fever")],
)
def test_what_goes_on_is_there(text, there):
    assert read(text)[0] == {there}


@pytest.mark.parametrize(
    "text",
    [
        "My son has a fever and is floppy",
        "My daughter 4 has purple spots which dont fade",
        "My mum (82) has fallen and her face has dropped",
        "My son has a fever. He is floppy",
    ],
)
def test_a_relative_who_may_be_the_patient_is_named(text):
    assert read(text)[3]


@pytest.mark.parametrize(
    "text", ["cough and fever. My mum had gout.", "attended with mum, cough", "FH: gout"]
)
def test_a_relative_who_is_not_the_patient_is_left_out(text):
    assert not read(text)[3]


@pytest.mark.parametrize("symbol", ["🩸", "🤒", "🤮🤮", "☠"])
def test_a_symbol_that_nothing_reads_is_named(symbol):
    note = read_note(CLINIC, f"{symbol} since morning")
    assert [note.said(span) for span in note.lost] == [symbol]


def test_what_is_both_there_and_denied_is_named():
    note = read_note(CLINIC, "fever. no fever.")
    assert [note.said(span) for span in note.lost] == ["fever"]
    assert read("fever. no fever.")[:2] == ({"fever"}, set())


def test_a_value_behind_a_denial_is_not_denied_with_it():
    _, absent, _, lost = read("no rash and fever 39")
    assert lost
    assert absent == {"rash"}
