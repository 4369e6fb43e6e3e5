"""How every score follows one number, exactly: a quotient of two straight lines.

With u = 0 where the number stands and u = 1 at a second place, P(evidence) is 1 + u * gain and the
weight of a score s is s + u * lift, both over P(evidence) at u = 0. Two inferences give both lines
for all diseases, hence the slope, every other value of the number, and the value at which two
diseases change places: they share the denominator, so that it is where two straight lines cross.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hickam.measures.differential import TIE
from hickam.model.network import Floats

EDGE = 1e-12  # a turn nearer to 0 or 1 is one of rounding


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The two lines of a knob: all scores as it goes from one place to another."""

    at: float
    to: float
    scores: Floats  # [disease]  where the knob stands
    lift: Floats  # [disease]
    gain: float

    @classmethod
    def through(
        cls, at: float, to: float, scores: Floats, other: Floats, log_ratio: float
    ) -> Lines:
        """The lines through two answers; the second has P(evidence) times exp(log_ratio)."""
        ratio = math.exp(log_ratio)
        return cls(at, to, scores, other * ratio - scores, math.expm1(log_ratio))


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """All scores as functions of one number."""

    lines: Lines
    value: float  # where the number stands
    rate: float  # of its knob

    def _place(self, number: float) -> float:
        return (number - self.value) * self.rate / (self.lines.to - self.lines.at)

    def scores(self, number: float) -> Floats:
        """[disease] the scores if the number were another."""
        u = self._place(number)
        chance = 1.0 + u * self.lines.gain
        if not chance > 0.0:
            return np.zeros_like(self.lines.scores)
        return np.maximum(self.lines.scores + u * self.lines.lift, 0.0) / chance

    def slopes(self) -> Floats:
        """[disease] the derivatives of the scores by the log odds of the number."""
        per_place = self.lines.lift - self.lines.scores * self.lines.gain
        pace = self.rate / (self.lines.to - self.lines.at)
        return per_place * pace * self.value * (1.0 - self.value)

    def turns(self, leader: int) -> tuple[tuple[float, int] | None, tuple[float, int] | None]:
        """The nearest values below and above at which another disease takes the leader's place.

        (value, disease), or None where no value between 0 and 1 does it.
        """
        ahead = self.lines.scores[leader] - self.lines.scores
        closing = self.lines.lift - self.lines.lift[leader]
        steep = np.abs(closing) > TIE * np.maximum(np.abs(self.lines.lift), 1e-15)
        rivals = (ahead > 0.0) & steep
        rivals[leader] = False
        place = np.full(len(ahead), np.nan)
        place[rivals] = ahead[rivals] / closing[rivals]
        pace = self.rate / (self.lines.to - self.lines.at)
        values = self.value + place / pace
        below = np.where((values > EDGE) & (values < self.value), values, -np.inf)
        above = np.where((values < 1.0 - EDGE) & (values > self.value), values, np.inf)
        down, up = int(np.argmax(below)), int(np.argmin(above))
        return (
            (float(below[down]), down) if below[down] > 0.0 else None,
            (float(above[up]), up) if above[up] < 1.0 else None,
        )


def with_odds(value: float, factor: float) -> float:
    """A probability with its odds multiplied.

    >>> with_odds(0.5, 3.0)
    0.75
    """
    return value * factor / (value * factor + 1.0 - value)
