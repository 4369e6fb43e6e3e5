import itertools
import json
from pathlib import Path

import pytest

import hickam
from hickam.io.load import read_network
from hickam.io.network_text import read_text

YAML = """\
hickam: 1
name: Chest
risk_factors:
  - {id: smoker, prior: 0.2}
diseases:
  - id: copd
    leak: 1 in 200
    causes: {smoker: 0.12}
findings:
  - id: cough
    leak: 2e-2
    causes:
      copd: frequent
"""

SHEETS = {
    "network.csv": "key,value\nname,Chest\n",
    "risk_factors.csv": "id,prior\nsmoker,0.2\n",
    "diseases.csv": "id,leak\ncopd,1 in 200\n",
    "findings.csv": "id,leak\ncough,0.02\n",
    "links.csv": "cause,effect,probability\nsmoker,copd,0.12\ncopd,cough,frequent\n",
}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def sheets(folder: Path, **changes: str) -> Path:
    for name, text in SHEETS.items():
        write(folder, name, changes.get(name.removesuffix(".csv"), text))
    return folder


def test_yaml_json_and_sheets_hold_the_same_network(tmp_path):
    import yaml

    first = hickam.load(write(tmp_path, "a.yaml", YAML))
    document = yaml.safe_load(YAML)
    document["findings"][0]["leak"] = 0.02
    second = hickam.load(write(tmp_path, "a.json", json.dumps(document)))
    folder = tmp_path / "sheets"
    folder.mkdir()
    third = hickam.load(sheets(folder))
    assert first.hash == second.hash == third.hash


def test_an_issue_in_yaml_names_file_and_line(tmp_path):
    path = write(tmp_path, "bad.yaml", YAML.replace("copd: frequent", "cpd: frequent"))
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.load(path)
    assert str(caught.value).startswith(f"{path}:13: finding 'cough': cause 'cpd'")


def test_a_key_given_twice_is_reported_with_its_line(tmp_path):
    path = write(tmp_path, "bad.yaml", YAML + "      copd: rare\n")
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.load(path)
    assert str(caught.value) == f"{path}:14: key 'copd' is given twice; keep one of them"


def test_an_issue_in_a_sheet_names_the_sheet_and_line(tmp_path):
    folder = sheets(tmp_path, links=SHEETS["links.csv"] + "copd,cough,0.4\n")
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.load(folder)
    assert f"{folder}/links.csv:4: finding 'cough' lists the cause 'copd' twice" in str(
        caught.value
    )


def test_an_unknown_column_is_reported(tmp_path):
    folder = sheets(tmp_path, diseases="id,leek\ncopd,0.1\n")
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.load(folder)
    assert "column 'leek' is not known; did you mean 'leak'?" in str(caught.value)


def test_text_that_is_not_yaml_is_reported_with_its_line(tmp_path):
    path = write(tmp_path, "bad.yaml", "hickam: 1\nname: [unclosed\nfindings: }\n")
    _, issues = read_network(path)
    assert len(issues) == 1
    assert "is not readable" in str(issues[0])
    assert issues[0].line is not None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clinc", "did you mean 'clinic'"),
        ("nowhere/at/all.yaml", "is neither an embedded network nor a file"),
    ],
)
def test_a_network_that_does_not_exist_is_named(name, message):
    with pytest.raises(hickam.InvalidInput, match=message):
        hickam.load(name)


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(hickam.InvalidInput, match=r"has the ending '\.docx'"):
        hickam.load(write(tmp_path, "network.docx", "x"))


def test_aliases_that_multiply_without_end_are_refused():
    levels = "abcdefghij"
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in itertools.pairwise(levels)
    )
    _, issues = read_text(bomb, "bomb.yaml")
    assert "aliases that expand to far more" in str(issues[0])


def test_anchors_and_aliases_can_be_used():
    text = YAML.replace("leak: 1 in 200", "leak: &low 0.02").replace("leak: 2e-2", "leak: *low")
    network, issues = read_text(text, "x.yaml")
    assert issues == []
    assert network.disease_leak.tolist() == network.finding_leak.tolist() == [0.02]


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "\0", "a: !!python/object:x 1", "%"])
@pytest.mark.parametrize("file", ["x.yaml", "x.json"])
def test_text_that_is_hostile_is_refused_politely(text, file):
    network, issues = read_text(text, file)
    assert network is None
    assert issues
