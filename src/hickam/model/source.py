"""How firm a number is by its source: an estimate, learnt from so many patients, or cited."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

NONE = "no source"
ESTIMATES = ("", NONE, "estimate", "estimates", "estimated")
LEARNT = re.compile(
    r"learnt from .*, n = (?P<n>[\d,]{1,15})(?:, weight (?P<weight>[\d,]{1,15}))?"
    r" \(before: (?P<before>.*)\)",
    re.DOTALL,
)


class Learnt(NamedTuple):
    """What the source of a learnt number says."""

    patients: int  # in whom it could be seen
    weight: float  # patients that it counts for, with what it counted for before
    before: str  # the number and its source before the first records

    @property
    def firmness(self) -> float:
        """The patients that it stands for; what was an estimate before adds none of its own."""
        cited = firmness(self.before.partition(", ")[2]) == math.inf
        return self.weight if cited else min(self.weight, self.patients)


def learnt(source: str) -> Learnt | None:
    """What a source says if its number was learnt.

    >>> learnt("learnt from a.csv, n = 1,200, weight 900 (before: 0.1, estimate)")
    Learnt(patients=1200, weight=900.0, before='0.1, estimate')
    """
    found = LEARNT.fullmatch(source)
    if found is None:
        return None
    patients, weight = (int((found[key] or "").replace(",", "") or 0) for key in ("n", "weight"))
    return Learnt(patients, float(weight), found["before"])


def learnt_source(records: str, number: Learnt) -> str:
    """The source of a number that records taught."""
    return (
        f"learnt from {records}, n = {number.patients:,}, weight {number.weight:,.0f} "
        f"(before: {number.before})"
    )


def firmness(source: str) -> float:
    """How many patients a source stands for: none for an estimate, infinitely many if cited.

    >>> firmness("estimate"), firmness("estimate: Ann 0.3"), firmness("Fiest 2017")
    (0.0, 0.0, inf)
    """
    if source.partition(":")[0].strip().casefold() in ESTIMATES:
        return 0.0
    said = learnt(source)
    return math.inf if said is None else said.firmness
