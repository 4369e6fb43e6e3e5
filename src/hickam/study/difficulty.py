"""Whether algorithms and doctors find the same vignettes hard. [CD difficulty]

The paper reads this off its scatter plots: sets of vignettes on which both do badly are hard, and
there the algorithm is ahead. But a set on which a doctor did badly is also one on which that doctor
was unlucky, which alone puts the algorithm ahead. So difficulty is also taken from the *other*
doctors who judged the same vignette.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.evidence.vignette import Vignette
from hickam.study.doctors import DOCTOR, Trial

STRATA = ("no other doctor misses it", "some miss it", "at least half miss it")


@dataclass(frozen=True, slots=True)
class Trend:
    """How an algorithm's accuracy moves with the doctors', over trials."""

    agent: str
    trials: int
    together: float  # correlation of the two accuracies
    lead: float  # correlation of the algorithm's lead with the mean of the two accuracies


@dataclass(frozen=True, slots=True)
class Stratum:
    """Opinions on vignettes of one difficulty, as other doctors found it."""

    name: str
    opinions: int
    accuracy: Mapping[str, float]  # agent → share of opinions with the truth in its list


def trends(trials: Sequence[Trial]) -> list[Trend]:
    """Per algorithm, the paper's claim over doctors; empty below three trials."""
    if len(trials) < 3:
        return []
    own = np.array([trial.accuracy(DOCTOR) for trial in trials])
    found = []
    for agent in trials[0].hits:
        if agent != DOCTOR:
            theirs = np.array([trial.accuracy(agent) for trial in trials])
            lead = correlation(theirs - own, theirs + own)
            found.append(Trend(agent, len(trials), correlation(own, theirs), lead))
    return found


def correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Pearson's correlation; 0 where one of the two does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    one, two = one - one.mean(), two - two.mean()
    size = float(np.sqrt((one @ one) * (two @ two)))
    return round(float(one @ two) / size, 12) if size > 1e-12 else 0.0


def by_difficulty(
    vignettes: Sequence[Vignette], positions: Mapping[str, npt.ArrayLike]
) -> list[Stratum]:
    """Opinions by how many of the other doctors miss the truth; those without others are left out.

    Algorithms give lists of the doctor's own size, as everywhere.
    """
    places = {agent: np.asarray(values) for agent, values in positions.items()}
    cells: list[list[dict[str, bool]]] = [[] for _ in STRATA]
    for number, vignette in enumerate(vignettes):
        truths = set(vignette.diseases)
        hits = [not truths.isdisjoint(opinion.diseases) for opinion in vignette.opinions]
        for place, opinion in enumerate(vignette.opinions):
            others = len(hits) - 1
            if not others:
                continue
            missed = others - (sum(hits) - hits[place])
            stratum = 0 if missed == 0 else 1 if 2 * missed < others else 2
            row = {DOCTOR: hits[place]}
            row |= {a: bool(values[number] <= opinion.size) for a, values in places.items()}
            cells[stratum].append(row)
    return [
        Stratum(name, len(rows), {a: float(np.mean([r[a] for r in rows])) for a in rows[0]})
        for name, rows in zip(STRATA, cells, strict=True)
        if rows
    ]
