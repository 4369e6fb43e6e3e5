"""Alarm signs: present findings that say by themselves how urgently a patient is seen."""

from __future__ import annotations

from dataclasses import dataclass

from hickam.evidence.case import Evidence
from hickam.evidence.implied import implied
from hickam.model.kinds import Model
from hickam.model.network import URGENCY_CLASSES


@dataclass(frozen=True, slots=True)
class Raised:
    """An alarm that holds for a patient."""

    finding: str
    urgency: str  # one of URGENCY_CLASSES
    reason: str  # in words


def raised(model: Model, evidence: Evidence) -> tuple[Raised, ...]:
    """The alarms of what is present, the most urgent first; of each finding the most urgent.

    What a case implies counts as what it says. More findings never silence an alarm.
    """
    there = {finding: True for finding, on in implied(model, evidence).items() if on}
    there |= {model.risk_factors[risk]: True for risk in evidence.risks_on.tolist()}
    found = []
    for finding in there:
        mine = []
        for alarm in model.entries[finding].alarms:
            beside = [node for node in alarm.beside if node in there]
            if alarm.holds(evidence.age) and (beside or not alarm.beside):
                name = model.label(finding)
                partner = model.label(beside[0]).lower() if beside else ""
                at = " at this age" if alarm.age else ""
                how = f"with {partner}{at}" if partner else at.strip() or "by itself"
                reason = f"{name[:1].lower()}{name[1:]} is an alarm sign {how}"
                mine.append(Raised(finding, alarm.urgency, reason))
        found += sorted(mine, key=_class)[:1]
    return tuple(sorted(found, key=_class))


def _class(alarm: Raised) -> int:
    """How far from the most urgent class."""
    return URGENCY_CLASSES.index(alarm.urgency)
