"""One shard of a bulk diagnosis: its cases, diagnosed, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from hickam.batch.cases import spooled_rows, text_rows, written_rows
from hickam.batch.job import Job
from hickam.batch.ranked import Line, ranked, schema
from hickam.evidence.case import Case
from hickam.infer import at_once, infer_together, read_question
from hickam.io.cases import TEXT_SUFFIXES
from hickam.io.load import load
from hickam.io.phenopackets import case_for
from hickam.issues import InvalidInput, Issue, answered, invalid
from hickam.model.kinds import Model
from hickam.work.task import Product


@dataclass(frozen=True, slots=True)
class Shard:
    """One task: some rows of the input → one part."""

    job: Job
    number: int
    start: int  # first case
    count: int
    source: str  # the file that rows are read from
    offset: int = 0  # byte offset of the first case in a text file

    @property
    def key(self) -> str:
        """A digest of everything that determines the result."""
        return f"{self.job.key}-{self.number:06d}"

    @property
    def name(self) -> str:
        """The name of the part."""
        return f"part-{self.number:06d}"

    def rows(self) -> Iterator[dict[str, Any] | Issue]:
        """The rows of the shard."""
        path = Path(self.source)
        if path.suffix.lower() in TEXT_SUFFIXES:
            ours = self.source != self.job.cases
            return (written_rows if ours else text_rows)(path, self.offset, self.count)
        return spooled_rows(path, self.number)

    def do(self) -> Product:
        """The ranked diseases of every case, and how many cases could not be answered."""
        import pyarrow as pa

        network = _network(self.job.network, self.job.network_hash)
        question = read_question(network, dict(self.job.options))  # type: ignore[arg-type]
        rows = enumerate(self.rows(), start=self.start)
        tables, problems = [], 0
        while some := list(islice(rows, at_once(network))):
            read = [answered(_read, network, row) for _, row in some]
            asked = [one[0] for one in read if not isinstance(one, InvalidInput)]
            found = iter(infer_together(network, asked, self.job.engine, *question))
            lines = []
            for (number, row), one in zip(some, read, strict=True):
                name = "" if isinstance(row, Issue) else str(row.get("id") or "")
                if isinstance(one, InvalidInput):
                    lines.append(Line(number, name, one))
                else:
                    lines.append(Line(number, name, next(found), tuple(one[1])))
            tables.append(ranked(network, lines, self.job.measure, self.job.top))
            problems += sum(isinstance(line.answer, InvalidInput) for line in lines)
        counts = {"cases": self.count, "problems": problems}
        return Product(pa.concat_tables([schema().empty_table(), *tables]), counts)


def _read(network: Model, row: dict[str, Any] | Issue) -> tuple[Case, list[Issue]]:
    """The case of a row and what to know about it; every mistake in it is an `InvalidInput`."""
    if isinstance(row, Issue):
        raise InvalidInput([row])
    return case_for(network, row)


@lru_cache(maxsize=2)
def _network(source: str, expected: str) -> Model:
    """The network, read once per worker and refused if it is not the one planned for."""
    network = load(source)
    if network.hash != expected:
        what = "is not the network that this job was planned with"
        raise invalid(f"network '{source}'", what, "use the same file and version everywhere")
    return network
