"""Networks that users bring: kept in a folder under keys that nobody can guess.

An upload is two files: `own-KEY.data` with its content and `own-KEY.json`, written last, with whose
it is, the content's hash and the file's name. The time of the second is when it was last used. All
changes happen under one lock, so any number of processes may share the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from hickam.web.refusals import Refused
from hickam.web.settings import Settings

try:
    import fcntl
except ImportError:  # a system without such locks serves from one process
    fcntl = None  # type: ignore[assignment]

PREFIX = "own-"
LOCK = ".lock"
NAME = re.compile(r"own-[0-9a-f]{32}\Z")
DAY = 86_400.0
STALE = 3600.0  # seconds after which a file that was never finished is swept away
SEEN = 60.0  # seconds for which one use need not be written down again


@dataclass(frozen=True, slots=True)
class Upload:
    """What is known about one upload."""

    owner: str  # who brought it, hashed
    key: str  # what its owner shows to delete it, hashed
    sha256: str
    suffix: str
    bytes: int
    name: str = ""  # of the file, for a model that has no other


class Uploads:
    """The folder of uploads and the rules of who may keep how much."""

    def __init__(
        self, folder: Path, *, kept: int, each: int, each_bytes: int, days: float, allowed: bool
    ) -> None:
        self._folder = folder
        self._kept = kept
        self._each = each
        self._each_bytes = each_bytes
        self._days = days
        self._allowed = allowed

    def check_allowed(self) -> None:
        """Refuse where uploads are off."""
        if not self._allowed:
            raise Refused(403, "Uploads are off", "this service takes no networks")

    def keep(self, content: bytes, suffix: str, owner: str, file_name: str = "") -> tuple[str, str]:
        """The id of a network that is now kept, and the key that deletes it."""
        self.check_allowed()
        key = secrets.token_urlsafe(24)
        name = PREFIX + secrets.token_hex(16)
        digest = hashlib.sha256(content).hexdigest()
        upload = Upload(_hash(owner), _hash(key), digest, suffix, len(content), file_name)
        try:
            with self._alone():
                self._make_room(upload)
                self._write(f"{name}.data", content)
                self._write(f"{name}.json", json.dumps(asdict(upload)).encode())
        except OSError as bad:
            self._remove(name)
            what = f"the folder of uploads cannot be used: {bad.strerror or 'it failed'}"
            raise Refused(503, "Uploads cannot be kept", what, 60) from bad
        return name, key

    def find(self, name: str) -> Upload | None:
        """The upload of this id, which counts as used; ids that are not ours reach no disk."""
        if not NAME.match(name):
            return None
        path = self._folder / f"{name}.json"
        try:
            upload = Upload(**json.loads(path.read_bytes()))
            if time.time() - path.stat().st_mtime > SEEN:
                os.utime(path)
        except (OSError, ValueError, TypeError):
            return None
        return upload

    def stamp(self, name: str) -> tuple[int, ...]:
        """What changes when the content of an upload is written again; empty when it is gone."""
        try:
            seen = (self._folder / f"{name}.data").stat()
        except OSError:
            return ()
        return (seen.st_ino, seen.st_mtime_ns, seen.st_size)

    def content(self, name: str, upload: Upload) -> bytes | None:
        """The content that was brought; None when it is not that any more."""
        try:
            content = (self._folder / f"{name}.data").read_bytes()
        except OSError:
            return None
        return content if hashlib.sha256(content).hexdigest() == upload.sha256 else None

    def delete(self, name: str, key: str) -> bool:
        """Whether an upload of this id was there and is deleted; needs its key."""
        upload = self.find(name)
        if upload is None:
            return False
        if not secrets.compare_digest(upload.key, _hash(key)):
            raise Refused(403, "Not yours", "send the key that came with the upload")
        try:
            with self._alone():
                self._remove(name)
        except OSError as bad:
            raise Refused(503, "Uploads cannot be changed", "the folder is closed", 60) from bad
        return True

    def _make_room(self, upload: Upload) -> None:
        """Drop what the owner used longest ago beyond its quota, or what nobody used for long."""
        held = self._listing()
        mine = [(used, name, other) for used, name, other in held if other.owner == upload.owner]
        size = upload.bytes + sum(other.bytes for _, _, other in mine)
        count = len(mine) + 1
        dropped = 0
        for _, name, other in mine:
            if count <= self._each and size <= self._each_bytes:
                break
            self._remove(name)
            count, size, dropped = count - 1, size - other.bytes, dropped + 1
        excess = len(held) - dropped + 1 - self._kept
        old = time.time() - self._days * DAY
        for used, name, other in held:
            if excess <= 0:
                break
            if used < old and other.owner != upload.owner:
                self._remove(name)
                excess -= 1
        if excess > 0:
            raise Refused(429, "Too many uploads", "no room is left for more networks", 3600)

    def _listing(self) -> list[tuple[float, str, Upload]]:
        """(last use, id, upload) of all that is kept, the longest unused first."""
        found = []
        now = time.time()
        for path in self._folder.iterdir():
            with suppress(OSError, ValueError, TypeError):
                used = path.stat().st_mtime
                if path.suffix == ".json" and NAME.match(path.stem):
                    found.append((used, path.stem, Upload(**json.loads(path.read_bytes()))))
                elif now - used > STALE and not self._finished(path):
                    path.unlink()
        return sorted(found, key=lambda row: row[0])

    def _finished(self, path: Path) -> bool:
        return path.name == LOCK or path.with_suffix(".json").exists()

    def _write(self, name: str, content: bytes) -> None:
        """Write a file in one step, or not at all."""
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, self._folder / name)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    def _remove(self, name: str) -> None:
        for ending in (".json", ".data"):
            with suppress(OSError):
                (self._folder / f"{name}{ending}").unlink()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the folder's lock."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(self._folder / LOCK, "a", encoding="ascii") as lock:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def uploads_of(settings: Settings) -> Uploads:
    """The uploads of a service; it takes none where there is no folder to keep them in."""
    folder = settings.uploads_folder
    return Uploads(
        folder or Path(os.devnull),
        kept=settings.uploads_kept,
        each=settings.uploads_each,
        each_bytes=settings.uploads_each_bytes,
        days=settings.uploads_days,
        allowed=settings.uploads_allowed and folder is not None,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
