"""Messages between the front process and its workers: a JSON head and bytes."""

from __future__ import annotations

import json
import struct
from typing import Any

SIZES = struct.Struct("!II")


def pack(head: dict[str, Any], body: bytes = b"") -> bytes:
    """The message as bytes."""
    text = json.dumps(head, separators=(",", ":")).encode()
    return SIZES.pack(len(text), len(body)) + text + body


class Frames:
    """Messages out of bytes that arrive in pieces of any size.

    >>> frames = Frames()
    >>> sent = pack({"a": 1}, b"xyz")
    >>> frames.feed(sent[:5]), frames.feed(sent[5:])
    ([], [({'a': 1}, b'xyz')])
    """

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> list[tuple[dict[str, Any], bytes]]:
        """The messages that are complete with these bytes."""
        held = self._held
        held += data
        found = []
        while len(held) >= SIZES.size:
            head, body = SIZES.unpack_from(held)
            end = SIZES.size + head + body
            if len(held) < end:
                break
            middle = SIZES.size + head
            text = held[SIZES.size : middle].decode()
            found.append((json.loads(text), bytes(held[middle:end])))
            del held[:end]
        return found
