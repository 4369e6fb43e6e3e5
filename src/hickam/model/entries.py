"""What a document says about a node besides its numbers: names, classes, costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hickam.issues import Issue, did_you_mean, error
from hickam.model.alarms import age_range, read_alarms
from hickam.model.network import SEXES, URGENCY_CLASSES, About, Entry, Prevalence
from hickam.model.numbers import RARENESS_CLASSES
from hickam.model.sensitivity import TEST_KEYS

Path = tuple[str | int, ...]

SHARED_KEYS = ("id", "name", "synonyms", "group", "kind", "source")
KEYS = {
    "risk factor": (*SHARED_KEYS, "prior", "prevalence"),
    "disease": (
        *(*SHARED_KEYS, "leak", "prior", "causes"),
        *("rareness", "urgency", "prevalence", "treatment", "per_finding"),
    ),
    "finding": (
        *(*SHARED_KEYS, "leak", "causes", "cruelty", "cost"),
        *("prevalence", "is_a", "absence", "alarm", "asked_after", *TEST_KEYS),
    ),
}
# Most nodes of large networks say nothing else.
PLAIN_KEYS = {*SHARED_KEYS, "prior", "leak", "causes"}
LARGEST_FACTOR = 10.0  # of a disease, for every present finding


def read_about(document: Mapping[Any, Any]) -> About:
    """The network's metadata."""

    def text(key: str) -> str:
        return str(document.get(key) or "").strip()

    return About(
        name=text("name") or "unnamed network",
        version=text("version"),
        licence=text("licence"),
        description=text("description"),
        disclaimer=text("disclaimer"),
        source=text("source"),
        notice=text("notice"),
        learnt_from=text("learnt_from"),
    )


def read_entry(
    kind: str, item: Mapping[str, Any], path: Path, default_source: str, issues: list[Issue]
) -> Entry | None:
    """The entry of one node; None if it has no usable id."""
    node = item.get("id")
    if not isinstance(node, str) or not node.strip():
        what = "has no id" if node is None else f"has the id {node!r}, which is not text"
        issues.append(error(f"{kind} {path[-1]!r}", what, "give it an 'id'", path))
        return None
    node = node.strip()
    where = f"{kind} '{node}'"
    for key in item:
        if key not in KEYS[kind]:
            fix = did_you_mean(str(key), KEYS[kind])
            issues.append(error(where, f"has the unknown key {key!r}", fix, (*path, str(key))))
    if item.keys() <= PLAIN_KEYS:
        return Entry(
            node,
            str(item.get("name") or node),
            texts_of(item, "synonyms", where, path, issues),
            str(item.get("group") or ""),
            str(item.get("kind") or ""),
            str(item.get("source") or default_source),
        )
    cost, success = _treatment(item, where, path, issues)
    return Entry(
        id=node,
        name=str(item.get("name") or node),
        synonyms=texts_of(item, "synonyms", where, path, issues),
        group=str(item.get("group") or ""),
        kind=str(item.get("kind") or ""),
        source=str(item.get("source") or default_source),
        rareness=_choice(item, "rareness", RARENESS_CLASSES, where, path, issues),
        urgency=_choice(item, "urgency", URGENCY_CLASSES, where, path, issues),
        prevalence=_prevalence(item, where, path, issues),
        treatment_cost=cost,
        treatment_success=success,
        cruelty=amount_of(item, "cruelty", where, path, issues),
        cost=amount_of(item, "cost", where, path, issues),
        is_a=_is_a(item, where, path, issues),
        per_finding=_factor(item, "per_finding", where, path, issues),
        absence=_share(item, "absence", where, path, issues),
        alarms=read_alarms(item, where, path, issues),
        asked_after=texts_of(item, "asked_after", where, path, issues),
    )


def texts_of(
    item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]
) -> tuple[str, ...]:
    """A list of texts; a single text counts as one."""
    value = item.get(key) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        issues.append(error(where, f"has {key} that are not a list", "", (*path, key)))
        return ()
    return tuple(str(text) for text in value)


def _is_a(item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]) -> str:
    """The id of the finding that this one is a kind of, or empty."""
    value = item.get("is_a")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or isinstance(value, str):
        return (value or "").strip()
    what, fix = f"has the is_a {value!r:.40}", "write the id of one finding"
    if isinstance(value, list):
        what, fix = "is a kind of several findings", "keep the nearest: a finding is a kind of one"
    issues.append(error(where, what, fix, (*path, "is_a")))
    return ""


def _choice(
    item: Mapping[str, Any],
    key: str,
    choices: tuple[str, ...],
    where: str,
    path: Path,
    issues: list[Issue],
) -> str:
    """A word from a fixed list, or empty if not given."""
    value = item.get(key)
    if value is None:
        return ""
    text = str(value).strip().casefold()
    if text not in choices:
        issues.append(
            error(where, f"has the {key} {value!r}", did_you_mean(text, choices), (*path, key))
        )
    return text


def amount_of(
    item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]
) -> float:
    """A finite number >= 0, by default 1."""
    value = item.get(key, 1.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        issues.append(error(where, f"has {key} {value!r}", "give a number >= 0", (*path, key)))
        return 1.0
    return float(value)


def _factor(
    item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]
) -> float:
    """A factor on odds that many findings can repeat, by default 1."""
    value = amount_of(item, key, where, path, issues)
    if not 1.0 / LARGEST_FACTOR <= value <= LARGEST_FACTOR:
        fix = f"give a factor between {1.0 / LARGEST_FACTOR:g} and {LARGEST_FACTOR:g}"
        issues.append(error(where, f"has {key} {value:g}", fix, (*path, key)))
        return 1.0
    return value


def _share(item: Mapping[str, Any], key: str, where: str, path: Path, issues: list[Issue]) -> float:
    """A weight in [0, 1], by default 1."""
    value = amount_of(item, key, where, path, issues)
    if value > 1.0:
        issues.append(error(where, f"has {key} {value:g}", "give a weight in [0, 1]", (*path, key)))
        return 1.0
    return value


def _treatment(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> tuple[float, float]:
    """(cost, success probability) of treating a disease, by default 1 and 1."""
    treatment = item.get("treatment") or {}
    place = (*path, "treatment")
    if not isinstance(treatment, Mapping):
        fix = "write {cost: …, success: …}"
        issues.append(error(where, "has a treatment that is not a mapping", fix, place))
        return 1.0, 1.0
    for key in treatment:
        if key not in ("cost", "success"):
            fix = did_you_mean(str(key), ("cost", "success"))
            issues.append(error(where, f"has the unknown treatment key {key!r}", fix, place))
    cost = amount_of(treatment, "cost", where, place, issues)
    success = amount_of(treatment, "success", where, place, issues)
    if success > 1.0:
        what = f"has a treatment success of {success:g}"
        issues.append(error(where, what, "give a probability in [0, 1]", place))
        success = 1.0
    return cost, success


def _prevalence(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> tuple[Prevalence, ...]:
    """The age- and sex-specific factors on a node's prior or leak odds."""
    listed = item.get("prevalence") or []
    if not isinstance(listed, list):
        fix = "write a list of {sex: …, age: [from, to], factor: …}"
        issues.append(
            error(where, "has a prevalence that is not a list", fix, (*path, "prevalence"))
        )
        return ()
    found = []
    for position, row in enumerate(listed):
        place = (*path, "prevalence", position)
        if not isinstance(row, Mapping) or "factor" not in row:
            fix = "write {sex: …, age: [from, to], factor: …}"
            issues.append(error(where, "has a prevalence without a factor", fix, place))
            continue
        for key in row:
            if key not in ("sex", "age", "factor"):
                fix = did_you_mean(str(key), ("sex", "age", "factor"))
                issues.append(error(where, f"has the unknown prevalence key {key!r}", fix, place))
        sex, age = row.get("sex"), row.get("age")
        if sex is not None and sex not in SEXES:
            issues.append(
                error(where, f"has the sex {sex!r}", did_you_mean(str(sex), SEXES), place)
            )
        span = age_range(age, where, place, issues)
        factor = amount_of(row, "factor", where, place, issues)
        found.append(Prevalence(factor, sex if isinstance(sex, str) else None, span))
    return tuple(found)
