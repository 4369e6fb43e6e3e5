"""A text in the field of a page: a list becomes its things, and commas never merge them wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web_app import client

import hickam
from hickam.issues import InvalidInput
from hickam.web.pages.entered import LONGEST, MOST, entered
from hickam.web.pages.state import State

CLINIC = hickam.load("clinic")
HPO_LIKE = """
hickam: 1
name: Ids
diseases:
  - {id: d, name: Disease, leak: 0.1}
findings:
  - {id: "HP:0001250", name: Seizure, leak: 0.01, causes: {d: 0.5}}
  - {id: "HP:0001252", name: Hypotonia, leak: 0.01, causes: {d: 0.5}}
  - {id: "HP:0001256", name: "Intellectual disability, mild", leak: 0.01, causes: {d: 0.5}}
  - {id: "HP:0001249", name: Intellectual disability, leak: 0.01, causes: {d: 0.5}}
"""


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(CLINIC.findings), min_size=1, max_size=8, unique=True),
    st.data(),
)
def test_a_list_of_names_and_ids_is_each_of_them_in_order(findings, data):
    written = [
        data.draw(st.sampled_from([finding, CLINIC.entries[finding].name])) for finding in findings
    ]
    between = data.draw(st.sampled_from([", ", ",", " , ", "; ", "\n", "\t", ",\n"]))
    found = entered(CLINIC, State(), between.join(written))
    assert [heard.text for heard in found.heard] == written
    assert found.said is not None
    assert found.opposite is not None
    assert found.said.present == found.opposite.absent == tuple(findings)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(CLINIC.findings), min_size=2, max_size=8, unique=True))
def test_ids_need_no_commas(findings):
    found = entered(CLINIC, State(), " ".join(findings))
    assert found.said is not None
    assert found.said.present == tuple(findings)


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("HP:0001250,HP:0001252", ["HP:0001250", "HP:0001252"]),
        ("Seizure, intellectual disability, mild", ["Seizure", "intellectual disability, mild"]),
        ("Intellectual disability, seizure", ["Intellectual disability", "seizure"]),
        ("'Seizure', \"hypotonia\"", ["Seizure", "hypotonia"]),
    ],
)
def test_a_name_keeps_the_comma_that_it_has(tmp_path, text, things):
    file = tmp_path / "ids.yaml"
    file.write_text(HPO_LIKE)
    found = entered(hickam.load(file), State(), text)
    assert [heard.text for heard in found.heard] == things
    assert all(heard.sure for heard in found.heard)


@pytest.mark.parametrize("text", ["cough, productive", "pain, chest", "blood, vomiting"])
def test_words_that_mean_something_only_together_are_asked_about(text):
    found = entered(CLINIC, State(), text)
    assert [heard.text for heard in found.heard] == [text]
    assert found.said is None


def test_what_follows_a_denied_thing_is_asked_about_unless_it_is_denied_too():
    found = entered(CLINIC, State(), "headache, no fever, cough, no nausea; sore throat")
    assert [heard.text for heard in found.heard if not heard.sure] == ["cough"]
    assert found.said is not None
    assert found.said.present == ("headache", "sore_throat")
    assert found.said.absent == ("fever", "nausea")


def test_nothing_of_a_list_goes_unnamed():
    found = entered(CLINIC, State(), "headache, blorptitis, " + "x" * 300)
    assert [heard.text for heard in found.heard] == ["headache", "blorptitis", "x" * 300]
    assert [heard.sure for heard in found.heard] == [True, False, False]


@pytest.mark.parametrize("text", ["x" * (LONGEST + 1), "a," * (MOST + 1)])
def test_more_than_a_field_takes_is_refused_with_a_reason(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match="enter fewer findings at once"):
        entered(CLINIC, State(), text)
    with client(tmp_path) as web:
        answer = web.get("/matches", params={"n": "smoker", "q": text})
    assert answer.status_code == 422
    assert "enter fewer findings at once" in answer.text.lower()
