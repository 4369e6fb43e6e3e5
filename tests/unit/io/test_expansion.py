"""What a small file expands to is bounded, and the bound is said.

Files are read in a process that may take only so much memory: growth is a failure.
"""

import gzip
import json
import subprocess
import sys
import zipfile

import pytest

ROOM = 1_000_000_000  # bytes of address space beyond what a new process has mapped
READER = """
import json, resource, sys
import numpy, pyarrow.parquet, openpyxl, hickam
from pathlib import Path
from hickam.io import cases
from hickam.io.cases import read_cases, read_rows
from hickam.io.experts import read_experts
from hickam.io.load import read_network
from hickam.io.record_rows import record_rows
from hickam.io.bounds import held_bytes
room = held_bytes() + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (room, room))
for question in sys.stdin:
    reading, path = json.loads(question)
    try:
        answer = str(eval(reading, globals(), {"path": Path(path)}))
    except hickam.InvalidInput as bad:
        answer = str(bad)
    print(json.dumps(answer), flush=True)
"""
NETWORK = "list(map(str, read_network(path)[1]))"
EXPERTS = "len(read_experts(path).rows)"
CASES = "(len((read := read_cases(path))[0]), list(map(str, read[1])))"
RECORDS = "sum(1 for _ in record_rows(path))"
ROWS = "sum(1 for _ in read_rows(path))"


@pytest.fixture(scope="module")
def reader():
    program = [sys.executable, "-c", READER, str(ROOM)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        yield it
        it.stdin.close()


@pytest.fixture
def said(reader):
    """What the reader of limited memory says of a file; it must not end."""

    def ask(path, reading):
        reader.stdin.write(json.dumps([reading, str(path)]) + "\n")
        reader.stdin.flush()
        answer = reader.stdout.readline()
        assert answer, "the reader ended"
        return json.loads(answer)

    return ask


def workbook(path, sheet, strings="", first="", **more):
    """An .xlsx file around one sheet's XML."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}.sharedStrings+xml"/>'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}"><sheets>'
        '<sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/sharedStrings.xml": f"{first}<sst {main}>{strings}</sst>",
        "xl/worksheets/sheet1.xml": f"{first}<worksheet {main}>{sheet}</worksheet>",
        **more,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return path


def row(*cells, number=1):
    texts = "".join(
        f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for place, cell in enumerate(cells)
    )
    return f'<row r="{number}">{texts}</row>'


HEADER = row("disease", "finding", "probability")
FAR = '<c r="XFD{0}"><v>1</v></c>'
SHEETS = {
    "a far cell": (
        f'<dimension ref="A1:XFD1048576"/><sheetData>{HEADER}{row("flu", "cough", 0.5, number=2)}'
        f'<row r="1000000">{FAR.format(1000000)}</row></sheetData>',
        "",
    ),
    "a row beyond all": (
        f'<sheetData>{HEADER}<row r="999999999999"><c r="A999999999999"><v>1</v></c></row>'
        "</sheetData>",
        "1,000,000 rows",
    ),
    "a million empty rows": (
        f"<sheetData>{HEADER}{'<row/>' * 300_000}</sheetData>",
        "",
    ),
    "wide rows": (
        "<sheetData>"
        + HEADER
        + "".join(f'<row r="{n}">{FAR.format(n)}</row>' for n in range(2, 1000))
        + "</sheetData>",
        "5,000,000 cells",
    ),
    "many cells": (
        f"<sheetData>{HEADER}<row>{'<c><v>1</v></c>' * 2_000_000}</row></sheetData>",
        "2,000,000 XML elements",
    ),
}


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("reading", [NETWORK, EXPERTS])
def test_a_sheet_is_read_or_refused_with_its_bound(name, reading, said, tmp_path):
    sheet, bound = SHEETS[name]
    answer = said(workbook(tmp_path / "a.xlsx", sheet), reading)
    if bound:
        assert bound in answer
    else:
        assert "more than" not in answer


def test_shared_strings_are_counted(said, tmp_path):
    strings = "<si><t>x</t></si>" * 1_500_000
    path = workbook(tmp_path / "a.xlsx", f"<sheetData>{HEADER}</sheetData>", strings)
    assert "2,000,000 XML elements" in said(path, EXPERTS)


def test_long_comments_are_counted(said, tmp_path):
    more = {"xl/comments1.xml": f"<comments>{'<t>'}{'x' * 101_000_000}</t></comments>"}
    path = workbook(tmp_path / "a.xlsx", f"<sheetData>{HEADER}</sheetData>", **more)
    assert "100,000,000" in said(path, EXPERTS)


def test_entities_in_a_sheet_are_refused(said, tmp_path):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>'
    path = workbook(tmp_path / "a.xlsx", f"<sheetData>{HEADER}</sheetData>", first=bomb)
    assert "declares a document type" in said(path, EXPERTS)


def test_a_sheet_with_a_password_is_named_as_such(said, tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert "has a password" in said(path, NETWORK)
    workbook(path, f"<sheetData>{HEADER}</sheetData>")
    packed = bytearray(path.read_bytes())
    for mark, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = packed.find(mark)
        while at >= 0:
            packed[at + flag] |= 1
            at = packed.find(mark, at + 1)
    path.write_bytes(packed)
    assert "has a password" in said(path, NETWORK)


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9, 0.99])
def test_a_damaged_sheet_is_our_error(kept, said, tmp_path):
    whole = workbook(tmp_path / "a.xlsx", f"<sheetData>{HEADER}</sheetData>").read_bytes()
    path = tmp_path / "b.xlsx"
    path.write_bytes(whole[: int(kept * len(whole))])
    assert "is not a readable spreadsheet" in said(path, NETWORK)


def test_default_values_of_attributes_are_bounded(said, tmp_path):
    path = tmp_path / "a.xml"
    text = f"<!DOCTYPE BIF [<!ATTLIST X a CDATA '{'x' * 500_000}'>]><BIF>{'<X/>' * 100_000}</BIF>"
    path.write_text(text, encoding="utf-8")
    assert "declares too much about attributes" in said(path, NETWORK)
    names = "".join(f"<!ATTLIST X a{n} CDATA ''>" for n in range(50_000))
    path.write_text(f"<!DOCTYPE BIF [{names}]><BIF>{'<X/>' * 50_000}</BIF>", encoding="utf-8")
    assert "declares too much about attributes" in said(path, NETWORK)


def table(path, rows, **columns):
    import pyarrow as pa
    from pyarrow.parquet import write_table

    made = {}
    for name, text in columns.items():
        keys = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))
        offsets = pa.array(range(rows + 1), pa.int32())
        made[name] = pa.ListArray.from_arrays(offsets, keys) if name != "id" else keys
    write_table(pa.table(made), path, compression="zstd")
    return path


@pytest.mark.parametrize("reading", [CASES, RECORDS, ROWS])
def test_one_long_text_in_every_row_is_not_written_out(reading, said, tmp_path):
    path = table(tmp_path / "a.parquet", 5_000, id="x", present="x" * 11_000_000)
    assert path.stat().st_size < 10_000
    assert "10,000,000" in said(path, reading)


def test_long_rows_that_are_read_one_by_one_stay_few(said, tmp_path):
    path = table(tmp_path / "a.parquet", 2_000, id="x", present="x" * 1_000_000)
    assert said(path, ROWS) == "2000"
    assert "300,000,000 characters" in said(path, CASES)


def test_more_rows_than_fit_are_refused_where_all_are_held(said, tmp_path):
    path = table(tmp_path / "a.parquet", 20_000, id="x")
    assert path.stat().st_size < 5_000
    assert "more than the 10,000 rows" in said(
        path, f"setattr(cases, 'MOST_ROWS', 10_000) or {CASES}"
    )
    assert said(path, ROWS) == "20000"


@pytest.mark.parametrize(("ending", "reading"), [("jsonl.gz", CASES), ("csv.gz", RECORDS)])
def test_a_packed_line_without_end_is_not_held(ending, reading, said, tmp_path):
    path = tmp_path / f"a.{ending}"
    with gzip.open(path, "wb", 1) as out:
        out.write(b'{"id": "')
        for _ in range(60):
            out.write(b"x" * 10_000_000)
        out.write(b'"}\n' + json.dumps({"present": ["cough"]}).encode() + b"\n")
    assert "10,000,000" in said(path, reading)


def test_the_line_behind_one_that_is_too_long_is_a_case(said, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("x" * 25_000_000 + '\n{"present": ["cough"]}\n', encoding="utf-8")
    answer = said(path, CASES)
    assert answer.startswith("(1, [")
    assert answer.count("10,000,000") == 1


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.95])
def test_a_damaged_parquet_file_is_our_error(kept, said, tmp_path):
    whole = table(tmp_path / "a.parquet", 100, id="x").read_bytes()
    path = tmp_path / "b.parquet"
    path.write_bytes(whole[: int(kept * len(whole))])
    assert "cannot be read as Parquet" in said(path, CASES)
