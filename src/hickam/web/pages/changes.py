"""What the last click changed in the differential."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model
from hickam.web.consult import Consultation

SHOWN = 4
NOTICEABLE = 0.002


@dataclass(frozen=True, slots=True)
class Change:
    """One disease before and after."""

    disease: str
    name: str
    before: float
    after: float
    score_before: float
    score_after: float


def changes(before: Consultation, after: Consultation, measure: str) -> list[Change]:
    """The diseases whose probability or score moved most, largest move first."""
    network = after.network
    score = MEASURES[measure]

    def scores(asked: Consultation) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return score(asked.beliefs, np.ones(len(asked.beliefs.present)))

    old, new = scores(before), scores(after)
    moved = np.maximum(
        np.abs(after.beliefs.posterior - before.beliefs.posterior), np.abs(new - old)
    )
    order = [int(k) for k in np.argsort(-moved, kind="stable")[:SHOWN] if moved[k] > NOTICEABLE]
    return [
        Change(
            network.diseases[k],
            network.label(network.diseases[k]),
            float(before.beliefs.posterior[k]),
            float(after.beliefs.posterior[k]),
            float(old[k]),
            float(new[k]),
        )
        for k in order
    ]


def news_in_words(network: Model, news: str) -> str:
    """What the last click did, in words."""
    sign, key, value = news[:1], news[1:2], news[3:]
    name = network.entries[value].name if value in network.entries else value
    what = {"p": "present", "a": "absent", "y": "yes", "x": "no"}.get(key, "")
    return f"{name}: {what}" if sign == "+" else f"{name}: no longer {what}"
