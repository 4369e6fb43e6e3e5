"""A table of diseases and what they cause, as people keep them → a network.

One row for each pair (disease, symptom, probability), or one row for each disease with a list
"fever (0.12), chills (0.09)"; as CSV, as a sheet of a spreadsheet program, or as JSON
`{disease: [[symptom, probability], …]}`. Priors and leaks that the table does not give are stated
defaults, and every reading says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hickam.io.csv_sheet import Rows, read_rows
from hickam.io.distinct import Distinct
from hickam.io.form import Format, Reading
from hickam.io.spreadsheet import read_spreadsheet
from hickam.issues import Issue, error, errors, invalid, warning
from hickam.model.build import build_model

COLUMNS = ("disease", "finding", "probability", "prior", "leak", "source")
FORMER = {
    "diseases": "disease", "condition": "disease", "symptom": "finding", "symptoms": "finding",
    "findings": "finding", "frequency": "probability", "p": "probability", "weight": "probability",
    "prevalence": "prior",
}  # fmt: skip
LEAK = 0.01
NUMBER = re.compile(r"\(\s*([\d.]+\s*%?)\s*\)")  # in brackets, after a finding
NOT_A_WORD = re.compile(r"\W+")


@dataclass(slots=True)
class _Table:
    """What the rows of a table come to; names as first written."""

    links: dict[tuple[str, str], tuple[Any, int | None]] = field(default_factory=dict)
    priors: dict[str, Any] = field(default_factory=dict)
    leaks: dict[str, Any] = field(default_factory=dict)
    sources: dict[tuple[str, str], str] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)

    def add(self, disease: str, finding: str, chance: Any, line: int | None = None) -> None:
        """One pair; a second, different number for it is an error."""
        known = self.links.setdefault((disease, finding), (chance, line))
        if known[0] != chance:
            where = f"'{disease}' and '{finding}'"
            what = f"has {known[0]} and {chance}"
            self.issues.append(replace(error(where, what, "keep one"), line=line))


def is_associations(document: object) -> bool:
    """Whether a JSON or YAML document is diseases, each with its findings and their numbers."""
    if not isinstance(document, Mapping) or "hickam" in document:
        return False
    inner = document.get("diseases", document)
    if not isinstance(inner, Mapping) or not inner:
        return False
    first = next(iter(inner.values()))
    pairs = isinstance(first, list) and bool(first) and isinstance(first[0], list)
    plain = isinstance(first, Mapping) and all(isinstance(v, (int, float)) for v in first.values())
    return pairs or plain


def from_document(document: Mapping[Any, Any], name: str) -> Reading:
    """The network of such a document."""
    table = _Table()
    inner = document.get("diseases", document)
    assert isinstance(inner, Mapping)
    for disease, listed in inner.items():
        pairs = listed.items() if isinstance(listed, Mapping) else listed
        for pair in pairs if isinstance(listed, (Mapping, list)) else [listed]:
            if isinstance(pair, (list, tuple)) and len(pair) == 2:
                table.add(str(disease), str(pair[0]), pair[1])
            else:
                what = f"has {pair!r:.40} where a finding and its probability should be"
                table.issues.append(error(f"disease '{disease}'", what, "write [finding, 0.3]"))
    return _network(table, name)


def _read(path: Path, _warnings: bool) -> Reading:
    """The network of a table in a CSV file or spreadsheet."""
    issues: list[Issue] = []
    spreadsheet = path.suffix.lower() == ".xlsx"
    rows = _sheet(path) if spreadsheet else read_rows(path, COLUMNS, FORMER, issues)
    if errors(issues):
        return None, issues
    table = _Table(issues=issues)
    for line, cells in rows:
        _row(cells, line, table)
    network, found = _network(table, path.stem)
    return network, [issue if issue.file else replace(issue, file=str(path)) for issue in found]


def _row(cells: Mapping[str, str], line: int, table: _Table) -> None:
    """One row of a table."""
    disease, finding = cells.get("disease", ""), cells.get("finding", "")
    if not disease or not finding:
        what = "has no disease" if not disease else f"('{disease}') has no finding"
        table.issues.append(replace(error("a row", what, "fill both cells"), line=line))
        return
    if "prior" in cells:
        table.priors.setdefault(disease, cells["prior"])
    if "probability" in cells:
        table.add(disease, finding, cells["probability"], line)
        if "leak" in cells:
            table.leaks.setdefault(finding, cells["leak"])
        if "source" in cells:
            table.sources[disease, finding] = cells["source"]
        return
    pairs = list(_listed(finding))
    if not pairs:
        fix = "give a column 'probability', or write 'fever (0.12), chills (0.09)'"
        table.issues.append(
            replace(error(f"disease '{disease}'", "has no numbers", fix), line=line)
        )
    for name, chance in pairs:
        table.add(disease, name, chance, line)


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """The findings of a cell with their numbers.

    >>> list(_listed("pain (0.3), swelling (of legs) (12 %)"))
    [('pain', '0.3'), ('swelling (of legs)', '12 %')]
    """
    at = 0
    for found in NUMBER.finditer(text):
        name = text[at : found.start()].strip(" \t\n,;")
        at = found.end()
        if name:
            yield name, found[1]


def _network(table: _Table, name: str) -> Reading:
    """The network of a table, its defaults said; wrong rows do not hide what else is wrong."""
    if not table.links:
        empty = [] if errors(table.issues) else [error("the table", "has no rows")]
        return None, [*table.issues, *empty]
    diseases = list(dict.fromkeys(disease for disease, _ in table.links))
    findings = list(dict.fromkeys(finding for _, finding in table.links))
    ids = _ids(diseases, findings)
    usual = 1.0 / len(diseases)
    lines: dict[tuple[str, str], int | None] = {}
    causes: dict[str, dict[str, Any]] = {finding: {} for finding in findings}
    for (disease, finding), (chance, line) in table.links.items():
        source = table.sources.get((disease, finding))
        value = {"probability": chance, "source": source} if source else chance
        causes[finding][ids["disease", disease]] = value
        lines[ids["finding", finding], ids["disease", disease]] = line
    document = {
        "hickam": 1,
        "name": name,
        "risk_factors": [],
        "diseases": [
            {"id": ids["disease", d], "name": d, "leak": table.priors.get(d, usual)}
            for d in diseases
        ],
        "findings": [
            {
                "id": ids["finding", f],
                "name": f,
                "leak": table.leaks.get(f, LEAK),
                "causes": causes[f],
            }
            for f in findings
        ],
    }
    network, found = build_model(document)
    issues = [*table.issues, *(_placed(issue, document, lines) for issue in found)]
    if errors(issues):
        return None, issues
    without = len(diseases) - len(table.priors)
    if without:
        what = f"of {without} diseases are not in the table; 1 in {len(diseases)} is taken for each"
        issues.append(warning("the priors", what, "add a column 'prior'"))
    silent = len(findings) - len(table.leaks)
    if silent:
        what = f"of {silent} findings are not in the table; {LEAK:g} is taken for each"
        issues.append(warning("the leaks", what, "add a column 'leak'"))
    return network, issues


def _placed(
    issue: Issue, document: Mapping[str, Any], lines: Mapping[tuple[str, str], int | None]
) -> Issue:
    """The issue with the line of the pair that it is about."""
    if len(issue.path) >= 4 and issue.path[0] == "findings" and isinstance(issue.path[1], int):
        finding = document["findings"][issue.path[1]]["id"]
        return replace(issue, line=lines.get((finding, str(issue.path[3]))))
    return issue


def _ids(diseases: list[str], findings: list[str]) -> dict[tuple[str, str], str]:
    """(layer, name) → an id; no two alike, also where a disease and a finding share a name."""
    found: dict[tuple[str, str], str] = {}
    ids = Distinct()
    for layer, names in (("disease", diseases), ("finding", findings)):
        for name in names:
            plain = NOT_A_WORD.sub("_", name.casefold()).strip("_") or layer
            found[layer, name] = ids.take(plain if plain not in ids else f"{plain}_{layer}")
    return found


def _sheet(path: Path) -> Rows:
    """The rows of the first sheet of a spreadsheet file."""
    found = read_spreadsheet(path)
    header = [FORMER.get(_word(name), _word(name)) for name in (found[0][1] if found else [])]
    if not {"disease", "finding"} <= set(header):
        fix = "the first line names the columns: disease, finding, probability"
        raise invalid(f"file '{path}'", "has no columns 'disease' and 'finding'", fix)
    rows: Rows = []
    for number, row in found[1:]:
        cells = {
            key: str(value).strip()
            for key, value in zip(header, row, strict=False)
            if key in COLUMNS and value is not None and str(value).strip()
        }
        if cells:
            rows.append((number, cells))
    return rows


def _word(name: object) -> str:
    """A column's name as we write it."""
    return "_".join(str(name or "").split()).casefold()


ASSOCIATIONS = Format("table", (".csv", ".tsv", ".xlsx"), "a table of diseases and findings", _read)
