"""Values that take long to make, kept ready-made in the user's cache.

A value is found by a digest of what it is made of and of the code that makes it, so one that either
has changed is never used. The file is trusted only if nobody but its owner, who is this user, can
have written it; whatever is wrong with it, the value is made again.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

try:  # what hashlib gives, without loading all that OpenSSL has besides
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

Value = TypeVar("Value")

KEPT = 16  # values; the oldest make room
DIGEST = 32  # bytes of the checksum before the content
SOURCES = (".py", ".txt")  # files of a room that have a say in what it makes


def find(path: Path, kind: type[Value]) -> Value | None:
    """The value in a file that this user alone can have written, as it was written."""
    try:
        for place in (path, path.parent):
            told = place.stat()
            if told.st_uid != os.getuid() or told.st_mode & 0o022:
                return None
        data = path.read_bytes()
    except OSError:
        return None
    if blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
        return None
    collecting = gc.isenabled()
    gc.disable()  # many small objects that all stay: most of the time went to looking among them
    try:
        value = pickle.loads(data[DIGEST:])
    finally:
        if collecting:
            gc.enable()
    assert isinstance(value, kind)
    return value


def keep(path: Path, value: object) -> None:
    """Write a value to the cache, whole or not at all; a cache that cannot be written is none."""
    import tempfile

    content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(blake2b(content, digest_size=DIGEST).digest() + content)
            os.replace(name, path)
        finally:
            with suppress(OSError):
                os.unlink(name)
        others = sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime)
        for old in others[:-KEPT]:
            old.unlink(missing_ok=True)


def ready(name: str, kind: type[Value], make: Callable[[], Value]) -> Value:
    """The value of a name, from the cache if it was kept there, else made and kept."""
    folder = cache_folder()
    if folder is None:
        return make()
    found = find(folder / name, kind)
    if found is None:
        found = make()
        keep(folder / name, found)
    return found


def cache_folder() -> Path | None:
    """The folder of kept values, or None where there is none that is the user's alone."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(home) or not hasattr(os, "getuid"):
        return None
    return Path(home) / "hickam" / "ready"


def digest(*of: str) -> str:
    """A name for what a value is made of."""
    return blake2b("\n".join(of).encode(), digest_size=20).hexdigest()


@cache
def code_of(*rooms: str) -> str:
    """Which code is in some rooms: Python, and every file of ours that takes part."""
    root = Path(__file__).parent
    files = sorted(
        path for room in rooms for path in (root / room).iterdir() if path.suffix in SOURCES
    )
    stamps = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return repr((sys.version, str(root), stamps))
