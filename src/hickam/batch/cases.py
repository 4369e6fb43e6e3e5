"""The rows of one shard of a case file, read without reading the rest of the file.

JSON Lines are read from a byte offset. Parquet cannot be read from the middle of a row group, and
a row group often holds a million rows, so the driver copies the file once, as a stream, to an Arrow
file with one record batch per shard; a worker maps it and reads its own. Compressed lines, single
documents and folders of them are written out as plain JSON Lines once, in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from hickam.io.cases import json_row, read_rows
from hickam.io.parquet import batches, plain_schema
from hickam.issues import Issue, error
from hickam.work.parts import whole


def text_starts(path: Path, size: int) -> tuple[list[int], int]:
    """(byte offset of every size-th case, number of cases) of a JSON Lines file."""
    starts, total, offset = [], 0, 0
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                if total % size == 0:
                    starts.append(offset)
                total += 1
            offset += len(line)
    return starts, total


def spool(path: Path, target: Path, size: int) -> None:
    """Copy a Parquet file to an Arrow file of record batches of `size` rows, as a stream."""
    import pyarrow as pa

    schema = plain_schema(path)
    compressed = pa.ipc.IpcWriteOptions(compression="zstd")
    with whole(target) as unfinished:
        plain = (pa.Table.from_batches([some]).cast(schema) for some in batches(path, size))
        with pa.ipc.new_file(str(unfinished), schema, options=compressed) as out:
            for batch in _even((some for table in plain for some in table.to_batches()), size):
                out.write(batch)


def _even(batches: Iterator[Any], size: int) -> Iterator[Any]:
    """The same rows in record batches of exactly `size` but for the last; readers cut as they like.

    >>> import pyarrow as pa
    >>> uneven = [pa.RecordBatch.from_pydict({"x": list(range(n))}) for n in (1, 4, 2)]
    >>> [batch.num_rows for batch in _even(iter(uneven), 3)]
    [3, 3, 1]
    """
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        while sum(some.num_rows for some in held) >= size:
            table = pa.Table.from_batches(held)
            yield pa.concat_batches(table.slice(0, size).to_batches())
            held = table.slice(size).to_batches()
    if sum(some.num_rows for some in held):
        yield pa.concat_batches(held)


def spooled_rows(path: Path, number: int) -> Iterator[dict[str, Any]]:
    """The rows of one record batch of an Arrow file."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        yield from pa.ipc.open_file(file).get_batch(number).to_pylist()


def write_lines(path: Path, target: Path) -> None:
    """Write what is read from other forms as JSON Lines; a text stands for what cannot be read."""
    with whole(target) as unfinished, unfinished.open("w", encoding="utf-8") as out:
        for row in read_rows(path):
            said = str(row.content) if isinstance(row.content, Issue) else row.content
            out.write(json.dumps(said, ensure_ascii=False) + "\n")


def written_rows(path: Path, offset: int, count: int) -> Iterator[dict[str, Any] | Issue]:
    """Rows from a byte offset of the lines that `write_lines` wrote."""
    for line in _lines(path, offset, count):
        said = json.loads(line)
        yield error("the case:", said) if isinstance(said, str) else said


def text_rows(path: Path, offset: int, count: int) -> Iterator[dict[str, Any] | Issue]:
    """Rows from a byte offset of a JSON Lines file."""
    return map(json_row, _lines(path, offset, count))


def _lines(path: Path, offset: int, count: int) -> Iterator[bytes]:
    """So many lines that are not empty, from a byte offset."""
    with path.open("rb") as file:
        file.seek(offset)
        yield from islice((line for line in file if line.strip()), count)
