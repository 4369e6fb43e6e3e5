"""Files of records: every form says the same, and what cannot be is named with its line."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import hickam
from hickam.io.records import read_records
from hickam.io.write_records import write_records
from hickam.issues import InvalidInput
from hickam.learn.numbers import numbers_of
from hickam.learn.recording import recording_of
from hickam.learn.simulate import simulate_records

SMOKER = hickam.load("smoker")


def read(tmp_path, text: str, name: str = "r.csv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_records(SMOKER, path, **options)


def state(records, name: str, row: int = 0) -> int:
    for layer, table in (
        (SMOKER.risk_factors, records.risks),
        (SMOKER.diseases, records.diseases),
        (SMOKER.findings, records.findings),
    ):
        if name in layer:
            return int(table[row, layer.index(name)])
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl", "r.parquet"])
def test_what_is_written_is_read(tmp_path, name):
    numbers = numbers_of(hickam.load("clinic"))
    people = (("female", 0.0), ("male", 65.0))
    drawn = simulate_records(numbers, 40, np.random.default_rng(0), missing=0.4, people=people)
    write_records(numbers.network, drawn, tmp_path / name)
    found = read_records(numbers.network, tmp_path / name)
    assert not found.problems
    assert found.rows == 40
    for one, other in (
        (found.records.risks, drawn.risks),
        (found.records.diseases, drawn.diseases),
        (found.records.findings, drawn.findings),
    ):
        np.testing.assert_array_equal(one, other)
    sexes = [found.records.people[person][0] for person in found.records.person]
    assert sexes == [people[person][0] for person in drawn.person]


def test_values_are_read_as_people_write_them(tmp_path):
    rows = ["Smoker;Chest pain;angina;sex;age", "YES;absent;?;F;40,5", "0.0; + ;TRUE;;"]
    found = read(tmp_path, "\n".join(rows)).records
    assert [state(found, n) for n in ("smoker", "chest_pain", "angina")] == [1, 0, -1]
    assert [state(found, n, 1) for n in ("smoker", "chest_pain", "angina")] == [0, 1, 1]
    assert found.people[found.person[0]][0] == "female"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_and_packing(tmp_path, encoding):
    text = "sep=,\r\nsmoker,chest pain\r\n1,0\r\n\r\n,1\r\n".encode(encoding)
    assert read(tmp_path, text).records.patients == 2
    assert read(tmp_path, gzip.compress(text), "r.csv.gz").records.patients == 2


def test_cases_are_records(tmp_path):
    rows = [
        {"present": ["chest pain"], "absent": ["nausea"], "risks": {"smoker": True},
         "diseases": ["angina"], "sex": "m", "age": 60},
        {"present": "fatigue", "diseases": {"angina": False, "reflux": None}},
    ]  # fmt: skip
    text = "\n".join(json.dumps(row) for row in rows)
    found = read(tmp_path, text, "r.jsonl").records
    assert [state(found, n) for n in ("chest_pain", "nausea", "smoker", "angina")] == [1, 0, 1, 1]
    assert [state(found, n, 1) for n in ("fatigue", "angina", "reflux")] == [1, 0, -1]
    said = recording_of(numbers_of(SMOKER), found, "absent")
    absent = said.filled(found)
    assert state(absent, "chest_pain", 1) == 0
    assert state(absent, "breathlessness", 1) == -1  # no record speaks of it


def test_records_that_cannot_be_are_listed_and_kept_apart(tmp_path):
    rows = ["smoker,chest pain,age,sex", "1,0,50,m", "maybe,1,50,f", "1,1,400,f", "1,1", "0,1,,x"]
    found = read(tmp_path, "\n".join(rows))
    assert [issue.line for issue in found.problems] == [3, 4, 5, 6]
    assert found.records.patients == 1
    assert found.rows == 5
    for issue, word in zip(found.problems, ("maybe", "400", "2 cells", "sex 'x'"), strict=True):
        assert word in str(issue)


def test_a_kind_without_what_it_is_a_kind_of_cannot_be(tmp_path):
    clinic = hickam.load("clinic")
    kind = next(f for f in clinic.findings if clinic.entries[f].is_a)
    path = tmp_path / "r.csv"
    path.write_text(f"{kind},{clinic.entries[kind].is_a}\n1,0\n1,1\n0,1\n")
    found = read_records(clinic, path)
    assert [issue.line for issue in found.problems] == [2]
    assert found.records.patients == 2


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "r.csv", "empty"),
        ("smoker,chest pain\n", "r.csv", "no records"),
        ("smoker,chst pain\n1,1\n", "r.csv", "did you mean 'chest_pain'"),
        ("smoker,Smoker\n1,1\n", "r.csv", "column 2, 'Smoker', is the same as column 1, 'smoker'"),
        ("age,nausea,nausea\n,1,0\n", "r.csv", "column 3, 'nausea', .* as column 2, 'nausea'"),
        ("sex,nausea,Sex\nf,1,m\n", "r.csv", "column 3, 'Sex', is the same as column 1, 'sex'"),
        ('{"nausea": 1, "Nausea": 0}\n', "r.jsonl", "column 2, 'Nausea', is the same"),
        ('{"present": ["chst pain"]}\n', "r.jsonl", "no finding"),
        ("x", "r.parquet", "Parquet"),
        ("x", "r.doc", "ending '.doc'"),
        (b"smoker\n\xff\xfa\n", "r.csv", "UTF-8"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, text, name, words):
    with pytest.raises(InvalidInput, match=words):
        read(tmp_path, text, name)


def test_columns_can_be_left_out(tmp_path):
    found = read(tmp_path, "visit,smoker,chest pain\n2020-01-01,1,1\n", ignore=["Visit"])
    assert found.records.patients == 1
    assert not found.problems


def test_mixed_types_of_json_are_problems_not_crashes(tmp_path):
    rows = [{"smoker": 1}, {"smoker": [1]}, {"smoker": {"a": 1}}, {"smoker": 7}, {"present": 3},
            {"present": [None]}, {"age": [3]}, {"risks": {"smoker": "perhaps"}}, 5]  # fmt: skip
    found = read(tmp_path, "\n".join(json.dumps(row) for row in rows), "r.jsonl")
    assert found.records.patients == 1
    assert [issue.line for issue in found.problems] == list(range(2, 10))


def test_a_key_that_is_given_twice_in_a_line_is_a_problem(tmp_path):
    found = read(tmp_path, '{"nausea": 1, "nausea": 0}\n{"nausea": 1}\n', "r.jsonl")
    assert found.records.patients == 1
    assert "'nausea' is given twice" in str(found.problems[0])


def test_lines_may_call_one_node_by_different_names(tmp_path):
    found = read(tmp_path, '{"chest_pain": 1}\n{"chest pain": 0}\n', "r.jsonl").records
    assert [state(found, "chest_pain", row) for row in (0, 1)] == [1, 0]


def test_columns_of_the_person_can_be_left_out_too(tmp_path):
    found = read(tmp_path, "sex,nausea\nanyone,1\n", ignore=["sex"])
    assert not found.problems
