"""Sheets as spreadsheet programs leave them are read, or refused by one message with the cause."""

import pytest

import hickam
from hickam.io.load import read_network

ROWS = {
    "network": [["key", "value"], ["name", "Chest"]],
    "risk_factors": [["id", "name", "prior"], ["smoker", "Café smoker", "0.2"]],
    "diseases": [["id", "leak", "treatment_cost"], ["copd", "0.005", "2.5"]],
    "findings": [["id", "leak"], ["cough", "2 %"]],
    "links": [
        ["cause", "effect", "probability"],
        ["smoker", "copd", "0.12"],
        ["copd", "cough", "0.7"],
    ],
}


def text_of(rows, mark=",", decimal=".", **_):
    lines = [rows[0]] + [
        [cell.replace(".", decimal) if cell[:1].isdigit() else cell for cell in row]
        for row in rows[1:]
    ]
    return "\r\n".join(mark.join(row) for row in lines) + "\r\n"


def folder_of(folder, change=lambda text: text, encoding="utf-8", **how):
    folder.mkdir(exist_ok=True)
    for name, rows in ROWS.items():
        text = change(text_of(rows, **how))
        (folder / f"{name}.csv").write_bytes(text.encode(encoding))
    return folder


@pytest.fixture
def plain(tmp_path):
    return hickam.load(folder_of(tmp_path / "plain"))


@pytest.mark.parametrize(
    "how",
    [
        {"mark": ";", "decimal": ","},
        {"mark": "\t", "decimal": ","},
        {"mark": ";"},
        {"encoding": "utf-8-sig"},
        {"encoding": "utf-16", "mark": "\t"},
        {"change": lambda text: "sep=;\r\n" + text, "mark": ";", "decimal": ","},
        {"change": lambda text: text.replace("id,", "ID,").replace("leak", " Leak ")},
        {"change": lambda text: text.replace("treatment_cost", "Treatment Cost")},
        {"change": lambda text: text.replace("\r\n", ",,\r\n")},
        {"change": lambda text: text + ",,,\r\n\r\n"},
        {"change": lambda text: text.replace("\r\n", "\n")},
    ],
)
def test_a_sheet_of_a_spreadsheet_program_is_read_as_it_is(tmp_path, plain, how):
    network, issues = read_network(folder_of(tmp_path / "sheets", **how))
    assert issues == []
    assert network.hash == plain.hash


def test_windows_1252_is_read_with_a_warning(tmp_path, plain):
    network, issues = read_network(folder_of(tmp_path / "sheets", encoding="cp1252"))
    assert network.hash == plain.hash
    assert [issue.what for issue in issues] == ["is not UTF-8: read as Windows-1252"]
    assert issues[0].file.endswith("risk_factors.csv")


def refused(folder):
    network, issues = read_network(folder)
    assert network is None
    return [str(issue).removeprefix(f"{folder}/") for issue in issues if issue.level == "error"]


def test_decimal_commas_between_commas_are_one_message(tmp_path):
    folder = folder_of(tmp_path / "sheets")
    lines = ["cause,effect,probability", "smoker,copd,0,12", "copd,cough,0,7"]
    (folder / "links.csv").write_text("\n".join(lines))
    (message,) = refused(folder)
    assert message.startswith("links.csv:2: the sheet: 2 rows have more cells than the header")
    assert "decimal points" in message


def test_a_header_that_is_none_is_one_message(tmp_path):
    folder = folder_of(tmp_path / "sheets")
    (folder / "links.csv").write_text("smoker,copd,0.12\ncopd,cough,0.7\n")
    messages = [m for m in refused(folder) if m.startswith("links.csv")]
    assert len(messages) == 1
    assert "names no known column" in messages[0]


def test_a_column_without_a_name_is_one_message(tmp_path):
    folder = folder_of(tmp_path / "sheets")
    (folder / "findings.csv").write_text("id,leak,\ncough,0.02,mine\n")
    (message,) = refused(folder)
    assert message.startswith("findings.csv:2: the sheet: a row has more cells")


def test_a_tab_in_yaml_is_named_as_the_cause(tmp_path):
    path = tmp_path / "n.yaml"
    path.write_text("hickam: 1\ndiseases:\n\t- {id: flu}\n")
    network, issues = read_network(path)
    assert network is None
    assert [str(issue) for issue in issues] == [
        f"{path}:3: the line is indented with a tab; indent with spaces"
    ]


def test_a_decimal_comma_in_a_flow_mapping_of_yaml_is_named_as_the_cause(tmp_path):
    path = tmp_path / "n.yaml"
    path.write_text(
        "hickam: 1\ndiseases: [{id: flu, leak: 0.1}]\n"
        "findings:\n  - {id: fever, leak: 0.1, causes: {flu: 0,12}}\n"
    )
    (message,) = [str(i) for i in read_network(path)[1] if i.level == "error"]
    assert message.startswith(f"{path}:4: finding 'fever' has a decimal comma before 12")
