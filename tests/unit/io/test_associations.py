"""Tables of diseases and what they cause, as people keep them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hickam
from hickam.io.load import read_network
from hickam.issues import InvalidInput
from hickam.model.kinds import as_network

LONG = """Disease,Symptom,Probability,Prior,Leak
Flu,Fever,0.8,0.02,0.01
Flu,Cough,60 %,0.02,
Depression,Low mood,0.9,1 in 20,0.05
Flu,Depression,0.1,,
"""


def network_of(folder: Path, name: str, text: str):
    (folder / name).write_text(text, encoding="utf-8")
    model, issues = read_network(folder / name)
    return (None if model is None else as_network(model)), issues


def link(network, disease: str, finding: str) -> float:
    d, f = network.index[disease], network.index[finding]
    for i in network.effects.of_effect(f):
        if network.effects.cause[i] == d:
            return float(network.effects.acts[i])
    return 0.0


def test_a_row_for_each_pair_becomes_a_link(tmp_path):
    network, issues = network_of(tmp_path, "t.csv", LONG)
    assert network.diseases == ("flu", "depression")
    assert network.findings == ("fever", "cough", "low_mood", "depression_finding")
    assert link(network, "flu", "fever") == 0.8
    assert link(network, "flu", "cough") == 0.6
    assert link(network, "flu", "depression_finding") == 0.1
    assert network.disease_leak.tolist() == [0.02, 0.05]
    assert network.finding_leak.tolist() == [0.01, 0.01, 0.05, 0.01]
    assert [str(issue.where) for issue in issues] == ["the leaks"]


def test_a_disease_and_a_finding_of_one_name_stay_apart(tmp_path):
    network, _ = network_of(tmp_path, "t.csv", LONG)
    assert network.label("depression") == network.label("depression_finding") == "Depression"


def test_a_list_in_a_cell_is_read_and_the_defaults_are_said(tmp_path):
    listed = "pain (0.318), swelling (of legs) (0.1); fever (5 %)"
    text = f'Diseases,Symptoms\nabscess,"{listed}"\nflu,fever (0.5)\n'
    network, issues = network_of(tmp_path, "t.csv", text)
    assert network.findings == ("pain", "swelling_of_legs", "fever")
    assert link(network, "abscess", "fever") == pytest.approx(0.05)
    assert network.disease_leak.tolist() == [0.5, 0.5]
    said = " ".join(map(str, issues))
    assert "1 in 2 is taken" in said
    assert "0.01 is taken" in said


@pytest.mark.parametrize(
    "document",
    [
        {"flu": [["fever", 0.8], ["cough", 0.6]]},
        {"flu": {"fever": 0.8, "cough": 0.6}},
        {"diseases": {"flu": [["fever", 0.8], ["cough", 0.6]]}, "subsets": {}},
    ],
)
def test_diseases_with_pairs_in_json_are_read(document, tmp_path):
    network, _ = network_of(tmp_path, "t.json", json.dumps(document))
    assert (network.diseases, network.findings) == (("flu",), ("fever", "cough"))


def test_a_spreadsheet_is_read_like_the_same_table(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in LONG.splitlines():
        book.active.append(line.split(","))
    book.save(tmp_path / "t.xlsx")
    plain, _ = network_of(tmp_path, "t.csv", LONG)
    assert as_network(hickam.load(tmp_path / "t.xlsx")).hash == plain.hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LONG.replace("0.8", "1.8"), r"t\.csv:2: .*1\.8"),
        (LONG.replace("Flu,Cough", "Flu,Fever"), "has 0.8 and 60 %; keep one"),
        (LONG.replace("Flu,Cough", ",Cough"), r"t\.csv:3: a row has no disease"),
        ("Disease,Symptom\nflu,fever\n", "has no numbers"),
        ("a,b\n1,2\n", "names no known column"),
        ("Disease,Symptom,Probability\n", "has no rows"),
        (LONG.replace("Probability", "Probabilty"), "did you mean 'probability'"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(text, message, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        hickam.load(tmp_path / "t.csv")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", b"\x00" * 9])
def test_what_is_no_spreadsheet_is_refused(content, tmp_path):
    pytest.importorskip("openpyxl")
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(InvalidInput, match="is not a readable spreadsheet"):
        hickam.load(tmp_path / "t.xlsx")


def test_every_kind_of_problem_is_named_at_once(tmp_path):
    text = "disease,finding,probability\nflu,fever,0.9\nflu,,0.3\ncold,cough,1.7\ncold,fever,abc\n"
    network, issues = network_of(tmp_path, "t.csv", text)
    assert network is None
    assert sorted(issue.line for issue in issues) == [3, 4, 5]
