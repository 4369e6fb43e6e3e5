"""Files that hold cases: compressed or not, one by one or below a folder."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, AnyStr, cast

from hickam.io.bounds import LONGEST_LINE, MOST_CHARACTERS
from hickam.io.documents import parse
from hickam.issues import InvalidInput, Kind, error, invalid

DOCUMENTS = (".json", ".json.gz")
MOST_FILES = 1_000_000
UNREADABLE = (OSError, EOFError, zlib.error)  # a file that is not there, or not what it says


def is_document(path: Path) -> bool:
    """Whether a file holds one JSON document."""
    return path.name.lower().endswith(DOCUMENTS)


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked if it ends in .gz."""
    if path.suffix.lower() == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb")


def bounded_lines(file: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines of a file; of one that is too long, so much that its reader sees that."""
    while line := file.readline(LONGEST_LINE):
        yield line
        while len(line) >= LONGEST_LINE and line[-1:] not in ("\n", b"\n"):
            line = file.readline(LONGEST_LINE)


def document_files(path: Path) -> list[Path]:
    """The file itself, or every JSON document below a folder in order; links are not followed."""
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        here = (Path(folder) / name for name in sorted(names) if not name.startswith("."))
        found += [file for file in here if is_document(file)]
        if len(found) > MOST_FILES:
            what = f"holds more than {MOST_FILES:,} files"
            raise InvalidInput([error(f"folder '{path}'", what, kind=Kind.TOO_LARGE)])
    return found


def read_document(path: Path) -> Any:
    """The JSON document in a file; every mistake of form is an `InvalidInput` with its line."""
    try:
        with opened(path) as file:
            data = file.read(MOST_CHARACTERS + 1)
    except UNREADABLE as bad:
        raise invalid(f"file '{path}'", f"cannot be read: {bad}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise invalid(f"file '{path}'", "is not UTF-8 text", "save it as UTF-8") from None
    document, issues = parse(text, str(path), as_json=True)
    if issues:
        raise InvalidInput(issues)
    return document
