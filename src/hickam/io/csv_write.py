"""A network → a folder of CSV files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from hickam.io.csv_category import category_rows
from hickam.io.csv_sheet import COLUMNS, LISTED
from hickam.io.entry_document import ABOUT, Document
from hickam.io.network_document import document_of
from hickam.io.text import write_file
from hickam.issues import invalid
from hickam.model.kinds import Model, as_network
from hickam.words import guarded


def write_csv_folder(model: Model, folder: Path) -> None:
    """Write a network as sheets; sheets of ours that it does not need are removed."""
    network = as_network(model)
    if network is None:
        fix = "use .yaml or .json"
        raise invalid(f"folder '{folder}'", "cannot hold a general model", fix)
    texts = sheets_of(document_of(network))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as bad:
        raise invalid(f"folder '{folder}'", f"cannot be made: {bad}") from None
    for name, text in texts.items():
        write_file(folder / f"{name}.csv", text)
    for name in COLUMNS:
        if name not in texts:
            (folder / f"{name}.csv").unlink(missing_ok=True)


def sheets_of(document: Document) -> dict[str, str]:
    """Sheet → its text."""
    sheets: dict[str, list[Document]] = {name: [] for name in COLUMNS}
    about = ("name", *ABOUT)
    sheets["network"] = [{"key": k, "value": document[k]} for k in about if k in document]
    for layer in ("risk_factors", "diseases", "findings"):
        for node in document[layer]:
            row = {k: v for k, v in node.items() if k in COLUMNS[layer]}
            for key in ("prior", "leak"):
                if isinstance(row.get(key), dict):
                    parts = row.pop(key)
                    names = {"probability": key, "fails": f"{key}_fails", "source": f"{key}_source"}
                    row.update({names[part]: value for part, value in parts.items()})
            for key in LISTED:
                if key in COLUMNS[layer]:
                    row[key] = "; ".join(node.get(key, ()))
            for key, value in node.get("treatment", {}).items():
                row[f"treatment_{key}"] = value
            sheets[layer].append(row)
            for cause, strength in node.get("causes", {}).items():
                given = strength if isinstance(strength, dict) else {"probability": strength}
                sheets["links"].append({"cause": cause, "effect": node["id"], **given})
            for entry in node.get("prevalence", ()):
                ages = dict(zip(("age_from", "age_to"), entry.get("age", ()), strict=False))
                row = {"id": node["id"], "sex": entry.get("sex", ""), **ages}
                sheets["prevalence"].append({**row, "factor": entry["factor"]})
            for alarm in node.get("alarm", ()):
                ages = dict(zip(("age_from", "age_to"), alarm.get("age", ()), strict=False))
                row = {"id": node["id"], "urgency": alarm["urgency"], **ages}
                sheets["alarms"].append({**row, "with": "; ".join(alarm.get("with", ()))})
    listed = [category_rows(category) for category in document.get("categories", ())]
    if any(rows["measurements"] for rows in listed):  # then that sheet keeps the order
        for rows, category in zip(listed, document["categories"], strict=True):
            named = {"category": category["id"], "name": category["name"]}
            rows["measurements"] = rows["measurements"] or [named]
    for rows in listed:
        for name, more in rows.items():
            sheets[name] += more
    return {
        name: _sheet(COLUMNS[name], rows)
        for name, rows in sheets.items()
        if rows or name in ("risk_factors", "diseases", "findings", "links")
    }


def _sheet(columns: tuple[str, ...], rows: list[Document]) -> str:
    """The text of one CSV file; numbers in full precision."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(
        {key: guarded(cell) if isinstance(cell, str) else cell for key, cell in row.items()}
        for row in rows
    )
    return out.getvalue()
