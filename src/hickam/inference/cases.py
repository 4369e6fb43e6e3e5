"""Many easy cases at once: reduced, answered and spread over all diseases in one call.

The compiled kernel does for each case what `reduce`, one of `cover`, `elimination`, `explanations`
and `bethe`, and `finish` do, without Python's lock and without arrays in between; their NumPy
twins, and for the elimination the frontier, are its twin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.beliefs.beliefs import FLOOR, LEAST_TRIM, Accuracy, Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.coupled import explanations
from hickam.inference.coupled.elimination import TRIFLING, accuracy
from hickam.inference.coupled.subsets import Doubts, rounding_goal
from hickam.inference.coupled.vouched import believed, shown, trust
from hickam.inference.reduce import prepared
from hickam.inference.settled.cover import COVER_ACCURACY, FEW_CELLS, FEW_FINDINGS
from hickam.kernels import compiled
from hickam.model.network import Floats, Network

AMPLE = 0.1  # seconds of a deadline that cannot be missed with so few findings
# What became of a case that has an answer.
SETTLED, COUPLED, MESSAGES, EXPLAINED = 0, 1, 3, 4
ENGINES = {
    SETTLED: "cover",
    COUPLED: "elimination",
    MESSAGES: "bethe",
    EXPLAINED: "explanations",
}
REST = 10  # numbers of a block beside the tables


def easy_cases(
    network: Network, evidence: Sequence[Evidence], limits: Limits
) -> list[Beliefs | None]:
    """The beliefs of each case that has few findings and takes a trifling time, else None."""
    kernels = compiled()
    found: list[Beliefs | None] = [None] * len(evidence)
    if kernels is None or (limits.deadline is not None and limits.deadline < AMPLE):
        return found
    few = [i for i, one in enumerate(evidence) if len(one.present) <= FEW_FINDINGS]
    asked = [evidence[i] for i in few]
    size = len(network.diseases)
    blocks = [np.empty(_length(size, len(one.present))) for one in asked]
    outcomes = kernels.answer_all(
        prepared(network),
        asked,
        blocks,
        FLOOR,
        max(COVER_ACCURACY.error, LEAST_TRIM),
        FEW_CELLS,
        rounding_goal(limits),
        TRIFLING,
        trust(limits),
    )
    for i, one, block, outcome in zip(few, asked, blocks, outcomes, strict=True):
        if outcome in ENGINES:
            found[i] = _beliefs(network, one, block, outcome, limits)
    return found


def _length(size: int, count: int) -> int:
    """Numbers in the block of a case."""
    return 2 * size * (1 + count) + count + REST


def _accuracy(outcome: int, rest: list[float], limits: Limits) -> Accuracy | None:
    """What the answer is worth; None where nobody can vouch for it."""
    if outcome == SETTLED:
        return COVER_ACCURACY
    rounding, condition, residual, broken, *doubts = rest
    if outcome == COUPLED:
        return accuracy(rounding, condition)
    if outcome == EXPLAINED:
        return explanations.accuracy(rounding)
    return believed(shown(rounding, residual, broken), Doubts(*doubts), condition, limits)


def _beliefs(
    network: Network, evidence: Evidence, block: Floats, outcome: int, limits: Limits
) -> Beliefs | None:
    """The beliefs that the kernel wrote into a block, in the order of `cases.cpp`."""
    size, count = len(network.diseases), len(evidence.present)
    tables = block[2 * size : 2 * size * (1 + count)].reshape(2, size, count)
    findings = network.findings
    log_evidence, *rest = block[-REST:].tolist()
    how = _accuracy(outcome, rest, limits)
    if how is None:
        return None
    return Beliefs(
        present=tuple([findings[finding] for finding in evidence.present.tolist()]),
        log_evidence=log_evidence,
        posterior=block[:size],
        disabled=tables[0],
        sustained=tables[1],
        unexplained=block[2 * size * (1 + count) : -REST],
        single_fault=block[size : 2 * size],
        engine=ENGINES[outcome],
        accuracy=how,
        in_force=evidence.in_force,
    )
