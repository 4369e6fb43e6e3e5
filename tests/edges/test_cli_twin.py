"""`hickam query` and `hickam twin` from the command line."""

import json

import pytest
from click.testing import CliRunner

from hickam.cli.main import hickam

MODEL = """
hickam: 1
name: Cascade
nodes:
  - {id: smoker, role: risk factor, prior: 0.3}
  - {id: copd, role: disease, leak: 0.01, causes: {smoker: 0.2}}
  - {id: infection, role: disease, leak: 0.02, causes: {copd: 0.3}}
  - {id: fever, role: finding, leak: 0.01, causes: {infection: 0.8}}
  - {id: sweat, role: finding, leak: 0.02, causes: {fever: 0.7}}
  - {id: both, role: finding, keep: 0.9, needs: {copd: 1.0, infection: 0.9}}
  - {id: cough, role: finding, parents: [copd, infection], table: [0.05, 0.6, 0.5, 0.3]}
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text(MODEL, encoding="utf-8")
    return str(path)


def run(*args):
    result = CliRunner().invoke(hickam, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_query_prints_its_probability_and_its_bounds(model):
    said = run("query", "-n", model, "--given", "cough", "--do", "copd=off", "-t", "cough=absent")
    assert "P(cough = absent)" in said
    assert "over all couplings" in said
    assert "bounded:" in said


def test_a_query_is_available_as_json(model):
    args = ("query", "-n", model, "--given", "fever", "--do", "copd=off", "-t", "sweat", "--json")
    answer = json.loads(run(*args))
    assert sum(one["probability"] for one in answer["answers"]) == pytest.approx(1.0)
    assert answer["do"] == {"copd": "false"}


def test_diagnose_runs_unchanged_on_a_general_model(model):
    said = run("diagnose", "-n", model, "--present", "fever", "both", "--explain")
    assert "engine twin, exact" in said
    assert said.index("1. copd") < said.index("2. infection")


def test_check_and_show_read_a_general_model(model):
    assert "2 diseases" in run("check", model)
    assert "noisy-AND" in run("show", "-n", model, "both")
    assert "table, monotone coupling" in run("show", "-n", model, "cough")


@pytest.mark.parametrize("ending", ["svg", "mmd", "dot"])
def test_twin_writes_a_picture(model, tmp_path, ending):
    out = tmp_path / f"twin.{ending}"
    args = ("-n", model, "--present", "fever", "--risk", "smoker", "-d", "copd", "-o", str(out))
    said = run("twin", *args)
    assert "nodes" in said
    assert "copd*" in out.read_text(encoding="utf-8")


def test_cure_answers_on_a_general_model(model):
    said = run("cure", "-n", model, "--present", "fever", "both", "-d", "infection", "copd")
    assert "would be expected to remove" in said
