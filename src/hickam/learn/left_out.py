"""What a record would say about links that the network does not have.

A new link k → s of strength a changes the probability of a record with s observed to
P(record) * (1 + a x), exactly. If s is absent, x = -P(k | record). If it is present,
x = P(k | rest) / P(s | rest) - P(k | record), where the rest is the record without s: one more
inference with s left out says it for every disease.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hickam.learn.batch import Batch
from hickam.learn.expect import expect
from hickam.learn.numbers import Numbers
from hickam.learn.records import UNKNOWN, atoms_of
from hickam.model.is_a import kinds_of
from hickam.model.network import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """The slopes x of a batch: for absent findings, and for each present finding of a record."""

    posterior: Floats  # [record, disease]
    absent: Floats  # [record, finding]  1 where it is known to be absent
    record: Ints  # [case]
    finding: Ints  # [case]
    present: Floats  # [case, disease]
    counts: Floats  # [record]

    def of(self, disease: int, finding: int) -> tuple[Floats, Floats]:
        """(x, count) of every record in which the finding is observed."""
        gone = self.absent[:, finding] > 0.0
        here = self.finding == finding
        x = np.concatenate([-self.posterior[gone, disease], self.present[here, disease]])
        return x, np.concatenate([self.counts[gone], self.counts[self.record[here]]])

    def both(self, disease: int, finding: int) -> float:
        """Expected patients who have the disease and of whom the finding is known."""
        seen = self.absent[:, finding].copy()
        seen[self.record[self.finding == finding]] = 1.0
        return float((seen * self.counts) @ self.posterior[:, disease])


def slopes(numbers: Numbers, values: Floats, batch: Batch, findings: Ints) -> Slopes:
    """The slopes of a batch for links into some findings, each without its kinds.

    A group of which at least one is present is left out as a whole; what it says of a new link is
    the same for each of its members.
    """
    found = expect(numbers, values, batch, posterior=True)
    assert found.posterior is not None
    atoms = batch.atoms
    chosen = np.zeros(batch.records.findings.shape[1], dtype=bool)
    chosen[findings] = True
    group = np.repeat(np.arange(len(atoms.atom_start) - 1), np.diff(atoms.atom_start))
    wanted = chosen[atoms.atoms]
    groups, place = np.unique(group[wanted], return_inverse=True)
    owner = np.repeat(np.arange(len(batch.records)), np.diff(atoms.group_start))[groups]
    without = _without(numbers, batch, owner, atoms.atoms[atoms.atom_start[groups]])
    rest = expect(numbers, values, without, posterior=True)
    assert rest.posterior is not None
    by_chance = np.exp(rest.log_evidence - found.log_evidence[owner])
    present = by_chance[:, None] * rest.posterior - found.posterior[owner]
    absent = np.zeros(batch.records.findings.shape)
    absent[np.repeat(np.arange(len(absent)), np.diff(atoms.absent_start)), atoms.absent] = 1.0
    absent[:, ~chosen] = 0.0
    return Slopes(
        found.posterior,
        absent,
        owner[place],
        atoms.atoms[wanted],
        present[place],
        batch.records.counts,
    )


def _without(numbers: Numbers, batch: Batch, record: Ints, head: Ints) -> Batch:
    """The records, each once for every group that is left out, with the same settings.

    The head of a group is the finding that was seen; what it is a kind of goes with it.
    """
    some = batch.records.take(record)
    states = some.findings.copy()
    rows = np.arange(len(record))
    states[rows, head] = UNKNOWN
    for kind, above in kinds_of(numbers.network).above.items():
        for wider in above:
            states[(head == kind) & (states[:, wider] == 1), wider] = UNKNOWN
    some = replace(some, findings=states)
    old = batch.settings
    sizes = (old.start[1:] - old.start[:-1])[record]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.arange(start[-1]) - np.repeat(start[:-1] - old.start[record], sizes)
    settings = replace(old, states=old.states[rows], start=start, log_weight=old.log_weight[rows])
    return replace(
        batch, records=some, atoms=atoms_of(numbers.network, some.findings), settings=settings
    )


def best_strength(x: Floats, counts: Floats) -> tuple[float, float, float]:
    """(strength, standard error, gain of the log likelihood) of a new link with slopes x.

    The log likelihood sum of log(1 + a x) is concave in a.

    >>> best_strength(np.array([-1.0, 1.0, 1.0, 1.0]), np.ones(4))[0]
    0.5
    """
    low, high = 0.0, 1.0 - 1e-6
    for _ in range(60):
        middle = 0.5 * (low + high)
        slope = (counts * x / (1.0 + middle * x)).sum()
        low, high = (middle, high) if slope > 0.0 else (low, middle)
    strength = round(0.5 * (low + high), 9)
    curve = float((counts * (x / (1.0 + strength * x)) ** 2).sum())
    gain = float((counts * np.log1p(strength * x)).sum())
    error = 1.0 / float(np.sqrt(curve)) if curve > 0.0 else float("inf")
    return strength, error, max(gain, 0.0)


def sums_of(found: Sequence[Slopes], shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """[disease, finding] the sum of the slopes and of their squares."""
    total, squares = np.zeros(shape), np.zeros(shape)
    for one in found:
        weighed = one.absent * one.counts[:, None]
        total -= one.posterior.T @ weighed
        squares += (one.posterior**2).T @ weighed
        part = one.present * one.counts[one.record][:, None]
        np.add.at(total.T, one.finding, part)
        np.add.at(squares.T, one.finding, part * one.present)
    return total, squares
