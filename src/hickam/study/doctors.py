"""Experiment 2: every algorithm shadows every doctor with lists of the doctor's own size.

[CD experiment-2]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.evidence.vignette import Vignette
from hickam.study.chance import binomial_tail, standard_error

DOCTOR = "doctor"


@dataclass(frozen=True, slots=True)
class Trial:
    """One doctor against the algorithms on the same vignettes with lists of the same sizes."""

    doctor: str
    vignettes: int
    size: float  # mean size of the doctor's lists
    hits: Mapping[str, int]  # agent → vignettes with the truth in its list

    def accuracy(self, agent: str) -> float:
        """Share of vignettes that an agent got right."""
        return self.hits[agent] / self.vignettes

    def error(self, agent: str) -> float:
        """Standard error of an agent's accuracy."""
        return standard_error(self.hits[agent], self.vignettes)


@dataclass(frozen=True, slots=True)
class Standing:
    """One agent over all trials: its mean accuracy, and how often it holds its own."""

    agent: str
    accuracy: float  # mean over trials
    error: float  # standard error of that mean over vignettes, doctors taken as they are
    at_least: Mapping[str, int]  # other agent → trials with the same or higher accuracy
    surely: Mapping[str, int]  # other agent → trials in which that is so to 95 % confidence


def doctor_hits(vignettes: Sequence[Vignette]) -> dict[str, list[tuple[int, int, bool]]]:
    """Doctor → (vignette, size of the list, whether it holds a true disease) of each opinion."""
    found: dict[str, list[tuple[int, int, bool]]] = {}
    for place, vignette in enumerate(vignettes):
        truths = set(vignette.diseases)
        for opinion in vignette.opinions:
            hit = not truths.isdisjoint(opinion.diseases)
            found.setdefault(opinion.doctor, []).append((place, opinion.size, hit))
    return found


def shadow(
    vignettes: Sequence[Vignette],
    positions: Mapping[str, npt.ArrayLike],
    minimum: int = 50,
) -> list[Trial]:
    """One trial per doctor with at least `minimum` vignettes, in the order doctors first appear.

    `positions` holds, per algorithm, the position of the truth in each vignette: a list of the
    doctor's size contains the truth exactly if the position is within that size.
    """
    places = {agent: np.asarray(values) for agent, values in positions.items()}
    trials = []
    for doctor, opinions in doctor_hits(vignettes).items():
        if len(opinions) < minimum:
            continue
        which = np.array([place for place, _, _ in opinions])
        sizes = np.array([size for _, size, _ in opinions])
        hits = {DOCTOR: sum(hit for _, _, hit in opinions)}
        for agent, values in places.items():
            hits[agent] = int((values[which] <= sizes).sum())
        trials.append(Trial(doctor, len(opinions), float(sizes.mean()), hits))
    return trials


def standings(trials: Sequence[Trial], confidence: float = 0.95) -> list[Standing]:
    """Group means and the paper's N >= K table, doctors first.

    In brackets there: the trials in which the agent's hits would be this many or more with
    probability below 1 - confidence if its true accuracy were agent K's (one-sided binomial test).
    """
    if not trials:
        return []
    found = []
    for agent in trials[0].hits:
        at_least, surely = {}, {}
        for other in trials[0].hits:
            if other != agent:
                at_least[other] = sum(t.hits[agent] >= t.hits[other] for t in trials)
                surely[other] = sum(
                    binomial_tail(t.hits[agent], t.vignettes, t.accuracy(other)) < 1.0 - confidence
                    for t in trials
                )
        mean = float(np.mean([t.accuracy(agent) for t in trials]))
        spread = float(np.sqrt(np.sum([t.error(agent) ** 2 for t in trials]))) / len(trials)
        found.append(Standing(agent, mean, spread, at_least, surely))
    return found
