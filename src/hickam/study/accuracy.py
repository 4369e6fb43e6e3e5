"""Experiment 1: where the truth stands in each ranking, and how often it is near the top.

[CD experiment-1]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.model.network import Floats, Ints
from hickam.study.chance import standard_error, wilson

# Scores closer than this, relative to the larger, are equal: rounding must not order diseases.
TIE = 1e-9


def position(scores: Floats, tie_break: Floats, truths: Sequence[int]) -> int:
    """The position, from 1, of the best placed true disease.

    Equal scores stand in order of the tie break (the posterior); the truth stands behind every
    disease that equals it in both, so that ties never flatter an algorithm.

    >>> position(np.array([0.2, 0.5, 0.5]), np.array([0.1, 0.4, 0.4]), [1])
    2
    """
    return min(_position(scores, tie_break, truth) for truth in truths)


def _position(scores: Floats, tie_break: Floats, truth: int) -> int:
    """The position of one disease."""
    own, own_break = scores[truth], tie_break[truth]
    near = TIE * np.maximum(np.abs(scores), abs(own)) + 1e-300
    above = scores - own > near
    level = np.abs(scores - own) <= near
    level &= tie_break >= own_break * (1.0 - TIE)
    level[truth] = False
    return int(above.sum() + level.sum()) + 1


@dataclass(frozen=True, slots=True, eq=False)
class TopK:
    """Top-k accuracy of one algorithm for k = 1, 2, …, with errors and 95 % intervals."""

    accuracy: Floats  # [k - 1]
    error: Floats  # [k - 1]  standard error
    low: Floats  # [k - 1]
    high: Floats  # [k - 1]
    vignettes: int


def top_k(positions: npt.ArrayLike, largest: int = 20) -> TopK:
    """Share of vignettes with the truth among the first k, for k = 1..largest.

    Of several rankings of the same vignettes, [ranking, vignette], it is the mean share.

    >>> top_k([1, 3, 30], largest=3).accuracy.round(3).tolist()
    [0.333, 0.333, 0.667]
    """
    places = np.atleast_2d(np.asarray(positions))
    turns, count = places.shape
    hits = [float((places <= k).sum()) / turns for k in range(1, largest + 1)]
    intervals = [wilson(hit, count) for hit in hits]
    return TopK(
        accuracy=np.array(hits) / max(count, 1),
        error=np.array([standard_error(hit, count) for hit in hits]),
        low=np.array([low for low, _ in intervals]),
        high=np.array([high for _, high in intervals]),
        vignettes=count,
    )


def error_reduction(before: TopK, after: TopK) -> Floats:
    """[k - 1] relative reduction of the error, 1 - after / before; 0 where nothing was wrong."""
    wrong = 1.0 - before.accuracy
    saved = after.accuracy - before.accuracy
    return np.divide(saved, wrong, out=np.zeros_like(saved), where=wrong > 0.0)


def mean_position(positions: npt.ArrayLike, last: int = 20) -> tuple[float, float]:
    """(mean, standard deviation) of the position, anything after `last` counting as last + 1.

    The paper's cap: its mean positions are exactly 1 + the sum of its 20 top-k errors, so a truth
    beyond the twentieth place counts as twenty-first. Of several rankings, [ranking, vignette], it
    is the mean of both figures over the rankings.

    >>> mean_position([1, 2, 300], last=20)[0]
    8.0
    """
    places = np.minimum(np.atleast_2d(np.asarray(positions, dtype=float)), last + 1)
    if places.size == 0:
        return 0.0, 0.0
    spread = float(places.std(axis=1, ddof=1).mean()) if places.shape[1] > 1 else 0.0
    return float(places.mean()), spread


def by_class(labels: Sequence[str], order: Sequence[str]) -> dict[str, Ints]:
    """Class → positions of its members, in the given order, then any other class by name."""
    found = np.array(labels)
    names = [name for name in order if name in labels]
    names += sorted(set(labels) - set(order))
    return {name or "not stated": np.flatnonzero(found == name) for name in names}
