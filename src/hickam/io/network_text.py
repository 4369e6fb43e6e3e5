"""A network as YAML or JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from hickam.io.associations import from_document, is_associations
from hickam.io.documents import locate_issues, parse
from hickam.io.form import Format, Reading
from hickam.io.network_document import model_document
from hickam.io.text import read_file, write_file
from hickam.issues import InvalidInput, Issue, errors
from hickam.model.build import build_model
from hickam.model.kinds import Model
from hickam.model.scm_build import build_scm


def read_text(text: str, file: str, *, warnings: bool = True) -> tuple[Model | None, list[Issue]]:
    """The network in YAML or JSON text, with issues placed by line."""
    try:
        document, issues = parse(text, file, as_json=file.lower().endswith(".json"))
    except InvalidInput as bad:
        return None, bad.issues
    network, found = read_document(document, Path(file).name.split(".")[0])
    issues += found
    if errors(issues):
        return None, locate_issues(issues, text, file)
    return network, locate_issues(issues, text, file) if warnings else issues


def read_document(document: object, name: str = "") -> tuple[Model | None, list[Issue]]:
    """The network that plain values describe, and every issue with its place in them.

    `name` is for a bare table of diseases and findings, which has none of its own.
    """
    if is_associations(document):
        assert isinstance(document, Mapping)
        return from_document(document, name)
    if isinstance(document, Mapping) and "nodes" in document:
        return build_scm(document)
    return build_model(document)


def _read(path: Path, warnings: bool) -> Reading:
    """The network in a YAML or JSON file."""
    return read_text(read_file(path, "network file"), str(path), warnings=warnings)


def _write_json(model: Model, path: Path) -> None:
    """The network as a JSON file."""
    text = json.dumps(model_document(model), indent=1, ensure_ascii=False, allow_nan=False)
    write_file(path, text)


def _write_yaml(model: Model, path: Path) -> None:
    """The network as a YAML file."""
    import yaml

    text = yaml.dump(
        model_document(model),
        Dumper=yaml.CSafeDumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
    )
    write_file(path, text)


YAML = Format("YAML", (".yaml", ".yml"), "a YAML file", _read, _write_yaml)
JSON = Format("JSON", (".json",), "a JSON file", _read, _write_json)
