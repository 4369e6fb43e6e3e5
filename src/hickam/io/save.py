"""A network → a YAML or JSON file or a folder of CSV files, losing nothing."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from hickam.io.csv_folder import COLUMNS
from hickam.io.entry_document import (
    Document,
    about_document,
    category_document,
    chance_document,
    entry_document,
)
from hickam.io.save_scm import scm_document
from hickam.issues import invalid
from hickam.model.network import Links, Network
from hickam.model.scm import SCM


def save(network: Network | SCM, path: str | Path) -> None:
    """Write a network; the ending chooses the form, a path without one becomes a CSV folder."""
    path = Path(path)
    general = isinstance(network, SCM)
    document = scm_document(network) if isinstance(network, SCM) else document_of(network)
    if general and not path.suffix:
        raise invalid(f"folder '{path}'", "cannot hold a general model", "use .yaml or .json")
    if path.suffix == ".json":
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    elif path.suffix in (".yaml", ".yml"):
        import yaml

        text = yaml.dump(
            document, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=100
        )
        path.write_text(text, encoding="utf-8")
    elif not path.suffix:
        _save_sheets(document, path)
    else:
        raise invalid(f"file '{path}'", f"has the ending '{path.suffix}'", "use .yaml or .json")


def document_of(network: Network) -> Document:
    """The network as a plain document, as `build_network` reads it."""
    document = about_document(network.about)
    sources = network.link_sources
    document["risk_factors"] = [
        {
            **entry_document(network.entries[node], network.about.source),
            "prior": _own(sources, node, *pair),
        }
        for node, *pair in zip(
            network.risk_factors,
            network.risk_prior.tolist(),
            (1.0 - network.risk_prior).tolist(),
            strict=True,
        )
    ]
    document["diseases"] = _effects(network, network.diseases, network.risk_factors, network.causes)
    document["findings"] = _effects(network, network.findings, network.diseases, network.effects)
    if network.categories:
        document["categories"] = [category_document(category) for category in network.categories]
    return document


def _effects(
    network: Network, nodes: tuple[str, ...], upper: tuple[str, ...], links: Links
) -> list[Document]:
    """The entries of a layer with leaks and causes."""
    diseases = nodes is network.diseases
    leak = network.disease_leak if diseases else network.finding_leak
    fails = network.disease_leak_fails if diseases else network.finding_leak_fails
    listed = []
    for position, node in enumerate(nodes):
        entry = entry_document(network.entries[node], network.about.source)
        entry["leak"] = _own(
            network.link_sources, node, float(leak[position]), float(fails[position])
        )
        causes = {
            upper[int(links.cause[i])]: chance_document(
                float(links.acts[i]),
                float(links.fails[i]),
                network.link_sources.get((upper[int(links.cause[i])], node)),
            )
            for i in links.of_effect(position)
        }
        if causes:
            entry["causes"] = causes
        listed.append(entry)
    return listed


def _own(
    sources: Mapping[tuple[str, str], str], node: str, acts: float, fails: float
) -> float | Document:
    """A node's own prior or leak, with its source if it has one."""
    return chance_document(acts, fails, sources.get((node, node)))


def _save_sheets(document: Document, folder: Path) -> None:
    """The folder of CSV files."""
    folder.mkdir(parents=True, exist_ok=True)
    sheets: dict[str, list[Document]] = {name: [] for name in COLUMNS}
    about = ("name", "version", "licence", "description", "disclaimer", "source")
    sheets["network"] = [{"key": k, "value": document[k]} for k in about if k in document]
    for layer in ("risk_factors", "diseases", "findings"):
        for node in document[layer]:
            row = {k: v for k, v in node.items() if k in COLUMNS[layer]}
            for key in ("prior", "leak"):
                if isinstance(row.get(key), dict):
                    parts = row.pop(key)
                    names = {"probability": key, "fails": f"{key}_fails", "source": f"{key}_source"}
                    row.update({names[part]: value for part, value in parts.items()})
            row["synonyms"] = "; ".join(node.get("synonyms", ()))
            for key, value in node.get("treatment", {}).items():
                row[f"treatment_{key}"] = value
            sheets[layer].append(row)
            for cause, strength in node.get("causes", {}).items():
                given = strength if isinstance(strength, dict) else {"probability": strength}
                sheets["links"].append({"cause": cause, "effect": node["id"], **given})
            for entry in node.get("prevalence", ()):
                ages = dict(zip(("age_from", "age_to"), entry.get("age", ()), strict=False))
                row = {"disease": node["id"], "sex": entry.get("sex", ""), **ages}
                sheets["prevalence"].append({**row, "factor": entry["factor"]})
    for category in document.get("categories", ()):
        sheets["categories"] += _category_rows(category)
    for name, rows in sheets.items():
        if rows or name in ("risk_factors", "diseases", "findings", "links"):
            _write_sheet(folder / f"{name}.csv", COLUMNS[name], rows)


def _category_rows(category: Document) -> Iterable[Document]:
    """A categorical finding in long form; rows without a disease are 'otherwise'."""
    chances = {"": category["otherwise"], **category["given"]}
    for disease, distribution in chances.items():
        for value, chance in zip(category["values"], distribution, strict=True):
            yield {
                "category": category["id"],
                "name": category["name"],
                "value": value,
                "disease": disease,
                "probability": chance,
            }


def _write_sheet(path: Path, columns: tuple[str, ...], rows: list[Document]) -> None:
    """One CSV file; numbers in full precision."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
