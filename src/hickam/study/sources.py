"""The network and the vignettes that a study names, with every problem and policy reported."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hickam.evidence.vignette import Vignette
from hickam.io.authors import NetworkPolicy, read_authors_network
from hickam.io.cards import CardPolicy, read_authors_cards
from hickam.io.documents import parse
from hickam.io.load import read_network
from hickam.io.roles_file import check_clear
from hickam.io.vignettes import read_vignettes
from hickam.issues import Issue, did_you_mean, error, invalid, raise_errors
from hickam.model.embedded import NAMES
from hickam.model.kinds import need_network
from hickam.model.network import Network
from hickam.study.design import Study, build_study
from hickam.study.published.plan import Plan, build_plan, is_plan
from hickam.study.simulate import Simulation, simulate

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
NETWORK_KEYS = ("authors", "name", "impossible", "duplicates")
CARD_KEYS = ("authors", "network", "unsure", "unsure_risks", "outside")


def read_study(path: Path | str, values: Mapping[str, str] | None = None) -> Study:
    """The study in a YAML file, its paths made absolute; all mistakes at once.

    `${NAME}` in a path stands for a value given here or for an environment variable; other paths
    are relative to the file.
    """
    path = Path(path)
    document, issues = _document(path)
    study, found = build_study(document)
    issues += [replace(issue, file=str(path)) for issue in found]
    raise_errors(issues)
    assert study is not None
    values = {**os.environ, **(values or {})}
    network = _placed(study.network, path.parent, values, issues, embedded=True)
    vignettes = _placed(study.vignettes, path.parent, values, issues, embedded=False)
    raise_errors(issues)
    return replace(study, network=network, vignettes=vignettes)


def read_plan(path: Path | str, values: Mapping[str, str] | None = None) -> Plan | None:
    """The study of published patients in a YAML file, or None if it is of another kind."""
    path = Path(path)
    document, issues = _document(path)
    if not is_plan(document):
        return None
    plan, found = build_plan(document)
    issues += [replace(issue, file=str(path)) for issue in found]
    raise_errors(issues)
    assert plan is not None
    values = {**os.environ, **(values or {})}
    patients = _placed(plan.patients, path.parent, values, issues, embedded=False)
    hpo = _placed(plan.hpo, path.parent, values, issues, embedded=False) if plan.hpo else ""
    raise_errors(issues)
    return replace(plan, patients=patients, hpo=hpo)


def _document(path: Path) -> tuple[Any, list[Issue]]:
    """The plain document in a study's file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as bad:
        raise invalid(f"study file '{path}'", f"cannot be read: {bad}") from None
    return parse(text, str(path))


def _placed(
    source: Any, folder: Path, values: Mapping[str, str], issues: list[Issue], *, embedded: bool
) -> Any:
    """A source with its paths absolute and its placeholders filled in."""
    if isinstance(source, Mapping):
        if "authors" not in source:
            return dict(source)
        return {
            **source,
            "authors": _placed(source["authors"], folder, values, issues, embedded=False),
        }
    text = str(source)
    for name in _PLACEHOLDER.findall(text):
        if name not in values:
            fix = f"set the environment variable {name}, or give --set {name}=FOLDER"
            issues.append(error(f"'{text}'", f"needs a value for {name}", fix))
    text = _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), text)
    if embedded and text in NAMES and not (folder / text).exists():
        return text
    return str((folder / text).resolve())


def open_network(source: str | Mapping[str, Any]) -> tuple[Network, list[Issue]]:
    """The network of a source with its warnings; errors are raised."""
    return _open_network(json.dumps(source, sort_keys=True))


@lru_cache(maxsize=4)
def _open_network(source: str) -> tuple[Network, list[Issue]]:
    """Each worker process reads a network once."""
    given = json.loads(source)
    if isinstance(given, str):
        model, issues = read_network(given)
        raise_errors(issues)
        assert model is not None
        check_clear(model)
        return need_network(model, "a study"), issues
    _check_keys("'network'", given, NETWORK_KEYS, "authors")
    policy = NetworkPolicy(given.get("impossible", "refuse"), given.get("duplicates", "refuse"))
    network, issues = read_authors_network(given["authors"], given.get("name", "A"), policy)
    raise_errors(issues)
    assert network is not None
    return network, issues


def open_vignettes(
    source: str | Mapping[str, Any], network: Network, seed: int
) -> tuple[list[Vignette], list[Issue]]:
    """The vignettes of a source with every issue; a file that cannot be read is raised."""
    if isinstance(source, str):
        return read_vignettes(source)
    if "simulate" in source:
        _check_keys("'vignettes'", source, ("simulate",), "simulate")
        given = source["simulate"] or {}
        _check_keys("'simulate'", given, tuple(Simulation.__dataclass_fields__), None)
        return simulate(network, Simulation(**given), np.random.default_rng(seed)), []
    _check_keys("'vignettes'", source, CARD_KEYS, "authors")
    policy = CardPolicy(**{key: source[key] for key in CARD_KEYS[2:] if key in source})
    found, issues = read_authors_cards(source["authors"], source.get("network"), policy)
    raise_errors(issues)
    return found, issues


def _check_keys(
    where: str, item: Mapping[str, Any], keys: Sequence[str], needed: str | None
) -> None:
    """Refuse unknown and missing keys of a source."""
    issues = [
        error(where, f"has the unknown key {key!r}", did_you_mean(str(key), keys))
        for key in item
        if key not in keys
    ]
    if needed is not None and needed not in item:
        issues.append(error(where, f"has no '{needed}'", "give a path, or one of these keys"))
    raise_errors(issues)
