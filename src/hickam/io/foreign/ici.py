"""Noisy MAX and MIN: causes that act independently, as nodes of a general model.

A noisy MAX takes the largest of what its leak and each parent contribute, the states being ordered.
With two states everywhere that is a noisy-OR (MIN: a noisy-AND) and becomes one. Otherwise each
contribution becomes a node of its own, and the maxima are taken two at a time: the size grows with
the number of parents, not with the number of their joint states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hickam.io.foreign.variables import Variable
from hickam.model.network import Floats
from hickam.model.scm_build import on_first

EXACT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Causes:
    """A noisy MAX or MIN as a file has it; the states of the variable are ordered upwards."""

    parents: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    given: tuple[Floats, ...]  # per parent: [parent state, own state]
    leak: Floats  # [own state]
    largest: bool = True  # MAX, not MIN


def variables_of(variable: Variable, causes: Causes) -> list[Variable]:
    """The variable with its mechanism, after the nodes that it needs."""
    gate = _gate(variable, causes)
    if gate is not None:
        return [gate]
    name, states = variable.name, variable.states
    neutral = {"normal": states[0 if causes.largest else -1]}
    itself = replace(variable, facts={**neutral, **variable.facts})
    if not causes.parents:
        return [replace(itself, rows=causes.leak)]

    def part(of: str, parents: tuple[str, ...], rows: Floats) -> Variable:
        """A node that only this mechanism needs."""
        return Variable(f"{name} | {of}", states, parents, rows, role="other", facts=neutral)

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


def _gate(variable: Variable, causes: Causes) -> Variable | None:
    """The variable as a noisy-OR or noisy-AND, if all states are two and one of each is idle."""
    if len(variable.states) != 2 or any(len(states) != 2 for states in causes.parent_states):
        return None
    if on_first(variable.states):
        return None
    idle = 0 if causes.largest else 1  # the own state that a parent without effect contributes
    links = {}
    for parent, states, rows in zip(
        causes.parents, causes.parent_states, causes.given, strict=True
    ):
        on = 0 if on_first(states) else 1
        quiet = 1 - on if causes.largest else on
        if abs(rows[quiet, idle] - 1.0) > EXACT:
            return None
        links[parent] = {"probability": float(rows[1 - quiet, 1 - idle])}
    keys = ("leak", "causes") if causes.largest else ("keep", "needs")
    mechanism = {keys[0]: float(causes.leak[1]), keys[1]: links}
    return replace(variable, parents=causes.parents, gate=mechanism)
