"""How often each mechanism acted in the records, and how often it could have: the E step.

Given one setting of the risk factors, a record is a settled problem that the engines answer, and
their tables are the statistics. Of a link k → s with s observed: it could act if k is there,
posterior[k], and it acted if s is present and k would keep it up alone, sustained[k, s]. The leak
of a present finding acted for certain if nothing else did, and is free otherwise:
unexplained + (1 - unexplained) * leak. A disease that is known to be there joins the leak: what
either did is told by their shares. A disease that is on with chance p = 1 - prod of fails was
turned on by a mechanism of strength a with a / p.

Where sex or age multiply the odds of a node by f, a patient is a draw that was accepted, after
draws that were rejected: for f < 1 one that is on is kept with f, for f > 1 one that is off is kept
with 1 / f. The expected number of rejected draws counts as well; so the M step stays a division.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hickam.kernels import compiled
from hickam.learn.batch import Batch
from hickam.learn.by_engine import expect_record
from hickam.learn.numbers import Numbers
from hickam.learn.recorded import expect_recorded
from hickam.model.network import Floats, Ints

CELLS = float(1 << 12)  # rows times sets of findings up to which COVER is the quicker
DONE, HARD, IMPOSSIBLE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The statistics of a batch."""

    acted: Floats  # [number]
    could: Floats  # [number]
    log_evidence: Floats  # [record]  -inf where a record is impossible
    by_engine: int  # records that were too hard for the kernel
    posterior: Floats | None = None  # [record, disease]
    products: Sequence[Floats] = ()  # sums over patients of products of scores, by family


def expect(
    numbers: Numbers,
    values: Floats,
    batch: Batch,
    *,
    posterior: bool = False,
    families: Sequence[Ints] = (),
) -> Expected:
    """The statistics of a batch under given numbers.

    For each family of numbers also the sum over patients of s sᵀ, where the score of the log odds
    of a number is s = acted - number * could.
    """
    if batch.columns:
        return _by_recording(numbers, values, batch, families)
    size = len(batch.records)
    acted, could = np.zeros(numbers.size), np.zeros(numbers.size)
    log_evidence = np.full(size, -np.inf)
    by_disease = np.zeros((size if posterior else 0, len(numbers.network.diseases)))
    widths = [len(family) for family in families]
    flat = np.zeros(sum(width**2 for width in widths))
    ends = np.cumsum([width**2 for width in widths])[:-1].astype(int)
    products = [
        part.reshape(width, width)
        for part, width in zip(np.split(flat, ends) if widths else [], widths, strict=True)
    ]
    kernels = compiled()
    if kernels is None:
        left = np.arange(size)
    else:
        start = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        members = np.concatenate([np.zeros(0, dtype=np.int64), *families]).astype(np.int64)
        outcomes = _prepared(numbers).expect(
            *_arguments(batch), np.ascontiguousarray(values), batch.records.counts, CELLS,
            acted, could, log_evidence, by_disease, start, members, flat,
        )  # fmt: skip
        left = np.flatnonzero(outcomes == HARD)
    for record in left.tolist():
        found = expect_record(numbers, values, batch, record)
        if found is None:
            continue
        count = batch.records.counts[record]
        acted += count * found.acted
        could += count * found.could
        log_evidence[record] = found.log_evidence
        if posterior:
            by_disease[record] = found.posterior
        score = found.acted - values * found.could
        for at, family in enumerate(families):
            products[at] += count * np.outer(score[family], score[family])
    return Expected(
        acted, could, log_evidence, len(left), by_disease if posterior else None, products
    )


def _by_recording(
    numbers: Numbers, values: Floats, batch: Batch, families: Sequence[Ints]
) -> Expected:
    """The same where a model says what is written down."""
    acted, could = np.zeros(len(values)), np.zeros(len(values))
    products = [np.zeros((len(family), len(family))) for family in families]
    logs: list[Floats] = []
    begin = 0
    for some in expect_recorded(numbers, values, batch):
        counts = batch.records.counts[begin : begin + len(some.acted)]
        begin += len(some.acted)
        acted += counts @ some.acted
        could += counts @ some.could
        logs.append(some.log_evidence)
        score = some.acted - values * some.could
        for at, family in enumerate(families):
            mine = score[:, family]
            products[at] += (mine * counts[:, None]).T @ mine
    return Expected(acted, could, np.concatenate(logs), 0, None, products)


def expect_all(
    numbers: Numbers, values: Floats, parts: Sequence[Batch], workers: int, **wanted: Any
) -> Iterator[Expected]:
    """The statistics of every batch in order, on so many threads."""
    if workers == 1 or len(parts) <= 1:
        yield from (expect(numbers, values, batch, **wanted) for batch in parts)
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="hickam") as pool:
        yield from pool.map(lambda batch: expect(numbers, values, batch, **wanted), parts)


@lru_cache(maxsize=8)
def _prepared(numbers: Numbers) -> Any:
    """The structure of a network, for the kernel."""
    kernels = compiled()
    assert kernels is not None
    own = numbers.network
    causes, effects = own.causes, own.effects
    return kernels.Learning(
        causes.cause, causes.effect, effects.cause, effects.by_effect, effects.effect_start,
        len(own.risk_factors), len(own.diseases),
    )  # fmt: skip


def _arguments(batch: Batch) -> tuple[Any, ...]:
    """A batch as the kernel takes it."""
    atoms, settings = batch.atoms, batch.settings
    return (
        np.ascontiguousarray(settings.states),
        settings.start,
        settings.log_weight,
        np.ascontiguousarray(batch.records.diseases),
        atoms.absent_start,
        atoms.absent,
        atoms.group_start,
        atoms.atom_start,
        atoms.atoms,
        np.ascontiguousarray(batch.records.person, dtype=np.int64),
        batch.risk_factor,
        batch.disease_factor,
        batch.leak_factor,
    )
