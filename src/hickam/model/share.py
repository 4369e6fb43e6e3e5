"""A network in one file whose arrays are mapped into memory: loaded at once, shared by processes.

The file is this machine's cache of a network that was read and checked elsewhere, not a format to
exchange: it is unpickled, so load only files that you wrote.
"""

from __future__ import annotations

import mmap
import pickle
import struct
from pathlib import Path

from hickam.issues import invalid
from hickam.model.network import Network

MAGIC = b"hickam-shared-1\n"
ALIGNED = 64


def save_shared(network: Network, path: str | Path) -> None:
    """Write a network so that `load_shared` can map it."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(network, protocol=5, buffer_callback=buffers.append)
    blocks = [memoryview(body), *(buffer.raw() for buffer in buffers)]
    header = MAGIC + struct.pack("<q", len(blocks))
    at = _aligned(len(header) + 16 * len(blocks))
    places = []
    for block in blocks:
        places.append((at, block.nbytes))
        at = _aligned(at + block.nbytes)
    with Path(path).open("wb") as file:
        file.write(header + b"".join(struct.pack("<qq", *place) for place in places))
        for (start, _), block in zip(places, blocks, strict=True):
            file.write(b"\0" * (start - file.tell()))
            file.write(block)


def load_shared(path: str | Path) -> Network:
    """The network in a file of `save_shared`; its arrays are read-only views of the file."""
    with Path(path).open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if content[: len(MAGIC)] != MAGIC:
        fix = "write it with save_shared of the same version"
        raise invalid(f"file '{path}'", "is not a shared network", fix)
    (count,) = struct.unpack_from("<q", content, len(MAGIC))
    places = struct.unpack_from(f"<{2 * count}q", content, len(MAGIC) + 8)
    blocks = [content[places[i] : places[i] + places[i + 1]] for i in range(0, 2 * count, 2)]
    network = pickle.loads(blocks[0], buffers=blocks[1:])
    assert isinstance(network, Network)
    return network


def _aligned(position: int) -> int:
    """The next position at which an array may start."""
    return -(-position // ALIGNED) * ALIGNED
