"""One document, whatever file or request carries it, is one case."""

import json

import pytest
import yaml

import hickam
from hickam.evidence.case import Case
from hickam.io.case_document import case_from
from hickam.io.case_file import read_case
from hickam.io.cases import read_cases
from hickam.io.vignettes import read_vignettes

DOCUMENTS = [
    {"present": ["cough"], "risks": ["smoker", "diabetes"]},
    {"present": "cough", "absent": ["fever"], "risks": {"smoker": False, "diabetes": None}},
    {"likelihoods": {"copd": 2}, "categories": {"duration": "days"}, "sex": "F", "age": 70},
    {"id": "7", "risks": "smoker", "present": None},
]
WORDS = {"yes": True, "No": False, "true": True, "unknown": None, "?": None}


def by_yaml(document, folder):
    path = folder / "case.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return read_case(path)


def by_json(document, folder):
    path = folder / "case.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return read_case(path)


def by_lines(document, folder):
    path = folder / "cases.jsonl"
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")
    cases, issues = read_cases(path)
    assert issues == []
    return cases[0]


def by_vignette(document, folder):
    path = folder / "vignettes.jsonl"
    said = {"id": "", **document, "diseases": ["copd"]}
    path.write_text(json.dumps(said) + "\n", encoding="utf-8")
    vignettes, issues = read_vignettes(path)
    assert issues == []
    case = vignettes[0].case
    return case if document.get("id") else Case(**{**as_fields(case), "id": ""})


def by_request(document, _folder):
    bodies = pytest.importorskip("hickam.web.bodies")
    # A request is stricter in shape: it lists findings, and leaves out what it does not say.
    said = {
        key: [value] if key in ("present", "risks") and isinstance(value, str) else value
        for key, value in document.items()
        if value is not None
    }
    return bodies.CaseBody.model_validate_json(json.dumps(said)).to_case(hickam.load("smoker"))[0]


def as_fields(case):
    return {name: getattr(case, name) for name in case.__dataclass_fields__}


@pytest.mark.parametrize("read", [by_yaml, by_json, by_lines, by_vignette, by_request])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_is_the_same_case_in_every_file_and_request(tmp_path, read, document):
    assert read(document, tmp_path) == case_from(document)


def test_a_list_of_risk_factors_in_json_lines_says_that_all_are_true(tmp_path):
    case = by_lines({"risks": ["smoker"]}, tmp_path)
    assert case.risks == {"smoker": True}


@pytest.mark.parametrize("read", [by_yaml, by_json])
def test_every_mistake_of_form_is_reported_at_once_with_its_line(tmp_path, read):
    document = {"presnt": ["cough"], "absent": 5, "risks": 3, "likelihoods": ["copd"]}
    with pytest.raises(hickam.InvalidInput) as caught:
        read(document, tmp_path)
    said = str(caught.value)
    assert "unknown key 'presnt'; did you mean 'present'?" in said
    assert len(caught.value.issues) == 4
    assert all(issue.line for issue in caught.value.issues)


@pytest.mark.parametrize("read", [by_yaml, by_json, by_lines, by_vignette])
@pytest.mark.parametrize("word", WORDS)
def test_a_truth_may_be_a_word_as_on_the_command_line(tmp_path, read, word):
    assert read({"risks": {"smoker": word}}, tmp_path).risks == {"smoker": WORDS[word]}


def test_a_line_with_a_mistake_leaves_the_other_cases_readable(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "present": 5}\n{"id": "b", "present": ["x"]}\n')
    cases, issues = read_cases(path)
    assert [case.id for case in cases] == ["b"]
    assert [(issue.line, issue.where) for issue in issues] == [(1, "case 'a'")]
