"""How much doubt is in a chance, in bits."""

from __future__ import annotations

import numpy as np

from hickam.model.network import Floats


def entropy(chance: Floats) -> Floats:
    """Of something that is there or not."""
    p = np.clip(chance, 0.0, 1.0)
    return surprise(p) + surprise(1.0 - p)


def surprise(chance: Floats) -> Floats:
    """What one outcome adds to an entropy: p log2(1 / p), and 0 of 0."""
    return np.asarray(-chance * np.log2(np.where(chance > 0.0, chance, 1.0)))
