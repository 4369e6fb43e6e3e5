"""Networks kept ready-made in the user's cache: reading one that is unchanged takes milliseconds.

A kept network is found by a digest of its text and of the code that reads and builds networks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hickam.keep import cache_folder, code_of, digest, find, keep
from hickam.model.kinds import Model
from hickam.model.network import Network

CODE = ("io", "model")  # rooms whose code makes a network out of text


@dataclass(frozen=True, slots=True)
class Hashed:
    """A network with its hash, which takes a while to compute."""

    network: Network
    hash: str


def kept(text: str, read: Callable[[], Model]) -> Model:
    """The network in a text, from the cache if it was kept there, else read and kept."""
    folder = cache_folder()
    if folder is None:
        return read()
    path = folder / f"{digest(np.__version__, code_of(*CODE), text)}.network"
    found = find(path, Hashed)
    if found is not None:
        vars(found.network)["hash"] = found.hash
        return found.network
    made = read()
    if isinstance(made, Network):
        keep(path, Hashed(made, made.hash))
    return made
