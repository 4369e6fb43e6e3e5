"""`hickam upgrade`: what a model made for posteriors means counterfactually."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import hickam
from hickam.cli.main import hickam as command
from hickam.io.roles_file import read_roles, template_of
from hickam.issues import InvalidInput, NotClear
from hickam.model.guessed import Guessed
from hickam.model.kinds import as_scm
from hickam.model.roles import Part, with_roles
from hickam.report.upgrade import upgrade_lines, upgrade_page
from hickam.upgrade import upgrade
from hickam.upgrade.patients import patients
from hickam.upgrade.tables import approximated, readings
from models import model_of

NEARLY = [
    {"id": "a", "role": "disease", "prior": 0.2},
    {"id": "b", "role": "disease", "prior": 0.1},
    # Noisy-OR of 0.8 and 0.5 would be 0.9 for both: 0.88 is near, 0.2 far.
    {"id": "near", "role": "finding", "parents": ["a", "b"], "table": [0.0, 0.5, 0.8, 0.88]},
    {"id": "far", "role": "finding", "parents": ["a", "b"], "table": [0.0, 0.5, 0.8, 0.2]},
    {"id": "same", "role": "finding", "parents": ["a", "b"], "table": [0.0, 0.5, 0.8, 0.9]},
]


def test_tables_are_told_apart_by_their_distance_from_independent_causes():
    found = {reading.node: reading for reading in readings(model_of(NEARLY))}
    assert found["same"].kind == "noisy-OR"
    assert found["near"].kind == found["far"].kind == "table"
    assert found["near"].near
    assert 0.0 < found["near"].distance <= 0.02
    assert not found["far"].near


def test_the_approximation_replaces_only_near_tables():
    model = model_of(NEARLY)
    close = approximated(model, readings(model))
    changed = [n for n in model.nodes if close.nodes[n].mechanism is not model.nodes[n].mechanism]
    assert changed == ["near"]


def test_a_noisy_max_over_three_states_is_recognised_exactly():
    below = np.array([[1.0, 1.0, 1.0], [0.5, 0.8, 1.0]])
    rows = np.empty((2, 2, 3))
    for i in range(2):
        for j in range(2):
            rows[i, j] = np.diff(below[i] * below[j] * [0.9, 0.95, 1.0], prepend=0.0)
    nodes = [
        {"id": "a", "role": "disease", "prior": 0.2},
        {"id": "b", "role": "disease", "prior": 0.1},
        {
            "id": "x",
            "role": "finding",
            "states": ["none", "mild", "severe"],
            "parents": ["a", "b"],
            "table": rows.reshape(4, 3).tolist(),
        },
    ]
    assert readings(model_of(nodes))[2].kind == "noisy-MAX"
    rows[1, 1] = [0.1, 0.1, 0.8]
    nodes[2]["table"] = rows.reshape(4, 3).tolist()
    reading = readings(model_of(nodes))[2]
    assert reading.kind == "table"
    # P(x <= none), P(x <= mild) of the row with both: 0.1 and 0.2 for 0.225 and 0.608.
    assert reading.distance == pytest.approx(0.608 - 0.2)


def test_drawn_patients_have_the_model_s_frequencies():
    model = as_scm(hickam.load("smoker"))
    drawn = patients(model, 2000, np.random.default_rng(0))
    assert len(drawn) == 2000
    assert all(patient.case.present for patient in drawn)
    prior = hickam.query(model, {}, {}, {model.findings[0]: True}).probability
    share = np.mean([model.findings[0] in patient.case.present for patient in drawn])
    assert share >= prior  # patients without any finding are left out


def test_on_a_layered_network_the_report_says_that_everything_is_settled():
    found = upgrade(hickam.load("smoker"), cases=3)
    assert found.layered
    text = " ".join(upgrade_lines(found))
    assert "every measure is settled by the model" in text
    assert len(found.cases) == 3


def test_the_shares_of_the_report_are_those_of_its_cases():
    found = upgrade(model_of(NEARLY), cases=10, seed=3)
    whole = json.loads(json.dumps(found.to_dict()))
    assert whole["asked"] == 10
    for measure, share in whole["differs_from_posterior"].items():
        other = [
            case
            for case in whole["cases"]
            if case["ranked"][measure][0][0] != case["ranked"]["posterior"][0][0]
        ]
        assert share == pytest.approx(len(other) / len(whole["cases"]))
    for case in found.cases:
        again = hickam.infer(found.model, hickam.Case(case.present, case.absent))
        best = case.ranked["posterior"][0]
        assert best[1] == pytest.approx(again.posterior[found.model.diseases.index(best[0])])


def test_without_time_cases_are_refused_and_counted():
    found = upgrade(model_of(NEARLY), cases=5, seconds=0.0)
    assert found.refused == {"not reached in the time given": 5}
    assert "without an answer" in "\n".join(upgrade_lines(found))


def test_a_model_without_diseases_is_refused_with_a_way_out():
    model = with_roles(model_of(NEARLY), {"a": Part("other"), "b": Part("other")})
    with pytest.raises(InvalidInput, match="has no disease; set roles"):
        upgrade(model)


def test_names_cannot_break_out_of_the_page():
    nodes = [{**NEARLY[0], "id": "<script>"}, {"id": "s", "role": "finding", "leak": 0.1,
                                              "causes": {"<script>": 0.5}}]  # fmt: skip
    assert "<script>" not in upgrade_page(upgrade(model_of(nodes), cases=1))


def test_roles_and_normal_states_come_from_options_and_files(tmp_path: Path):
    source = tmp_path / "m.bif"
    source.write_text(
        "network m {}\n"
        "variable a { type discrete [2] { no, yes }; }\n"
        "variable b { type discrete [3] { high, mid, low }; }\n"
        "probability ( a ) { table 0.9, 0.1; }\n"
        "probability ( b | a ) { (no) 0.1, 0.7, 0.2; (yes) 0.6, 0.2, 0.2; }\n"
    )
    (tmp_path / "roles.csv").write_text("node,role,normal\nb,finding,low\na,disease,\n")
    out = tmp_path / "m.yaml"
    done = CliRunner().invoke(
        command, ["convert", str(source), str(out), "--roles", str(tmp_path / "roles.csv")]
    )
    assert done.exit_code == 0, done.output
    model = as_scm(hickam.load(out))
    assert (model.diseases, model.findings) == (("a",), ("b",))
    assert model.nodes["b"].states[model.nodes["b"].off] == "low"
    plain = as_scm(hickam.load(source, guess=True))
    assert plain.nodes["b"].states[plain.nodes["b"].off] == "mid"  # the likeliest without a
    assert plain.guessed == Guessed(("a", "b"), ("b",))
    assert not model.guessed


UNCLEAR = (
    "network m {}\n"
    "variable a { type discrete [2] { no, yes }; }\n"
    "variable b { type discrete [3] { high, mid, low }; }\n"
    "variable c { type discrete [2] { red, green }; }\n"
    "probability ( a ) { table 0.9, 0.1; }\n"
    "probability ( b | a ) { (no) 0.1, 0.7, 0.2; (yes) 0.6, 0.2, 0.2; }\n"
    "probability ( c | a ) { (no) 0.3, 0.7; (yes) 0.9, 0.1; }\n"
)


@pytest.fixture
def unclear(tmp_path: Path) -> str:
    path = tmp_path / "m.bif"
    path.write_text(UNCLEAR)
    return str(path)


def test_what_is_not_clear_is_asked_with_a_roles_file_that_answers_it(unclear: str, tmp_path: Path):
    with pytest.raises(NotClear, match="which state of 'b', 'c' is normal"):
        hickam.load(unclear)
    for words in (["upgrade", unclear], ["diagnose", "-n", unclear, "--present", "b"]):
        refused = CliRunner().invoke(command, words)
        assert isinstance(refused.exception, NotClear)
    asked = refused.exception.template
    assert "b,finding,mid,low | mid | high,normal state and role" in asked.splitlines()
    (tmp_path / "roles.csv").write_text(asked.replace("b,finding,mid", "b,finding,high"))
    model = as_scm(hickam.load(unclear, roles=tmp_path / "roles.csv"))
    assert not model.guessed
    assert model.nodes["b"].states[model.nodes["b"].off] == "high"


def test_an_accepted_guess_is_said_with_every_answer(unclear: str, tmp_path: Path):
    words = ["-n", unclear, "--guess", "--present", "b=high"]
    said = "this rests on guessed roles (3 nodes) and guessed normal states (b, c)"
    for answer in (["diagnose", *words, "--json"], ["cure", *words, "--disease", "a"]):
        done = CliRunner().invoke(command, answer)
        assert done.exit_code == 0, done.output
        assert said in done.stderr
    case = hickam.Case(present=["b"])
    model = hickam.load(unclear, guess=True)
    assert said in hickam.infer(model, case).accuracy.notes
    assert said in hickam.query(model, {}, {}, {"a": "yes"}).notes
    out = tmp_path / "m.yaml"
    done = CliRunner().invoke(command, ["convert", unclear, str(out), "--guess"])
    assert done.exit_code == 0, done.output
    with pytest.raises(NotClear):
        hickam.load(out)  # a file that was guessed says so
    assert as_scm(hickam.load(out, guess=True)).guessed == as_scm(model).guessed


def test_headline_figures_name_the_guess_that_they_rest_on(unclear: str):
    found = upgrade(hickam.load(unclear, guess=True), cases=4)
    whole = found.to_dict()
    assert whole["headline"].startswith("Resting on guessed roles (3 nodes) and guessed normal")
    assert whole["headline"] in " ".join(" ".join(upgrade_lines(found)).split())
    assert whole["guessed"] == {"roles": ("a", "b", "c"), "normal": ("b", "c")}
    page = upgrade_page(found)
    assert page.count("by disablement, resting on guessed roles (3 nodes)") == 1
    roles = {"a": Part("disease"), "b": Part("finding", "mid"), "c": Part("finding", "red")}
    stated = upgrade(with_roles(hickam.load(unclear, guess=True), roles), cases=4)
    assert stated.headline.startswith("The first disease")
    assert "guess" not in upgrade_page(stated)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"nera": Part("finding")}, "did you mean 'near'"),
        ({"near": Part("doctor")}, "choose one of .risk factor"),
        ({"near": Part("finding", "never")}, "normal state of 'near' is 'never'"),
    ],
)
def test_a_wrong_role_is_refused_with_the_nearest(parts, message):
    with pytest.raises(InvalidInput, match=message):
        with_roles(model_of(NEARLY), parts)


def test_models_that_differ_in_a_normal_state_or_a_guess_have_another_hash(unclear: str):
    model = as_scm(hickam.load(unclear, guess=True))
    said = {name: Part(node.role, node.states[node.off]) for name, node in model.nodes.items()}
    other = {**said, "b": Part("finding", "high")}
    assert len({model.hash, with_roles(model, said).hash, with_roles(model, other).hash}) == 3


def test_a_roles_file_that_was_printed_is_read_back_whatever_the_names(tmp_path: Path):
    nodes = [
        {"id": "=cmd(a)", "role": "disease", "prior": 0.2},
        {"id": "size, cm", "role": "finding", "states": ["-2 to 0", "=1", "+9"],
         "parents": ["=cmd(a)"], "table": [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]},
    ]  # fmt: skip
    model = model_of(nodes)
    asked = template_of(model)
    assert "\n'=cmd(a),disease" in asked
    (tmp_path / "roles.csv").write_text(asked)
    found = with_roles(model, read_roles(tmp_path / "roles.csv"))
    assert not found.guessed
    assert {n.id: n.normal for n in found} == {n.id: n.normal for n in model}


def test_a_roles_file_speaks_of_an_embedded_model_too(tmp_path: Path):
    (first, *rest) = hickam.load("smoker").risk_factors
    (tmp_path / "roles.yaml").write_text(f"{first}: other\n")
    assert hickam.load("smoker", roles=tmp_path / "roles.yaml").risk_factors == tuple(rest)
