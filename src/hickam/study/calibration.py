"""Whether probabilities mean what they say, and what an error would have cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hickam.evidence.vignette import Vignette
from hickam.model.network import Floats, Ints, Network
from hickam.study.chance import wilson

EDGES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """Diseases given a probability in one range, and how many of them were the truth."""

    low: float
    high: float
    mean: float  # mean stated probability
    share: float  # share that was true
    share_low: float
    share_high: float
    count: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """Calibration of one probability over all vignettes and diseases."""

    bins: tuple[Bin, ...]
    brier: float  # mean over vignettes of the summed squared error over diseases
    log_loss: float  # mean over vignettes of -log of the probability given to the truth, floored


def truth_table(network: Network, vignettes: Sequence[Vignette]) -> Floats:
    """[vignette, disease] 1 for a true disease."""
    table = np.zeros((len(vignettes), len(network.diseases)))
    for row, vignette in enumerate(vignettes):
        table[row, [network.index[disease] for disease in vignette.diseases]] = 1.0
    return table


def reliability(chances: Floats, truths: Floats) -> Reliability:
    """How stated probabilities compare with what happened.

    >>> found = reliability(np.array([[0.75, 0.25]]), np.array([[1.0, 0.0]]))
    >>> found.brier
    0.125
    """
    bins = []
    for low, high in pairwise(EDGES):
        inside = (chances > low) & (chances <= high) if low else chances <= high
        count = int(inside.sum())
        if count:
            hits = float(truths[inside].sum())
            bins.append(
                Bin(
                    low,
                    high,
                    float(chances[inside].mean()),
                    hits / count,
                    *wilson(hits, count),
                    count,
                )
            )
    brier = float(((chances - truths) ** 2).sum(axis=1).mean())
    best = np.where(truths > 0, chances, 0.0).max(axis=1)
    return Reliability(tuple(bins), brier, float(-np.log(np.maximum(best, 1e-6)).mean()))


@dataclass(frozen=True, slots=True)
class UrgentMisses:
    """How often an urgent disease that is the truth is not among the first k."""

    urgent: int  # vignettes with an urgent truth
    missed: tuple[int, ...]  # for each k asked
    ids: tuple[str, ...]  # vignettes missed at the largest k


def urgent_misses(
    network: Network, vignettes: Sequence[Vignette], positions: Ints, ks: Sequence[int]
) -> UrgentMisses:
    """Misses of urgent and emergency diseases, as the network classes them."""
    urgent = [
        row
        for row, vignette in enumerate(vignettes)
        if any(network.entries[d].urgent for d in vignette.diseases)
    ]
    missed = tuple(int((positions[urgent] > k).sum()) for k in ks)
    ids = tuple(vignettes[row].id for row in urgent if positions[row] > max(ks))
    return UrgentMisses(len(urgent), missed, ids)


def errors_by(
    vignettes: Sequence[Vignette], positions: Ints, k: int, what: str
) -> list[tuple[str, int, int]]:
    """(disease or present finding, vignettes with it, those missed in the top k), worst first."""
    seen: dict[str, list[int]] = {}
    for row, vignette in enumerate(vignettes):
        names = vignette.diseases if what == "disease" else vignette.case.present
        for name in names:
            tally = seen.setdefault(name, [0, 0])
            tally[0] += 1
            tally[1] += int(positions[row] > k)
    rows = [(name, total, missed) for name, (total, missed) in seen.items()]
    return sorted(rows, key=lambda row: (-row[2], row[1], row[0]))


def disagreements(first: Ints, second: Ints, most: int) -> list[int]:
    """The vignettes whose truth two rankings place furthest apart, by ratio of positions."""
    gap = np.abs(np.log(first) - np.log(second))
    order = np.argsort(-gap, kind="stable")
    return [int(row) for row in order[:most] if gap[row] > 0.0]
