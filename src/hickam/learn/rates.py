"""Many tests at once: the rate of false ones among what is reported (Benjamini and Hochberg)."""

from __future__ import annotations

import numpy as np

from hickam.model.network import Floats

RATE = 0.05  # share of false ones among what is reported


def q_values(chances: Floats, tests: int) -> Floats:
    """The rate of false ones among those at least as extreme; more tests than chances were done.

    >>> q_values(np.array([0.01, 0.5]), 2).tolist()
    [0.02, 0.5]
    """
    order = np.argsort(chances, kind="stable")
    rate = chances[order] * tests / np.arange(1, len(chances) + 1)
    smallest = np.minimum.accumulate(rate[::-1])[::-1] if len(rate) else rate
    found = np.empty_like(smallest)
    found[order] = np.minimum(smallest, 1.0)
    return found
