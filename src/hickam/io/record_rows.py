"""Rows of a table of records: CSV, Parquet or JSON Lines, one after the other."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

from hickam.io.bounds import LONGEST_LINE, too_large
from hickam.io.case_files import UNREADABLE, bounded_lines
from hickam.io.case_files import opened as _raw
from hickam.io.cases import AT_ONCE, PARQUET, TEXT_SUFFIXES, read_rows
from hickam.io.csv_sheet import DELIMITERS
from hickam.io.parquet import batches
from hickam.issues import Issue, error, invalid
from hickam.words import unguarded

CSV = (".csv", ".tsv", ".txt")
ENDINGS = (*CSV, PARQUET, *TEXT_SUFFIXES)
MOST_COLUMNS = 100_000


class RecordRow(NamedTuple):
    """One record as it stands in the file, or the issue in its place."""

    line: int
    keys: tuple[str, ...]
    values: Sequence[Any]
    issue: Issue | None = None


def record_rows(path: Path) -> Iterator[RecordRow]:
    """The rows of a file of records, by its ending; nothing is kept in memory."""
    name = path.name.lower().removesuffix(".gz")
    try:
        there = path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        there = False
    if not there:
        raise invalid(f"file '{str(path)[:200]}'", "does not exist")
    if name.endswith(CSV):
        return _csv_rows(path)
    if name.endswith(PARQUET):
        return _parquet_rows(path)
    if name.endswith(TEXT_SUFFIXES):
        return _json_rows(path)
    what = f"has the ending '{path.suffix}'"
    raise invalid(f"file '{path}'", what, f"use {', '.join(ENDINGS)}")


def _opened(path: Path) -> IO[str]:
    """A text file, unpacked if it ends in .gz; UTF-16 is known by its mark."""
    with _raw(path) as raw:
        mark = raw.read(2)
    encoding = "utf-16" if mark in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return io.TextIOWrapper(_raw(path), encoding=encoding, newline="")


def _csv_rows(path: Path) -> Iterator[RecordRow]:
    """The rows of a CSV file; the first line names the columns."""
    where = f"file '{path}'"
    line = 1
    try:
        with _opened(path) as file:
            lines = _short_lines(file, where)
            first = next(lines, "")
            skipped = 0
            delimiter = ""
            if first.strip().strip('"').casefold().startswith("sep="):
                delimiter = first.strip().strip('"')[4:5] or "\t"
                first, skipped = next(lines, ""), 1
            if not first.strip():
                raise invalid(where, "is empty", "the first line names the columns")
            delimiter = delimiter or max(DELIMITERS, key=first.count)
            reader = csv.reader(chain([first], lines), delimiter=delimiter)
            keys = tuple(unguarded(name.strip()) for name in next(reader))
            if len(keys) > MOST_COLUMNS:
                what = f"has {len(keys):,} columns, more than the {MOST_COLUMNS:,} that are read"
                raise too_large(where, what)
            for row in reader:
                line = reader.line_num + skipped
                if not any(map(str.strip, row)):
                    continue
                if len(row) != len(keys):
                    what = f"has {len(row)} cells, but {len(keys)} columns are named"
                    yield RecordRow(line, (), (), error("the record", what))
                    continue
                yield RecordRow(line, keys, row)
    except UnicodeError:
        raise invalid(where, f"is not UTF-8 text (after line {line})", "save it as UTF-8") from None
    except csv.Error as bad:
        raise invalid(where, f"is not CSV: {bad} (after line {line})") from None
    except UNREADABLE as bad:
        raise invalid(where, f"cannot be read: {bad}") from None


def _short_lines(file: IO[str], where: str) -> Iterator[str]:
    """The lines of a file, none longer than a record may be."""
    for line in bounded_lines(file):
        if len(line) >= LONGEST_LINE:
            raise too_large(where, f"has a line of more than {LONGEST_LINE:,} characters")
        yield line


def _parquet_rows(path: Path) -> Iterator[RecordRow]:
    """The rows of a Parquet file, numbered from 1."""
    line = 0
    for batch in batches(path, AT_ONCE):
        keys = tuple(batch.schema.names)
        columns = [column.to_pylist() for column in batch.columns]
        for values in zip(*columns, strict=True):
            line += 1
            yield RecordRow(line, keys, values)


def _json_rows(path: Path) -> Iterator[RecordRow]:
    """The rows of a file of JSON Lines."""
    for row in read_rows(path):
        line = row.line or row.number
        if isinstance(row.content, Issue):
            yield RecordRow(line, (), (), row.content)
        else:
            yield RecordRow(line, tuple(row.content), tuple(row.content.values()))
