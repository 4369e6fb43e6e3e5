"""How far apart two answers are, and how far an answer is outside its laws."""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import FLOOR
from hickam.inference.problem import Tables
from hickam.model.network import Floats


def by_score(tables: Tables) -> Floats:
    """[row, 3] the posterior, expected disablement and expected sufficiency."""
    return np.stack(
        [tables.posterior, tables.disabled.sum(axis=1), tables.sustained.sum(axis=1)], axis=1
    )


def apart(one: Tables, other: Tables) -> Floats:
    """[row, 3] the differences of the scores in the unit of `Accuracy.error`."""
    reference = by_score(other)
    gap = np.abs(by_score(one) - reference) / np.maximum(np.abs(reference), FLOOR)
    return np.asarray(gap)


def by_row(one: Tables, other: Tables) -> Floats:
    """[row] the largest difference of its scores in the unit of `Accuracy.error`."""
    return np.asarray(apart(one, other).max(axis=1))


def difference(one: Tables, other: Tables) -> float:
    """The largest difference of a score in the unit of `Accuracy.error`."""
    return float(by_row(one, other).max(initial=0.0))


def breach(tables: Tables) -> float:
    """By how much 0 <= disabled <= sustained <= posterior <= 1 is broken, in the same unit."""
    posterior = tables.posterior[:, None]
    scale = np.maximum(posterior, FLOOR)
    over = [
        (posterior - 1.0) / scale,
        -posterior / scale,
        -tables.disabled / scale,
        (tables.disabled - tables.sustained) / np.maximum(tables.sustained, FLOOR),
        (tables.sustained - posterior) / scale,
    ]
    return max(0.0, *(float(part.max(initial=0.0)) for part in over))
