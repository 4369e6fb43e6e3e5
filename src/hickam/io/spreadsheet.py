"""The first sheet of a spreadsheet file as plain rows."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hickam.io.text import check_size, read_bytes
from hickam.issues import InvalidInput, invalid

MOST_ROWS = 1_000_000


def read_spreadsheet(path: Path) -> list[list[Any]]:
    """The cells of the first sheet, row by row."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        fix = "install openpyxl, or save the sheet as CSV"
        raise invalid(f"file '{path}'", "is a spreadsheet", fix) from None
    try:
        with zipfile.ZipFile(io.BytesIO(content := read_bytes(path, "file"))) as packed:
            check_size(sum(part.file_size for part in packed.infolist()), f"file '{path}'")
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(values_only=True)
        return [list(row) for row in _bounded(rows, path)]
    except InvalidInput:
        raise
    except (
        zipfile.BadZipFile,
        OSError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        EOFError,
        AttributeError,
        SyntaxError,
    ) as bad:
        raise invalid(f"file '{path}'", f"is not a readable spreadsheet: {bad}"[:200]) from None


def _bounded(rows: Any, path: Path) -> Iterator[Any]:
    """The rows, up to the most that are read."""
    for number, row in enumerate(rows):
        if number > MOST_ROWS:
            raise invalid(f"file '{path}'", f"has more than {MOST_ROWS:,} rows", "split it")
        yield row
