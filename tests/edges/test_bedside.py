"""Readings, kinds, tests and doubts through every way in: command line, service and page."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from web_app import client

import hickam
from hickam.cli.main import hickam as command

BEDSIDE = Path(__file__).parents[2] / "examples" / "bedside.yaml"
CASE = {
    "present": ["thunderclap headache", "headache"],
    "categories": {"temperature": "102.6 F", "crp": 180, "flu test": "negative"},
    "sex": "male",
    "risks": {"pregnant": True},
}


@pytest.fixture
def uploaded(tmp_path):
    with client(tmp_path) as web:
        body = {"file": "bedside.yaml", "text": BEDSIDE.read_text(encoding="utf-8")}
        answer = web.post("/api/v1/networks", json=body)
        assert answer.status_code == 201, answer.text
        yield web, answer.json()["id"]


def test_the_service_reads_numbers_and_questions_what_is_odd(uploaded):
    web, network = uploaded
    answer = web.post(f"/api/v1/networks/{network}/diagnose", json={"case": CASE}).json()
    expected = hickam.diagnose(hickam.load(BEDSIDE), hickam.Case(**CASE))
    assert answer["present"] == list(expected.present) == ["thunderclap_headache", "fever"]
    assert [c["posterior"] for c in answer["candidates"]] == pytest.approx(
        [c.posterior for c in expected]
    )
    assert answer["doubts"] == list(expected.doubts)
    assert "pregnant" in answer["doubts"][0]


@pytest.mark.parametrize("entered", [102.6, "39.2 K", True, None, [39], {"C": 39}])
def test_the_service_refuses_what_is_no_reading(uploaded, entered):
    web, network = uploaded
    body = {"case": {"categories": {"temperature": entered}}}
    answer = web.post(f"/api/v1/networks/{network}/diagnose", json=body)
    assert answer.status_code == 422, answer.text


def test_the_page_takes_a_number_keeps_it_and_shows_doubts(uploaded):
    web, network = uploaded
    address = f"/?n={network}&p=headache&c.temperature=102.6+F&c=onset:seconds"
    answer = web.get(f"{address}&sex=male&y=pregnant")
    assert answer.status_code == 200
    assert 'class="issues"' not in answer.text
    assert 'value="102.6 F"' in answer.text
    assert "Is this right?" in answer.text
    wrong = web.get(f"/?n={network}&p=headache&c.temperature=102.6")
    assert "Did you mean 102.6 °F" in wrong.text


def test_the_command_line_reads_numbers_and_asks_back():
    call = ["diagnose", "-n", str(BEDSIDE), "-p", "headache", "--reading", "temperature=102.6 F"]
    done = CliRunner().invoke(command, [*call, "-r", "pregnant", "--sex", "male"])
    assert done.exit_code == 0, done.output
    assert "question: risk factor 'pregnant' is not expected for male" in done.output
    told = CliRunner().invoke(command, [*call, "--json"])
    assert json.loads(told.output)["present"] == ["headache", "fever"]
    wrong = CliRunner().invoke(command, [*call[:-1], "temperature=102.6"])
    assert "did you mean 102.6 °F" in str(wrong.exception)
