"""The first sheet of a spreadsheet file as plain rows.

A spreadsheet is a packed folder of XML, and a few bytes of it can stand for millions of cells. So
all of it is counted as it streams past, before the library that reads it builds anything.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import IO, Any
from warnings import catch_warnings
from xml.parsers import expat

from hickam.io.bounds import MOST_CELLS, MOST_ELEMENTS, MOST_ROWS, check_amount
from hickam.io.text import check_size, read_bytes
from hickam.issues import InvalidInput, invalid

Rows = list[tuple[int, list[Any]]]

LOCKED = b"\xd0\xcf\x11\xe0"  # how a sheet with a password starts, and one of an older Excel
XML = (".xml", ".rels", ".vml")
PIECE = 1 << 16  # bytes read at once


def read_spreadsheet(path: Path) -> Rows:
    """(number, cells) of the rows of the first sheet that hold anything, from row 1."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        fix = "install openpyxl, or save the sheet as CSV"
        raise invalid(f"file '{path}'", "is a spreadsheet", fix) from None
    content = read_bytes(path, "file")
    if content.startswith(LOCKED):
        what = "has a password, or is of an older Excel"
        raise invalid(f"file '{path}'", what, "save it as .xlsx without a password, or as CSV")
    try:
        _check_parts(io.BytesIO(content), f"file '{path}'")
        with catch_warnings(action="ignore"), redirect_stdout(io.StringIO()):  # it talks
            sheet = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
            sheet.reset_dimensions()  # what it says of its own size makes cells that are not there
            return list(_bounded(sheet.iter_rows(values_only=True), f"file '{path}'"))
    except InvalidInput:
        raise
    except Exception as bad:  # a damaged file can go wrong in any way
        raise invalid(f"file '{path}'", f"is not a readable spreadsheet: {bad}"[:200]) from None


def _check_parts(packed: IO[bytes], where: str) -> None:
    """Refuse a packed folder whose XML holds more than is read."""
    with zipfile.ZipFile(packed) as parts:
        check_size(sum(part.file_size for part in parts.infolist()), where)
        elements = 0
        for part in parts.infolist():
            if part.flag_bits & 1:
                raise invalid(where, "has a password", "save it without one")
            if part.filename.lower().endswith(XML):
                with parts.open(part) as stream:
                    elements = _count_elements(stream, elements, where)


def _count_elements(stream: IO[bytes], before: int, where: str) -> int:
    """The number of XML elements up to the end of one text; a document type is refused."""
    count = before

    def start(tag: str, attributes: object) -> None:
        nonlocal count
        count += 1
        check_amount(count, MOST_ELEMENTS, "XML elements", where, "save the sheet as CSV")

    def refuse(*_: object) -> None:
        raise invalid(where, "declares a document type", "save the sheet again")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    while piece := stream.read(PIECE):
        parser.Parse(piece)
    return count


def _bounded(rows: Any, where: str) -> Iterator[tuple[int, list[Any]]]:
    """The rows that hold anything, up to the most that are read."""
    cells = 0
    for number, row in enumerate(rows, 1):
        check_amount(number, MOST_ROWS, "rows", where)
        cells += len(row)
        check_amount(cells, MOST_CELLS, "cells", where)
        if any(cell is not None for cell in row):
            yield number, list(row)
