"""What every engine returns: the seam between inference and meaning."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hickam.issues import LostPrecision
from hickam.model.network import Floats
from hickam.words import finite, two_digits

# Scores below this are compared absolutely: stated errors are relative to max(|score|, FLOOR).
FLOOR = 1e-3
# Standard errors in the stated error of a sample: it has to hold for the worst of thousands.
WIDTH = 6.0
# Share of its bound by which a true score may well be below the estimated one.
BELOW = 0.1
# A state of which no sample knows may still have this many chances in as many samples.
UNSEEN = 5.0
# Trimming of less than this is rounding, whatever an engine states.
LEAST_TRIM = 1e-11
# Diseases at the head of a ranking whose error is stated apart.
LEADING = 10
# A rounding error that no printed number shows.
UNNOTICED = 1e-6


def relative_error(bounds: Floats, scores: Floats) -> float:
    """The largest of the errors of estimated scores, relative to what the true ones may be.

    >>> round(relative_error(np.array([0.006, 0.033]), np.array([0.2, 0.011])), 3)
    4.286
    """
    return float((bounds / np.maximum(scores - BELOW * bounds, FLOOR)).max(initial=0.0))


def score_error(
    bounds: Floats, scores: Floats, least: Floats, most: Floats, lowest: Floats | None = None
) -> float:
    """The same of scores whose truth is known to lie between the least and the most.

    Whatever else is not known, they are not off by more than from there; and those outside are off
    by that at least. `lowest` is what the true scores may be before their errors are counted, if
    that is less than the scores.

    >>> few, some = np.array([0.006, 0.0032]), np.array([0.2, 0.0011])
    >>> round(score_error(few, some, np.zeros(2), np.ones(2)), 3)
    1.1
    """
    bounds = bounds + np.maximum(np.maximum(least - scores, scores - most), 0.0)
    lowest = scores if lowest is None else lowest
    error = bounds / np.maximum(lowest - BELOW * bounds, FLOOR)
    too_high = (scores - least) / np.maximum(least, FLOOR)
    too_low = (most - scores) / np.maximum(most, FLOOR)
    return float(np.minimum(error, np.maximum(too_high, too_low)).max(initial=0.0))


def score_bounds(bounds: Floats, scores: Floats, least: Floats, most: Floats) -> Floats:
    """The absolute errors of scores whose truth is known to lie between the least and the most.

    >>> score_bounds(np.array([0.3, 0.1]), np.array([0.2, 1.5]), np.zeros(2), np.ones(2)).round(3)
    array([0.3, 0.6])
    """
    outside = np.maximum(np.maximum(least - scores, scores - most), 0.0)
    farthest = np.maximum(np.abs(most - scores), np.abs(scores - least))
    return np.minimum(bounds + outside, farthest)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far an answer can be trusted.

    `error` bounds |x - truth| / max(|truth|, 1e-3) over the posterior, expected disablement and
    expected sufficiency of every disease: a rounding bound when exact, otherwise the estimate that
    the engine vouches for (sampled: six standard errors of the worst score, and what the samples
    may have missed). `unexplained` and `log_evidence` bound the absolute errors of those; where an
    engine states none of its own, they are as accurate as the scores. `condition` is the condition
    number of a sum that can cancel.
    """

    kind: str  # "exact" | "estimated" | "sampled"
    error: float
    condition: float | None = None
    notes: tuple[str, ...] = ()
    # [disease, 3]  bounds on |x - truth| of the posterior, expected disablement and sufficiency
    stated_errors: Floats | None = field(default=None, compare=False, repr=False)
    leading: float | None = None  # `error` of the ten diseases of largest expected disablement
    unexplained: float | None = None
    log_evidence: float | None = None

    @property
    def exact(self) -> bool:
        """Whether only rounding separates the answer from the truth."""
        return self.kind == "exact"

    def __str__(self) -> str:
        """A phrase for a person.

        >>> str(Accuracy("exact", 1e-13))
        'exact up to rounding'
        >>> str(Accuracy("estimated", 2.2e-5))
        'approximate: scores are off by an estimated 0.0022 % at most'
        >>> str(Accuracy("sampled", 3.0))
        'sampled: too few samples to tell the scores of some diseases'
        """
        if self.exact:
            small = self.error <= UNNOTICED
            return "exact up to rounding" + ("" if small else f" ({self.error:.0e} of a score)")
        off = f"{two_digits(100.0 * self.error)} %"
        if self.kind != "sampled" and self.error <= UNNOTICED:
            return "approximate: off by less than any printed digit shows"
        if self.kind != "sampled" and self.leading is not None and self.leading < self.error:
            off = f"{two_digits(100.0 * self.leading)} %"
            return f"approximate: the leading scores are off by an estimated {off} at most"
        if self.kind != "sampled":
            return f"approximate: scores are off by an estimated {off} at most"
        if self.leading is not None and self.leading < min(self.error, 1.0):
            off = f"{two_digits(100.0 * self.leading)} %"
            return f"sampled: the leading scores are off by {off} at most, almost surely"
        if self.error >= 1.0:
            return "sampled: too few samples to tell the scores of some diseases"
        return f"sampled: scores are off by {off} at most, almost surely"

    def of_leading(self, posterior: Floats, disabled: Floats, sustained: Floats) -> Accuracy:
        """The same with the error of the leading diseases, where errors are stated of each.

        They lead by expected disablement; each of their three scores counts, relative to itself.
        """
        if self.stated_errors is None or self.exact:
            return self
        scores = np.stack([posterior, disabled.sum(axis=1), sustained.sum(axis=1)], axis=1)
        first = np.argsort(-scores[:, 1], kind="stable")[:LEADING]
        worst = relative_error(self.stated_errors[first], scores[first])
        return replace(self, leading=min(worst, self.error))

    def to_dict(self) -> dict[str, Any]:
        """The accuracy as plain values, ready for JSON."""
        return {
            "kind": self.kind,
            "error": finite(self.error),
            "leading": finite(self.leading),
            "unexplained": finite(self.unexplained),
            "log_evidence": finite(self.log_evidence),
            "condition": finite(self.condition),
            "notes": list(self.notes),
            "in_words": str(self),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """All an engine concludes about one case. [CD expected-disablement] [CD expected-sufficiency]

    Both tables are at most posterior[k], for every disease k and present finding s. On three layers
    disabled <= sustained; elsewhere a disease also acts through others, or together with others.
    """

    present: tuple[str, ...]  # ids of the present findings, the second axis below
    log_evidence: float  # log P(findings | observed risk factors), soft evidence included
    posterior: Floats  # [disease]  P(D = 1 | evidence)
    disabled: Floats  # [disease, present]  P(finding goes away under do(D = 0) | evidence)
    sustained: Floats  # [disease, present]  P(finding stays with every other cause off | evidence)
    unexplained: Floats  # [present]  P(no disease causes the finding | evidence): only its leak
    single_fault: Floats  # [disease]  P(D = 1 | evidence, exactly one disease): the baseline
    engine: str
    accuracy: Accuracy
    in_force: tuple[str, ...] = ()  # assumptions and soft evidence behind the numbers

    @property
    def at_work(self) -> Floats:
        """[disease, present] P(the disease is at work on the finding), at least.

        It is at work if the finding would go away with it, or stay with it alone. On three layers
        this is `sustained`.
        """
        return np.maximum(self.disabled, self.sustained)


def tidy(
    posterior: Floats, disabled: Floats, sustained: Floats, error: float
) -> tuple[Floats, Floats, Floats]:
    """The tables of three layers, rounding trimmed: 0 <= disabled <= sustained <= posterior <= 1.

    What is trimmed must be within the stated error, or the engine did not know its own error:
    then `LostPrecision`.
    """
    tidied = np.clip(posterior, 0.0, 1.0)
    kept = np.clip(sustained, 0.0, tidied[:, None])
    gone = np.clip(disabled, 0.0, kept)
    for raw, trimmed in ((posterior, tidied), (disabled, gone), (sustained, kept)):
        off = np.abs(raw - trimmed) / np.maximum(trimmed, FLOOR)
        worst = float(off.max(initial=0.0))
        if not worst <= max(error, LEAST_TRIM):
            raise LostPrecision(f"a table breaks its laws by {worst:.1e}, stated is {error:.1e}")
    return tidied, gone, kept
