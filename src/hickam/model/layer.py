"""One layer of a network while it is read from a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hickam.issues import Issue, error, warning
from hickam.model.entries import read_entry
from hickam.model.network import Entry
from hickam.model.numbers import (
    CERTAINLY_NOT,
    FREQUENCY_WORDS,
    RARENESS_WORDS,
    Chance,
    checked_chance,
    read_source,
)
from hickam.model.sensitivity import as_causes

Path = tuple[str | int, ...]


@dataclass
class Layer:
    """One section of the document while it is read."""

    kind: str
    ids: list[str] = field(default_factory=list)
    own: list[Chance] = field(default_factory=list)  # prior of a risk factor, leak of the others
    leakless: list[int] = field(default_factory=list)  # nodes that do not say what their leak is
    paths: list[Path] = field(default_factory=list)  # where each node stands in the document
    # (effect, cause id, strength, key of the cause in the node's causes)
    links: list[tuple[int, str, Chance, str | int]] = field(default_factory=list)

    def link_path(self, effect: int, key: str | int) -> Path:
        """Where a link stands in the document."""
        return (*self.paths[effect], "causes", key)


def read_node(
    layer: Layer,
    item: Mapping[str, Any],
    path: Path,
    default_source: str,
    entries: dict[str, Entry],
    sources: dict[tuple[str, str], str],
    issues: list[Issue],
) -> None:
    """Read one risk factor, disease or finding into its layer."""
    entry = read_entry(layer.kind, item, path, default_source, issues)
    if entry is None:
        return
    where = f"{layer.kind} '{entry.id}'"
    if entry.id in entries:
        issues.append(
            error(where, "has an id that is already taken", "ids are unique", (*path, "id"))
        )
        return
    entries[entry.id] = entry
    if layer.kind == "finding":
        item = as_causes(item, where, path, issues)
    key = "prior" if layer.kind == "risk factor" else "leak"
    if layer.kind == "disease" and "prior" in item:
        key = "prior"
        if item.get("causes") or "leak" in item:
            fix = "write 'leak': the probability with every listed cause absent"
            issues.append(
                error(where, "has a prior besides a leak or causes", fix, (*path, "prior"))
            )
    own = CERTAINLY_NOT
    if key in item:
        own = checked_chance(item[key], RARENESS_WORDS, f"{where}: {key}", (*path, key), issues)
        if source := read_source(item[key]):
            sources[(entry.id, entry.id)] = source
    elif layer.kind == "risk factor":
        issues.append(error(where, "has no prior", "give 'prior': how common it is", path))
    else:
        layer.leakless.append(len(layer.ids))
    layer.ids.append(entry.id)
    layer.own.append(own)
    layer.paths.append(path)
    effect = len(layer.ids) - 1
    seen: set[str] = set()
    for cause, value, place_key in _causes(item, path, where, issues):
        if cause in seen:
            fix = "keep one; two mechanisms of one cause combine to 1 - (1-a)(1-b)"
            place = layer.link_path(effect, place_key)
            issues.append(error(where, f"lists the cause '{cause}' twice", fix, place))
            continue
        seen.add(cause)
        if type(value) is float and 0.0 < value <= 1.0:
            chance = Chance(value, 1.0 - value)
        else:
            link_path = layer.link_path(effect, place_key)
            name = f"{where}: cause '{cause}'"
            before = len(issues)
            chance = checked_chance(value, FREQUENCY_WORDS, name, link_path, issues)
            if len(issues) == before and chance.acts == 0.0 and chance.fails == 1.0:
                fix = "remove it, or say how strong it is"
                issues.append(warning(name, "has strength 0", fix, link_path))
            if source := read_source(value):
                sources[(cause, entry.id)] = source
        layer.links.append((effect, cause, chance, place_key))


def _causes(
    item: Mapping[str, Any], path: Path, where: str, issues: list[Issue]
) -> Iterator[tuple[str, object, str | int]]:
    """(cause, strength, key) of each listed cause, from a mapping or a list of mappings."""
    listed = item.get("causes") or {}
    if isinstance(listed, dict):
        for cause, value in listed.items():
            if value is None and str(cause).isdecimal():
                fix = "write 0.12, not 0,12"
                what = f"has a decimal comma before {cause!s:.20}"
                issues.append(error(where, what, fix, (*path, "causes", str(cause))))
                continue
            yield str(cause), value, str(cause)
        return
    if isinstance(listed, list):
        for position, link in enumerate(listed):
            place = (*path, "causes", position)
            if isinstance(link, dict) and isinstance(link.get("id"), str):
                value = {k: v for k, v in link.items() if k != "id"}
                plain = len(value) == 1 and "probability" in value
                yield link["id"], value["probability"] if plain else value, position
            else:
                fix = "write {id: CAUSE, probability: …}"
                issues.append(error(where, f"has an unreadable cause {link!r:.40}", fix, place))
        return
    issues.append(
        error(
            where,
            f"has causes {listed!r:.40}",
            "write a mapping {cause: strength}",
            (*path, "causes"),
        )
    )
