"""Networks kept ready-made in the user's cache: reading one that is unchanged takes milliseconds.

A kept network is found by a digest of its text and of the code that reads and builds networks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np

from hickam.keep import cache_folder, code_of, digest, find, keep
from hickam.model.kinds import Model
from hickam.model.network import Network

CODE = ("io", "model")  # rooms whose code makes a network out of text


def kept(text: str, read: Callable[[], Model]) -> Model:
    """The network in a text, from the cache if it was kept there, else read and kept."""
    folder = cache_folder()
    if folder is None:
        return read()
    path = folder / f"{digest(np.__version__, code_of(*CODE), text)}.network"
    found = find(path, Network)
    if found is not None:
        _protect(found)
        return found
    made = read()
    if isinstance(made, Network):
        made.hash  # noqa: B018  computed once, and kept with the rest
        keep(path, made)
    return made


def _protect(network: Network) -> None:
    """Make every array read-only again, which pickling forgets."""
    for part in (network, network.causes, network.effects):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
