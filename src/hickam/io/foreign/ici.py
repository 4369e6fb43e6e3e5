"""Noisy MAX and MIN: causes that act independently, as nodes of a general model.

A noisy MAX takes the largest of what its leak and each parent contribute, the states being ordered.
With two states everywhere that is a noisy-OR (MIN: a noisy-AND) and becomes one. Otherwise each
contribution becomes a node of its own, and the maxima are taken two at a time: the size grows with
the number of parents, not with the number of their joint states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hickam.io.foreign.variables import Causes, Variable
from hickam.model.network import Floats
from hickam.model.node import PART

EXACT = 1e-12


def variables_of(variable: Variable, normal: Mapping[str, str]) -> list[Variable]:
    """A variable given by its causes with its mechanism, after the nodes that it needs.

    `normal` is the normal state of each variable of the file, empty where it is not known.
    """
    causes = variable.causes
    assert causes is not None
    gate = _gate(variable, causes, normal)
    if gate is not None:
        return [gate]
    name, states = variable.name, variable.states
    neutral = states[0 if causes.largest else -1]
    itself = replace(variable, normal=variable.normal or neutral, causes=None)
    if not causes.parents:
        return [replace(itself, rows=causes.leak)]

    def part(of: str, parents: tuple[str, ...], rows: Floats) -> Variable:
        """A node that only this mechanism needs."""
        return Variable(f"{name} | {of}", states, parents, rows, role=PART, normal=neutral)

    either = _of_two(len(states), causes.largest)
    found = [part("leak", (), causes.leak)]
    so_far = found[0].name
    for position, (parent, rows) in enumerate(zip(causes.parents, causes.given, strict=True), 1):
        found.append(part(parent, (parent,), rows))
        pair = (so_far, found[-1].name)
        if position == len(causes.parents):
            return [*found, replace(itself, parents=pair, rows=either)]
        found.append(part(f"first {position}", pair, either))
        so_far = found[-1].name
    raise AssertionError("the last parent returns")


def _of_two(size: int, largest: bool) -> Floats:
    """[a, b, own state] the table of the larger or smaller of two states."""
    first, second = np.indices((size, size))
    return np.eye(size)[np.maximum(first, second) if largest else np.minimum(first, second)]


def _gate(variable: Variable, causes: Causes, normal: Mapping[str, str]) -> Variable | None:
    """The variable as a noisy-OR or noisy-AND, if all states are two and one of each is idle."""
    if len(variable.states) != 2 or any(len(states) != 2 for states in causes.parent_states):
        return None
    off, on = variable.states
    if variable.normal == on:
        return None
    idle = 0 if causes.largest else 1  # the own state that a parent without effect contributes
    links = {}
    for parent, states, rows in zip(
        causes.parents, causes.parent_states, causes.given, strict=True
    ):
        acting = 0 if normal[parent] == states[1] else 1
        quiet = 1 - acting if causes.largest else acting
        if abs(rows[quiet, idle] - 1.0) > EXACT:
            return None
        links[parent] = {"probability": float(rows[1 - quiet, 1 - idle])}
    keys = ("leak", "causes") if causes.largest else ("keep", "needs")
    mechanism = {keys[0]: float(causes.leak[1]), keys[1]: links}
    said = variable.normal or (off if causes.largest else "")
    return replace(variable, normal=said, parents=causes.parents, gate=mechanism, causes=None)
