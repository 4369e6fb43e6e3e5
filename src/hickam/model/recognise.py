"""Tables that are noisy gates in disguise, and the noisy-OR nearest to any other.

A table of two states has the shape of a noisy gate if log P(state | parents) is a sum of one term
per parent, for one of the states. The names and the order of states do not matter. A table of one
parent always has that shape, so that its shape says nothing.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from hickam.model.mechanism import MATCHED, Gate, Mechanism, Table
from hickam.model.network import Floats
from hickam.model.numbers import Chance

SWEEPS = 2_000
SETTLED = 1e-12
MOST_DECIMALS = 9
MOST_ROWS = 1 << 12  # of a table that is compared with gates beyond the rounding of floats
ROUNDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A noisy-OR near a table, and how near: the errors are of P(on) over the rows."""

    gate: Gate
    largest: float
    root_mean_square: float


def recognise(table: Table, parents: int = 2) -> Gate | Table | None:
    """The noisy gate that a table is, within the rounding of its decimals; None if it is none.

    Where the gate differs from the table by a rounding, or takes states the other way round, it is
    a table of the same rows with the noise of that gate. At least so many parents must matter.
    """
    if not table.parents or any(size != 2 for size in table.rows.shape):
        return None
    axes = range(len(table.parents))
    if sum(bool(np.ptp(table.rows, axis=axis).max() > 0.0) for axis in axes) < parents:
        return None
    for quiet in (0, 1):
        found = _gate_table(table, quiet, *_read_off(table.rows, quiet))
        keeps, gains = found.corrections
        if keeps.min() == 1.0 and gains.max() == 0.0:
            return found if any(found.flips) else found.gate
    if len(table.flat) > MOST_ROWS:
        return None
    fits = [(fit, quiet) for quiet in (0, 1) if (fit := _within_rounding(table, quiet)) is not None]
    if not fits:
        return None
    (_, logs), quiet = min(fits, key=lambda one: round(one[0][0], 6))
    top = min(logs[0] + float(np.maximum(logs[1:], 0.0).sum()), 0.0)
    factors = np.exp(np.stack([np.minimum(-logs[1:], 0.0), np.minimum(logs[1:], 0.0)], axis=1))
    return _gate_table(table, quiet, Chance(-math.expm1(top), math.exp(top)), factors)


def gate_in_words(mechanism: Mechanism) -> str:
    """What kind of noisy gate a mechanism is; empty if it is none."""
    gate = mechanism.gate if isinstance(mechanism, Table) else mechanism
    if not isinstance(gate, Gate):
        return ""
    words = "noisy-OR" if gate.kind == "or" else "noisy-AND"
    if isinstance(mechanism, Table):
        turned = [f"'{p}'" for p, flip in zip(gate.parents, mechanism.flips, strict=True) if flip]
        words += " within the rounding of its numbers" if len(mechanism.ends) > 2 else ""
        words += f" with {' and '.join(turned)} the other way round" if turned else ""
    return words


def _gate_table(table: Table, quiet: int, own: Chance, factors: Floats) -> Table:
    """The table with the noise of the gate that is quiet in a state.

    `own` is its own cause, and `factors` [parent, state] multiply the chance to stay quiet.
    """
    opens = 1 - quiet  # the state of a parent that opens its link
    flips = tuple(bool(each[opens] > each[1 - opens]) for each in factors)
    links = [Chance(1.0 - fails, fails) for fails in factors.min(axis=1).tolist()]
    gate = Gate("and" if quiet else "or", table.parents, own, tuple(links))
    return replace(table, coupling="gate", gate=gate, flips=flips)


def _read_off(rows: Floats, quiet: int) -> tuple[Chance, Floats]:
    """The only gate that can agree exactly: from the quietest row, and each with one link open."""
    chance = rows[..., quiet]
    top = np.unravel_index(int(chance.argmax()), chance.shape)
    own = Chance(float(rows[(*top, 1 - quiet)]), float(chance[top]))
    factors = np.ones((chance.ndim, 2))
    for axis in range(chance.ndim if own.fails > 0.0 else 0):
        place: list[int | slice] = [int(state) for state in top]
        place[axis] = slice(None)
        factors[axis] = chance[tuple(place)] / own.fails
    return own, factors


def _within_rounding(table: Table, quiet: int) -> tuple[float, Floats] | None:
    """(largest error in roundings, logarithms) of a gate within the rounding of every row, or None.

    By Lawson's algorithm: least squares, weighted again by the errors. The weighted mean square is
    a lower bound of the largest error squared, so that it stops as soon as no gate can agree.
    """
    decimals = next((k for k in range(MOST_DECIMALS) if _rounded(table.rows, k)), MOST_DECIMALS)
    if decimals == 0:
        return None
    half = 0.5 * 10.0**-decimals + MATCHED
    chance = table.flat[:, quiet]
    low = np.log(np.maximum(chance - half, SETTLED))
    high = np.log(np.minimum(chance + half, 1.0))
    middle, width = (high + low) / 2.0, (high - low) / 2.0
    rows = np.indices(table.rows.shape[:-1]).reshape(len(table.parents), -1).T
    terms = np.concatenate([np.ones((len(rows), 1)), rows], axis=1) / width[:, None]
    weight = np.full(len(rows), 1.0 / len(rows))
    for _ in range(ROUNDS):
        scale = np.sqrt(weight)
        logs = np.linalg.lstsq(terms * scale[:, None], middle / width * scale, rcond=None)[0]
        errors = np.abs(terms @ logs - middle / width)
        if errors.max() <= 1.0:
            return float(errors.max()), logs
        if float(weight @ errors**2) > 1.0:
            return None
        weight = weight * errors / float(weight @ errors)
    return None


def _rounded(rows: Floats, decimals: int) -> bool:
    """Whether no number has more decimals."""
    return bool(np.abs(rows - np.round(rows, decimals)).max() < 1e-12)


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
    error = (gate.rows - table.rows)[..., 1]
    return Fit(gate, float(np.abs(error).max()), float(np.sqrt((error**2).mean())))
