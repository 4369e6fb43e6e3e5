"""What every network document has: the format mark, known keys, sections that are lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hickam.issues import Issue, did_you_mean, error
from hickam.model.category import read_category
from hickam.model.network import Category

Path = tuple[str | int, ...]

ABOUT_KEYS = (
    *("hickam", "name", "version", "licence", "description", "disclaimer", "source", "notice"),
    *("learnt_from", "categories", "exclusive"),
)


def check_top(
    document: Mapping[Any, Any],
    sections: Collection[str],
    issues: list[Issue],
    elsewhere: Mapping[str, str] | None = None,
) -> None:
    """The format mark, and misspelled keys; `elsewhere` is the fix for keys of another kind."""
    if document.get("hickam") != 1:
        found = document.get("hickam")
        what = "is missing" if found is None else f"is {found!r}"
        fix = "start the file with 'hickam: 1'"
        issues.append(error("the format mark 'hickam'", what, fix, ("hickam",)))
    known = (*ABOUT_KEYS, *sections)
    for key in document:
        if key not in known:
            fix = (elsewhere or {}).get(key) or did_you_mean(str(key), known)
            issues.append(error(f"key {key!r}", "is not known", fix, (str(key),)))


def items_of(
    document: Mapping[Any, Any], section: str, issues: list[Issue]
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The entries of a section that are mappings, with their paths."""
    listed = document.get(section) or []
    if not isinstance(listed, list):
        what = f"is a {type(listed).__name__}, not a list"
        fix = "write one '- id: …' per entry"
        issues.append(error(f"section '{section}'", what, fix, (section,)))
        return
    for position, item in enumerate(listed):
        if isinstance(item, Mapping):
            yield (section, position), item
        else:
            where = f"entry {position + 1} of '{section}'"
            what = f"is {item!r:.40}, not a mapping"
            issues.append(error(where, what, "write '{id: …}'", (section, position)))


def read_categories(
    document: Mapping[Any, Any],
    diseases: Mapping[str, int],
    findings: Mapping[str, int],
    issues: list[Issue],
) -> tuple[Category, ...]:
    """The observations with values of the document."""
    found: dict[str, Category] = {}
    for path, item in items_of(document, "categories", issues):
        category = read_category(item, path, diseases, findings, issues)
        if category is not None:
            if category.id in found:
                issues.append(error(f"category '{category.id}'", "is listed twice", "", path))
            found[category.id] = category
    return tuple(found.values())
