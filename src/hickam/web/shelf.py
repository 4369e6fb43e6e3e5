"""The networks a service offers: those it was started with and those its users bring."""

from __future__ import annotations

import re
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hickam.infer import prior_of
from hickam.io.formats import upload_suffix
from hickam.io.load import read_network
from hickam.issues import InvalidInput, Issue, did_you_mean, error, invalid, raise_errors
from hickam.language.vocabulary import vocabularies
from hickam.model.kinds import Model
from hickam.web.refusals import Refused, UnknownNetwork
from hickam.web.search import search
from hickam.web.uploads import Uploads

IN_MEMORY = 8


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """One network under the id that addresses it."""

    id: str
    network: Model
    warnings: tuple[Issue, ...] = ()
    uploaded: bool = False


class Shelf:
    """Networks by id: those on offer to all, and uploads for whoever knows their id."""

    def __init__(self, sources: tuple[str, ...], uploads: Uploads) -> None:
        self.offers = _by_id(sources)
        self.default = next(iter(self.offers))
        self._uploads = uploads
        self._recent: OrderedDict[tuple[str, tuple[int, ...]], Offer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, network_id: str) -> Offer:
        """The network with this id."""
        if network_id in self.offers:
            return self.offers[network_id]
        upload = self._uploads.find(network_id)
        if upload is None:
            raise UnknownNetwork(invalid_id(network_id, self.offers).issues)
        stamp = self._uploads.stamp(network_id)
        with self._lock:
            known = self._recent.get((network_id, stamp))
            if known is not None:
                self._recent.move_to_end((network_id, stamp))
                return known
        content = self._uploads.content(network_id, upload)
        if content is None:
            what = "is not what was uploaded any more"
            raise UnknownNetwork([error(f"network '{network_id}'", what, "load it again")])
        network, issues = _read(content, f"{upload.name or 'network'}{upload.suffix}")
        return self._remember(network_id, stamp, network, issues)

    def add(self, content: bytes, file: str, owner: str = "") -> Offer:
        """Keep an uploaded network file under an id of its own."""
        return self.bring(content, file, owner)[0]

    def bring(self, content: bytes, file: str, owner: str) -> tuple[Offer, str]:
        """Keep an uploaded network file; the network, and the key that deletes it."""
        self._uploads.check_allowed()
        network, issues = _read(content, file)
        network_id, key = self._uploads.keep(content, upload_suffix(file), owner, _stem(file))
        stamp = self._uploads.stamp(network_id)
        return self._remember(network_id, stamp, network, issues), key

    def drop(self, network_id: str, key: str) -> None:
        """Delete an upload; needs the key that came with it."""
        if not self._uploads.delete(network_id, key):
            raise UnknownNetwork(invalid_id(network_id, {}).issues)

    def _remember(
        self, network_id: str, stamp: tuple[int, ...], network: Model, issues: list[Issue]
    ) -> Offer:
        offer = Offer(network_id, network, tuple(issues), uploaded=True)
        with self._lock:
            self._recent[network_id, stamp] = offer
            while len(self._recent) > IN_MEMORY:
                self._recent.popitem(last=False)
        return offer


def _read(content: bytes, file: str) -> tuple[Model, list[Issue]]:
    """The network in a file's content, with issues that name the file as its owner does."""
    suffix = upload_suffix(file)
    try:
        with tempfile.TemporaryDirectory(prefix="hickam-") as folder:
            path = Path(folder) / f"{_stem(file)}{suffix}"
            path.write_bytes(content)
            try:
                network, issues = read_network(path)
            except InvalidInput as bad:
                issues = bad.issues
    except OSError as bad:
        what = f"it cannot be kept for reading: {bad.strerror or 'that failed'}"
        raise Refused(503, "Uploads cannot be read", what, 60) from bad
    issues = [_rename(issue, str(path), file) for issue in issues]
    raise_errors(issues)
    assert network is not None
    return network, issues


def _stem(file: str) -> str:
    """The user's name for a file, as far as a file of ours may have it: the model may go by it."""
    stem = re.split(r"[/\\]", file)[-1].split(".")[0]
    return re.sub(r"[^\w -]", "", stem)[:60].strip() or "upload"


def _rename(issue: Issue, path: str, file: str) -> Issue:
    """The issue with the user's own file name in place of ours."""
    return replace(
        issue,
        where=issue.where.replace(path, file),
        what=issue.what.replace(path, file),
        file=file if issue.file else None,
    )


def _by_id(sources: tuple[str, ...]) -> dict[str, Offer]:
    """The networks that the service was started with; no two may have one id."""
    found: dict[str, Offer] = {}
    for offer in _offers(sources):
        if offer.id in found:
            fix = "rename one of the files"
            raise invalid(f"network '{offer.id}'", "is the name of two networks", fix)
        found[offer.id] = offer
    return found


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
    for words in vocabularies(network).values():
        words.knows("")  # folds the names
    search(network, "a")  # builds the index
    _ = (network.hash, prior_of(network), network.index)


def invalid_id(network_id: str, known: dict[str, Offer]) -> InvalidInput:
    """The error for an id that no network has."""
    fix = did_you_mean(network_id, known) or "an uploaded network may have expired: load it again"
    return invalid(f"network '{network_id[:80]}'", "is not offered here", fix)
