"""One shard of a bulk diagnosis: read its cases, diagnose them, write one Parquet file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hickam.batch.plan import Shard
from hickam.beliefs.beliefs import Beliefs
from hickam.infer import infer
from hickam.io.case_document import case_from
from hickam.io.cases import TEXT_SUFFIXES
from hickam.io.load import load
from hickam.issues import InvalidInput, Issue, invalid
from hickam.measures.differential import competition_ranks
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model


def work(shard: Shard) -> str:
    """Do one shard and return the path of its result; a finished one is not done again.

    The file appears under its name only when it is complete, so a worker may die at any time.
    """
    import pyarrow as pa
    from pyarrow import parquet

    if shard.path.exists():
        return str(shard.path)
    network = _network(shard.job.network, shard.job.network_hash)
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for number, row in enumerate(read_shard(shard), start=shard.start):
        _diagnose(network, number, row, shard, columns)
    table = pa.table(columns, schema=schema())
    unfinished = shard.path.with_suffix(f".{os.getpid()}.tmp")
    parquet.write_table(table, unfinished)
    unfinished.replace(shard.path)
    return str(shard.path)


@lru_cache(maxsize=2)
def _network(source: str, expected: str) -> Model:
    """The network, read once per worker and refused if it is not the one planned for."""
    network = load(source)
    if network.hash != expected:
        what = "is not the network that this job was planned with"
        raise invalid(f"network '{source}'", what, "use the same file and version everywhere")
    return network


def read_shard(shard: Shard) -> Iterator[dict[str, Any] | Issue]:
    """The rows of a shard, read without reading the rest of the file."""
    path = Path(shard.job.cases)
    if path.suffix in TEXT_SUFFIXES:
        return _text_rows(path, shard)
    return _parquet_rows(path, shard)


def _text_rows(path: Path, shard: Shard) -> Iterator[dict[str, Any] | Issue]:
    """Rows from a byte offset of a JSON Lines file."""
    with path.open("rb") as file:
        file.seek(shard.offset)
        lines = (line for line in file if line.strip())
        for line in islice(lines, shard.count):
            try:
                row = json.loads(line)
            except ValueError as bad:
                yield invalid("the line", f"is not JSON: {bad}").issues[0]
                continue
            yield row if isinstance(row, dict) else invalid("the line", "is no object").issues[0]


def _parquet_rows(path: Path, shard: Shard) -> Iterator[dict[str, Any]]:
    """Rows from the row groups of a Parquet file that hold them."""
    from pyarrow.parquet import ParquetFile

    stop = shard.start + shard.count
    with ParquetFile(path) as file:
        first = 0
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            low, high = max(shard.start - first, 0), min(stop - first, size)
            if low < high:
                yield from file.read_row_group(group).slice(low, high - low).to_pylist()
            first += size


COLUMNS = (
    *("row", "case", "rank", "disease", "score", "posterior", "disablement", "sufficiency"),
    *("single_fault", "log_evidence", "engine", "accuracy", "error", "problem"),
)


def schema() -> Any:
    """The columns of the output: one row per case and ranked disease, in order."""
    import pyarrow as pa

    kinds = {"row": pa.int64(), "rank": pa.int32()}
    text = ("case", "disease", "engine", "accuracy", "problem")
    kinds |= {name: pa.string() for name in text}
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in COLUMNS])


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
        beliefs = _beliefs(network, row, shard)
    except InvalidInput as bad:
        said = {"row": number, "case": name, "problem": str(bad)}
        for column in COLUMNS:
            columns[column].append(said.get(column))
        return
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


def _beliefs(network: Model, row: dict[str, Any] | Issue, shard: Shard) -> Beliefs:
    """The beliefs of one row; every mistake in it is an `InvalidInput`."""
    if isinstance(row, Issue):
        raise InvalidInput([row])
    return infer(network, case_from(row), shard.job.engine, **dict(shard.job.options))  # type: ignore[arg-type]
