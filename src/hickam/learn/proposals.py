"""Missing links: every pair of nodes without one, at the numbers that fit the records best.

At those numbers a wrong leak does not look like a missing link. Each pair is tested alone, by the
gain of log likelihood at its best strength. That half of it would be noise at strength 0 makes
P(gain) = erfc(sqrt(gain)) / 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hickam.learn.batch import Batch
from hickam.learn.left_out import best_strength, slopes, sums_of
from hickam.learn.new_causes import cause_slopes
from hickam.learn.numbers import Numbers
from hickam.learn.rates import RATE, q_values
from hickam.model.network import Floats

SCREENED = 2.0  # standard deviations at which a pair is looked at closely
CLOSELY = 300  # pairs that are, at most
Said = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A link that would explain what is left unexplained."""

    kind: str  # "cause" of a disease or "effect" of one
    cause: str
    effect: str
    strength: float
    error: float
    gain: float  # of the log likelihood
    both: float  # expected patients with the cause whose records speak of the effect
    q: float


class Pair(NamedTuple):
    """A cause and an effect, by position."""

    kind: str
    cause: int
    effect: int


class Seen(NamedTuple):
    """What some records say of a pair."""

    x: Floats
    counts: Floats
    both: float


def proposals(
    numbers: Numbers, values: Floats, parts: Sequence[Batch], say: Said
) -> tuple[tuple[Proposal, ...], int]:
    """The links that would explain most, the largest gain first, and how many pairs were tested."""
    own = numbers.network
    sums = _sums(numbers, values, parts, say)
    ranked: list[tuple[float, Pair]] = []
    for kind, (total, squares) in sums.items():
        tested = ~_linked(numbers, kind) & (squares > 0.0)
        for cause, effect in np.argwhere(tested).tolist():
            z = total[cause, effect] / sqrt(squares[cause, effect])
            ranked.append((float(z), Pair(kind, cause, effect)))
    ranked.sort(key=lambda one: -one[0])
    close = [pair for z, pair in ranked[:CLOSELY] if z > SCREENED]
    if not close:
        return (), len(ranked)
    say("looking closely at the likeliest")
    fits, both = [], []
    for seen in _closely(numbers, values, parts, close):
        x, counts, patients = zip(*seen, strict=True)
        fits.append(best_strength(np.concatenate(x), np.concatenate(counts)))
        both.append(sum(patients))
    q = q_values(np.array([0.5 * erfc(sqrt(gain)) for _, _, gain in fits]), len(ranked))
    layers = {"cause": (own.risk_factors, own.diseases), "effect": (own.diseases, own.findings)}
    found = [
        Proposal(
            pair.kind,
            layers[pair.kind][0][pair.cause],
            layers[pair.kind][1][pair.effect],
            *fits[at],
            both[at],
            float(q[at]),
        )
        for at, pair in enumerate(close)
        if q[at] <= RATE
    ]
    return tuple(sorted(found, key=lambda one: -one.gain)), len(ranked)


def _linked(numbers: Numbers, kind: str) -> npt.NDArray[np.bool_]:
    """[cause, effect] whether there is a link; a finding with kinds may have one only in them."""
    own = numbers.network
    links = own.causes if kind == "cause" else own.effects
    there = numbers.values[numbers.of_kind(kind)] > 0.0
    sizes = (len(own.risk_factors), len(own.diseases), len(own.findings))
    found = np.zeros(sizes[:2] if kind == "cause" else sizes[1:], dtype=bool)
    found[links.cause[there], links.effect[there]] = True
    return found


def _sums(
    numbers: Numbers, values: Floats, parts: Sequence[Batch], say: Said
) -> dict[str, tuple[Floats, Floats]]:
    """Kind → [cause, effect] the sums of the slopes and of their squares."""
    shapes = {kind: _linked(numbers, kind).shape for kind in ("cause", "effect")}
    found = {kind: (np.zeros(shape), np.zeros(shape)) for kind, shape in shapes.items()}
    every = np.arange(shapes["effect"][1])
    for number, batch in enumerate(parts):
        say(f"looking for missing links, {number + 1} of {len(parts)}")
        more = [("effect", sums_of([slopes(numbers, values, batch, every)], shapes["effect"]))]
        if shapes["cause"][0]:
            more += [("cause", some.sums()) for some in cause_slopes(numbers, values, batch)]
        for kind, added in more:
            found[kind] = (found[kind][0] + added[0], found[kind][1] + added[1])
    return found


def _closely(
    numbers: Numbers, values: Floats, parts: Sequence[Batch], close: Sequence[Pair]
) -> list[list[Seen]]:
    """[pair] what every batch says of it."""
    found: list[list[Seen]] = [[] for _ in close]
    for batch in parts:
        for at, seen in _of_batch(numbers, values, batch, close):
            found[at].append(seen)
    return found


def _of_batch(
    numbers: Numbers, values: Floats, batch: Batch, close: Sequence[Pair]
) -> Iterator[tuple[int, Seen]]:
    """(position of a pair, what the batch says of it)."""
    effects = [(at, pair) for at, pair in enumerate(close) if pair.kind == "effect"]
    causes = [(at, pair) for at, pair in enumerate(close) if pair.kind == "cause"]
    if effects:
        chosen = sorted({pair.effect for _, pair in effects})
        one = slopes(numbers, values, batch, np.array(chosen, dtype=np.int64))
        for at, (_, cause, effect) in effects:
            yield at, Seen(*one.of(cause, effect), one.both(cause, effect))
    for some in cause_slopes(numbers, values, batch) if causes else ():
        for at, (_, cause, effect) in causes:
            yield at, Seen(*some.of(cause, effect), some.both(cause, effect))
