"""Observations with values as sheets: a long one of probabilities, four for measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hickam.io.csv_sheet import Rows, number_in
from hickam.io.entry_document import Document

Lines = dict[tuple[str | int, ...], tuple[str, int]]


def add_categories(document: Document, sheets: Mapping[str, Rows], lines: Lines) -> None:
    """Collect the categories of a folder; a probability without a disease is of 'otherwise'."""
    found: dict[str, Document] = {}

    def of(sheet: str, line: int, row: Mapping[str, str]) -> Document:
        name = row.get("category", "")
        if name not in found:
            lines[("categories", len(found))] = (f"{sheet}.csv", line)
        return found.setdefault(name, {"id": name})

    for line, row in sheets["measurements"]:
        _measurement(of("measurements", line, row), row)
    for line, row in sheets["categories"]:
        category = of("categories", line, row)
        if "name" in row:
            category["name"] = row["name"]
        value = row.get("value", "")
        values = category.setdefault("values", [])
        if value not in values:
            values.append(value)
        chance = number_in(row.get("probability", ""))
        if "disease" in row:
            category.setdefault("given", {}).setdefault(row["disease"], {})[value] = chance
        else:
            category.setdefault("otherwise", {})[value] = chance
    for line, row in sheets["levels"]:
        _level(of("levels", line, row), row)
    for line, row in sheets["units"]:
        parts = {key: number_in(row[key]) for key in ("times", "plus") if key in row}
        of("units", line, row).setdefault("units", {})[row.get("unit", "")] = parts
    for line, row in sheets["curves"]:
        points = [number_in(row.get("number", "")), number_in(row.get("ratio", ""))]
        curves = of("curves", line, row).setdefault("curves", {})
        curves.setdefault(row.get("disease", ""), []).append(points)
    if found:
        document["categories"] = list(found.values())


def _measurement(category: Document, row: Mapping[str, str]) -> None:
    """What one row says about a category as a whole."""
    category |= {key: row[key] for key in ("name", "of", "unit") if key in row}
    if "synonyms" in row:
        category["synonyms"] = _names(row["synonyms"])
    if "cost" in row:
        category["cost"] = number_in(row["cost"])
    if "range_from" in row or "range_to" in row:
        category["range"] = [number_in(row.get(f"range_{end}", "")) for end in ("from", "to")]


def _level(category: Document, row: Mapping[str, str]) -> None:
    """Where one value begins and what it means."""
    value = row.get("value", "")
    for cell, cuts in (("from", "cuts"), ("second_from", "second_cuts")):
        if cell in row:
            category.setdefault(cuts, []).append(number_in(row[cell]))
    meant = {key: _names(row[key]) for key in ("present", "absent") if key in row}
    if meant:
        category.setdefault("means", {})[value] = meant


def _names(cell: str) -> list[str]:
    """The names in a cell, separated by semicolons."""
    return [name.strip() for name in cell.split(";") if name.strip()]


def category_rows(category: Document) -> dict[str, list[Document]]:
    """Sheet → the rows of one category."""
    name = {"category": category["id"]}
    rows: dict[str, list[Document]] = {"categories": [], "levels": [], "units": [], "curves": []}
    values = category.get("values", [])
    if values:
        chances = {"": category["otherwise"], **category["given"]}
        rows["categories"] = [
            {**name, "name": category["name"], "value": v, "disease": disease, "probability": p}
            for disease, distribution in chances.items()
            for v, p in zip(values, distribution, strict=True)
        ]
    rows["measurements"] = _measurement_rows(category)
    begins: list[list[Any]] = [
        ["", *category[cuts]] if cuts in category else [""] * len(values)
        for cuts in ("cuts", "second_cuts")
    ]
    for value, begin, second in zip(values, *begins, strict=True):
        meant = category.get("means", {}).get(value, {})
        parts = {key: "; ".join(meant.get(key, ())) for key in ("present", "absent")}
        if begin != "" or any(parts.values()):
            row = {**name, "value": value, "from": begin, "second_from": second, **parts}
            rows["levels"].append(row)
    for unit, turn in category.get("units", {}).items():
        rows["units"].append({**name, "unit": unit, **turn})
    for disease, points in category.get("curves", {}).items():
        for at, ratio in points:
            rows["curves"].append({**name, "disease": disease, "number": at, "ratio": ratio})
    return rows


def _measurement_rows(category: Document) -> list[Document]:
    """The row of what is said about a category as a whole, if anything is."""
    said: Document = {key: category[key] for key in ("of", "cost", "unit") if key in category}
    if category.get("synonyms"):
        said["synonyms"] = "; ".join(category["synonyms"])
    if "range" in category:
        said["range_from"], said["range_to"] = category["range"]
    if not said:
        return []
    return [{"category": category["id"], "name": category["name"], **said}]
