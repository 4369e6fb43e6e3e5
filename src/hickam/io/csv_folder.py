"""The spreadsheet form of a network: a folder of CSV files, one sheet each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hickam.io.csv_category import add_categories
from hickam.io.csv_sheet import COLUMNS, LISTED, number_in, read_sheet
from hickam.io.csv_write import write_csv_folder
from hickam.io.form import Format, Reading
from hickam.issues import Hints, Issue, error, errors, invalid
from hickam.model.build import build_model

LAYERS = ("risk_factors", "diseases", "findings")
REQUIRED = ("diseases", "findings", "links")


def read_csv_folder(folder: Path, warnings: bool = True) -> Reading:
    """The network in a folder of CSV files, and every issue with its file and line."""
    missing = [f"{name}.csv" for name in REQUIRED if not (folder / f"{name}.csv").exists()]
    if missing:
        fix = "a network folder holds risk_factors.csv, diseases.csv, findings.csv, links.csv"
        raise invalid(f"folder '{folder}'", f"has no {' and no '.join(missing)}", fix)
    issues: list[Issue] = []
    sheets = {name: read_sheet(folder / f"{name}.csv", issues) for name in COLUMNS}
    document: dict[str, Any] = {"hickam": 1, "name": folder.name}
    document.update(
        {row["key"]: row.get("value", "") for _, row in sheets["network"] if "key" in row}
    )
    lines: dict[tuple[str | int, ...], tuple[str, int]] = {}
    positions: dict[str, tuple[str, int]] = {}
    for layer in LAYERS:
        document[layer] = []
        for line, row in sheets[layer]:
            lines[(layer, len(document[layer]))] = (f"{layer}.csv", line)
            positions.setdefault(row.get("id", ""), (layer, len(document[layer])))
            document[layer].append(_node(row))
    _add_links(folder, document, sheets["links"], positions, lines, issues)
    for sheet, key, read in (
        ("prevalence", "prevalence", _prevalence),
        ("alarms", "alarm", _alarm),
    ):
        listed = _known(folder / f"{sheet}.csv", sheets[sheet], positions, issues)
        for (layer, position), row in listed:
            document[layer][position].setdefault(key, []).append(read(row))
    add_categories(document, sheets, lines)
    network, found = build_model(document)
    for issue in found:
        place = next(
            (
                lines[issue.path[:n]]
                for n in range(len(issue.path), 0, -1)
                if issue.path[:n] in lines
            ),
            None,
        )
        if place:
            issues.append(replace(issue, file=str(folder / place[0]), line=place[1]))
        else:
            issues.append(replace(issue, file=str(folder)))
    return (None if errors(issues) else network), issues


def _node(row: Mapping[str, str]) -> dict[str, Any]:
    """One row of a layer sheet as a document entry."""
    node: dict[str, Any] = dict(row)
    for key in LISTED:
        if key in node:
            node[key] = [text.strip() for text in node[key].split(";") if text.strip()]
    for key in ("prior", "leak"):
        parts = {"probability": node.pop(key, None)}
        parts |= {part: node.pop(f"{key}_{part}", None) for part in ("fails", "source")}
        given = {part: value for part, value in parts.items() if value is not None}
        if given:
            node[key] = given
    for key in ("cruelty", "cost", "treatment_cost", "treatment_success"):
        if key in node:
            node[key] = number_in(node[key])
    treatment = {
        k: node.pop(f"treatment_{k}") for k in ("cost", "success") if f"treatment_{k}" in node
    }
    if treatment:
        node["treatment"] = treatment
    return node


def _add_links(
    folder: Path,
    document: dict[str, Any],
    rows: list[tuple[int, dict[str, str]]],
    positions: Mapping[str, tuple[str, int]],
    lines: dict[tuple[str | int, ...], tuple[str, int]],
    issues: list[Issue],
) -> None:
    """Attach the links sheet to the effects it names."""
    hints = Hints(positions)
    for line, row in rows:
        place = positions.get(row.get("effect", ""))
        if place is None:
            fix = hints.fix(row.get("effect", ""))
            issue = error(f"effect '{row.get('effect', '')}'", "is in no sheet", fix)
            issues.append(replace(issue, file=str(folder / "links.csv"), line=line))
            continue
        layer, position = place
        listed = document[layer][position].setdefault("causes", [])
        lines[(layer, position, "causes", len(listed))] = ("links.csv", line)
        strength: dict[str, float | str] = {
            key: number_in(row[key]) for key in ("probability", "fails") if key in row
        }
        if "source" in row:
            strength["source"] = row["source"]
        strength["id"] = row.get("cause", "")
        listed.append(strength)


def _known(
    path: Path,
    rows: list[tuple[int, dict[str, str]]],
    positions: Mapping[str, tuple[str, int]],
    issues: list[Issue],
) -> Iterator[tuple[tuple[str, int], dict[str, str]]]:
    """(place of the node that it is about, row) of each row; unknown nodes become issues."""
    hints = Hints(positions)
    for line, row in rows:
        place = positions.get(row.get("id", ""))
        if place is not None:
            yield place, row
            continue
        fix = hints.fix(row.get("id", ""))
        issue = error(f"id '{row.get('id', '')}'", "is in no sheet", fix)
        issues.append(replace(issue, file=str(path), line=line))


def _prevalence(row: Mapping[str, str]) -> dict[str, Any]:
    """One age- or sex-specific factor."""
    entry: dict[str, Any] = {"factor": number_in(row.get("factor", ""))}
    if "sex" in row:
        entry["sex"] = row["sex"]
    return entry | _age(row)


def _alarm(row: Mapping[str, str]) -> dict[str, Any]:
    """One alarm of a finding."""
    beside = [node.strip() for node in row.get("with", "").split(";") if node.strip()]
    return {"urgency": row.get("urgency", ""), **_age(row), **({"with": beside} if beside else {})}


def _age(row: Mapping[str, str]) -> dict[str, Any]:
    """The age range of a row, if it has one."""
    if "age_from" not in row and "age_to" not in row:
        return {}
    return {"age": [number_in(row.get("age_from", "0")), number_in(row.get("age_to", "200"))]}


CSV = Format(
    "CSV",
    (),
    "a folder of CSV files",
    read_csv_folder,
    write_csv_folder,
    owned=tuple(f"{name}.csv" for name in COLUMNS),
)
