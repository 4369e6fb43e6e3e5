"""Tests by sensitivity and specificity: P(positive | disease) and P(negative | none of them).

A test can be a finding, which diseases explain and which several of them make likelier together, or
a category, which is soft evidence on diseases and counts as no finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hickam.issues import Hints, Issue, error
from hickam.model.numbers import FREQUENCY_WORDS, Chance, checked_chance, read_source

TEST_KEYS = ("sensitivity", "specificity")


class Performance(NamedTuple):
    """How often a test is positive, with each disease alone and with none of them."""

    sensitivity: Mapping[str, Chance]
    false_positive: Chance


def read_test(
    item: Mapping[str, Any],
    where: str,
    path: tuple[str | int, ...],
    diseases: Mapping[str, int],
    issues: list[Issue],
) -> Performance:
    """The test that `sensitivity` (disease → probability) and `specificity` describe."""
    listed = item.get("sensitivity")
    if not isinstance(listed, Mapping) or not listed:
        fix = "write sensitivity: {disease: 0.9}"
        issues.append(error(where, "has no sensitivity by disease", fix, (*path, "sensitivity")))
        listed = {}
    found = {}
    hints = Hints(diseases)
    for disease, value in listed.items():
        place = (*path, "sensitivity", str(disease))
        name = f"{where}: sensitivity for '{disease}'"
        if disease not in diseases:
            fix = hints.fix(str(disease))
            issues.append(error(name, "is for no disease of the network", fix, place))
            continue
        found[str(disease)] = checked_chance(value, FREQUENCY_WORDS, name, place, issues)
    place = (*path, "specificity")
    if "specificity" not in item:
        fix = "write specificity: 0.95"
        issues.append(error(where, "has a sensitivity and no specificity", fix, path))
        return Performance(found, Chance(0.5, 0.5))
    negative = checked_chance(
        item["specificity"], FREQUENCY_WORDS, f"{where}: specificity", place, issues
    )
    return Performance(found, Chance(negative.fails, negative.acts))


def as_causes(
    item: Mapping[str, Any], where: str, path: tuple[str | int, ...], issues: list[Issue]
) -> Mapping[str, Any]:
    """A finding with its sensitivity and specificity written as causes and leak.

    The leak is P(positive | none); a link fails with (1 - sensitivity) / specificity, so that one
    disease alone makes the test positive with just its sensitivity.
    """
    if not any(key in item for key in TEST_KEYS):
        return item
    if mixed := [key for key in ("leak", "causes") if key in item]:
        fix = "keep one of the two forms"
        issues.append(error(where, f"has {mixed[0]!r} besides a sensitivity", fix, path))
    listed = item.get("sensitivity")
    known = dict.fromkeys(listed, 0) if isinstance(listed, Mapping) else {}
    test = read_test(item, where, path, known, issues)
    causes: dict[str, Any] = {}
    for disease, positive in test.sensitivity.items():
        if positive.acts < test.false_positive.acts:
            what = f"has a sensitivity of {positive.acts:g}, below 1 - specificity"
            fix = "a test that a disease makes rarer is a category, not a finding"
            place = (*path, "sensitivity", disease)
            issues.append(error(f"{where}: '{disease}'", what, fix, place))
            continue
        fails = positive.fails / test.false_positive.fails if test.false_positive.fails else 0.0
        source = read_source(item["sensitivity"][disease])
        causes[disease] = {"fails": min(fails, 1.0), **({"source": source} if source else {})}
    source = read_source(item.get("specificity"))
    leak = {"probability": test.false_positive.acts, **({"source": source} if source else {})}
    kept = {key: value for key, value in item.items() if key not in TEST_KEYS}
    return {**kept, "leak": leak, "causes": causes}
