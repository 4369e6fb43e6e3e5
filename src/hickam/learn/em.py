"""EM for noisy-OR networks: expected statistics, a division, and a longer stride where it pays.

Every step raises the log posterior; that is asserted. Two plain steps tell how they shrink, and the
next point is tried that far ahead in log odds (the squared extrapolation of Varadhan and Roland); a
point that is not better is not taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from hickam.learn.belief import Belief
from hickam.model.network import Floats

TOLERANCE = 0.01  # gain of the log posterior at which learning stops
MOST_STEPS = 200
LEAST = 1e-9  # a number that is neither impossible nor certain stays so by at least this
ROUNDING = 1e-10  # of the log posterior, relative
FIRST_REACH = 4.0


class Totals(NamedTuple):
    """The expected statistics of all records."""

    acted: Floats  # [number]
    could: Floats  # [number]
    log_evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Where learning stands: all that is needed to go on."""

    values: Floats  # [number]  the point to be looked at next
    history: tuple[float, ...] = ()  # log posterior of every point that was taken
    path: tuple[Floats, ...] = field(default=())  # points since the last stride
    reach: float = FIRST_REACH  # the longest stride that is tried
    looks: int = 0  # E steps so far
    plain: Floats | None = None  # where to go if the point is not better
    done: bool = False


Look = Callable[[Floats], Totals]  # the E step


def learn(
    look: Look,
    belief: Belief,
    state: State | None = None,
    *,
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
    after: Callable[[State], None] = lambda _: None,
) -> State:
    """The numbers at which the log posterior no longer gains; `after` is told of every step."""
    state = state or State(belief.centre)
    while not state.done and state.looks < most_steps:
        state = step(look, belief, state, tolerance)
        after(state)
    return state


def step(look: Look, belief: Belief, state: State, tolerance: float) -> State:
    """One look at the records and the point to look at next."""
    totals = look(state.values)
    level = totals.log_evidence + belief.log_density(state.values)
    before = state.history[-1] if state.history else -np.inf
    looks = state.looks + 1
    if state.plain is not None and not level >= before:
        return replace(state, values=state.plain, plain=None, path=(), looks=looks,
                       reach=max(state.reach / 4.0, 1.0))  # fmt: skip
    slack = ROUNDING * max(abs(before), 1.0) if np.isfinite(before) else 0.0
    assert level >= before - slack, f"a step lost {before - level:.3g} of the log posterior"
    history = (*state.history, max(level, before))
    better = updated(totals, belief, state.values)
    path = (*state.path, state.values)
    if state.plain is None and level - before < tolerance:
        return replace(state, history=history, looks=looks, plain=None, done=True)
    if len(path) < 2:
        return State(better, history, path, state.reach, looks)
    ahead, reach = _ahead(path[-2], path[-1], better, belief, state.reach)
    return State(ahead, history, (), reach, looks, plain=better)


def updated(totals: Totals, belief: Belief, values: Floats) -> Floats:
    """The M step: the numbers that explain the expected statistics best."""
    could = totals.could + belief.weight
    acted = totals.acted + belief.weight * belief.centre
    found = np.divide(acted, could, out=values.copy(), where=belief.free & (could > 0.0))
    return np.where(belief.free, np.clip(found, LEAST, 1.0 - LEAST), values)


def _ahead(
    first: Floats, second: Floats, third: Floats, belief: Belief, reach: float
) -> tuple[Floats, float]:
    """The point that two steps lead to if they shrink as they do, and the reach for the next."""
    free = belief.free
    x0, x1, x2 = (log_odds(values[free]) for values in (first, second, third))
    one, bend = x1 - x0, (x2 - x1) - (x1 - x0)
    size = float(np.sqrt(bend @ bend))
    stride = float(np.sqrt(one @ one)) / size if size > 0.0 else 1.0
    stride = min(max(stride, 1.0), reach)
    grown = reach * 4.0 if stride == reach else reach
    point = x0 + 2.0 * stride * one + stride**2 * bend
    found = third.copy()
    found[free] = np.clip(1.0 / (1.0 + np.exp(-np.clip(point, -30.0, 30.0))), LEAST, 1.0 - LEAST)
    return found, grown


def log_odds(values: Floats) -> Floats:
    """Log odds of numbers that are neither 0 nor 1."""
    return np.log(values) - np.log1p(-values)
