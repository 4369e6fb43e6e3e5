"""One shard of a bulk diagnosis: its cases, diagnosed, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hickam.batch.cases import spooled_rows, text_rows, written_rows
from hickam.batch.job import Job
from hickam.beliefs.beliefs import Beliefs
from hickam.infer import infer
from hickam.io.cases import TEXT_SUFFIXES
from hickam.io.load import load
from hickam.io.phenopackets import case_for
from hickam.issues import InvalidInput, Issue, invalid
from hickam.measures.differential import competition_ranks
from hickam.measures.scores import MEASURES
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
        columns: dict[str, list[Any]] = {name: [] for name in column_names()}
        for number, row in enumerate(self.rows(), start=self.start):
            _diagnose(network, number, row, self, columns)
        problems = sum(problem is not None for problem in columns["problem"])
        counts = {"cases": self.count, "problems": problems}
        return Product(pa.table(columns, schema=schema()), counts)


@lru_cache(maxsize=2)
def _network(source: str, expected: str) -> Model:
    """The network, read once per worker and refused if it is not the one planned for."""
    network = load(source)
    if network.hash != expected:
        what = "is not the network that this job was planned with"
        raise invalid(f"network '{source}'", what, "use the same file and version everywhere")
    return network


def column_names() -> tuple[str, ...]:
    """The columns of the output in their order, one for each measure among them."""
    first = ("row", "case", "rank", "disease", "score")
    return (*first, *MEASURES, "log_evidence", "engine", "accuracy", "error", "problem", "warning")


def schema() -> Any:
    """The columns of the output: one row per case and ranked disease, in order."""
    import pyarrow as pa

    kinds = {"row": pa.int64(), "rank": pa.int32()}
    text = ("case", "disease", "engine", "accuracy", "problem", "warning")
    kinds |= {name: pa.string() for name in text}
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in column_names()])


def _diagnose(
    network: Model,
    number: int,
    row: dict[str, Any] | Issue,
    shard: Shard,
    columns: dict[str, list[Any]],
) -> None:
    """Append the ranked diseases of one case, or one line that says why there are none."""
    name = "" if isinstance(row, Issue) else str(row.get("id") or "")
    try:
        beliefs, warnings = _beliefs(network, row, shard)
    except InvalidInput as bad:
        said = {"row": number, "case": name, "problem": str(bad)}
        for column, values in columns.items():
            values.append(said.get(column))
        return
    warning = "\n".join(str(issue) for issue in warnings) or None
    weights = np.ones(len(beliefs.present))
    scores = {measure: score(beliefs, weights) for measure, score in MEASURES.items()}
    order, ranks = competition_ranks(scores[shard.job.measure], beliefs.posterior)
    for disease in order[: shard.job.top]:
        columns["row"].append(number)
        columns["case"].append(name)
        columns["rank"].append(ranks[disease])
        columns["disease"].append(network.diseases[disease])
        columns["score"].append(scores[shard.job.measure][disease])
        for measure in MEASURES:
            columns[measure].append(scores[measure][disease])
        columns["log_evidence"].append(beliefs.log_evidence)
        columns["engine"].append(beliefs.engine)
        columns["accuracy"].append(beliefs.accuracy.kind)
        columns["error"].append(beliefs.accuracy.error)
        columns["problem"].append(None)
        columns["warning"].append(warning)


def _beliefs(
    network: Model, row: dict[str, Any] | Issue, shard: Shard
) -> tuple[Beliefs, list[Issue]]:
    """The beliefs of one row and what to know about it; a mistake in it is an `InvalidInput`."""
    if isinstance(row, Issue):
        raise InvalidInput([row])
    case, warnings = case_for(network, row)
    return infer(network, case, shard.job.engine, **dict(shard.job.options)), warnings  # type: ignore[arg-type]
