"""Connections under guard: how many, and how long each may take for what it does.

uvicorn's protocol closes a connection that was used and then rests, and no other. Here a head that
does not come, an answer that is not taken and a connection too many are noticed as well. At the
limit the connection that has rested longest makes room, so that resting ones keep nobody out.
"""

from __future__ import annotations

import asyncio
import json
import resource
import time
from typing import Any

from hickam.web.clients import client_name
from hickam.web.metrics import REFUSED
from hickam.web.problems import MEDIA_TYPE, problem
from hickam.web.settings import Settings

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Base
except ImportError:  # slower, and needs nothing compiled
    from uvicorn.protocols.http.h11_impl import H11Protocol as Base  # type: ignore[assignment]

RESERVED = 48  # open files for everything that is not a connection
EACH_WORKER = 4
JOINED = 1 << 16  # bytes that are copied so that they go out with their head
LOOK = 1.0  # seconds between two looks at the clock


class Connections:
    """All connections of a server, and the clock that watches them."""

    def __init__(self, settings: Settings, workers: int) -> None:
        self.settings = settings
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files == resource.RLIM_INFINITY:
            files = settings.connections + RESERVED
        room = files - min(RESERVED, files // 2) - EACH_WORKER * workers
        self.most = max(4, min(settings.connections, room))
        self.each = max(2, self.most // 2)  # of one client
        self.open: set[Guarded] = set()
        self.clients: dict[str, int] = {}

    def admit(self, newcomer: Guarded) -> bool:
        """Whether a connection may stay; one that rests may have to go for it."""
        mine = self.clients.get(newcomer.peer, 0) >= self.each
        if mine or len(self.open) >= self.most:
            resting = [c for c in self.open if c.resting and (not mine or c.peer == newcomer.peer)]
            if not resting:
                return False
            min(resting, key=lambda c: c.since).cut("rested")
        self.open.add(newcomer)
        self.clients[newcomer.peer] = self.clients.get(newcomer.peer, 0) + 1
        return True

    def leave(self, one: Guarded) -> None:
        """Count a connection no longer."""
        if one in self.open:
            self.open.discard(one)
            self.clients[one.peer] -= 1
            if not self.clients[one.peer]:
                del self.clients[one.peer]

    async def watch(self) -> None:
        """Cut connections that take too long, until cancelled."""
        while True:
            await asyncio.sleep(LOOK)
            now = time.monotonic()
            for one in list(self.open):
                one.look(now, self.settings)


class Joined:
    """A transport that sends the head of an answer together with what follows it.

    uvicorn writes them apart: two packets, and a client that wakes up twice.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send, but keep a head until there is more."""
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

    def close(self) -> None:
        """Send what is kept, then close."""
        self.flush()
        self._transport.close()


class Guarded(Base):
    """uvicorn's HTTP protocol with time-outs and a limit."""

    watched: Connections

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or refuse it."""
        self.peer = client_name((transport.get_extra_info("peername") or ("",))[0])
        self.since = time.monotonic()
        self._unsent = 0
        self._moved = self.since
        self._head = 0
        self._cycles: object = None
        super().connection_made(Joined(transport))  # type: ignore[arg-type]
        if not self.watched.admit(self):
            self.refuse(503, "Too busy", "too many connections")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self.watched.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, but no head without end."""
        if self.transport.is_closing():
            return
        before = self.cycle
        if self.resting:
            self._head += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._head = 0
        elif self._head > self.watched.settings.header_bytes and self.resting:
            self.refuse(431, "The head is too large", "send fewer or shorter headers")

    def on_response_complete(self) -> None:
        """The answer is sent: the time for the next head begins."""
        self.since = time.monotonic()
        self.transport.flush()  # type: ignore[attr-defined]
        super().on_response_complete()

    @property
    def resting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def look(self, now: float, settings: Settings) -> None:
        """Cut the connection if it has taken too long for what it does."""
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent < self._unsent:
            self._moved = now
        self._unsent = unsent
        if unsent and now - self._moved > settings.stalled_seconds:
            self.cut("stalled")
        elif self.resting and not unsent and now - self.since > settings.header_seconds:
            self.cut("rested")

    def cut(self, why: str) -> None:
        """Close the connection without a word."""
        REFUSED.labels(f"connection {why}").inc()
        self.watched.leave(self)
        self.transport.abort()

    def refuse(self, status: int, title: str, detail: str) -> None:
        """Say why, and close."""
        REFUSED.labels(title).inc()
        self.watched.leave(self)
        kind = title.lower().replace(" ", "-")
        body = json.dumps(problem(status, kind, title, detail)).encode()
        head = (
            f"HTTP/1.1 {status} {title}\r\nContent-Type: {MEDIA_TYPE}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        )
        head += "Retry-After: 1\r\n\r\n" if status == 503 else "\r\n"
        self.transport.write(head.encode() + body)
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP as every mistake is answered."""
        self.refuse(400, "Bad Request", msg)
