"""What the evidence below each variable says about it, by loopy message passing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hickam.model.network import Floats
from hickam.twin.factors import Factor, Variable

ROUNDS = 30
DAMPING = 0.3
SETTLED = 1e-4


def evidence_below(
    factors: Sequence[Factor], sizes: Mapping[Variable, int]
) -> dict[Variable, Floats]:
    """Variable → [state] relative weight that everything but its own mechanism gives each state.

    On a tree this is exact; with loops it is an approximation that serves as a proposal only.
    """
    live = [factor for factor in factors if factor.scope]
    into: dict[tuple[int, Variable], Floats] = {}  # factor → variable
    at: dict[Variable, list[int]] = {variable: [] for variable in sizes}
    for number, factor in enumerate(live):
        for variable in factor.scope:
            at[variable].append(number)
            into[number, variable] = np.full(sizes[variable], 1.0 / sizes[variable])
    for turn in range(ROUNDS):
        moved = 0.0
        order = range(len(live)) if turn % 2 else range(len(live) - 1, -1, -1)
        for number in order:
            moved = max(moved, _send(number, live[number], at, into, turn))
        if moved < SETTLED:
            break
    found = {}
    for variable, numbers in at.items():
        weight = np.ones(sizes[variable])
        for number in numbers:
            if live[number].sets != variable:
                weight = weight * into[number, variable]
                weight = weight / weight.sum()
        found[variable] = weight
    return found


def _send(
    number: int,
    factor: Factor,
    at: Mapping[Variable, list[int]],
    into: dict[tuple[int, Variable], Floats],
    turn: int,
) -> float:
    """Update the messages of one factor to its variables; returns the largest change."""
    arriving = []
    for variable in factor.scope:
        message = np.ones_like(into[number, variable])
        for other in at[variable]:
            if other != number:
                message = message * into[other, variable]
        total = message.sum()
        arriving.append(message / total if total > 0.0 else np.full_like(message, 1 / len(message)))
    moved = 0.0
    for axis, variable in enumerate(factor.scope):
        table = factor.table
        for other in range(len(factor.scope) - 1, -1, -1):
            if other != axis:
                table = np.tensordot(table, arriving[other], axes=(other, 0))
        total = table.sum()
        if not total > 0.0:
            continue
        fresh = table / total
        old = into[number, variable]
        if turn:
            fresh = (1.0 - DAMPING) * fresh + DAMPING * old
        moved = max(moved, float(np.abs(fresh - old).max()))
        into[number, variable] = fresh
    return moved
