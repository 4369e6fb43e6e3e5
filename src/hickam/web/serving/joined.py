"""What a connection writes to: the head of an answer goes out with what follows it."""

from __future__ import annotations

import asyncio
from typing import Any

JOINED = 1 << 16  # bytes that are copied so that they go out with their head


class Joined:
    """A transport that sends the head of an answer together with what follows it.

    uvicorn writes them apart: two packets, and a client that wakes up twice. Closed while a request
    is still coming, it ends the answer but goes on reading: else the client would be cut off
    before it has seen the answer.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""
        self.reading = False  # whether a request has begun to come and is not complete
        self.lingering = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send, but keep a head until there is more."""
        if self.lingering:
            return
        if self._head:
            head, self._head = self._head, b""
            if len(data) > JOINED:
                self._transport.write(head)
            else:
                data = head + data
        elif data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 1"):
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Send a head that nothing follows."""
        if self._head:
            self.write(b"")

    def is_closing(self) -> bool:
        """Whether no further request is read."""
        return self.lingering or self._transport.is_closing()

    def close(self) -> None:
        """Send what is kept, then close; at once, or when the client has ended too."""
        self.flush()
        if self.lingering or not self.reading or self._transport.is_closing():
            self._transport.close()
            return
        self.lingering = True
        self._transport.write_eof()
        self._transport.resume_reading()
