"""The Occam–Hickam dial: from as many diseases as they please to exactly one.

A dial γ gives a world with n diseases the weight γ ** |n - 1|: each disease beyond the first
counts γ, and so does having none. Engines see a likelihood ratio γ for every disease: γ ** n. What
is missing concerns only the worlds without a disease, whose weight is known in closed form, as is
that of every world with exactly one. So an engine's tables are split into three parts: nobody,
exactly one (both exact), and several (the rest), and put together again with the right weights. As
γ goes to 0 the exact parts are all that is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy, Beliefs
from hickam.model.network import Floats

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Few:
    """The worlds with at most one disease; log weights on the scale of `Beliefs.log_evidence`.

    The tables hold given that only the disease is there; None where they have no closed form.
    """

    dial: float
    nobody: float  # log weight of no disease at all
    only: Floats  # [disease]  log weight of that disease and no other, the ratio γ included
    disabled: Floats | None = None  # [disease, present]
    sustained: Floats | None = None  # [disease, present]
    unexplained: Floats | None = None  # [disease, present]
    bare: float | Floats = 1.0  # [present]  P(no disease causes the finding | no disease at all)


@dataclass(frozen=True, slots=True, eq=False)
class Turned:
    """Probabilities of the three parts under an engine's γ ** n, and how to reweigh them."""

    few: Few
    nobody: float
    only: Floats  # [disease]
    several: float  # two diseases or more, at most: no entry of a table has more of it
    total: float  # of the three under γ ** |n - 1|, times γ
    error: float  # of scores after reweighing, relative to max(|score|, FLOOR)

    @classmethod
    def of(cls, few: Few, log_evidence: float, expected: float, error: float) -> Turned:
        """The parts, given the expected number of diseases and the error of the engine's tables."""
        nobody = float(np.exp(min(few.nobody - log_evidence, 0.0)))
        only = np.exp(np.minimum(few.only - log_evidence, 0.0))
        one = float(only.sum())
        # E[n] counts several diseases at least twice: a bound that does not cancel with `nobody`
        most = max(expected - one, 0.0) / 2.0
        several = min(max(1.0 - nobody - one, 0.0), most)
        total = few.dial**2 * nobody + one + several
        ceiling = min(several + 3.0 * error, most + 3.0 * error * one)
        off = max(min(3.0 * error, ceiling / FLOOR) / total, ROUNDING) if total > 0.0 else error
        return cls(few, nobody, only, ceiling, total, float(off))

    def rows(self, table: Floats, alone: Floats | None) -> Floats:
        """A table with a row for each disease, reweighed; without a disease its entries are 0."""
        if alone is None:
            return np.minimum(table / self.total, 1.0)
        exact = self.only.reshape(-1, *[1] * (table.ndim - 1)) * alone
        return (exact + np.clip(table - exact, 0.0, self.several)) / self.total

    def accuracy(self, stated: Accuracy) -> Accuracy:
        """The accuracy of reweighed scores."""
        errors = stated.stated_errors
        if errors is not None:
            errors = errors / self.total
        return replace(stated, error=self.error, stated_errors=errors)


def turn(beliefs: Beliefs, few: Few) -> Beliefs:
    """The beliefs with the weight γ ** |n - 1| in place of γ ** n."""
    expected, error = float(beliefs.posterior.sum()), beliefs.accuracy.error
    turned = Turned.of(few, beliefs.log_evidence, expected, error)
    posterior = np.clip(turned.rows(beliefs.posterior, np.ones(len(few.only))), 0.0, 1.0)
    sustained = np.clip(turned.rows(beliefs.sustained, few.sustained), 0.0, posterior[:, None])
    # what a disease does through another is in `disabled` only: with tables of its own it is not
    most = posterior[:, None] if few.disabled is None else sustained
    disabled = np.clip(turned.rows(beliefs.disabled, few.disabled), 0.0, most)
    ill = beliefs.unexplained - turned.nobody * few.bare
    if few.unexplained is None:
        ill = np.maximum(ill, 0.0)
    else:
        alone = turned.only @ few.unexplained
        ill = alone + np.clip(ill - alone, 0.0, turned.several)
    left = few.dial**2 * turned.nobody * few.bare + ill
    accuracy = turned.accuracy(beliefs.accuracy).of_leading(posterior, disabled, sustained)
    return replace(
        beliefs,
        log_evidence=beliefs.log_evidence + float(np.log(turned.total)) - float(np.log(few.dial)),
        posterior=posterior,
        disabled=disabled,
        sustained=sustained,
        unexplained=np.clip(left / turned.total, 0.0, 1.0),
        accuracy=accuracy,
    )
