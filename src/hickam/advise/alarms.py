"""Alarm signs: present findings that say by themselves how urgently a patient is seen."""

from __future__ import annotations

from typing import NamedTuple

from hickam.evidence.case import Evidence
from hickam.evidence.implied import there
from hickam.model.kinds import Model
from hickam.model.network import URGENCY_CLASSES, URGENT, Alarm


class Raised(NamedTuple):
    """An alarm that holds for a patient."""

    finding: str
    urgency: str  # one of URGENCY_CLASSES
    reason: str  # in words


def raised(model: Model, evidence: Evidence) -> tuple[Raised, ...]:
    """The alarms of what is present, the most urgent first; of each finding the most urgent.

    What a case implies counts as what it says. More findings never silence an alarm.
    """
    found = []
    signs = there(model, evidence)
    for finding in signs:
        mine = []
        for alarm in model.entries[finding].alarms:
            beside = [node for node in alarm.beside if node in signs]
            if alarm.holds(evidence.age) and (beside or not alarm.beside):
                reason = _reason(model, [finding, *beside[:1]], alarm)
                mine.append(Raised(finding, alarm.urgency, reason))
        found += sorted(mine, key=_class)[:1]
    return tuple(sorted(found, key=_class))


def _reason(model: Model, signs: list[str], alarm: Alarm) -> str:
    """Why an alarm holds: 'vomiting blood' is an alarm sign by itself."""
    names = (model.label(sign) for sign in signs)
    what = " with ".join(f"'{name[:1].lower()}{name[1:]}'" for name in names)
    alone = " by itself" if len(signs) == 1 and alarm.age is None else ""
    at = " at this age" if alarm.age else ""
    if alarm.urgency not in URGENT:
        return f"{what}{at} should be looked into, whatever causes it"
    return f"{what} is an alarm sign{at}{alone}"


def _class(alarm: Raised) -> int:
    """How far from the most urgent class."""
    return URGENCY_CLASSES.index(alarm.urgency)
