"""The folder of a piece of work belongs to that work alone: its manifest says which it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hickam.issues import invalid
from hickam.work.parts import Part, cannot_write, sweep, write_whole
from hickam.work.task import digest, version

MANIFEST = "_manifest.json"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other runs on this machine out of a folder; the system lets go when a process ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as bad:
        raise cannot_write(folder, bad) from None
    held = None
    try:
        import fcntl

        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        assert held is not None
        os.close(held)
        fix = "wait until it ends, or choose another folder"
        raise invalid(f"folder '{folder}'", "is in use by another run", fix) from None
    except (ImportError, OSError):
        pass  # no locks on this system: two runs would do the same work twice
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def claim(folder: Path, kind: str, identity: Any, said: Mapping[str, Any], traces: str) -> None:
    """Write into the folder what it is for, or refuse a folder that is for something else.

    `identity` tells one work of a kind from another. `said` is written for the reader. `traces` is
    a pattern of files that such work leaves: they must not be there without a manifest.
    """
    key = digest(kind, identity)
    path = folder / MANIFEST
    where = f"folder '{folder}'"
    if path.exists():
        known = _read(path)
        if known.get("key") != key:
            name = known.get("name") or known.get("kind") or "something else"
            what = f"holds the output of another {kind}: {name}"
            raise invalid(where, what, "choose an empty folder, or the one of this work")
        return
    if any(folder.glob(traces)):
        raise invalid(where, f"holds files '{traces}' without a manifest", "choose an empty one")
    _write(path, {"hickam": version(), "kind": kind, "key": key, **said})


def finish(folder: Path, parts: Sequence[Part], place: Path | None = None) -> dict[str, int]:
    """The counts of all parts, noted in the manifest with every checksum; litter is removed."""
    counts: dict[str, int] = {}
    for part in parts:
        for name, value in part.counts.items():
            counts[name] = counts.get(name, 0) + value
    counts["parts"] = len(parts)
    sweep(place or folder)
    path = folder / MANIFEST
    sums = {Path(part.path).name: part.sha256 for part in parts}
    _write(path, {**_read(path), "hickam": version(), "finished": counts, "sha256": sums})
    return counts


def _read(path: Path) -> dict[str, Any]:
    """The manifest of a folder; an unreadable one is no manifest of ours."""
    try:
        said = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _write(path: Path, said: Mapping[str, Any]) -> None:
    """Write a manifest."""
    write_whole(path, json.dumps(said, indent=1, default=str).encode())
