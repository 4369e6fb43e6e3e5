"""A plain document, as read from YAML, JSON or CSV → a checked `Network` and every problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hickam.issues import Issue, did_you_mean, error, errors, warning
from hickam.model.entries import read_about, read_category, read_entry
from hickam.model.network import Category, Entry, Floats, Ints, Links, Network
from hickam.model.numbers import (
    FREQUENCY_WORDS,
    RARENESS_WORDS,
    BadNumber,
    Chance,
    read_chance,
    read_source,
)

Path = tuple[str | int, ...]

SECTIONS = {"risk_factors": "risk factor", "diseases": "disease", "findings": "finding"}
UPPER = {"disease": "risk_factors", "finding": "diseases"}
TOP_KEYS = (
    *("hickam", "name", "version", "licence", "description", "disclaimer", "source", "categories"),
    *SECTIONS,
)
CERTAINLY_NOT = Chance(0.0, 1.0)


@dataclass
class _Layer:
    """One section of the document while it is read."""

    kind: str
    ids: list[str] = field(default_factory=list)
    own: list[Chance] = field(default_factory=list)  # prior of a risk factor, leak of the others
    paths: list[Path] = field(default_factory=list)  # where each node stands in the document
    # (effect, cause id, strength, key of the cause in the node's causes)
    links: list[tuple[int, str, Chance, str | int]] = field(default_factory=list)

    def link_path(self, effect: int, key: str | int) -> Path:
        """Where a link stands in the document."""
        return (*self.paths[effect], "causes", key)


def build_network(document: object) -> tuple[Network | None, list[Issue]]:
    """The network that a document describes, or None if there are errors, and all issues.

    >>> network, issues = build_network({"hickam": 1, "name": "tiny",
    ...     "diseases": [{"id": "flu", "leak": 0.01}],
    ...     "findings": [{"id": "fever", "leak": 0.001, "causes": {"flu": 0.8}}]})
    >>> network.diseases, issues
    (('flu',), [])
    """
    issues: list[Issue] = []
    if not isinstance(document, Mapping):
        what = f"is a {type(document).__name__}, not a mapping"
        return None, [error("the document", what, "start with 'hickam: 1' and the sections")]
    _check_top(document, issues)
    entries: dict[str, Entry] = {}
    sources: dict[tuple[str, str], str] = {}
    layers = {}
    default_source = str(document.get("source") or "")
    for section, kind in SECTIONS.items():
        layer = layers[section] = _Layer(kind)
        for path, item in _items(document, section, issues):
            _read_node(layer, item, path, default_source, entries, sources, issues)
    places = {s: {node: i for i, node in enumerate(layer.ids)} for s, layer in layers.items()}
    causes = _links(layers["diseases"], places, issues)
    effects = _links(layers["findings"], places, issues)
    categories = _categories(document, places["diseases"], issues)
    if len(causes) + len(effects) < sum(len(layer.links) for layer in layers.values()):
        _check_cycles(layers, places, issues)
    _check_reach(layers, causes, effects, issues)
    about = read_about(document)
    if errors(issues):
        return None, issues
    priors = [_freeze_pair(layers[section].own) for section in SECTIONS]
    network = Network(
        about=about,
        risk_factors=tuple(layers["risk_factors"].ids),
        diseases=tuple(layers["diseases"].ids),
        findings=tuple(layers["findings"].ids),
        risk_prior=priors[0][0],
        disease_leak=priors[1][0],
        disease_leak_fails=priors[1][1],
        finding_leak=priors[2][0],
        finding_leak_fails=priors[2][1],
        causes=causes,
        effects=effects,
        entries=entries,
        categories=categories,
        link_sources=sources,
    )
    return network, issues


def _check_top(document: Mapping[Any, Any], issues: list[Issue]) -> None:
    """The version mark, the required sections and misspelled keys."""
    if document.get("hickam") != 1:
        found = document.get("hickam")
        what = "is missing" if found is None else f"is {found!r}"
        issues.append(
            error("the format mark 'hickam'", what, "start the file with 'hickam: 1'", ("hickam",))
        )
    for key in document:
        if key not in TOP_KEYS:
            fix = did_you_mean(str(key), TOP_KEYS)
            issues.append(error(f"key {key!r}", "is not known", fix, (str(key),)))
    for section in ("diseases", "findings"):
        if not document.get(section):
            what = "is missing or empty"
            fix = f"list at least one {SECTIONS[section]}"
            issues.append(error(f"section '{section}'", what, fix, (section,)))


def _items(
    document: Mapping[Any, Any], section: str, issues: list[Issue]
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The entries of a section that are mappings, with their paths."""
    listed = document.get(section) or []
    if not isinstance(listed, list):
        what = f"is a {type(listed).__name__}, not a list"
        issues.append(
            error(f"section '{section}'", what, "write one '- id: …' per entry", (section,))
        )
        return
    for position, item in enumerate(listed):
        if isinstance(item, dict):
            yield (section, position), item
        else:
            where = f"entry {position + 1} of '{section}'"
            what = f"is {item!r:.40}, not a mapping"
            issues.append(error(where, what, "write '{id: …}'", (section, position)))


def _read_node(
    layer: _Layer,
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
        own = _chance(item[key], RARENESS_WORDS, f"{where}: {key}", (*path, key), issues)
        if source := read_source(item[key]):
            sources[(entry.id, entry.id)] = source
    elif layer.kind == "risk factor":
        issues.append(error(where, "has no prior", "give 'prior': how common it is", path))
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
            chance = _chance(value, FREQUENCY_WORDS, name, link_path, issues)
            if chance.acts == 0.0 and chance.fails == 1.0:
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


def _chance(
    value: object, words: dict[str, float], where: str, path: Path, issues: list[Issue]
) -> Chance:
    """The probability a value stands for, or an issue and 0."""
    try:
        return read_chance(value, words)
    except BadNumber as bad:
        issues.append(error(where, str(bad), "", path))
        return CERTAINLY_NOT


def _links(layer: _Layer, places: Mapping[str, Mapping[str, int]], issues: list[Issue]) -> Links:
    """The links into one layer, as arrays; unknown causes and wrong layers become issues."""
    upper = places[UPPER[layer.kind]]
    kept = []
    for effect, cause, chance, key in layer.links:
        position = upper.get(cause)
        if position is not None:
            kept.append((position, effect, chance.acts, chance.fails))
            continue
        path = layer.link_path(effect, key)
        where = f"{layer.kind} '{layer.ids[effect]}': cause '{cause}'"
        right = SECTIONS[UPPER[layer.kind]]
        for section, members in places.items():
            if cause in members:
                what = f"is in the wrong layer: it is a {SECTIONS[section]}"
                fix = (
                    f"the causes of a {layer.kind} are {right}s; deeper graphs need a general model"
                )
                issues.append(error(where, what, fix, path))
                break
        else:
            fix = did_you_mean(cause, upper) or f"add it to '{UPPER[layer.kind]}'"
            issues.append(error(where, "is not in the network", fix, path))
    table = np.array(kept, dtype=np.float64).reshape(-1, 4)
    return sort_links(
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2],
        table[:, 3],
        (len(upper), len(layer.ids)),
    )


def sort_links(
    cause: Ints, effect: Ints, acts: Floats, fails: Floats, shape: tuple[int, int]
) -> Links:
    """Links in their canonical order with both indexes, arrays read-only."""
    order = np.lexsort((effect, cause))
    cause, effect = cause[order], effect[order]
    acts, fails = acts[order], fails[order]
    links = Links(
        cause=cause,
        effect=effect,
        acts=acts,
        fails=fails,
        start=np.searchsorted(cause, np.arange(shape[0] + 1)),
        by_effect=np.argsort(effect, kind="stable"),
        effect_start=np.searchsorted(np.sort(effect), np.arange(shape[1] + 1)),
    )
    for name in ("cause", "effect", "acts", "fails", "start", "by_effect", "effect_start"):
        getattr(links, name).setflags(write=False)
    return links


def _freeze_pair(chances: list[Chance]) -> tuple[Floats, Floats]:
    """acts and fails as read-only arrays."""
    table = np.array(chances, dtype=np.float64).reshape(-1, 2)
    acts, fails = table[:, 0].copy(), table[:, 1].copy()
    acts.setflags(write=False)
    fails.setflags(write=False)
    return acts, fails


def _categories(
    document: Mapping[Any, Any], diseases: Mapping[str, int], issues: list[Issue]
) -> tuple[Category, ...]:
    """The categorical findings of the document."""
    found: dict[str, Category] = {}
    for path, item in _items(document, "categories", issues):
        category = read_category(item, path, diseases, issues)
        if category is not None:
            if category.id in found:
                issues.append(error(f"category '{category.id}'", "is listed twice", "", path))
            found[category.id] = category
    return tuple(found.values())


def _check_cycles(
    layers: Mapping[str, _Layer], places: Mapping[str, Mapping[str, int]], issues: list[Issue]
) -> None:
    """Name a cycle among the links that run within or against the layers."""
    causes_of: dict[str, list[str]] = {}
    known = {node for members in places.values() for node in members}
    for layer in layers.values():
        for effect, cause, _, _ in layer.links:
            if cause in known:
                causes_of.setdefault(layer.ids[effect], []).append(cause)
    done: set[str] = set()
    for start in causes_of:
        trail: list[str] = []
        on_trail: set[str] = set()
        stack = [(start, iter(causes_of.get(start, ())))]
        trail.append(start)
        on_trail.add(start)
        while stack:
            node, rest = stack[-1]
            following = next((c for c in rest if c not in done), None)
            if following is None:
                stack.pop()
                done.add(trail.pop())
                on_trail.discard(node)
            elif following in on_trail:
                loop = [*trail[trail.index(following) :], following]
                shown = " → ".join(reversed(loop))
                issues.append(
                    error("the network", f"has a cycle: {shown}", "remove one of its links")
                )
                return
            else:
                stack.append((following, iter(causes_of.get(following, ()))))
                trail.append(following)
                on_trail.add(following)


def _check_reach(
    layers: Mapping[str, _Layer], causes: Links, effects: Links, issues: list[Issue]
) -> None:
    """Findings nothing can cause, diseases that cannot occur or have no findings."""
    diseases, findings = layers["diseases"], layers["findings"]
    listed = {effect for effect, _, _, _ in findings.links}
    able = set(effects.effect[effects.acts > 0.0].tolist())
    for position, node in enumerate(findings.ids):
        if findings.own[position].acts > 0.0 or position in able:
            continue
        path: Path = ("findings", position)
        fix = "give it a cause or a leak"
        if position in listed:
            issues.append(warning(f"finding '{node}'", "can never be present", fix, path))
        else:
            issues.append(error(f"finding '{node}'", "is one that nothing can cause", fix, path))
    caused = set(causes.effect[causes.acts > 0.0].tolist())
    causing = set(effects.cause.tolist())
    for position, node in enumerate(diseases.ids):
        path = ("diseases", position)
        if diseases.own[position].acts == 0.0 and position not in caused:
            issues.append(
                warning(f"disease '{node}'", "can never occur", "give it a leak or a cause", path)
            )
        if position not in causing:
            fix = "link a finding to it, or no evidence can point to it"
            issues.append(warning(f"disease '{node}'", "has no findings", fix, path))
