"""What a record would say about links from risk factors to diseases that the network does not have.

In one setting of the risk factors, let c be the chance of disease k before the findings are known.
A new link j → k of strength a makes that c + a (1 - c) where j is there, and the probability of the
record P(record) * (1 + a x), exactly, with x = (P(k | record, setting) - c) / c. Over the settings
of a record the x of those with j are averaged, each by its chance given the record.

Where sex or age multiply the odds of the disease, c is the chance after that: the strength is that
of a link which they do not touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from hickam.learn.batch import Batch
from hickam.learn.by_engine import turn
from hickam.learn.em import LEAST
from hickam.learn.expect import expect
from hickam.learn.numbers import Numbers
from hickam.learn.records import UNKNOWN, atoms_of
from hickam.model.network import Floats, Ints

AT_ONCE = 4096  # settings


@dataclass(frozen=True, slots=True, eq=False)
class CauseSlopes:
    """The settings of some records, with what they say of new causes."""

    start: Ints  # [record]  its first setting
    on: Floats  # [setting, risk factor]  P(setting and the risk factor | record)
    x: Floats  # [setting, disease]  0 where the record says nothing of the disease
    spoken: Floats  # [setting, disease]  1 where it does
    counts: Floats  # [record]

    def of(self, risk: int, disease: int) -> tuple[Floats, Floats]:
        """(x, count) of every record."""
        return np.add.reduceat(self.on[:, risk] * self.x[:, disease], self.start), self.counts

    def both(self, risk: int, disease: int) -> float:
        """Expected patients with the risk factor whose records speak of the disease."""
        each = np.add.reduceat(self.on[:, risk] * self.spoken[:, disease], self.start)
        return float(each @ self.counts)

    def sums(self) -> tuple[Floats, Floats]:
        """[risk factor, disease] the sum of the slopes and of their squares."""
        shape = (self.on.shape[1], self.x.shape[1])
        total, squares = np.zeros(shape), np.zeros(shape)
        for risk in range(shape[0]):
            each = np.add.reduceat(self.on[:, risk, None] * self.x, self.start, axis=0)
            total[risk], squares[risk] = self.counts @ each, self.counts @ each**2
        return total, squares


def cause_slopes(numbers: Numbers, values: Floats, batch: Batch) -> Iterator[CauseSlopes]:
    """The slopes of a batch for links into all diseases, some records at a time."""
    values = values.copy()
    leak = values[numbers.of_kind("disease leak")]
    leak[leak == 0.0] = LEAST  # what cannot be yet has no posterior to compare
    ends = batch.settings.start
    begin = 0
    while begin < len(batch.records):
        end = int(np.searchsorted(ends, ends[begin] + AT_ONCE, side="right")) - 1
        end = max(end, begin + 1)
        yield _slopes(numbers, values, _apart(numbers, batch, begin, end), ends[begin:end])
        begin = end


def _apart(numbers: Numbers, batch: Batch, begin: int, end: int) -> tuple[Batch, Ints, Floats]:
    """(every setting of some records as a record of its own, whose it is, counts of records)."""
    old = batch.settings
    sizes = np.diff(old.start[begin : end + 1])
    owner = np.repeat(np.arange(begin, end), sizes)
    rows = slice(int(old.start[begin]), int(old.start[end]))
    some = batch.records.take(owner)
    settings = replace(
        old,
        states=old.states[rows],
        start=np.arange(len(owner) + 1, dtype=np.int64),
        log_weight=old.log_weight[rows],
    )
    atoms = atoms_of(numbers.network, some.findings)
    apart = replace(batch, records=some, atoms=atoms, settings=settings)
    return apart, owner - begin, batch.records.counts[begin:end]


def _slopes(
    numbers: Numbers, values: Floats, cut: tuple[Batch, Ints, Floats], first: Ints
) -> CauseSlopes:
    """The slopes of settings."""
    batch, owner, counts = cut
    start = first - first[0]
    own, records, states = numbers.network, batch.records, batch.settings.states
    found = expect(numbers, values, batch, posterior=True)
    assert found.posterior is not None
    peak = np.maximum.reduceat(found.log_evidence, start)
    weight = np.exp(found.log_evidence - np.where(np.isfinite(peak), peak, 0.0)[owner])
    total = np.add.reduceat(weight, start)
    weight /= np.where(total > 0.0, total, 1.0)[owner]

    prior, leak, cause = (values[numbers.of_kind(k)] for k in ("prior", "disease leak", "cause"))
    there = turn(prior, batch.risk_factor[records.person]).chance
    on = np.where(states == UNKNOWN, there, states) * weight[:, None]
    links = np.zeros((len(prior), len(leak)))
    with np.errstate(divide="ignore"):
        links[own.causes.cause, own.causes.effect] = np.maximum(np.log1p(-cause), -1e3)
        log_off = np.maximum(np.log1p(-leak), -1e3) + (states == 1).astype(np.float64) @ links
    chance = turn(-np.expm1(log_off), batch.disease_factor[records.person]).chance
    reaches = np.zeros((len(own.findings), len(leak)))
    reaches[own.effects.effect, own.effects.cause] = 1.0
    spoken = (records.diseases != UNKNOWN) | ((records.findings != UNKNOWN) @ reaches > 0.0)
    moved = np.where(spoken, found.posterior - chance, 0.0)
    x = np.divide(moved, chance, out=np.zeros_like(chance), where=chance > 0.0)
    return CauseSlopes(start, on, x, spoken.astype(np.float64), counts)
