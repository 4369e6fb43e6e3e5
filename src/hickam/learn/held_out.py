"""How well numbers fit patients that they were not learnt from: likelihood and calibration.

Calibration hides what it predicts. Of records that say which diseases there are, all diseases are
hidden and each one predicted from the rest. Of others, one observed finding of each record is
hidden, drawn by chance, and predicted from the rest: P(present) = 1 - P(rest, absent) / P(rest);
not one that is a kind or has kinds. There may be nothing left to predict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hickam.learn.batch import batches
from hickam.learn.expect import Expected, expect_all
from hickam.learn.numbers import Numbers
from hickam.learn.records import UNKNOWN, Records
from hickam.model.is_a import kinds_of
from hickam.model.network import Floats, Network

MOST_PREDICTED = 5_000  # records whose values are hidden and predicted: that is dear
EDGES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions in one range: their mean and the share that came true."""

    low: float
    high: float
    mean: float
    share: float
    count: int


@dataclass(frozen=True, slots=True)
class Fit:
    """How well one set of numbers fits."""

    log_likelihood: float  # per patient
    brier: float | None = None  # mean squared error of the predictions, if there are any
    off: float | None = None  # mean distance between stated and true shares of a bin, by its count
    bins: tuple[Bin, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The fit to held-out patients, before and after learning."""

    patients: int
    predicted: str  # "diseases" or "findings"; "" if the records hold nothing to predict
    before: Fit
    after: Fit
    error: float  # standard error of the gain in log likelihood per patient

    @property
    def gain(self) -> float:
        """Log likelihood per patient gained."""
        return self.after.log_likelihood - self.before.log_likelihood


Ask = Callable[..., list[Expected]]


def held_out(
    numbers: Numbers, records: Records, learnt: Floats, *, workers: int = 1, **options: Any
) -> HeldOut:
    """The fit of the network's own numbers and of learnt ones to records."""

    def ask(values: Floats, some: Records, **wanted: bool) -> list[Expected]:
        parts = batches(numbers, some, **options)
        return list(expect_all(numbers, values, parts, workers, **wanted))

    some = records.take(slice(0, MOST_PREDICTED))
    by_disease = bool((some.diseases != UNKNOWN).any())
    predict = _diseases if by_disease else partial(_findings, numbers.network)
    predicted = "diseases" if by_disease else "findings"
    fits, logs = [], []
    for values in (numbers.values, learnt):
        log = np.concatenate([one.log_evidence for one in ask(values, records)])
        stated, true, counts = predict(ask, values, some)
        mean = float(np.average(log, weights=records.counts))
        fits.append(Fit(mean, *_calibration(stated, true, counts)) if len(stated) else Fit(mean))
        logs.append(log)
    return HeldOut(
        records.patients,
        predicted if fits[0].bins else "",
        fits[0],
        fits[1],
        _mean_error(logs[1] - logs[0], records.counts),
    )


def _diseases(ask: Ask, values: Floats, records: Records) -> tuple[Floats, Floats, Floats]:
    """(stated chance, truth, count) of every disease that a record speaks of."""
    hidden = replace(records, diseases=np.full_like(records.diseases, UNKNOWN))
    found = ask(values, hidden, posterior=True)
    stated = np.concatenate([one.posterior for one in found if one.posterior is not None])
    known = records.diseases != UNKNOWN
    counts = np.broadcast_to(records.counts[:, None], known.shape)
    return stated[known], records.diseases[known].astype(np.float64), counts[known]


def _findings(
    network: Network, ask: Ask, values: Floats, records: Records
) -> tuple[Floats, Floats, Floats]:
    """The same of one finding of each record."""
    rng = np.random.default_rng(0)
    noise = np.where(records.findings != UNKNOWN, rng.random(records.findings.shape), -1.0)
    kinds = kinds_of(network)
    noise[:, [*kinds.above, *kinds.below]] = -1.0  # those depend on others of the record
    chosen = noise.argmax(axis=1)
    some = records.take(noise.max(axis=1) >= 0.0)
    chosen = chosen[noise.max(axis=1) >= 0.0]
    rows = np.arange(len(some))
    if not len(some):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    logs = []
    for state in (UNKNOWN, 0):
        findings = some.findings.copy()
        findings[rows, chosen] = state
        found = ask(values, replace(some, findings=findings))
        logs.append(np.concatenate([one.log_evidence for one in found]))
    stated = -np.expm1(np.minimum(logs[1] - logs[0], 0.0))
    return stated, some.findings[rows, chosen].astype(np.float64), some.counts


def _calibration(
    stated: Floats, true: Floats, counts: Floats
) -> tuple[float, float, tuple[Bin, ...]]:
    """(Brier score, mean distance of bins from the truth, the bins)."""
    brier = float(np.average((stated - true) ** 2, weights=counts))
    place = np.clip(np.searchsorted(EDGES, stated, side="left") - 1, 0, len(EDGES) - 2)
    bins = []
    for at in range(len(EDGES) - 1):
        inside = place == at
        weight = counts[inside]
        if weight.sum() > 0.0:
            mean, share = (float(np.average(x[inside], weights=weight)) for x in (stated, true))
            bins.append(Bin(EDGES[at], EDGES[at + 1], mean, share, int(weight.sum())))
    total = sum(one.count for one in bins)
    off = sum(one.count * abs(one.mean - one.share) for one in bins) / max(total, 1)
    return brier, off, tuple(bins)


def _mean_error(gain: Floats, counts: Floats) -> float:
    """The standard error of a mean over patients."""
    total = counts.sum()
    mean = np.average(gain, weights=counts)
    return float(np.sqrt(np.average((gain - mean) ** 2, weights=counts) / max(total - 1.0, 1.0)))
