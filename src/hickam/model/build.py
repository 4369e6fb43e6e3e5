"""A plain document, as read from YAML, JSON or CSV → a checked `Network` and every problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hickam.issues import Hints, Issue, error, errors
from hickam.model.checks import check_cycles, check_leaks, check_names, check_reach
from hickam.model.company import check_company
from hickam.model.entries import read_about
from hickam.model.exclusive import read_exclusive
from hickam.model.is_a import check_kinds, inherit
from hickam.model.kinds import Model, as_scm
from hickam.model.layer import Layer, read_node
from hickam.model.links import sort_links
from hickam.model.network import Entry, Floats, Links, Network
from hickam.model.numbers import Chance
from hickam.model.sections import check_top, items_of, read_categories
from hickam.model.tied import tie

SECTIONS = {"risk_factors": "risk factor", "diseases": "disease", "findings": "finding"}
UPPER = {"disease": "risk_factors", "finding": "diseases"}


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
    check_top(document, SECTIONS, issues)
    _check_sections(document, issues)
    entries: dict[str, Entry] = {}
    sources: dict[tuple[str, str], str] = {}
    layers = {}
    default_source = str(document.get("source") or "")
    for section, kind in SECTIONS.items():
        layer = layers[section] = Layer(kind)
        for path, item in items_of(document, section, issues):
            read_node(layer, item, path, default_source, entries, sources, issues)
    places = {s: {node: i for i, node in enumerate(layer.ids)} for s, layer in layers.items()}
    if any(entry.is_a for entry in entries.values()) and check_kinds(
        layers["findings"], entries, places, issues
    ):
        inherit(layers["findings"], entries, issues)
    check_company(
        entries,
        (*places["findings"], *places["risk_factors"]),
        {finding: ("findings", at) for finding, at in places["findings"].items()},
        issues,
    )
    causes = _links(layers["diseases"], places, issues, ties)
    effects = _links(layers["findings"], places, issues)
    categories = read_categories(document, places["diseases"], places["findings"], issues)
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


def _check_sections(document: Mapping[Any, Any], issues: list[Issue]) -> None:
    """The sections that must be there."""
    for section in ("diseases", "findings"):
        if not document.get(section):
            what = "is missing or empty"
            fix = f"list at least one {SECTIONS[section]}"
            issues.append(error(f"section '{section}'", what, fix, (section,)))


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
