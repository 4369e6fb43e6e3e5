"""`hickam.load`: an embedded name or a path → a network."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hickam.io.csv_folder import read_csv_folder
from hickam.io.documents import locate_issues, parse
from hickam.issues import InvalidInput, Issue, did_you_mean, errors, invalid, raise_errors
from hickam.model.build import build_network
from hickam.model.embedded import NAMES, embedded_text
from hickam.model.kinds import Model

SUFFIXES = (".yaml", ".yml", ".json")


def load(source: str | Path) -> Model:
    """The network with an embedded name or in a file or folder; all its errors at once.

    A document with `nodes:` is a general model: an `SCM`, which the same functions accept.

    >>> load("smoker").name
    'Elderly smoker'
    """
    network, issues = read_network(source, warnings=False)
    raise_errors(issues)
    assert network is not None
    return network


@contextmanager
def collector_paused() -> Iterator[None]:
    """Reading makes a million objects and drops few: pausing the collector saves a third."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@collector_paused()
def read_network(source: str | Path, *, warnings: bool = True) -> tuple[Model | None, list[Issue]]:
    """The network, or None if it has errors, and every issue; `warnings` places those by line."""
    name = str(source)
    path = Path(source)
    if name in NAMES and not path.exists():
        return read_text(embedded_text(name), f"{name}.yaml", warnings=warnings)
    if path.is_dir():
        return read_csv_folder(path)
    if not path.exists():
        fix = did_you_mean(name, NAMES) or f"the embedded ones are {', '.join(NAMES)}"
        raise invalid(f"network '{name}'", "is neither an embedded network nor a file", fix)
    if path.suffix.lower() not in SUFFIXES:
        what = f"has the ending '{path.suffix}'"
        fix = f"use {', '.join(SUFFIXES)} or a folder of CSV files"
        raise invalid(f"network file '{name}'", what, fix)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as bad:
        raise invalid(f"network file '{name}'", f"cannot be read: {bad}") from None
    return read_text(text, name, warnings=warnings)


def read_text(text: str, file: str, *, warnings: bool = True) -> tuple[Model | None, list[Issue]]:
    """The network in YAML or JSON text, with issues placed by line."""
    try:
        document, issues = parse(text, file, as_json=file.lower().endswith(".json"))
    except InvalidInput as bad:
        return None, bad.issues
    if isinstance(document, Mapping) and "nodes" in document:
        from hickam.model.scm_build import build_scm

        model, found = build_scm(document)
        issues += found
        return None if errors(issues) else model, locate_issues(issues, text, file)
    network, found = build_network(document)
    issues += found
    if errors(issues):
        return None, locate_issues(issues, text, file)
    return network, locate_issues(issues, text, file) if warnings else issues
