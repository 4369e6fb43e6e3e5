"""Text files in and out: bounded, and written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import zlib
from collections.abc import Collection, Iterable
from itertools import islice
from pathlib import Path

from hickam.issues import InvalidInput, Kind, did_you_mean, error, invalid, raise_errors
from hickam.nearest import Nearest

MOST_BYTES = 100_000_000  # of one text file
MOST_LISTED = 10_000  # files of a folder among which a misspelt one is sought
GZIP = b"\x1f\x8b"


def read_bytes(path: Path, kind: str) -> bytes:
    """The content of a file of bounded size."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1) if size <= MOST_BYTES else b""
    except (OSError, ValueError) as bad:
        fix = did_you_mean(str(path), near) if (near := files_near(path)) else ""
        raise invalid(f"{kind} '{path}'", f"cannot be read: {_reason(bad)}", fix) from None
    check_size(max(size, len(content)), f"{kind} '{path}'")
    return _unpacked(content, f"{kind} '{path}'") if path.suffix.lower() == ".gz" else content


def _unpacked(content: bytes, where: str) -> bytes:
    """What gzip packed, up to the size that is read."""
    import gzip

    if not content.startswith(GZIP):
        raise invalid(where, "is not a gzip file", "take '.gz' off its name if it is not packed")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            found = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as bad:
        raise invalid(where, f"cannot be unpacked: {bad}", "is it complete?") from None
    check_size(len(found), where)
    return found


def read_file(path: Path, kind: str) -> str:
    """The text of a file in UTF-8, without its byte order mark."""
    content = read_bytes(path, kind)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        what, fix = not_utf8(content, bad)
        raise invalid(f"{kind} '{path}'", what, fix) from None


def not_utf8(content: bytes, bad: UnicodeDecodeError) -> tuple[str, str]:
    """(what is wrong, how to fix it) for bytes that are not UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or content[:200].count(0) > 10:
        return "is UTF-16 text, not UTF-8", "save it as UTF-8"
    line = content.count(b"\n", 0, bad.start) + 1
    return f"is not UTF-8 text (line {line})", "save it as UTF-8"


def check_size(size: int, where: str) -> None:
    """Refuse what is larger than any network."""
    if size > MOST_BYTES:
        what = f"has {size:,} bytes, more than the {MOST_BYTES:,} that are read"
        raise InvalidInput([error(where, what, "split it", kind=Kind.TOO_LARGE)])


def check_endings(paths: Iterable[str | Path], endings: Collection[str]) -> None:
    """Refuse output files of an unknown kind, all at once and before any work is done."""
    fix = f"use {', '.join(sorted(endings))}"
    raise_errors(
        error(f"output file '{str(path)[:200]}'", "has an unknown ending", fix)
        for path in paths
        if Path(path).suffix.lower() not in endings
    )


def write_file(path: Path, text: str) -> None:
    """Write text under a name in one step, so that a full disk leaves no half of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        unfinished.replace(path)
    except (OSError, ValueError) as bad:
        with contextlib.suppress(OSError, ValueError):
            unfinished.unlink(missing_ok=True)
        raise invalid(f"file '{path}'", f"cannot be written: {_reason(bad)}") from None


def files_near(path: Path) -> list[str]:
    """The files that may be meant by a path where there is none, spelled as it is."""
    try:
        if path.exists():
            return []
        names = [entry.name for entry in islice(path.parent.iterdir(), MOST_LISTED)]
    except (OSError, ValueError):
        return []
    return [str(path.with_name(name)) for name in Nearest(names).close(path.name, 0.7)]


def _reason(bad: OSError | ValueError) -> str:
    """Why a file could not be used, without its name again."""
    return (bad.strerror if isinstance(bad, OSError) else "") or str(bad)
