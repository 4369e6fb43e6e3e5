"""Alarm signs in documents: findings that say by themselves how urgently a patient is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hickam.issues import Issue, did_you_mean, error
from hickam.model.network import URGENCY_CLASSES, Alarm

Path = tuple[str | int, ...]
KEYS = ("urgency", "age", "with")
FORM = "write an urgency, or {urgency: …, age: [from, to], with: […]}, or a list of these"


def read_alarms(
    item: Mapping[str, Any], where: str, path: Path, issues: list[Issue]
) -> tuple[Alarm, ...]:
    """The alarms of a finding: one urgency, one mapping, or a list of them."""
    given = item.get("alarm")
    if given is None:
        return ()
    listed = given if isinstance(given, list) else [given]
    place = (*path, "alarm")
    read = (_alarm(row, where, place, issues) for row in listed)
    return tuple(alarm for alarm in read if alarm is not None)


def _alarm(row: Any, where: str, place: Path, issues: list[Issue]) -> Alarm | None:
    """One alarm; None if it cannot be read."""
    if isinstance(row, str):
        row = {"urgency": row}
    if not isinstance(row, Mapping) or "urgency" not in row:
        issues.append(error(where, f"has the alarm {row!r:.60}", FORM, place))
        return None
    for key in row:
        if key not in KEYS:
            fix = did_you_mean(str(key), KEYS)
            issues.append(error(where, f"has the unknown alarm key {key!r}", fix, place))
    urgency = str(row["urgency"]).strip().casefold()
    if urgency not in URGENCY_CLASSES:
        fix = did_you_mean(urgency, URGENCY_CLASSES)
        issues.append(error(where, f"has the alarm {row['urgency']!r}", fix, place))
        return None
    beside = row.get("with") or []
    if isinstance(beside, str):
        beside = [beside]
    if not isinstance(beside, list):
        fix = "write a list of findings and risk factors"
        issues.append(error(where, f"has an alarm with {beside!r:.60}", fix, place))
        return None
    age = age_range(row.get("age"), where, place, issues)
    return Alarm(urgency, age, tuple(str(node).strip() for node in beside))


def age_range(age: Any, where: str, place: Path, issues: list[Issue]) -> tuple[float, float] | None:
    """An age range [from, to); None if there is none, or none that can be read."""
    if age is None:
        return None
    numbers = isinstance(age, list) and all(
        isinstance(a, (int, float)) and not isinstance(a, bool) for a in age
    )
    if not (numbers and len(age) == 2 and age[0] < age[1]):
        issues.append(error(where, f"has the age range {age!r}", "write [from, to]", place))
        return None
    return float(age[0]), float(age[1])


def alarms_document(alarms: tuple[Alarm, ...]) -> list[dict[str, Any]]:
    """The alarms of a finding as plain values."""
    return [
        {
            "urgency": alarm.urgency,
            **({"age": list(alarm.age)} if alarm.age else {}),
            **({"with": list(alarm.beside)} if alarm.beside else {}),
        }
        for alarm in alarms
    ]
