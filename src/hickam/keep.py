"""Values that take long to make, kept ready-made in the user's cache.

A value is found by a digest of what it is made of and of the code that makes it, so a value made of
anything else is never used. A file holds JSON and arrays of numbers, nothing that could run. It is
read only if nobody but its owner, who is this user, can have put it there. Whatever is wrong with
it, the value is made again.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

try:  # what hashlib gives, without loading all that OpenSSL has besides
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

Value = TypeVar("Value")
Build = Callable[[Any], Any]  # plain document → value

KEPT = 16  # values; the oldest make room
DIGEST = 32  # bytes of the checksum before the content
LENGTH = 8  # bytes that say how long the JSON text is
ALIGNED = 16  # bytes; every array starts at a multiple
KINDS = ("<f8", "<i8", "|b1")  # of numbers in an array
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def find(path: Path, kind: type[Value]) -> Value | None:
    """The value in a file that this user alone can have put there; arrays are read-only."""
    if not is_private(path.parent):
        return None
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            told = os.fstat(file.fileno())
            if told.st_uid != os.getuid() or told.st_mode & OTHERS_WRITE:
                return None
            data = file.read()
    except OSError:
        return None
    content = data[DIGEST:]
    if blake2b(content, digest_size=DIGEST).digest() != data[:DIGEST]:
        return None
    with suppress(ValueError, TypeError, LookupError):
        value: Value = _unpacked(content, kind)
        return value
    return None


def keep(path: Path, value: object) -> None:
    """Write a value to the cache, whole or not at all; a cache that cannot be written is none."""
    import tempfile

    content = _packed(value)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_private(path.parent):
            return
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


def is_private(folder: Path) -> bool:
    """Whether only this user can put files into a folder, or put another folder in its place.

    Folders above may be the administrator's, or like /tmp, where everyone may add names but nobody
    may take another user's away. Where files have no owners, a home folder is taken as private.
    """
    if not hasattr(os, "getuid"):
        return True
    try:
        here, *above = (folder, *folder.parents)
        told = here.lstat()
        if not stat.S_ISDIR(told.st_mode) or told.st_uid != os.getuid():
            return False
        if told.st_mode & OTHERS_WRITE:
            return False
        for place in (outer for whole in (above, folder.resolve().parents) for outer in whole):
            told = place.stat()
            if told.st_uid not in (os.getuid(), 0):
                return False
            if told.st_mode & OTHERS_WRITE and not told.st_mode & stat.S_ISVTX:
                return False
    except OSError:
        return False
    return True


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
    """Which code is in some rooms."""
    root = Path(__file__).parent
    files = sorted(path for room in rooms for path in (root / room).glob("*.py"))
    stamps = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return repr((sys.version, str(root), stamps))


def _packed(value: object) -> bytes:
    """A value as bytes: the length of a JSON text, the text, and the arrays it refers to."""
    arrays: list[Any] = []
    document = [_plain(value, arrays), [[array.dtype.str, *array.shape] for array in arrays]]
    text = json.dumps(document).encode()
    parts = [len(text).to_bytes(LENGTH, "little") + text, *(array.tobytes() for array in arrays)]
    return b"".join(part + bytes(-len(part) % ALIGNED) for part in parts)


def _unpacked(content: bytes, kind: type) -> Any:
    """The value in bytes that `_packed` made."""
    place = LENGTH + int.from_bytes(content[:LENGTH], "little")
    document, shapes = json.loads(content[LENGTH:place])
    arrays = []
    for dtype, *shape in shapes:
        if dtype not in KINDS:
            raise ValueError(dtype)
        place += -place % ALIGNED
        array = np.frombuffer(content, dtype, int(np.prod(shape)), place).reshape(shape)
        arrays.append(array)
        place += array.nbytes
    return _builder(kind, arrays)(document)


def _plain(value: Any, arrays: list[Any]) -> Any:
    """A value as JSON has it; an array becomes its position among the arrays."""
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value))
        return len(arrays) - 1
    if is_dataclass(value):
        told = [(part.name, getattr(value, part.name), part.default) for part in fields(value)]
        return {name: _plain(held, arrays) for name, held, usual in told if held is not usual}
    if isinstance(value, Mapping):
        return [[_plain(part, arrays) for part in pair] for pair in value.items()]
    if isinstance(value, tuple):
        return [_plain(part, arrays) for part in value]
    return value


def _builder(hint: Any, arrays: list[Any]) -> Build:
    """What makes a value of a type from its plain form."""
    known: dict[Any, Build] = {}

    def of(hint: Any) -> Build:
        if hint not in known:
            known[hint] = made(hint)
        return known[hint]

    def made(hint: Any) -> Build:
        origin, inner = get_origin(hint), get_args(hint)
        if origin is UnionType:
            (some,) = (of(one) for one in inner if one is not NoneType)
            return lambda plain: None if plain is None else some(plain)
        if origin is np.ndarray:
            return arrays.__getitem__
        if origin is tuple and inner[-1] is not ...:
            parts = [of(one) for one in inner]
            return lambda plain: tuple([f(p) for f, p in zip(parts, plain, strict=True)])
        if origin is tuple:
            return (
                tuple if (one := of(inner[0])) is _as_is else lambda plain: tuple(map(one, plain))
            )
        if origin is Mapping:
            key, value = map(of, inner)
            return lambda plain: {key(k): value(v) for k, v in plain}
        return record(hint) if is_dataclass(hint) else _as_is

    def record(hint: Any) -> Build:
        parts = {name: of(one) for name, one in get_type_hints(hint).items()}
        return lambda plain: hint(**{name: parts[name](value) for name, value in plain.items()})

    return of(hint)


def _as_is(plain: Any) -> Any:
    """A text or number, which JSON has as it is."""
    return plain
