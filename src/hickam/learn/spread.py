"""The E step as tasks: one for each batch of records, in processes or on a cluster."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hickam.learn.batch import Batch
from hickam.learn.em import Look, Totals
from hickam.learn.expect import expect
from hickam.learn.numbers import Numbers
from hickam.model.network import Floats
from hickam.work.run import Progress, run, silent
from hickam.work.spread import Spread
from hickam.work.task import Product, digest

STEPS = "steps"


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """One task: a batch under given numbers → its statistics."""

    numbers: Numbers
    values: Floats
    batch: Batch
    number: int
    fingerprint: str  # of the network and the batch

    @property
    def key(self) -> str:
        """A digest of everything that determines the result."""
        return digest(self.fingerprint, hashlib.sha256(self.values.tobytes()).hexdigest())

    @property
    def name(self) -> str:
        """The name of the part."""
        return f"share-{self.number:06d}"

    def do(self) -> Product:
        """The statistics of the batch."""
        import pyarrow as pa

        found = expect(self.numbers, self.values, self.batch)
        level = float((found.log_evidence * self.batch.records.counts).sum())
        columns = {"acted": found.acted, "could": found.could}
        return Product(pa.table({**columns, "log_evidence": np.full(len(found.acted), level)}))


def spread_look(
    numbers: Numbers,
    parts: list[Batch],
    folder: Path,
    spread: Spread,
    progress: Progress = silent,
) -> Look:
    """The E step, spread; parts of a step that is over are removed."""
    marks = [_fingerprint(numbers, batch) for batch in parts]
    place = folder / STEPS

    def look(values: Floats) -> Totals:
        tasks = [
            Share(numbers, values, batch, number, mark)
            for number, (batch, mark) in enumerate(zip(parts, marks, strict=True))
        ]
        acted, could, level = np.zeros(len(values)), np.zeros(len(values)), 0.0
        for part in run(tasks, place, spread, progress, "batches"):
            table = part.read()
            acted += table["acted"].to_numpy()
            could += table["could"].to_numpy()
            level += float(table["log_evidence"][0].as_py())
        shutil.rmtree(place, ignore_errors=True)
        return Totals(acted, could, level)

    return look


def _fingerprint(numbers: Numbers, batch: Batch) -> str:
    """A digest of a network and the records and settings of a batch."""
    found = hashlib.sha256(numbers.network.hash.encode())
    found.update(repr(batch.columns).encode())
    records, settings = batch.records, batch.settings
    for array in (records.diseases, records.findings, records.person, records.counts,
                  settings.states, settings.start, settings.log_weight):  # fmt: skip
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
