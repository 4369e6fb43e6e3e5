"""A measure and an engine are one record each, and every door shows them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from web_app import client

import hickam
from hickam.beliefs.engine import Engine
from hickam.cli.main import hickam as command
from hickam.infer import all_engines, engines_of
from hickam.inference.engines import ENGINES
from hickam.measures.scores import MEASURES, Measure
from hickam.twin.infer import ENGINES as GENERAL

DOCS = Path(__file__).parents[2] / "docs"
CASE = hickam.Case(present=["chest pain", "nausea"], risks={"smoker": True})
ARGS = ("diagnose", "-n", "smoker", "-p", "chest pain", "nausea", "-r", "smoker")
BODY = {"case": {"present": ["chest pain", "nausea"], "risks": {"smoker": True}}}


@pytest.fixture
def halves(monkeypatch):
    """A measure that nobody knew: half of the posterior."""
    added = Measure("halved", "halved odds", "half of the chance", lambda b, _: b.posterior / 2)
    monkeypatch.setitem(MEASURES, added.name, added)
    return added


@pytest.fixture
def mirror(monkeypatch):
    """An engine that nobody knew: enumeration under another name."""

    def run(network, evidence, limits):
        found = ENGINES["enumeration"].run(network, evidence, limits)
        return replace(found, engine="mirror")

    added = Engine("mirror", "enumeration, seen from behind", run)
    monkeypatch.setitem(ENGINES, added.name, added)
    return added


def expected():
    """Disease → half of its posterior, by enumeration."""
    network = hickam.load("smoker")
    posterior = hickam.infer(network, CASE, "enumeration").posterior
    return dict(zip(network.diseases, (posterior / 2).tolist(), strict=True))


def call(*args):
    done = CliRunner().invoke(command, args)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_new_measure_ranks_and_is_in_the_json_of_the_command_line(halves):
    answer = json.loads(call(*ARGS, "--measure", "halved", "--json"))
    found = {c["disease"]: c["halved"] for c in answer["candidates"]}
    assert found == pytest.approx(expected())
    assert answer["candidates"][0]["score"] == max(found.values())
    assert "halved" in call("diagnose", "--help")


def test_a_new_measure_is_in_the_text_report(halves):
    said = " ".join(call(*ARGS, "--measure", "halved").split())
    assert "ranked by halved odds, the half of the chance" in said


def test_a_new_measure_is_in_the_library_and_its_tables(halves):
    dx = hickam.diagnose(hickam.load("smoker"), CASE, "halved")
    assert {c.disease: c.scores["halved"] for c in dx} == pytest.approx(expected())
    assert dx[0].ranks["halved"] == 1
    assert "halved" in dx.to_pandas().columns


def test_a_new_measure_is_in_the_api_and_its_schema(halves, tmp_path):
    api = client(tmp_path)
    answer = api.post("/api/v1/networks/smoker/diagnose", json={**BODY, "measure": "halved"})
    assert answer.status_code == 200
    found = {c["disease"]: c["halved"] for c in answer.json()["candidates"]}
    assert found == pytest.approx(expected())
    schemas = api.get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert "halved" in schemas["DiagnoseBody"]["properties"]["measure"]["enum"]
    assert "halved" in schemas["CandidateBody"]["properties"]


def test_a_new_measure_can_be_chosen_on_the_page(halves, tmp_path):
    page = client(tmp_path).get("/?n=smoker&p=chest_pain&y=smoker&m=halved").text
    assert "Halved odds" in page
    assert "the half of the chance" in page
    assert re.search(r'aria-current="true"[^>]*>Halved odds', page)


def test_a_new_measure_is_a_column_of_a_batch(halves, tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"id": "one", "present": ["chest pain"]}) + "\n")
    out = tmp_path / "out"
    call("batch", "-n", "smoker", str(cases), "--out", str(out), "--measure", "halved")
    (part,) = out.glob("part-*.parquet")
    table = parquet.read_table(part)
    assert np.allclose(table["halved"].to_numpy(), table["posterior"].to_numpy() / 2)


def test_an_unknown_measure_or_engine_is_refused_by_the_api_with_the_nearest_one(tmp_path):
    api = client(tmp_path)
    for field, wrong, near in (
        ("measure", "disablment", "disablement"),
        ("engine", "cove", "cover"),
    ):
        answer = api.post("/api/v1/networks/smoker/diagnose", json={**BODY, field: wrong})
        assert answer.status_code == 422
        (issue,) = answer.json()["issues"]
        assert (issue["where"], f"did you mean '{near}'" in issue["what"]) == (field, True)


def test_a_new_engine_answers_in_the_library_the_command_line_and_the_api(mirror, tmp_path):
    assert hickam.infer(hickam.load("smoker"), CASE, "mirror").engine == "mirror"
    assert json.loads(call(*ARGS, "--engine", "mirror", "--json"))["engine"] == "mirror"
    api = client(tmp_path)
    body = {**BODY, "engine": "mirror"}
    answer = api.post("/api/v1/networks/smoker/diagnose", json=body)
    assert answer.json()["provenance"]["engine"] == "mirror"
    schemas = api.get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert "mirror" in schemas["DiagnoseBody"]["properties"]["engine"]["enum"]
    assert engines_of(hickam.load("smoker"))["mirror"] is mirror
    assert all_engines()["mirror"] is mirror


def rows(page, heading):
    """The cells of the table below a heading."""
    text = (DOCS / page).read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_documentation_lists_every_measure_with_its_meaning():
    found = [(row[0], row[1]) for row in rows("measures.md", "By name")]
    assert found == [(f"`{m.name}`", m.meaning) for m in MEASURES.values()]


@pytest.mark.parametrize(
    ("heading", "engines"), [("By name: networks", ENGINES), ("By name: general models", GENERAL)]
)
def test_the_documentation_lists_every_engine_with_its_meaning(heading, engines):
    found = [tuple(row) for row in rows("engines.md", heading)]
    assert found == [(f"`{e.name}`", e.meaning) for e in engines.values()]
