import json

import pytest

from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, Vignette, ranked
from hickam.io.cases import read_cases, write_cases
from hickam.io.vignettes import read_vignettes, write_vignettes
from hickam.issues import InvalidInput

CASE = Case(
    id="1",
    present=["cough"],
    absent=["fever"],
    risks={"smoker": True},
    likelihoods={"copd": 2.0},
    categories={"duration": "weeks"},
    sex="female",
    age=70.0,
)
VIGNETTE = Vignette(
    id="1",
    case=CASE,
    diseases=("copd",),
    rareness="common",
    author="a",
    reviewers=("b", "c"),
    opinions=(Opinion("d", ranked(["copd", ["asthma", "flu"]]), "GP", 1, "sure"),),
    notes="free text",
    group="arm",
    causes={"cough": "copd"},
)


@pytest.mark.parametrize("name", ["v.jsonl", "v.parquet"])
def test_vignettes_survive_a_round_trip(tmp_path, name):
    pytest.importorskip("pyarrow")
    write_vignettes(tmp_path / name, [VIGNETTE])
    assert read_vignettes(tmp_path / name) == ([VIGNETTE], [])


@pytest.mark.parametrize("name", ["c.jsonl", "c.parquet"])
def test_cases_survive_a_round_trip(tmp_path, name):
    pytest.importorskip("pyarrow")
    write_cases(tmp_path / name, [CASE, Case(present=["x"], id="2")])
    cases, issues = read_cases(tmp_path / name)
    assert cases == [CASE, Case(present=["x"], id="2")]
    assert issues == []


def test_every_broken_line_is_reported_with_its_number(tmp_path):
    path = tmp_path / "v.jsonl"
    rows = [
        json.dumps({"id": "1", "present": ["x"]}),
        "not json",
        json.dumps({"id": "2", "diseases": ["a"], "presnt": ["x"]}),
        json.dumps({"id": "3", "diseases": ["a"], "opinions": [{"doctor": "d"}]}),
        json.dumps({"id": "4", "diseases": ["a"], "present": ["x"]}),
        json.dumps({"id": "4", "diseases": ["a"], "present": ["x"]}),
    ]
    path.write_text("\n".join(rows))
    vignettes, issues = read_vignettes(path)
    assert [vignette.id for vignette in vignettes] == ["4"]
    assert [issue.line for issue in issues] == [1, 2, 3, 4, 6]
    assert "did you mean 'present'" in str(issues[2])


def test_a_disease_listed_twice_by_a_doctor_is_an_error(tmp_path):
    path = tmp_path / "v.jsonl"
    opinion = {"doctor": "d", "differential": ["a", ["a", "b"]]}
    path.write_text(json.dumps({"id": "1", "diseases": ["a"], "opinions": [opinion]}))
    assert "lists 'a' twice" in str(read_vignettes(path)[1][0])


def test_an_unknown_ending_and_a_missing_file_are_refused(tmp_path):
    (tmp_path / "v.xls").write_text("")
    with pytest.raises(InvalidInput, match="ending"):
        read_vignettes(tmp_path / "v.xls")
    with pytest.raises(InvalidInput, match="does not exist"):
        read_vignettes(tmp_path / "v.jsonl")
