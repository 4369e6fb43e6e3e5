"""One case as a YAML or JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from hickam.evidence.case import Case
from hickam.io.documents import locate_issues, parse
from hickam.issues import InvalidInput, Issue, did_you_mean, error, invalid

KEYS = tuple(field.name for field in fields(Case))
LISTS = ("present", "absent")
MAPPINGS = ("risks", "likelihoods", "categories")


def read_case(path: str | Path) -> Case:
    """The case in a file; every problem with its form at once."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as bad:
        raise invalid(f"case file '{path}'", f"cannot be read: {bad}") from None
    document, issues = parse(text, str(path), as_json=str(path).lower().endswith(".json"))
    try:
        case = case_from(document)
    except InvalidInput as bad:
        raise InvalidInput(locate_issues([*issues, *bad.issues], text, str(path))) from None
    if issues:
        raise InvalidInput(issues)
    return case


def case_from(document: object) -> Case:
    """The case in a plain document with the fields of `Case`.

    >>> case_from({"present": ["cough"], "risks": {"smoker": True}}).present
    ('cough',)
    """
    if not isinstance(document, Mapping):
        what = f"is a {type(document).__name__}, not a mapping"
        raise invalid("the case", what, f"write keys such as {', '.join(KEYS[:3])}")
    issues: list[Issue] = []
    found: dict[str, Any] = {}
    for raw, value in document.items():
        key = str(raw)
        if key not in KEYS:
            issues.append(error(f"key '{key}'", "is not known", did_you_mean(key, KEYS), (key,)))
        elif value is None:
            continue
        elif key in LISTS:
            found[key] = _names(key, value, issues)
        elif key in MAPPINGS:
            found[key] = _mapping(key, value, issues)
        else:
            found[key] = str(value) if key in ("sex", "notes", "id") else value
    if issues:
        raise InvalidInput(issues)
    return Case(**found)


def _names(key: str, value: object, issues: list[Issue]) -> list[str]:
    """A list of names; a single name counts as one."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        fix = f"write {key}: [name, name]"
        issues.append(error(f"'{key}'", "is not a list of names", fix, (key,)))
        return []
    return list(value)


def _mapping(key: str, value: object, issues: list[Issue]) -> dict[str, Any]:
    """A mapping; for risk factors a list of names means that all are true."""
    if key == "risks" and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return dict.fromkeys(value, True)
    if not isinstance(value, Mapping):
        issues.append(error(f"'{key}'", "is not a mapping", f"write {key}: {{name: …}}", (key,)))
        return {}
    return {str(name): item for name, item in value.items()}
