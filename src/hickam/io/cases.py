"""Many cases: JSON Lines and Parquet with the same fields in both, and phenopackets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hickam.evidence.case import Case
from hickam.io.bounds import LONGEST_LINE, MOST_HELD, MOST_ROWS, check_amount
from hickam.io.case_document import case_from, document_of
from hickam.io.case_files import (
    DOCUMENTS,
    UNREADABLE,
    bounded_lines,
    document_files,
    is_document,
    opened,
    read_document,
)
from hickam.io.documents import parse
from hickam.io.parquet import batches
from hickam.io.phenopackets import is_phenopacket, packets_in, read_packet
from hickam.issues import InvalidInput, Issue, Kind, error, invalid

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = ".parquet"
AT_ONCE = 5_000  # rows of Parquet
TEXT_SUFFIXES = (".jsonl", ".ndjson")
ENDINGS = (PARQUET, *TEXT_SUFFIXES, ".jsonl.gz", ".ndjson.gz", *DOCUMENTS)


class Row(NamedTuple):
    """One case of a file or folder, not yet read, or the issue in its place."""

    number: int  # from 1
    content: dict[str, Any] | Issue
    file: str
    line: int | None = None

    def placed(self, issue: Issue) -> Issue:
        """An issue with the place of the row."""
        return replace(issue, file=self.file, line=issue.line or self.line)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of JSON Lines, Parquet, one JSON document or a folder of those."""
    check_cases(path)
    if path.is_dir() or is_document(path):
        yield from document_rows(path)
    elif path.name.lower().endswith(PARQUET):
        yield from _parquet_rows(path)
    else:
        yield from _line_rows(path)


def check_cases(path: Path) -> None:
    """Refuse a file of cases that is not there or has an unknown ending."""
    try:
        exists = path.is_dir() if not path.name else path.exists()
    except (OSError, ValueError):  # a name that no file can have
        exists = False
    if not exists:
        raise invalid(f"file '{str(path)[:200]}'", "does not exist")
    if path.is_dir() and not document_files(path):
        raise invalid(f"folder '{path}'", "holds no file that ends in .json", "name another one")
    if not path.is_dir() and not path.name.lower().endswith(ENDINGS):
        what = f"has the ending '{path.suffix}'"
        raise invalid(f"file '{path}'", what, f"use {', '.join(ENDINGS)} or a folder of .json")


def _line_rows(path: Path) -> Iterator[Row]:
    """The rows of a JSON Lines file, compressed or not."""
    try:
        with opened(path) as file:
            for number, line in enumerate(bounded_lines(file), 1):
                if line.strip():
                    row = Row(number, json_row(line), str(path), number)
                    if isinstance(row.content, Issue):
                        row = row._replace(content=row.placed(row.content))
                    yield row
    except UNREADABLE as bad:
        raise invalid(f"file '{path}'", f"cannot be read: {bad}") from None


def document_rows(path: Path) -> Iterator[Row]:
    """The patients of one JSON document, or of every one below a folder."""
    number = 0
    for file in document_files(path):
        try:
            found = list(packets_in(read_document(file)))
        except InvalidInput as bad:
            number += 1
            yield Row(number, replace(bad.issues[0], file=str(file)), str(file))
            continue
        for content in found:
            number += 1
            if isinstance(content, dict):
                yield Row(number, content, str(file))
            else:
                issue = error("the document", "is no patient", "write {…}")
                yield Row(number, replace(issue, file=str(file)), str(file))


def json_row(line: bytes) -> dict[str, Any] | Issue:
    """One line of JSON as plain values, or what is wrong with it."""
    if len(line) >= LONGEST_LINE:
        what = f"is longer than the {LONGEST_LINE:,} bytes that are read"
        return error("the line", what, kind=Kind.TOO_LARGE)
    try:
        row, issues = parse(line.decode("utf-8-sig"), "", as_json=True)
    except UnicodeDecodeError:
        return error("the line", "is not UTF-8 text", "save the file as UTF-8")
    except InvalidInput as bad:
        return replace(bad.issues[0], file=None, line=None, where="the line")
    if issues:
        return replace(issues[0], file=None, line=None)
    if isinstance(row, dict):
        return row
    return error("the line", "is not an object", 'write {"id": …, "present": […]}')


def _parquet_rows(path: Path) -> Iterator[Row]:
    """The rows of a Parquet file."""
    rows = (row for batch in batches(path, AT_ONCE) for row in batch.to_pylist())
    for number, row in enumerate(rows, 1):
        yield Row(number, row, str(path), number)


def rows_in_memory(path: Path) -> Iterator[Row]:
    """The rows of a file that is small enough to be held as a whole."""
    held = 0
    for row in read_rows(path):
        held += _characters(row.content)
        check_amount(row.number, MOST_ROWS, "rows", f"file '{path}'")
        check_amount(held, MOST_HELD, "characters", f"file '{path}'")
        yield row


def _characters(value: Any) -> int:
    """How many characters the texts in a plain value have together."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_characters, value)) + sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, (list, tuple)) else 0


def read_cases(path: Path | str) -> tuple[list[Case], list[Issue]]:
    """The cases of a file or folder that can be read, and every issue with its place."""
    path = Path(path)
    cases, issues = [], []
    for row in rows_in_memory(path):
        if isinstance(row.content, Issue):
            issues.append(row.content)
            continue
        where = f"case '{row.content.get('id') or row.number!s:.60}'"
        try:
            if is_phenopacket(row.content):
                packet, found = read_packet(row.content, where)
                case = packet.to_case()
            else:
                case, found = case_from(row.content, where), []
            cases.append(case)
        except InvalidInput as bad:
            found = bad.issues
        issues += [row.placed(issue) for issue in found]
    return cases, issues


def case_fields() -> list[pa.Field]:
    """The Parquet columns of a case."""
    import pyarrow as pa

    text = pa.string()
    return [
        pa.field("id", text),
        pa.field("present", pa.list_(text)),
        pa.field("absent", pa.list_(text)),
        pa.field("risks", pa.map_(text, pa.bool_())),
        pa.field("likelihoods", pa.map_(text, pa.float64())),
        pa.field("categories", pa.map_(text, text)),
        pa.field("sex", text),
        pa.field("age", pa.float64()),
        pa.field("notes", text),
    ]


def write_cases(path: Path | str, cases: Iterable[Case]) -> None:
    """Write cases as JSON Lines or Parquet, by the ending of the path."""
    write_rows(Path(path), map(document_of, cases), case_fields)


def write_rows(path: Path, rows: Iterable[dict[str, Any]], fields: Any, size: int = 10_000) -> None:
    """Write plain rows as JSON Lines, or as Parquet with the given fields and row-group size."""
    if path.suffix.lower() in TEXT_SUFFIXES:
        with path.open("w", encoding="utf-8") as out:
            for row in rows:
                said = {key: value for key, value in row.items() if value not in (None, "", [], {})}
                out.write(json.dumps(said, ensure_ascii=False) + "\n")
    elif path.suffix.lower() == PARQUET:
        _write_parquet(path, rows, fields(), size)
    else:
        fix = f"use {PARQUET}, {' or '.join(TEXT_SUFFIXES)}"
        raise invalid(f"file '{path}'", f"has the ending '{path.suffix}'", fix)


def _write_parquet(path: Path, rows: Iterable[dict[str, Any]], fields: Any, size: int) -> None:
    """Write rows to Parquet in groups, so that a large file never has to fit in memory."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema(fields)
    with ParquetWriter(path, schema) as out:
        group: list[dict[str, Any]] = []
        for row in rows:
            group.append(row)
            if len(group) == size:
                out.write_table(pa.Table.from_pylist(group, schema=schema))
                group = []
        out.write_table(pa.Table.from_pylist(group, schema=schema))
