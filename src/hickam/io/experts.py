"""A table of what several experts say: CSV, a spreadsheet, YAML or JSON.

The columns `cause` and `effect` (also `disease` and `finding`, `parent` and `child`) name a link;
without a cause a row is about the prior or leak of its effect. Every other column is an expert.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hickam.io.csv_sheet import DECIMAL_COMMA, read_grid
from hickam.io.documents import parse
from hickam.io.spreadsheet import read_spreadsheet
from hickam.io.text import read_file
from hickam.issues import Issue, invalid, raise_errors
from hickam.trust.experts import Said

CAUSES = ("cause", "disease", "parent", "risk_factor", "from")
EFFECTS = ("effect", "finding", "child", "symptom", "to")
ENDINGS = (".csv", ".tsv", ".xlsx", ".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class ExpertTable:
    """The rows of a table, the weights that it gives, and what was odd about it."""

    rows: Sequence[Said]
    weights: Mapping[str, float] = field(default_factory=dict)
    warnings: Sequence[Issue] = ()


def read_experts(path: str | Path) -> ExpertTable:
    """The table of a file."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise invalid(f"file '{path}'", f"has the ending '{ending}'", f"use {', '.join(ENDINGS)}")
    if ending in (".yaml", ".yml", ".json"):
        return _document(path, as_json=ending == ".json")
    issues: list[Issue] = []
    if ending == ".xlsx":
        grid: list[tuple[int, list[Any]]] = read_spreadsheet(path)
        comma = True
    else:
        delimiter, lines = read_grid(path, (*CAUSES, *EFFECTS), issues)
        grid, comma = list(lines), delimiter != ","
    raise_errors(issues)
    return ExpertTable(_rows(path, grid, comma), warnings=issues)


def _rows(path: Path, grid: list[tuple[int, list[Any]]], comma: bool) -> list[Said]:
    """The rows below a header."""
    header = [str(cell or "").strip() for cell in (grid[0][1] if grid else [])]
    folded = ["_".join(name.split()).casefold() for name in header]
    effect = next((folded.index(name) for name in EFFECTS if name in folded), None)
    if effect is None and "disease" in folded:  # a table of diseases alone is about their leaks
        effect = folded.index("disease")
    cause = next((at for at in _places(folded, CAUSES) if at != effect), None)
    experts = {at: name for at, name in enumerate(header) if name and at not in (cause, effect)}
    where = f"file '{path}'"
    if effect is None or not experts:
        fix = "the first line names the columns: cause, effect, then one for each expert"
        what = "has no column 'effect'" if effect is None else "has no column of an expert"
        raise invalid(where, what, fix)
    if len(set(experts.values())) < len(experts):
        raise invalid(where, "has two columns of the same name", "give each expert one")
    found: list[Said] = []
    extra = [line for line, cells in grid[1:] if any(not _blank(c) for c in cells[len(header) :])]
    if extra:
        fix = "write decimal points, and quote texts that hold commas"
        raise invalid(f"{where}, line {extra[0]}", "has more cells than the header has names", fix)
    for line, cells in grid[1:]:
        row = [*cells, *[None] * (len(header) - len(cells))]
        said = {name: row[at] for at, name in experts.items() if not _blank(row[at])}
        ends = [str(row[at] or "").strip() if at is not None else "" for at in (cause, effect)]
        if any(ends) or said:
            by = {name: _value(value, comma) for name, value in said.items()}
            found.append(Said(ends[0], ends[1], by, line))
    return found


def _places(folded: Sequence[str], names: Sequence[str]) -> list[int]:
    return [folded.index(name) for name in names if name in folded]


def _document(path: Path, as_json: bool) -> ExpertTable:
    """The table of a YAML or JSON document: `numbers`, and `weights` if there are any."""
    document, issues = parse(read_file(path, "file"), str(path), as_json=as_json)
    raise_errors(issues)
    where = f"file '{path}'"
    listed: object = document
    weights: object = {}
    if isinstance(document, Mapping):
        listed, weights = document.get("numbers"), document.get("weights") or {}
    if not isinstance(listed, list) or not all(isinstance(item, Mapping) for item in listed):
        fix = "write 'numbers:' and below it '- {cause: …, effect: …, EXPERT: 0.3}'"
        raise invalid(where, "is not a list of numbers", fix)
    if not isinstance(weights, Mapping) or not all(
        isinstance(weight, (int, float)) for weight in weights.values()
    ):
        raise invalid(f"{where}: weights", "are not numbers by expert", "write {EXPERT: 2}")
    rows = []
    for item in listed:
        cause = next((str(item[name]) for name in CAUSES if name in item), "")
        effect = next((str(item[name]) for name in EFFECTS if name in item), "")
        if not effect and "disease" in item:
            cause, effect = "", str(item["disease"])
        rest = {str(k): v for k, v in item.items() if k not in (*CAUSES, *EFFECTS)}
        rows.append(Said(cause, effect, {k: v for k, v in rest.items() if not _blank(v)}))
    return ExpertTable(rows, {str(name): float(weight) for name, weight in weights.items()})


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _value(value: object, comma: bool) -> object:
    """A cell; where commas do not separate cells, one in a number is a decimal comma."""
    if comma and isinstance(value, str) and DECIMAL_COMMA.fullmatch(value.strip()):
        return value.strip().replace(",", ".")
    return value
