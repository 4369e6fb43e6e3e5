"""The order in which questions are put: by what they are worth, near ties as a doctor would.

Of questions that are worth about as much, what is asked about the complaint itself comes first
(how long, how it began, of what kind it is), then other symptoms, the history, what has to be
examined, and tests last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from hickam.advise.answers import Unasked
from hickam.advise.questions import CATEGORY, RISK
from hickam.evidence.case import Evidence
from hickam.model.network import Floats, Network

NEAR = 0.85  # of the best: worth about as much
LATER = {"sign": 3, "test": 4}
COMPLAINT, SYMPTOM, HISTORY = 0, 1, 2


def in_order(
    network: Network,
    evidence: Evidence,
    questions: Sequence[Unasked],
    score: Floats,
    *,
    strictly: bool = False,
) -> list[int]:
    """The questions by score; those near the best in the order of an interview, unless `strictly`.

    The last questions are put strictly by score: for what comes later there is no later.
    """
    order: list[int] = np.argsort(-score, kind="stable").tolist()
    if strictly or not order or score[order[0]] <= 0.0:
        return order
    there = {network.findings[finding] for finding in evidence.present.tolist()}
    near = [at for at in order if score[at] >= NEAR * score[order[0]]]
    near.sort(key=lambda at: _turn(network, questions[at], there))
    return near + order[len(near) :]


def _turn(network: Network, question: Unasked, there: Collection[str]) -> int:
    """When a question has its turn in an interview, 0 first."""
    if question.kind == CATEGORY:
        return COMPLAINT
    if question.kind == RISK:
        return HISTORY
    entry = network.entries[question.id]
    if entry.kind in LATER:
        return LATER[entry.kind]
    return COMPLAINT if entry.is_a in there else SYMPTOM
