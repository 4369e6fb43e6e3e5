"""Results as files: each appears whole, carries its checksum, and is never read unchecked.

Beside the parts lies a folder of notes, one per part: its key, checksum and counts. A note is
written before its part, so a part under its name always has one; a part that does not fit its
note, because the disk or somebody changed either, is done again.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hickam.issues import InvalidInput, invalid
from hickam.work.task import Task, digest, version

if TYPE_CHECKING:
    import pyarrow as pa

NOTES = "_notes"  # readers of Parquet folders skip names with an underscore
TEMPORARY = ".tmp"


@dataclass(frozen=True, slots=True)
class Part:
    """A finished result: where it lies and what must be true of it."""

    path: str
    key: str
    sha256: str
    size: int
    counts: Mapping[str, int]

    def read(self) -> pa.Table:
        """The table, refused if the file is not the one that was written."""
        from pyarrow import BufferReader, parquet

        data = _bytes(Path(self.path))
        if hashlib.sha256(data).hexdigest() != self.sha256:
            fix = "run the same command again: it is done again"
            raise invalid(f"part '{self.path}'", "is damaged: its checksum is wrong", fix)
        return parquet.read_table(BufferReader(data))


@dataclass(frozen=True, slots=True)
class Errand:
    """A task, the folder for its part, and the version of Hickam that is to do it."""

    task: Task
    folder: str
    version: str

    @property
    def key(self) -> str:
        """A digest of everything that determines the part."""
        return digest(self.version, self.task.key)

    @property
    def path(self) -> Path:
        """Where the part goes."""
        return Path(self.folder) / f"{self.task.name}.parquet"

    @property
    def note(self) -> Path:
        """Where the note on the part goes."""
        return Path(self.folder) / NOTES / f"{self.task.name}.json"


def fulfil(errand: Errand) -> Part:
    """The part of an errand; a sound one that is already there is not made again."""
    from pyarrow import BufferOutputStream, parquet

    if errand.version != version():
        what = f"has Hickam {version()}, the work was planned with {errand.version}"
        raise invalid("this worker", what, "install the same version everywhere")
    found = find(errand)
    if found is not None:
        return found
    product = errand.task.do()
    sink = BufferOutputStream()
    parquet.write_table(product.table, sink)
    data = sink.getvalue().to_pybytes()
    checksum = hashlib.sha256(data).hexdigest()
    part = Part(str(errand.path), errand.key, checksum, len(data), dict(product.counts))
    said = {name: value for name, value in asdict(part).items() if name != "path"}
    write_whole(errand.note, json.dumps(said).encode())
    write_whole(errand.path, data)
    return part


def find(errand: Errand) -> Part | None:
    """The part of an errand if it is there, made by this version, and unharmed."""
    try:
        said = json.loads(errand.note.read_bytes())
        part = Part(path=str(errand.path), **said)
        if part.key != errand.key or errand.path.stat().st_size != part.size:
            return None
    except (OSError, ValueError, TypeError):
        return None
    whole = hashlib.sha256(_bytes(errand.path)).hexdigest() == part.sha256
    return part if whole else None


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary name to write a file under; it gets its own when it is complete."""
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield unfinished
        unfinished.replace(path)
    except OSError as bad:
        raise cannot_write(path, bad) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears under its name only when it is complete."""
    with whole(path) as unfinished:
        unfinished.write_bytes(data)


def cannot_write(path: Path, bad: OSError) -> InvalidInput:
    """What to say when the disk is full or a folder is closed to us."""
    fix = "make room or choose another folder, then run the same command: what is finished is kept"
    return invalid(f"file '{path}'", f"cannot be written: {bad.strerror or bad}", fix)


def sweep(folder: Path) -> None:
    """Remove what workers that died left half written."""
    for place in (folder, folder / NOTES):
        for leftover in place.glob(f"*{TEMPORARY}"):
            leftover.unlink(missing_ok=True)


def disown(folder: Path) -> None:
    """Vouch for no part of the folder any more: all would be done again."""
    for note in (folder / NOTES).glob("*.json"):
        note.unlink(missing_ok=True)


def _bytes(path: Path) -> bytes:
    """The content of a file, or why it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as bad:
        raise invalid(f"file '{path}'", f"cannot be read: {bad.strerror or bad}") from None
