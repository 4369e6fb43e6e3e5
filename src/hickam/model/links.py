"""Sparse causal links in their canonical order."""

from __future__ import annotations

import numpy as np

from hickam.model.network import Floats, Ints, Links


def sort_links(
    cause: Ints, effect: Ints, acts: Floats, fails: Floats, shape: tuple[int, int]
) -> Links:
    """Links in their canonical order with both indexes, arrays read-only."""
    order = np.lexsort((effect, cause))
    cause, effect = cause[order], effect[order]
    acts, fails = acts[order], fails[order]
    links = Links(
        cause=cause,
        effect=effect,
        acts=acts,
        fails=fails,
        start=np.searchsorted(cause, np.arange(shape[0] + 1)),
        by_effect=np.argsort(effect, kind="stable"),
        effect_start=np.searchsorted(np.sort(effect), np.arange(shape[1] + 1)),
    )
    for name in ("cause", "effect", "acts", "fails", "start", "by_effect", "effect_start"):
        getattr(links, name).setflags(write=False)
    return links
