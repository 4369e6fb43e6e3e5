"""What a sample of explanations may have missed: likely ones that it was unlikely to draw.

An explanation is a state of every node that is not observed, and its probability is known exactly:
for any explanation one looks at, what a sample lacks without it is known too. Looked at are those
that differ in one or two nodes from the likeliest that were met, or the likeliest with a state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hickam.model.mechanism import Function
from hickam.model.network import Floats, Ints
from hickam.twin.proposal import Draw, Proposal, log_joint

LIKELY = 16  # explanations whose neighbours are looked at
NEIGHBOURS = 20_000  # explanations looked at, at the most


def missed_share(proposal: Proposal, drawn: Draw, share: Floats, log_evidence: float) -> float:
    """The share of the evidence in the explanations looked at that no sample met."""
    names = [
        node.id
        for node in proposal.nodes
        if node.id not in proposal.observed and not isinstance(node.mechanism, Function)
    ]
    if not names or log_evidence == -math.inf:
        return 0.0
    sizes = [len(proposal.model.nodes[name].states) for name in names]
    met = np.stack([drawn.states[name] for name in names], axis=1)
    known = set(map(bytes, met))
    near = _neighbours(_likely(met, share), sizes)
    near = near[[bytes(one) not in known for one in near]]
    log_chance = log_joint(proposal, dict(zip(names, near.T, strict=True)), len(near))
    return float(min(np.exp(np.minimum(log_chance - log_evidence, 0.0)).sum(), 1.0))


def _likely(met: Ints, share: Floats) -> Ints:
    """[explanation, node] the likeliest that were met, then the likeliest with each state."""
    found, place = np.unique(met, axis=0, return_inverse=True)
    weight = np.bincount(place.ravel(), share, len(found))
    order = np.argsort(-weight, kind="stable")
    chosen = order[:LIKELY].tolist()
    for states in found[order].T:
        _, first = np.unique(states, return_index=True)
        chosen += order[first].tolist()
    return found[list(dict.fromkeys(chosen))]


def _neighbours(likely: Ints, sizes: Sequence[int]) -> Ints:
    """[explanation, node] those that differ in one node, then in two, each once."""
    moves = [(at, step) for at, size in enumerate(sizes) for step in range(1, size)]
    changes = [(move,) for move in moves]
    rows = [_changed(likely, sizes, changes)]
    pairs = [(a, b) for i, a in enumerate(moves) for b in moves[i + 1 :] if a[0] != b[0]]
    room = max(NEIGHBOURS - len(rows[0]), 0)
    few = likely[: max(room // max(len(pairs), 1), 1)]
    rows.append(_changed(few, sizes, pairs[:room]))
    return np.unique(np.concatenate(rows), axis=0)


def _changed(
    likely: Ints, sizes: Sequence[int], changes: Sequence[Sequence[tuple[int, int]]]
) -> Ints:
    """Every explanation with every change: (node, states further on) pairs."""
    rows = np.repeat(likely[:, None, :], len(changes), axis=1)
    for number, change in enumerate(changes):
        for at, step in change:
            rows[:, number, at] = (rows[:, number, at] + step) % sizes[at]
    return rows.reshape(-1, likely.shape[1])
