"""Parquet files in batches of bounded size; what is wrong with a file is said in our words.

A small file may hold a long text once and refer to it in every row. So texts are read as
dictionaries, and batches are cut until what they expand to is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hickam.io.bounds import LONGEST_LINE, check_amount, too_large
from hickam.issues import invalid

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema
    from pyarrow.parquet import ParquetFile

TEXT = "BYTE_ARRAY"  # how Parquet names the kind of values that have no fixed length
MOST_IN_A_GROUP = 2_000_000_000  # bytes of one row group, unpacked


@contextmanager
def open_parquet(path: Path) -> Iterator[ParquetFile]:
    """The file, until what is read of it has been read."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise invalid("pyarrow", "is not installed", "pip install '.[study]', or use CSV") from None
    try:
        with ParquetFile(path) as plain:
            texts = [column.path for column in _columns(plain) if column.physical_type == TEXT]
            _check_groups(plain, path)
        with ParquetFile(path, read_dictionary=texts) as file:
            yield file
    except (ArrowException, OSError, ValueError, NotImplementedError, MemoryError) as bad:
        first = next(iter(str(bad).splitlines()), "broken")
        raise invalid(f"file '{path}'", f"cannot be read as Parquet: {first}") from None


def batches(path: Path, size: int) -> Iterator[RecordBatch]:
    """The rows of a file, at most so many at a time, and fewer where they are long."""
    with open_parquet(path) as file:
        for batch in file.iter_batches(batch_size=size, use_threads=False):
            batch.validate(full=True)  # texts that are none are found here, not where they are used
            yield from _cut(batch, path)


def plain_schema(path: Path) -> Schema:
    """The columns of a file as whoever wrote it meant them."""
    from pyarrow.parquet import read_schema

    with open_parquet(path):
        return read_schema(path)


def count_rows(path: Path) -> int:
    """How many rows a file has, from its footer."""
    with open_parquet(path) as file:
        return int(file.metadata.num_rows)


def _columns(file: ParquetFile) -> Iterator[Any]:
    """The columns that hold values, at any depth."""
    return (file.schema.column(place) for place in range(len(file.schema)))


def _check_groups(file: ParquetFile, path: Path) -> None:
    """Refuse a file of which a piece that is unpacked at once is too large.

    The library ends the process when it is asked for a column of a damaged footer, so it is not.
    """
    for number in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(number).total_byte_size
        of, fix = f"bytes of row group {number}", "write smaller row groups"
        check_amount(size, MOST_IN_A_GROUP, of, f"file '{path}'", fix)


def _cut(batch: RecordBatch, path: Path) -> Iterator[RecordBatch]:
    """The same rows in pieces that expand to a bounded number of characters."""
    size = sum(map(_characters, batch.columns))
    if size <= LONGEST_LINE:
        yield batch
        return
    if batch.num_rows == 1:
        what = f"has a row of {size:,} characters, more than the {LONGEST_LINE:,} that are read"
        raise too_large(f"file '{path}'", what)
    half = batch.num_rows // 2
    yield from _cut(batch.slice(0, half), path)
    yield from _cut(batch.slice(half), path)


def _characters(array: Any) -> int:
    """How many characters the texts in an array come to, each counted wherever it appears."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(array.dictionary)
        return pc.sum(lengths.take(array.indices)).as_py() or 0
    if pa.types.is_struct(kind):
        return sum(_characters(array.field(place)) for place in range(kind.num_fields))
    if pa.types.is_map(kind):
        first, last = array.offsets[0].as_py(), array.offsets[-1].as_py()
        return sum(_characters(part[first:last]) for part in (array.keys, array.items))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _characters(array.flatten())
    return int(array.nbytes)
