"""The note for the record reads as a clinician's does."""

import pytest

import hickam
from hickam.advise.red_flags import red_flags
from hickam.advise.triage import triage
from hickam.evidence.known import by_id
from hickam.infer import infer_located
from hickam.report.note import Summary, note


def summary(**known):
    network = hickam.load("clinic")
    case = hickam.Case(**known)
    evidence, beliefs = infer_located(network, case, "auto", {})
    return Summary(
        network=network,
        case=by_id(network, case),
        dx=hickam.diagnose(network, case),
        red_flags=red_flags(network, evidence, beliefs),
        triage=triage(network, evidence, beliefs),
        unknown=(),
        made="today",
    )


@pytest.mark.parametrize(
    ("known", "who"),
    [
        ({"sex": "male", "age": 63}, "63-year-old man"),
        ({"sex": "female", "age": 6}, "6-year-old girl"),
        ({"sex": "male", "age": 0.5}, "6-month-old boy"),
        ({"age": 40}, "40-year-old patient"),
        ({"age": 3}, "3-year-old child"),
        ({"sex": "female"}, "female patient"),
        ({}, "patient"),
    ],
)
def test_a_note_begins_with_the_patient(known, who):
    assert summary(present=["cough"], **known).who == who


def test_a_note_names_causes_with_what_they_explain_and_what_is_still_to_ask():
    told = summary(
        present=["chest pain", "sweating"],
        risks={"smoker": True, "pregnant": False},
        sex="female",
        age=63,
    )
    text = note(told)
    first = told.dx[0]
    assert f"1. {first.name} (" in text
    assert "Risk factors: smoker; pregnant (no)." in text
    for flag in told.red_flags.flags:
        assert flag.name in text
        if flag.ask:
            assert told.network.label(flag.ask).lower() in text
    assert "not for clinical use" in text.splitlines()[0]
    assert all(
        line.endswith((".", ":")) or not line or line[0].isdigit() for line in text.splitlines()
    )
