"""A note in free text: on the command line and over HTTP."""

import json

import pytest
from click.testing import CliRunner
from web_app import client

from hickam.cli.main import hickam, run

NOTE = "67f, headache ?tension. Neck stiff. No fever. Lives with wife."


def call(*args):
    """(exit code, output) of a command, in this process."""
    outcome = {}

    def invoke():
        result = CliRunner().invoke(hickam, args, standalone_mode=False)
        outcome["output"] = result.output
        if result.exception:
            raise result.exception
        return result.return_value

    return run(invoke), outcome["output"]


@pytest.fixture
def note(tmp_path):
    def write(text):
        file = tmp_path / "note.txt"
        file.write_text(text, encoding="utf-8")
        return str(file)

    return write


def test_a_note_is_listed_span_by_span(note):
    code, output = call("note", note(NOTE))
    assert code == 0
    assert "Stiff neck" in output
    assert "no Fever" in output
    assert "67 years, female" in output


def test_the_exit_code_says_that_something_is_not_understood(note):
    code, output = call("note", note("headache. Blown pupil."))
    assert code == 3
    assert "may be a finding" in output


def test_the_spans_as_json_tile_the_text(note):
    code, output = call("note", note(NOTE), "--json")
    assert code == 0
    said = json.loads(output)
    assert "".join(span["text"] for span in said["spans"]) == NOTE
    assert said["age"] == 67


def test_a_note_is_diagnosed(note):
    code, said = call("diagnose", "--note", note(NOTE))
    assert code == 0
    assert "'Neck stiff' is read as Stiff neck" in said
    assert "'tension' is only possible: it is left out" in said


def test_a_note_that_may_hold_more_is_refused_with_the_list_unless_lenient(note, capsys):
    file = note("headache. Blown pupil. No fever, zork")
    code, _ = call("diagnose", "--note", file)
    said = capsys.readouterr().err
    assert code == 3
    assert "'Blown pupil' is not understood" in said
    assert "'zork'" in said
    code, said = call("diagnose", "--note", file, "--lenient")
    assert code == 0
    assert "it is left out" in said


def test_a_note_that_is_not_there_is_a_message(capsys):
    code, _ = call("note", "nowhere.txt")
    assert code == 3
    assert "cannot be read" in capsys.readouterr().err


def test_the_service_reads_a_note(tmp_path):
    with client(tmp_path, networks=("clinic",)) as api:
        answer = api.post("/api/v1/networks/clinic/note", json={"text": NOTE})
        assert answer.status_code == 200
        spans = answer.json()["spans"]
        assert "".join(span["text"] for span in spans) == NOTE
        there = {one["id"]: one["there"] for span in spans for one in span["meant"]}
        assert there["neck_stiffness"]
        assert not there["fever"]
