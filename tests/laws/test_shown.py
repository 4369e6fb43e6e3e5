"""What a terminal or a spreadsheet is given does nothing there, and is read back as it was."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hickam
from hickam.evidence.case import Case
from hickam.exports import record_of
from hickam.io.csv_sheet import csv_line
from hickam.io.records import read_records
from hickam.io.roles_file import read_roles, template_of
from hickam.io.write_records import write_records
from hickam.issues import error, printable
from hickam.learn.numbers import numbers_of
from hickam.learn.simulate import simulate_records
from hickam.model.kinds import as_scm
from hickam.report.plain import to_json
from hickam.report.table import to_tsv
from hickam.report.terminal import Terminal
from hickam.words import FORMULA, NUMBER, guarded, unguarded

PIECES = st.sampled_from(
    ["=", "+", "-", "@", "'", "\t", "\r", "\n", "\x1b[31m", "\x9b2J", "\u202e", "\u2028", "\x07",
     "a", "é", "流", "\u00a0", ",", ";", '"', "1", "0.5", " ", "|", "HYPERLINK(1)"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=6).map("".join)
# names of a file: something to see at both ends, or a reader takes the space away
NAMES = st.builds(lambda inner, end: f"{inner}{end}".lstrip(), TEXTS, st.sampled_from("xyz"))


@given(TEXTS)
@example("'=1")
@example("''-x")
@example("-5")
@example("'-5")
def test_a_guarded_cell_is_no_formula_and_reads_back(text):
    cell = guarded(text)
    assert NUMBER.fullmatch(cell) or cell[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n")
    assert unguarded(cell) == text
    assert cell == text or FORMULA.match(text)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_line_of_csv_is_one_row_that_reads_back(cells):
    (row,) = csv.reader(io.StringIO(csv_line(cells) + "\r\n", newline=""))
    assert [unguarded(cell) for cell in row] == cells


@given(TEXTS, TEXTS)
def test_what_is_shown_is_one_line_that_only_shows(text, other):
    for shown in (printable(text), str(error(text, other, text))):
        assert not any(mark in shown for mark in "\n\r\t\x1b\x9b\u202e\u2028\x07")
    terminal = Terminal(40, colours=True)
    lines = terminal.table(("name", "n"), [[[(text, "")], [(other, "red")]]], right=1, fold=0)
    for line in (*lines, *terminal.paragraph(text, "bold"), terminal.paint(text, "red")):
        bare = line
        for style in (0, 1, 31):
            bare = bare.replace(f"\x1b[{style}m", "")
        assert not any(mark in bare for mark in "\n\r\t\x1b\x9b\u202e\u2028\x07")


@given(TEXTS, TEXTS)
def test_json_shows_only_what_can_be_seen_and_says_the_same(key, value):
    text = to_json({key: [value]})
    assert not any(mark in text for mark in "\r\t\x1b\x9b\u202e\u2028\x07")
    assert json.loads(text) == {key: [value]}


def network(names: list[str], source: str) -> hickam.Network:
    """A network of three nodes with these names, which are ids as well."""
    risk, disease, finding = names
    return hickam.from_dict({
        "hickam": 1, "name": "n",
        "risk_factors": [{"id": risk, "prior": 0.3, "group": source}],
        "diseases": [{"id": disease, "leak": 0.2, "causes": {risk: 0.3}, "source": source}],
        "findings": [{"id": finding, "leak": 0.1, "causes": {disease: 0.5}}],
    })  # fmt: skip


THREE = st.lists(NAMES, min_size=3, max_size=3, unique_by=lambda n: " ".join(n.casefold().split()))


def told(model: hickam.Network) -> list[tuple[object, ...]]:
    """Every text of a network that a file holds."""
    entries = [model.entries[node] for node in model.index]
    return [(one.id, one.name, one.group, one.source) for one in entries]


@settings(max_examples=150, deadline=None)
@given(THREE, NAMES)
def test_sheets_of_a_network_read_back(tmp_path_factory, names, source):
    model = network(names, source)
    folder = tmp_path_factory.mktemp("sheets") / "n"
    hickam.save(model, folder)
    for path in folder.glob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline="")):
            for cell in row:
                assert NUMBER.fullmatch(cell) or cell[:1] not in ("=", "+", "-", "@", "\t", "\r")
    again = hickam.load(folder)
    assert told(again) == told(model)
    assert again.effects.acts.tolist() == model.effects.acts.tolist()


@settings(max_examples=150, deadline=None)
@given(THREE)
def test_records_and_roles_read_back(tmp_path_factory, names):
    model = network(names, "estimate")
    records = simulate_records(numbers_of(model), 20, np.random.default_rng(0))
    folder = tmp_path_factory.mktemp("records")
    write_records(model, records, folder / "r.csv")
    found = read_records(model, folder / "r.csv").records
    assert found.risks.tolist() == records.risks.tolist()
    assert found.findings.tolist() == records.findings.tolist()
    assert len(found) == 20
    (folder / "roles.csv").write_bytes(template_of(as_scm(model)).encode())
    assert set(read_roles(folder / "roles.csv")) == set(names)


@settings(max_examples=30, deadline=None)
@given(THREE)
def test_the_table_of_an_answer_has_its_rows_and_columns(names):
    model = network(names, "estimate")
    case = Case(present=[names[2]])
    text = to_tsv(record_of(model, case, hickam.diagnose(model, case)))
    rows = [line.split("\t") for line in text.removesuffix("\n").split("\n") if line[:1] != "!"]
    assert len(rows) == 2
    assert len(rows[0]) == len(rows[1])
    assert unguarded(rows[1][1]) == printable(names[1])
