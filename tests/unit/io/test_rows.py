"""Lines and rows that cannot be read are reported one by one, and end nothing."""

import pytest

from hickam.io import cases as module
from hickam.io.cases import json_row, read_cases
from hickam.issues import InvalidInput, Issue


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": "\xff"}', "is not UTF-8"),
        (b"[" * 5000, "nested more than"),
        (b'{"age": NaN}', ""),
        (b'{"id": "a", "id": "b"}', "is given twice"),
        (b'{"age": ' + b"9" * 500 + b"}", "more than 300 digits"),
        (b'{"notes": "\\ud800"}', "half of a character"),
        (b"[]", "is not an object"),
        (b"nonsense", "is not JSON"),
    ],
)
def test_a_line_that_is_no_case_is_an_issue(line, message):
    row = json_row(line)
    if message:
        assert isinstance(row, Issue)
        assert message in str(row)
    else:
        assert row == {"age": "NaN"}  # a word, which no age is


def test_a_bad_line_is_named_by_its_number_and_the_others_are_read(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a"}\n\xff\n\n{"id": "b"}\n')
    cases, issues = read_cases(path)
    assert [case.id for case in cases] == ["a", "b"]
    assert [(issue.line, issue.file) for issue in issues] == [(2, str(path))]


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 100)
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'{"notes": "' + b"x" * 200 + b'"}\n')
    cases, issues = read_cases(path)
    assert cases == []
    assert "longer than the 100 bytes" in str(issues[0])


def test_a_parquet_file_that_is_none_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "cases.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InvalidInput, match="cannot be read as Parquet"):
        read_cases(path)


@pytest.mark.parametrize("name", ["x" * 5000 + ".jsonl", "x\0.jsonl", ".", ""])
def test_an_odd_name_of_a_file_of_cases_is_refused(tmp_path, name):
    with pytest.raises(InvalidInput):
        read_cases(tmp_path / name)
