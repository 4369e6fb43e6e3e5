"""Networks kept ready-made in the user's cache: reading one that is unchanged takes milliseconds.

A kept network is found by a digest of its text and of the code that reads and builds networks, so
one that either has changed is never used. The file is trusted only if nobody but its owner, who is
this user, can have written it; whatever is wrong with it, the network is read from its text.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np

from hickam.model.kinds import Model
from hickam.model.network import Network

KEPT = 16  # networks; the oldest make room
DIGEST = 32  # bytes of the checksum before the content
CODE = ("io", "model")  # rooms whose code makes a network out of text


def kept(text: str, read: Callable[[], Model]) -> Model:
    """The network in a text, from the cache if it was kept there, else read and kept."""
    folder = cache_folder()
    if folder is None:
        return read()
    path = folder / f"{_key(text)}.network"
    found = _find(path)
    if found is not None:
        return found
    made = read()
    if isinstance(made, Network):
        made.hash  # noqa: B018  computed once, and kept with the rest
        _keep(path, made)
    return made


def cache_folder() -> Path | None:
    """The folder of kept networks, or None where there is none that is the user's alone."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(home) or not hasattr(os, "getuid"):
        return None
    return Path(home) / "hickam" / "ready"


def _key(text: str) -> str:
    """A digest of a network's text and of everything that has a say in how it is read."""
    return hashlib.sha256(f"{_code()}\n{text}".encode()).hexdigest()[:40]


@cache
def _code() -> str:
    """Which code reads networks: Python, NumPy and every file of ours that takes part."""
    root = Path(__file__).parents[1]
    files = sorted(path for room in CODE for path in (root / room).glob("*.py"))
    stamps = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return repr((sys.version, np.__version__, str(root), stamps))


def _find(path: Path) -> Network | None:
    """The network in a file that this user alone can have written, as it was written."""
    try:
        for place in (path, path.parent):
            told = place.stat()
            if told.st_uid != os.getuid() or told.st_mode & 0o022:
                return None
        data = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[DIGEST:]).digest() != data[:DIGEST]:
        return None
    network = pickle.loads(data[DIGEST:])
    assert isinstance(network, Network)
    _protect(network)
    return network


def _protect(network: Network) -> None:
    """Make every array read-only again, which pickling forgets."""
    for part in (network, network.causes, network.effects):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)


def _keep(path: Path, network: Network) -> None:
    """Write a network to the cache, whole or not at all; a cache that cannot be written is none."""
    import tempfile

    content = pickle.dumps(network, pickle.HIGHEST_PROTOCOL)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(hashlib.sha256(content).digest() + content)
            os.replace(name, path)
        finally:
            with suppress(OSError):
                os.unlink(name)
        others = sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime)
        for old in others[:-KEPT]:
            old.unlink(missing_ok=True)
