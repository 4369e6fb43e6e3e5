"""How urgently a patient should be seen: from alarm signs, and what may be causing the findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hickam.advise.alarms import raised
from hickam.advise.red_flags import causing
from hickam.beliefs.beliefs import Beliefs
from hickam.evidence.case import Evidence
from hickam.model.kinds import Model
from hickam.model.network import URGENCY_CLASSES
from hickam.words import percent

# The chance that a disease of this class or a more urgent one causes a finding from which on a
# patient is seen as for this class. Missing an emergency is worse than a wasted visit: chosen on
# the classic presentations, see docs/interview.md for the errors on those never tuned on.
FROM = {"emergency": 0.08, "urgent": 0.35, "routine": 0.5}
# An emergency that is unlikely but open keeps a patient from being told to wait: the chance from
# which on the verdict is at least this.
OPEN = {"urgent": 0.05, "routine": 0.01}
# Self-care needs harmless causes: nobody is told to stay away if a finding is unexplained with more
# than this chance, or if the chance of a harmless cause is less.
UNEXPLAINED = 0.5
PROBABLE = 0.5  # from here on a cause is called probable
SELF_CARE = URGENCY_CLASSES[-1]
MEANING = {
    "emergency": "see at once",
    "urgent": "see within a day",
    "routine": "see in the coming days or weeks",
    "self-care": "advice is enough unless it gets worse",
}


@dataclass(frozen=True, slots=True)
class Triage:
    """A verdict, what it means, and its reason."""

    level: str  # one of URGENCY_CLASSES
    meaning: str
    reason: str
    chances: dict[str, float]  # level → chance that a disease of this class causes a finding

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values, ready for JSON."""
        return asdict(self)


def triage(network: Model, evidence: Evidence, beliefs: Beliefs) -> Triage | None:
    """The verdict; None without a present finding, or if the network states no urgencies.

    The most urgent of what the likely causes ask for and what alarm signs ask for; at least routine
    unless harmless causes explain the findings.
    """
    alarms = raised(network, evidence)
    urgencies = [network.entries[disease].urgency for disease in network.diseases]
    if not len(beliefs.present) or not (any(urgencies) or alarms):
        return None
    chance = causing(beliefs)
    chances = {}
    for level in URGENCY_CLASSES:
        mine = np.array([urgency == level for urgency in urgencies])
        chances[level] = float(1.0 - np.prod(1.0 - chance[mine]))
    level, feared = _level(chances)
    reason = _of_causes(network, beliefs, urgencies, chances, level, feared)
    doubt = _doubt(network, beliefs, chances) if level == SELF_CARE else ""
    if doubt:
        level, reason = "routine", doubt
    if alarms and URGENCY_CLASSES.index(alarms[0].urgency) < URGENCY_CLASSES.index(level):
        level, reason = alarms[0].urgency, alarms[0].reason
    elif alarms and alarms[0].urgency == level:
        reason = f"{alarms[0].reason}; {reason}"
    return Triage(level, MEANING[level], reason, chances)


def _doubt(network: Model, beliefs: Beliefs, chances: dict[str, float]) -> str:
    """Why advice is not enough although nothing worse is likely; empty if it is."""
    at = int(np.argmax(beliefs.unexplained))
    unexplained = float(beliefs.unexplained[at])
    if unexplained > UNEXPLAINED:
        finding = network.label(beliefs.present[at]).lower()
        return (
            f"'{finding}' is probably caused by no disease of this network ({percent(unexplained)})"
        )
    if chances[SELF_CARE] < UNEXPLAINED:
        return f"a cause for which advice is enough is not likely ({percent(chances[SELF_CARE])})"
    return ""


def _of_causes(
    network: Model,
    beliefs: Beliefs,
    urgencies: list[str],
    chances: dict[str, float],
    level: str,
    feared: str,
) -> str:
    """The reason of a verdict by the likely causes, in words."""
    chance = causing(beliefs)
    mine = np.array([urgency == feared for urgency in urgencies])
    if not mine.any() or chance[mine].max() <= 0.0:
        return "no disease of this network is a likely cause of the findings"
    first = int(np.argmax(np.where(mine, chance, -1.0)))
    name = network.label(network.diseases[first])
    finding = network.label(beliefs.present[int(np.argmax(beliefs.at_work[first]))])
    likely = percent(float(chance[first]))
    most = f"most likely {name.lower()} ({likely}, for {finding.lower()})"
    overall = chances[feared]
    if feared != level:
        return f"an emergency is not excluded ({percent(overall)}), {most}"
    may = "is probably" if overall >= PROBABLE else "may be"
    return f"{_some(feared)} {may} causing a finding ({percent(overall)}), {most}"


def _level(chances: dict[str, float]) -> tuple[str, str]:
    """The verdict, and the class of the diseases that it is for.

    The most urgent level whose chance, with that of the more urgent ones, is large enough; or one
    that is due to an emergency that is still open.
    """
    none = 1.0
    found = URGENCY_CLASSES[-1]
    for level, least in FROM.items():
        none *= 1.0 - chances[level]
        if 1.0 - none >= least:
            found = level
            break
    for level, least in OPEN.items():
        less_urgent = URGENCY_CLASSES.index(found) > URGENCY_CLASSES.index(level)
        if chances["emergency"] >= least and less_urgent:
            return level, "emergency"
    return found, found


def _some(level: str) -> str:
    """'an emergency', 'an urgent disease', …"""
    if level == "emergency":
        return "an emergency"
    return f"{'an' if level[0] in 'aeiou' else 'a'} {level} disease"
