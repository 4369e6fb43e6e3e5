"""One sheet of a network as CSV: as we write it, or as a spreadsheet program leaves it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hickam.io.text import read_bytes
from hickam.issues import InvalidInput, Issue, Kind, did_you_mean, error, warning
from hickam.words import guarded, unguarded

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "network": ("key", "value"),
    "risk_factors": (
        *("id", "name", "synonyms", "group", "kind", "source"),
        *("prior", "prior_fails", "prior_source"),
    ),
    "diseases": (
        *("id", "name", "synonyms", "group", "kind", "source"),
        *("leak", "leak_fails", "leak_source"),
        *("rareness", "urgency", "treatment_cost", "treatment_success"),
    ),
    "findings": (
        *("id", "name", "synonyms", "group", "kind", "source"),
        *("leak", "leak_fails", "leak_source", "cruelty", "cost", "is_a", "asked_after"),
    ),
    "links": ("cause", "effect", "probability", "fails", "source"),
    "prevalence": ("id", "sex", "age_from", "age_to", "factor"),
    "alarms": ("id", "urgency", "age_from", "age_to", "with"),
    "categories": ("category", "name", "value", "disease", "probability"),
    "measurements": (
        *("category", "name", "synonyms", "of", "cost"),
        *("unit", "range_from", "range_to"),
    ),
    "levels": ("category", "value", "from", "second_from", "present", "absent"),
    "units": ("category", "unit", "times", "plus"),
    "curves": ("category", "disease", "number", "ratio"),
}
LISTED = ("synonyms", "asked_after")  # several texts in one cell, separated by ";"
FORMER = {"prevalence": {"disease": "id"}}  # columns by the names that they once had
NUMBERS = frozenset(
    (
        *("prior", "prior_fails", "leak", "leak_fails", "treatment_cost", "treatment_success"),
        *("cruelty", "cost", "probability", "fails", "age_from", "age_to", "factor"),
        *("range_from", "range_to", "from", "second_from", "times", "plus", "number", "ratio"),
    )
)
DELIMITERS = (",", ";", "\t", "|")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*%?")
Rows = list[tuple[int, dict[str, str]]]


def read_sheet(path: Path, issues: list[Issue]) -> Rows:
    """(line, non-empty cells) of each row of a CSV file; one that does not exist has none.

    Byte order marks, UTF-16, a first line `sep=;`, semicolons or tabs between cells, decimal commas
    then, capital headers and empty columns are read as what they are.
    """
    if not path.exists():
        return []
    return read_rows(path, COLUMNS[path.stem], FORMER.get(path.stem, {}), issues)


def read_rows(
    path: Path, columns: tuple[str, ...], former: Mapping[str, str], issues: list[Issue]
) -> Rows:
    """The same of a file with these columns, which may also go by other names."""
    found: list[Issue] = []
    try:
        text = _decode(read_bytes(path, "file"), found)
        rows = _read(text, columns, former, found)
    except InvalidInput as bad:
        found, rows = [*found, *bad.issues], []
    except csv.Error as bad:
        found, rows = [*found, error("the file", f"is not CSV: {bad}")], []
    issues += [replace(issue, file=str(path)) for issue in found]
    return rows


def read_grid(
    path: Path, columns: tuple[str, ...], issues: list[Issue]
) -> tuple[str, list[tuple[int, list[str]]]]:
    """(what separates cells, line and cells of each row) of a file that may have any columns.

    `columns` are those by which the separator is told.
    """
    text = _decode(read_bytes(path, "file"), issues)
    first = text.partition("\n")[0]
    delimiter = _delimiter(first, columns)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        return delimiter, [
            (reader.line_num, [unguarded(cell.strip()) for cell in row]) for row in reader
        ]
    except csv.Error as bad:
        raise InvalidInput([error(f"file '{path}'", f"is not CSV: {bad}")]) from None


def _decode(content: bytes, issues: list[Issue]) -> str:
    """The text of a file: UTF-8, UTF-16 by its mark, or Windows-1252 with a warning."""
    try:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            return content.decode("utf-16")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        raise InvalidInput(
            [error("the file", "is neither UTF-8 nor Windows-1252 text", "save it as CSV UTF-8")]
        ) from None
    issues.append(
        warning("the file", "is not UTF-8: read as Windows-1252", "save it as CSV UTF-8 to be sure")
    )
    return text


def _read(
    text: str, columns: tuple[str, ...], former: Mapping[str, str], issues: list[Issue]
) -> Rows:
    """The rows of a sheet's text."""
    skipped = 0
    first, _, rest = text.partition("\n")
    delimiter = None
    if first.strip().strip('"').casefold().startswith("sep="):
        delimiter = first.strip().strip('"')[4:5] or "\t"
        text, skipped = rest, 1
        first = text.partition("\n")[0]
    delimiter = delimiter or _delimiter(first, (*columns, *former))
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [_folded(name) for name in next(lines, [])]
    header = [former.get(name, name) for name in header]
    if not _check_header(header, columns, skipped + 1, issues):
        return []
    rows = []
    for line, row in _without_extra(lines, header, delimiter, skipped, issues):
        cells = {
            key: _cell(key, unguarded(value.strip()), delimiter)
            for key, value in zip(header, row, strict=False)
            if key and value and not value.isspace()
        }
        if cells:
            rows.append((line, cells))
    return rows


def _folded(name: str) -> str:
    """A column's name as we write it.

    >>> _folded(" Treatment Cost")
    'treatment_cost'
    """
    return "_".join(name.split()).casefold()


def _delimiter(first: str, columns: tuple[str, ...]) -> str:
    """What separates the cells: whatever makes most of the header known."""

    def known(delimiter: str) -> int:
        try:
            cells = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:  # told when the whole is read
            return 0
        return sum(_folded(cell) in columns for cell in cells)

    return max(DELIMITERS, key=known)


def _check_header(
    header: list[str], columns: tuple[str, ...], line: int, issues: list[Issue]
) -> bool:
    """Whether the header can be used; what is wrong with it becomes issues."""
    named = [name for name in header if name]
    if not named:
        return False
    if not any(name in columns for name in named):
        shown = ", ".join(f"'{name:.30}'" for name in named[:3])
        fix = f"the first line names the columns: {', '.join(columns[:5])} …"
        issue = error("the header", f"names no known column ({shown})", fix, kind=Kind.UNKNOWN_KEY)
        issues.append(replace(issue, line=line))
        return False
    for name in dict.fromkeys(named):
        if name not in columns:
            fix = did_you_mean(name, columns)
            issue = error(f"column '{name:.60}'", "is not known", fix, kind=Kind.UNKNOWN_KEY)
            issues.append(replace(issue, line=line))
        elif header.count(name) > 1:
            issues.append(replace(error(f"column '{name}'", "is there twice"), line=line))
    return True


def _without_extra(
    lines: Iterator[list[str]],
    header: list[str],
    delimiter: str,
    skipped: int,
    issues: list[Issue],
) -> Iterator[tuple[int, list[str]]]:
    """(line, row) of each row; cells beyond the header or without a column name are one issue."""
    extra: list[int] = []
    unnamed = [position for position, name in enumerate(header) if not name]
    reader = lines
    for row in reader:
        line = skipped + reader.line_num  # type: ignore[attr-defined]
        beyond = row[len(header) :] + [row[at] for at in unnamed if at < len(row)]
        if any(cell.strip() for cell in beyond):
            extra.append(line)
        yield line, row
    if extra:
        rows = f"{len(extra)} rows have" if len(extra) > 1 else "a row has"
        fix = "give every column a name"
        if delimiter == ",":
            fix = "write decimal points, and quote texts that hold commas"
        issue = error(f"the sheet: {rows}", "more cells than the header has names", fix)
        issues.append(replace(issue, line=extra[0]))


def _cell(key: str, value: str, delimiter: str) -> str:
    """A cell; where commas do not separate cells, one in a number is a decimal comma."""
    if delimiter != "," and key in NUMBERS and DECIMAL_COMMA.fullmatch(value):
        return value.replace(",", ".")
    return value


def number_in(text: str) -> float | str:
    """The number in a cell, or the text itself for the builder to complain about."""
    try:
        return float(text)
    except ValueError:
        return text


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV without its end; what a spreadsheet might compute is guarded."""
    out = io.StringIO()
    csv.writer(out).writerow(map(guarded, cells))
    return out.getvalue().removesuffix("\r\n")
