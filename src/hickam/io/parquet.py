"""A Parquet file opened to be read; what is wrong with it is said in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hickam.issues import invalid

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile


@contextmanager
def open_parquet(path: Path) -> Iterator[ParquetFile]:
    """The file, until what is read of it has been read."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise invalid("pyarrow", "is not installed", "pip install '.[study]', or use CSV") from None
    try:
        with ParquetFile(path) as file:
            yield file
    except (OSError, ValueError, NotImplementedError) as bad:
        what = f"cannot be read as Parquet: {str(bad).splitlines()[0] if str(bad) else 'broken'}"
        raise invalid(f"file '{path}'", what) from None
