"""Tables that are noisy-OR or noisy-AND in disguise, and the noisy-OR nearest to any other."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hickam.model.mechanism import Gate, Table
from hickam.model.network import Floats
from hickam.model.numbers import Chance

TOLERANCE = 1e-9
SWEEPS = 2_000
SETTLED = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A noisy-OR near a table, and how near: the errors are of P(on) over the rows."""

    gate: Gate
    largest: float
    root_mean_square: float


def recognise(table: Table, tolerance: float = TOLERANCE) -> Gate | None:
    """The noisy-OR or noisy-AND that a table is, within a tolerance on every row; or None.

    With one parent a table that raises P(on) is both; the noisy-OR is taken.
    """
    if table.rows.shape[-1] != 2 or any(size != 2 for size in table.rows.shape[:-1]):
        return None
    if not table.parents:
        return None
    for kind in ("or", "and"):
        gate = _read_off(table, kind)
        if gate is not None and float(np.abs(tabulate(gate) - table.rows).max()) <= tolerance:
            return gate
    return None


def tabulate(gate: Gate) -> Floats:
    """[parent 1, …, parent n, own state] the table of a gate."""
    wanted = gate.kind == "or"
    quiet = np.array(gate.own.fails)
    for link in gate.links:
        quiet = np.multiply.outer(quiet, [1.0, link.fails] if wanted else [link.fails, 1.0])
    return np.stack([quiet, 1.0 - quiet] if wanted else [1.0 - quiet, quiet], axis=-1)


def _read_off(table: Table, kind: str) -> Gate | None:
    """The only gate that can agree: from the row where no link is open, and each with one open."""
    wanted = int(kind == "or")
    count = len(table.parents)
    closed = (1 - wanted,) * count
    quiet_state = 0 if wanted else 1
    own_fails = float(table.rows[(*closed, quiet_state)])
    own = Chance(float(table.rows[(*closed, 1 - quiet_state)]), own_fails)
    if own_fails <= 0.0:
        return None
    links = []
    for position in range(count):
        states = list(closed)
        states[position] = wanted
        fails = float(table.rows[(*states, quiet_state)]) / own_fails
        if fails > 1.0 + 1e-12:
            return None
        fails = min(fails, 1.0)
        links.append(Chance(1.0 - fails, fails))
    return Gate(kind, table.parents, own, tuple(links))


def nearest_noisy_or(table: Table) -> Fit:
    """The noisy-OR of least squared error over the rows of a table with two states each.

    P(off | row) is linear in every parameter alone, so that each sweep sets one after the other to
    its best value.
    """
    count = len(table.parents)
    off = table.rows[..., 0]
    rows = np.array(list(itertools.product((0, 1), repeat=count)), dtype=np.float64)
    target = off.reshape(-1)
    open_in = np.concatenate([np.ones((len(rows), 1)), rows], axis=1) == 1.0  # [row, parameter]
    fails = np.full(count + 1, 0.5)
    for _ in range(SWEEPS):
        before = fails.copy()
        for parameter in range(count + 1):
            used = open_in[:, parameter]
            rest = np.delete(fails, parameter)
            others = np.where(np.delete(open_in[used], parameter, axis=1), rest, 1.0).prod(axis=1)
            weight = float(others @ others)
            if weight > 0.0:
                fails[parameter] = np.clip(float(others @ target[used]) / weight, 0.0, 1.0)
        if np.abs(fails - before).max() < SETTLED:
            break
    chances = [Chance(1.0 - f, f) for f in fails.tolist()]
    gate = Gate("or", table.parents, chances[0], tuple(chances[1:]))
    error = (tabulate(gate) - table.rows)[..., 1]
    return Fit(gate, float(np.abs(error).max()), float(np.sqrt((error**2).mean())))


def monotone_direction(table: Table, parent: int) -> int:
    """1 or -1 if raising a parent moves P(own state >= x) up or down in every row, else 0."""
    above = np.moveaxis(np.cumsum(table.rows[..., ::-1], axis=-1), parent, 0)
    steps = np.diff(above, axis=0)
    if np.all(steps >= -1e-12):
        return 1
    return -1 if np.all(steps <= 1e-12) else 0
