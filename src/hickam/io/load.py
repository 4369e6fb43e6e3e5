"""`hickam.load`: an embedded name or a path → a network."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hickam.io.kept import kept
from hickam.io.text import files_near
from hickam.issues import Issue, abridged, did_you_mean, invalid, raise_errors
from hickam.model.embedded import NAMES, embedded_text
from hickam.model.kinds import Model
from hickam.model.network import Network

HPO = "hpo"  # the network of the Human Phenotype Ontology, if its files are on this machine
SHOWN = 200  # characters of a name that no network has


def load(source: str | Path, *, roles: str | Path | None = None, guess: bool = False) -> Model:
    """The network with an embedded name or in a file or folder; all its errors at once.

    A document with `nodes:` is a general model: an `SCM`, which the same functions accept. `roles`
    is a file of roles and normal states; with `guess` a normal state that nobody says is guessed.

    >>> load("smoker").name
    'Elderly smoker'
    """
    if not isinstance(source, (str, os.PathLike)):
        where, fix = (
            f"a {type(source).__name__}",
            "give the path of a file, or the name of a network",
        )
        raise invalid(where, "is not the name of a network", fix)
    text = embedded_text(str(source)) if _is_embedded(source) else None
    network = _load(source) if text is None else kept(text, lambda: _load(source))
    if isinstance(network, Network) and roles is None:
        return network
    return settled(network, roles, guess)


def settled(model: Model, roles: str | Path | None, guess: bool) -> Model:
    """The model with the roles in a file; refused if it is not clear and no guess is taken."""
    from hickam.io.roles_file import check_clear, read_roles
    from hickam.model.roles import with_roles

    if roles is not None:
        model = with_roles(model, read_roles(roles))
    if not guess:
        check_clear(model)
    return model


def _load(source: str | Path) -> Model:
    """The network, read from its text."""
    network, issues = read_network(source, warnings=False)
    raise_errors(issues)
    assert network is not None
    return network


def from_dict(document: Mapping[str, Any]) -> Model:
    """The network that a document of plain values describes, as its file would; errors at once.

    >>> from_dict({"hickam": 1, "name": "tiny", "diseases": [{"id": "flu", "leak": 0.01}],
    ...            "findings": [{"id": "fever", "leak": 0.01, "causes": {"flu": 0.8}}]}).diseases
    ('flu',)
    """
    from hickam.io.network_text import read_document

    network, issues = read_document(document)
    raise_errors(issues)
    assert network is not None
    return network if isinstance(network, Network) else settled(network, None, False)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Reading makes a million objects and drops few: pausing the collector saves a third."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@collector_paused()
def read_network(source: str | Path, *, warnings: bool = True) -> tuple[Model | None, list[Issue]]:
    """The network, or None if it has errors, and every issue; `warnings` places those by line."""
    # a network that is kept ready-made needs no reader
    from hickam.hpo.cache import load as load_hpo
    from hickam.hpo.store import SUFFIX as BUILT
    from hickam.hpo.store import restore
    from hickam.io.formats import reader_of
    from hickam.io.network_text import read_text

    name = str(source)
    if _is_embedded(source):
        return read_text(embedded_text(name), f"{name}.yaml", warnings=warnings)
    path, exists = Path(name), _exists(source)
    if name == HPO and not exists:
        return load_hpo().network, []
    if exists and path.suffix == BUILT:
        return restore(path).network, []
    if not exists:
        near = files_near(path)
        fix = did_you_mean(name, near) if near else did_you_mean(name, NAMES)
        what = "is neither an embedded network nor a file"
        raise invalid(f"network '{name[:SHOWN]}'", what, fix)
    form = reader_of(path)
    assert form.read is not None
    network, issues = form.read(path, warnings)
    return network, abridged(issues)


def _is_embedded(source: str | Path) -> bool:
    """Whether a source names a network that comes with Hickam, and no file of that name."""
    return str(source) in NAMES and not _exists(source)


def _exists(source: str | Path) -> bool:
    """Whether there is a file or folder of this name."""
    try:
        return Path(source).exists()
    except (OSError, ValueError):  # too long a name, or one that no file can have
        return False
