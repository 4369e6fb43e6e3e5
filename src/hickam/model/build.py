"""A plain document, as read from YAML, JSON or CSV → a checked `Network` and every problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hickam.issues import Hints, Issue, did_you_mean, error, errors
from hickam.model.category import read_category
from hickam.model.checks import check_cycles, check_leaks, check_names, check_reach
from hickam.model.entries import read_about
from hickam.model.exclusive import read_exclusive
from hickam.model.is_a import check_kinds, inherit
from hickam.model.kinds import Model, as_scm
from hickam.model.layer import Layer, Path, read_node
from hickam.model.links import sort_links
from hickam.model.network import Category, Entry, Floats, Links, Network
from hickam.model.numbers import Chance
from hickam.model.tied import tie

SECTIONS = {"risk_factors": "risk factor", "diseases": "disease", "findings": "finding"}
UPPER = {"disease": "risk_factors", "finding": "diseases"}
TOP_KEYS = (
    *(
        "hickam",
        "name",
        "version",
        "licence",
        "description",
        "disclaimer",
        "source",
        "notice",
        "categories",
    ),
    *(*SECTIONS, "exclusive"),
)


def build_network(document: object) -> tuple[Network | None, list[Issue]]:
    """The network that a document describes, or None if there are errors, and all issues.

    >>> network, issues = build_network({"hickam": 1, "name": "tiny",
    ...     "diseases": [{"id": "flu", "leak": 0.01}],
    ...     "findings": [{"id": "fever", "leak": 0.001, "causes": {"flu": 0.8}}]})
    >>> network.diseases, issues
    (('flu',), [])
    """
    network, issues = _build(document, None)
    return network, issues


def build_model(document: object) -> tuple[Model | None, list[Issue]]:
    """The model that a document of three layers describes: a network, or a general model.

    It is general if diseases cause diseases or exclude each other.

    >>> model, issues = build_model({"hickam": 1, "name": "tiny",
    ...     "diseases": [{"id": "a", "leak": 0.1}, {"id": "b", "leak": 0, "causes": {"a": 0.5}}],
    ...     "findings": [{"id": "s", "leak": 0.01, "causes": {"b": 0.8}}]})
    >>> model
    <SCM 'tiny': 0 risk factors, 2 diseases, 1 findings, 0 others, 2 links>
    """
    ties = Ties()
    network, issues = _build(document, ties)
    if network is None or not (ties.links or ties.exclusive):
        return network, issues
    return tie(replace(as_scm(network), exclusive=ties.exclusive), ties.links), issues


@dataclass
class Ties:
    """What a document says between diseases."""

    links: list[tuple[str, str, Chance]] = field(default_factory=list)  # cause, effect, strength
    exclusive: tuple[tuple[str, ...], ...] = ()


def _build(document: object, ties: Ties | None) -> tuple[Network | None, list[Issue]]:
    """The three layers of a document; what ties diseases is collected, or an error without."""
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
        layer = layers[section] = Layer(kind)
        for path, item in _items(document, section, issues):
            read_node(layer, item, path, default_source, entries, sources, issues)
    places = {s: {node: i for i, node in enumerate(layer.ids)} for s, layer in layers.items()}
    if any(entry.is_a for entry in entries.values()) and check_kinds(
        layers["findings"], entries, places, issues
    ):
        inherit(layers["findings"], entries, issues)
    causes = _links(layers["diseases"], places, issues, ties)
    effects = _links(layers["findings"], places, issues)
    categories = _categories(document, places, issues)
    if len(causes) + len(effects) < sum(len(layer.links) for layer in layers.values()):
        check_cycles(layers, places, issues)
    tied = set()
    if ties is not None:
        ties.exclusive = read_exclusive(document, places["diseases"], issues)
        tied = {places["diseases"][effect] for _, effect, p in ties.links if p.acts > 0.0}
    elif document.get("exclusive"):
        what, fix = "makes the model general", "read it with build_model"
        issues.append(error("section 'exclusive'", what, fix, ("exclusive",)))
    check_reach(layers, causes, effects, tied, issues)
    check_leaks(layers, issues)
    check_names(layers, entries, issues)
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


def _links(
    layer: Layer,
    places: Mapping[str, Mapping[str, int]],
    issues: list[Issue],
    ties: Ties | None = None,
) -> Links:
    """The links into one layer, as arrays; unknown causes and wrong layers become issues.

    Where there are ties to collect, a disease may be caused by a disease.
    """
    upper = places[UPPER[layer.kind]]
    hints = Hints(upper)
    kept = []
    for effect, cause, chance, key in layer.links:
        position = upper.get(cause)
        if position is not None:
            kept.append((position, effect, chance.acts, chance.fails))
            continue
        if ties is not None and cause in places["diseases"]:
            ties.links.append((cause, layer.ids[effect], chance))
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
            fix = hints.fix(cause) or f"add it to '{UPPER[layer.kind]}'"
            issues.append(error(where, "is not in the network", fix, path))
    table = np.array(kept, dtype=np.float64).reshape(-1, 4)
    return sort_links(
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2],
        table[:, 3],
        (len(upper), len(layer.ids)),
    )


def _freeze_pair(chances: list[Chance]) -> tuple[Floats, Floats]:
    """acts and fails as read-only arrays."""
    table = np.array(chances, dtype=np.float64).reshape(-1, 2)
    acts, fails = table[:, 0].copy(), table[:, 1].copy()
    acts.setflags(write=False)
    fails.setflags(write=False)
    return acts, fails


def _categories(
    document: Mapping[Any, Any], places: Mapping[str, Mapping[str, int]], issues: list[Issue]
) -> tuple[Category, ...]:
    """The observations with values of the document."""
    found: dict[str, Category] = {}
    for path, item in _items(document, "categories", issues):
        category = read_category(item, path, places["diseases"], places["findings"], issues)
        if category is not None:
            if category.id in found:
                issues.append(error(f"category '{category.id}'", "is listed twice", "", path))
            found[category.id] = category
    return tuple(found.values())
