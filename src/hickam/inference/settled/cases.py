"""Many settled cases at once: reduced, swept by COVER and spread over all diseases in one call.

The compiled kernel does for each case what `reduce`, `cover` and `finish` do, without Python's lock
and without arrays in between; their NumPy twins are its twin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.beliefs.beliefs import FLOOR, LEAST_TRIM, Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.kernels import compiled
from hickam.inference.reduce import prepared
from hickam.inference.settled.choice import FEW_CELLS, FEW_FINDINGS
from hickam.inference.settled.cover import COVER_ACCURACY
from hickam.model.network import Floats, Network

AMPLE = 0.1  # seconds of a deadline that COVER cannot miss with so few findings
ANSWERED = 0


def settled_cases(
    network: Network, evidence: Sequence[Evidence], limits: Limits
) -> list[Beliefs | None]:
    """The beliefs of each case that has few findings and no coupled diseases, else None."""
    kernels = compiled()
    found: list[Beliefs | None] = [None] * len(evidence)
    if kernels is None or (limits.deadline is not None and limits.deadline < AMPLE):
        return found
    few = [i for i, one in enumerate(evidence) if len(one.present) <= FEW_FINDINGS]
    asked = [evidence[i] for i in few]
    size = len(network.diseases)
    blocks = [np.empty(_length(size, len(one.present))) for one in asked]
    trim = max(COVER_ACCURACY.error, LEAST_TRIM)
    outcomes = kernels.answer_all(prepared(network), asked, blocks, FLOOR, trim, FEW_CELLS)
    for i, one, block, outcome in zip(few, asked, blocks, outcomes, strict=True):
        if outcome == ANSWERED:
            found[i] = _beliefs(network, one, block)
    return found


def _length(size: int, count: int) -> int:
    """Numbers in the block of a case."""
    return 2 * size * (1 + count) + count + 1


def _beliefs(network: Network, evidence: Evidence, block: Floats) -> Beliefs:
    """The beliefs that the kernel wrote into a block, in the order of `cases.cpp`."""
    size, count = len(network.diseases), len(evidence.present)
    tables = block[2 * size : 2 * size * (1 + count)].reshape(2, size, count)
    findings = network.findings
    return Beliefs(
        present=tuple([findings[finding] for finding in evidence.present.tolist()]),
        log_evidence=float(block[-1]),
        posterior=block[:size],
        disabled=tables[0],
        sustained=tables[1],
        unexplained=block[2 * size * (1 + count) : -1],
        single_fault=block[size : 2 * size],
        engine="cover",
        accuracy=COVER_ACCURACY,
        in_force=evidence.in_force,
    )
