"""Many cases in one file: JSON Lines and Parquet, the same fields in both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hickam.evidence.case import Case
from hickam.io.case_document import case_from, document_of
from hickam.issues import InvalidInput, Issue, error, invalid

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_SUFFIXES = (".jsonl", ".ndjson")


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | Issue]]:
    """(1-based line or row, plain values or the issue) of a JSON Lines or Parquet file."""
    if not path.exists():
        raise invalid(f"file '{path}'", "does not exist")
    if path.suffix == ".parquet":
        from pyarrow.parquet import ParquetFile

        number = 0
        with ParquetFile(path) as file:
            for batch in file.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    elif path.suffix in TEXT_SUFFIXES:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _json_row(line, number, path)
    else:
        fix = f"use .parquet, {' or '.join(TEXT_SUFFIXES)}"
        raise invalid(f"file '{path}'", f"has the ending '{path.suffix}'", fix)


def _json_row(line: str, number: int, path: Path) -> dict[str, Any] | Issue:
    """One line of JSON, or what is wrong with it."""
    try:
        row = json.loads(line)
    except ValueError as bad:
        issue = error(f"line {number}", f"is not JSON: {bad}")
        return replace(issue, file=str(path), line=number)
    if isinstance(row, dict):
        return row
    issue = error(f"line {number}", "is not an object", 'write {"id": …, "present": […]}')
    return replace(issue, file=str(path), line=number)


def read_cases(path: Path | str) -> tuple[list[Case], list[Issue]]:
    """The cases of a JSON Lines or Parquet file that can be read, and every issue with its line."""
    path = Path(path)
    cases, issues = [], []
    for number, row in read_rows(path):
        if isinstance(row, Issue):
            issues.append(row)
            continue
        try:
            cases.append(case_from(row, f"case '{row.get('id') or number!s:.60}'"))
        except InvalidInput as bad:
            issues += [replace(issue, file=str(path), line=number) for issue in bad.issues]
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
    if path.suffix in TEXT_SUFFIXES:
        with path.open("w", encoding="utf-8") as out:
            for row in rows:
                said = {key: value for key, value in row.items() if value not in (None, "", [], {})}
                out.write(json.dumps(said, ensure_ascii=False) + "\n")
    elif path.suffix == ".parquet":
        _write_parquet(path, rows, fields(), size)
    else:
        fix = f"use .parquet, {' or '.join(TEXT_SUFFIXES)}"
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
