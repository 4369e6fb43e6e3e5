"""What can be done anywhere: tasks that know a digest of all that determines their result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hickam.issues import invalid

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """What a task makes: a table, and counts worth knowing without reading the table."""

    table: pa.Table
    counts: Mapping[str, int] = field(default_factory=dict)


class Task(Protocol):
    """A picklable piece of work with a result that depends on nothing but its key.

    Where files lie does not belong in the key, nor does Hickam's version: it is added for all.
    """

    @property
    def key(self) -> str:
        """A digest of everything that determines the result."""
        ...

    @property
    def name(self) -> str:
        """The name of the result's file, without ending; no two tasks of a folder share one."""
        ...

    def do(self) -> Product:
        """Do the work."""
        ...


@cache
def version() -> str:
    """The version of Hickam that does the work."""
    return metadata.version("hickam")


def digest(*said: Any) -> str:
    """A digest of plain values.

    >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def fingerprint(path: Path) -> str:
    """A digest of a file's whole content, so that no edit goes unnoticed."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as bad:
        raise invalid(f"file '{path}'", f"cannot be read: {bad.strerror or bad}") from None
