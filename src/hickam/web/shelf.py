"""The networks a service offers: those it was started with and those its users bring."""

from __future__ import annotations

import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hickam.evidence.vocabulary import vocabularies
from hickam.infer import prior_of
from hickam.io.formats import upload_suffix
from hickam.io.load import read_network
from hickam.issues import InvalidInput, Issue, did_you_mean, errors, invalid, raise_errors
from hickam.model.kinds import Model
from hickam.web.search import catalogue

UPLOADED = "own-"  # an uploaded network's id is this and the start of its content hash
HASH_LENGTH = 20
IN_MEMORY = 8


class UnknownNetwork(InvalidInput):
    """No network has the id asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """One network under the id that addresses it."""

    id: str
    network: Model
    warnings: tuple[Issue, ...] = ()
    uploaded: bool = False


class Shelf:
    """Networks by id. Uploaded ones live in a folder, so restarts and other workers keep them."""

    def __init__(self, sources: tuple[str, ...], folder: Path, *, kept: int = 50) -> None:
        self.offers = {offer.id: offer for offer in _offers(sources)}
        self.default = next(iter(self.offers))
        self._folder = folder
        self._kept = kept
        self._recent: OrderedDict[str, Offer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, network_id: str) -> Offer:
        """The network with this id."""
        if network_id in self.offers:
            return self.offers[network_id]
        with self._lock:
            if network_id in self._recent:
                self._recent.move_to_end(network_id)
                return self._recent[network_id]
        path = self._stored(network_id)
        if path is None:
            raise UnknownNetwork(invalid_id(network_id, self.offers).issues)
        network, issues = read_network(path)
        if network is None:
            raise UnknownNetwork(errors(issues))
        os.utime(path)
        return self._remember(Offer(network_id, network, tuple(issues), uploaded=True))

    def add(self, content: bytes, file: str) -> Offer:
        """Keep an uploaded network file; the same content always gets the same id."""
        suffix = upload_suffix(file)
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"upload{suffix}"
                path.write_bytes(content)
                network, issues = read_network(path)
        except InvalidInput as bad:
            raise InvalidInput([_rename(issue, str(path), file) for issue in bad.issues]) from None
        issues = [_rename(issue, str(path), file) for issue in issues]
        raise_errors(issues)
        assert network is not None
        network_id = UPLOADED + network.hash[:HASH_LENGTH]
        self._store(network_id, suffix, content)
        return self._remember(Offer(network_id, network, tuple(issues), uploaded=True))

    def _remember(self, offer: Offer) -> Offer:
        with self._lock:
            self._recent[offer.id] = offer
            while len(self._recent) > IN_MEMORY:
                self._recent.popitem(last=False)
        return offer

    def _stored(self, network_id: str) -> Path | None:
        """The file of an uploaded network; ids that are not ours never reach the disk."""
        digits = network_id.removeprefix(UPLOADED)
        if not network_id.startswith(UPLOADED) or len(digits) != HASH_LENGTH:
            return None
        if not all(digit in "0123456789abcdef" for digit in digits):
            return None
        return next(iter(self._folder.glob(f"{network_id}.*")), None)

    def _store(self, network_id: str, suffix: str, content: bytes) -> None:
        """Write the file in one step and drop the least recently used beyond the bound."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, self._folder / f"{network_id}{suffix}")
        kept = sorted(self._folder.glob(f"{UPLOADED}*"), key=lambda path: -path.stat().st_mtime)
        for path in kept[self._kept :]:
            path.unlink(missing_ok=True)


def _offers(sources: tuple[str, ...]) -> Iterator[Offer]:
    """The networks that the service was started with; a path is offered under its stem."""
    for source in sources:
        network, issues = read_network(source)
        raise_errors(issues)
        assert network is not None
        warm(network)
        yield Offer(Path(source).stem, network, tuple(issues))


def warm(network: Model) -> None:
    """Do once, before the first question, what every question needs."""
    vocabularies(network)
    catalogue(network)
    _ = (network.hash, prior_of(network), network.index)


def _rename(issue: Issue, path: str, file: str) -> Issue:
    """The issue with the user's own file name in place of ours."""
    return replace(
        issue,
        where=issue.where.replace(path, file),
        what=issue.what.replace(path, file),
        file=file if issue.file else None,
    )


def invalid_id(network_id: str, known: dict[str, Offer]) -> InvalidInput:
    """The error for an id that no network has."""
    fix = did_you_mean(network_id, known) or "an uploaded network may have expired: load it again"
    return invalid(f"network '{network_id[:80]}'", "is not offered here", fix)
