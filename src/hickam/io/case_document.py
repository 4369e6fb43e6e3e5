"""A case as plain values: the one reader for YAML, JSON, JSON Lines, Parquet rows and requests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

from hickam.evidence.case import Case
from hickam.issues import InvalidInput, Issue, Kind, did_you_mean, error, invalid

CASE_KEYS = tuple(field.name for field in fields(Case))
LISTS = ("present", "absent")
MAPPINGS = ("risks", "likelihoods", "categories")
TEXTS = ("sex", "notes", "id")
TRUTH: Mapping[str, bool | None] = {
    **dict.fromkeys(("yes", "true", "1"), True),
    **dict.fromkeys(("no", "false", "0"), False),
    **dict.fromkeys(("unknown", "?")),
}
HINTED_KEYS = 10  # unknown keys that are answered with the nearest known ones
KEY_SHOWN = 60  # characters of an unknown key


def case_from(document: object, where: str = "the case") -> Case:
    """The case in a plain document with the fields of `Case`; every mistake of form at once.

    >>> case_from({"present": "cough", "risks": ["smoker"]}).risks
    {'smoker': True}
    """
    if not isinstance(document, Mapping):
        what = f"is a {type(document).__name__}, not a mapping"
        raise invalid(where, what, f"write keys such as {', '.join(CASE_KEYS[:3])}")
    issues: list[Issue] = []
    check_keys(document, CASE_KEYS, where, issues)
    case = case_of(document, where, issues)
    if issues:
        raise InvalidInput(issues)
    return case


def case_of(document: Mapping[Any, Any], where: str, issues: list[Issue]) -> Case:
    """The case among the fields of a document; what is wrong with its form becomes issues."""
    found: dict[str, Any] = {}
    for key in CASE_KEYS:
        value = document.get(key)
        if value is None:
            continue
        if key in LISTS:
            found[key] = texts(document, key, where, issues)
        elif key == "risks":
            said = pairs(document, key, where, issues)
            words = {str}.intersection(map(type, said.values()))
            found[key] = {name: truth(on) for name, on in said.items()} if words else said
        elif key in MAPPINGS:
            found[key] = pairs(document, key, where, issues)
        elif key in TEXTS:
            found[key] = text(document, key, where, issues)
        else:
            found[key] = value
    return Case(**found)


def truth(value: Any) -> Any:
    """A truth value written as a word; anything else stays for `locate` to judge.

    >>> truth("Yes"), truth("unknown"), truth("perhaps")
    (True, None, 'perhaps')
    """
    return TRUTH.get(value.strip().casefold(), value) if isinstance(value, str) else value


def document_of(case: Case) -> dict[str, Any]:
    """A case as plain values, as `case_from` reads them."""
    return {
        "id": case.id,
        "present": list(case.present),
        "absent": list(case.absent),
        "risks": dict(case.risks),
        "likelihoods": dict(case.likelihoods),
        "categories": {name: str(value) for name, value in case.categories.items()},
        "sex": case.sex,
        "age": None if case.age is None else float(case.age),
        "notes": case.notes,
    }


def check_keys(
    document: Mapping[Any, Any], keys: Collection[str], where: str, issues: list[Issue]
) -> None:
    """Report fields that nobody would read."""
    for number, key in enumerate(key for key in document if key not in keys):
        fix = did_you_mean(str(key), keys) if number < HINTED_KEYS else ""
        what = f"has the unknown key '{str(key)[:KEY_SHOWN]}'"
        issues.append(error(where, what, fix, (str(key),), Kind.UNKNOWN_KEY))


def text(document: Mapping[Any, Any], key: str, where: str, issues: list[Issue]) -> str:
    """A field that is text; a number or truth value counts as its text, nothing as empty."""
    value = document.get(key)
    if value is None:
        return ""
    if isinstance(value, (str, int, float)):
        return str(value)
    issues.append(error(where, f"has a '{key}' that is not text", f"write {key}: …", (key,)))
    return ""


def texts(
    document: Mapping[Any, Any], key: str, where: str, issues: list[Issue]
) -> tuple[str, ...]:
    """A field that is a list of names; a single name counts as one."""
    value = document.get(key)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)) and _are_texts(value):
        return tuple(value)
    fix = f"write {key}: [name, name]"
    issues.append(error(where, f"has a '{key}' that is not a list of names", fix, (key,)))
    return ()


def pairs(document: Mapping[Any, Any], key: str, where: str, issues: list[Issue]) -> dict[str, Any]:
    """A field that maps names to values; a list of risk factors says that all are true.

    Parquet gives maps as lists of pairs.
    """
    value = document.get(key)
    if value is None:
        return {}
    if key == "risks":
        listed = (value,) if isinstance(value, str) else value
        if isinstance(listed, (list, tuple)) and _are_texts(listed):
            return dict.fromkeys(listed, True)
    if isinstance(value, Mapping):
        return _named(value.items())
    if isinstance(value, (list, tuple)) and _are_pairs(value):
        return _named(value)
    fix = f"write {key}: {{name: …}}"
    issues.append(error(where, f"has a '{key}' that is not a mapping", fix, (key,)))
    return {}


def _named(pairs: Collection[tuple[Any, Any]]) -> dict[str, Any]:
    """The values by their names as text, which they mostly are."""
    try:
        found = dict(pairs)
    except TypeError:  # a name that is a list or the like
        found = None
    if found is not None and {str}.issuperset(map(type, found)):
        return found
    return {str(name): item for name, item in pairs}


def _are_texts(values: Iterable[object]) -> bool:
    """Whether there are only texts."""
    return {str}.issuperset(map(type, values)) or all(isinstance(item, str) for item in values)


def _are_pairs(values: Collection[Any]) -> bool:
    """Whether there are only tuples of two."""
    return {tuple}.issuperset(map(type, values)) and {2}.issuperset(map(len, values))
