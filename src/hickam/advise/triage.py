"""How urgently a patient should be seen: from alarm signs, and what may be causing the findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hickam.advise.alarms import raised
from hickam.advise.red_flags import causing
from hickam.beliefs.beliefs import Beliefs
from hickam.evidence.case import Evidence
from hickam.model.kinds import Model
from hickam.model.network import URGENCY_CLASSES
from hickam.words import percent

# The rating of a class of diseases and the more urgent ones from which on a patient is seen as for
# this class. Missing an emergency is worse than a wasted visit: chosen on
# the classic presentations, see docs/interview.md for the errors on those never tuned on.
FROM = {"emergency": 0.08, "urgent": 0.35, "routine": 0.5}
# An emergency that is unlikely but open keeps a patient from being told to wait: the rating from
# which on the verdict is at least this.
OPEN = {"urgent": 0.05, "routine": 0.01}
# Self-care needs harmless causes: nobody is told to stay away if a finding is unexplained with more
# than this chance, or if the rating of harmless causes is less.
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
    # level → P(a disease of this class is at work on a finding), of the likeliest: from, to
    chances: dict[str, tuple[float, float]]

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
    ratings, chances = {}, {}
    for level in URGENCY_CLASSES:
        mine = np.array([urgency == level for urgency in urgencies])
        ratings[level] = float(1.0 - np.prod(1.0 - chance[mine]))
        chances[level] = _between(beliefs, mine)
    level, feared = _level(ratings)
    reason = _of_causes(network, beliefs, urgencies, chances, level, feared)
    doubt = _doubt(network, beliefs, ratings) if level == SELF_CARE else ""
    if doubt:
        level, reason = "routine", doubt
    if alarms and URGENCY_CLASSES.index(alarms[0].urgency) < URGENCY_CLASSES.index(level):
        level, reason = alarms[0].urgency, alarms[0].reason
    elif alarms and alarms[0].urgency == level:
        reason = f"{alarms[0].reason}; {reason}"
    return Triage(level, MEANING[level], reason, chances)


def _between(beliefs: Beliefs, mine: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Bounds on P(one of these diseases is at work on a finding), for the likeliest finding.

    It is at least that of one of them, and at most the sum: rivals for a finding are nearly all of
    the sum, causes that come together much less.
    """
    least = float(beliefs.at_work[mine].max(initial=0.0))
    beyond = np.where(beliefs.disabled > beliefs.sustained, beliefs.sustained, 0.0)
    sums = (beliefs.at_work + beyond)[mine].sum(axis=0)
    return least, float(np.clip(sums.max(initial=least), least, 1.0))


def _doubt(network: Model, beliefs: Beliefs, ratings: dict[str, float]) -> str:
    """Why advice is not enough although nothing worse is likely; empty if it is."""
    at = int(np.argmax(beliefs.unexplained))
    unexplained = float(beliefs.unexplained[at])
    if unexplained > UNEXPLAINED:
        finding = network.label(beliefs.present[at]).lower()
        return (
            f"'{finding}' is probably caused by no disease of this network ({percent(unexplained)})"
        )
    if ratings[SELF_CARE] < UNEXPLAINED:
        return "a cause for which advice is enough is not likely"
    return ""


def _of_causes(
    network: Model,
    beliefs: Beliefs,
    urgencies: list[str],
    chances: dict[str, tuple[float, float]],
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
    least, at_most = chances[feared]
    overall = " to ".join(dict.fromkeys((percent(least), percent(at_most))))
    if feared != level:
        return f"an emergency is not excluded ({overall}), {most}"
    may = "is probably" if least >= PROBABLE else "may be"
    return f"{_some(feared)} {may} causing a finding ({overall}), {most}"


def _level(ratings: dict[str, float]) -> tuple[str, str]:
    """The verdict, and the class of the diseases that it is for.

    The most urgent level whose rating, with that of the more urgent ones, is large enough; or one
    that is due to an emergency that is still open. A rating takes diseases for independent, which
    they are not: it is no probability, and the thresholds are chosen for it.
    """
    none = 1.0
    found = URGENCY_CLASSES[-1]
    for level, least in FROM.items():
        none *= 1.0 - ratings[level]
        if 1.0 - none >= least:
            found = level
            break
    for level, least in OPEN.items():
        less_urgent = URGENCY_CLASSES.index(found) > URGENCY_CLASSES.index(level)
        if ratings["emergency"] >= least and less_urgent:
            return level, "emergency"
    return found, found


def _some(level: str) -> str:
    """'an emergency', 'an urgent disease', …"""
    if level == "emergency":
        return "an emergency"
    return f"{'an' if level[0] in 'aeiou' else 'a'} {level} disease"
