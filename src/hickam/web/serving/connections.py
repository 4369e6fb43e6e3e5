"""Connections under guard: how many, how long each may take, and how much memory it may hold.

uvicorn's protocol closes a connection that was used and then rests, and no other. Here a head that
does not come, an answer that is not taken and a connection too many are noticed as well. At the
limit the connection that has rested longest makes room, so that resting ones keep nobody out.

Bytes that are no body (heads, trailers, the sizes and extensions of chunks) are counted for each
request wherever they come. Trailers are dropped. A connection that is refused while its client is
still sending goes on reading for a while, so that the client sees why.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hickam.web.clients import client_name
from hickam.web.metrics import REFUSED
from hickam.web.problems import MEDIA_TYPE, problem
from hickam.web.serving.joined import Joined
from hickam.web.settings import Settings

RESERVED = 48  # open files for everything that is not a connection
EACH_WORKER = 4
LOOK = 1.0  # seconds between two looks at the clock
READ = 1 << 15  # bytes read at once
PIECE = 1 << 14  # bytes parsed at once: what they may break is noticed after each piece
BUFFERED = 1 << 14  # bytes of a body that wait to be taken; beyond, reading pauses
HEADERS = 100  # in one head
PIPELINED = 8  # requests of one connection that wait for the answer to an earlier one
DRAINED = 2  # times the largest body, or head, that is read on after it was refused
EACH = 8  # bytes that each part of a body counts as framing, because it takes time
FRAMING = 64  # bytes of body for each that only frames it, beyond what a head may have


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
            self.relieve()

    def relieve(self) -> None:
        """Cut whoever leaves most of an answer untaken, while all answers together are too much."""
        by_size = sorted(self.open, key=lambda one: one.unsent)
        held = sum(one.unsent for one in by_size)
        while held > self.settings.unsent_bytes:
            largest = by_size.pop()
            held -= largest.unsent
            largest.cut("stalled")


class TooMuch(Exception):
    """A request with more headers, or more requests at once, than one connection may send."""


class Guarded(HttpToolsProtocol):
    """uvicorn's HTTP protocol with time-outs and limits."""

    watched: Connections
    transport: Joined  # type: ignore[assignment]

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or refuse it."""
        settings = self.watched.settings
        self.peer = client_name((transport.get_extra_info("peername") or ("",))[0])
        self.since = time.monotonic()
        self._unsent = 0
        self._moved = self.since
        self._piece = 0  # bytes of the piece being parsed that are no body
        self._spent = 0  # bytes of the request being read that are no body
        self._size = 0  # bytes of its body
        self._in_head = False
        self._drained = DRAINED * settings.upload_bytes  # bytes that are read after a refusal
        with suppress(AttributeError):
            transport.max_size = READ
        super().connection_made(Joined(transport))  # type: ignore[arg-type]
        if not self.watched.admit(self):
            self.refuse(503, "Too busy", "too many connections")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self.watched.leave(self)
        self.transport.reading = False
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on piece by piece, but no head, trailer or frame without end."""
        settings = self.watched.settings
        if self.transport.lingering:
            self._drained -= len(data)
            if self._drained < 0:
                self.cut("endless")
            return
        for at in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            piece = data[at : at + PIECE]
            self._piece = len(piece)
            self._spent += len(piece)
            super().data_received(piece)
            if self._spent > settings.header_bytes + self._size // FRAMING:
                self.too_much()

    def on_message_begin(self) -> None:
        """A request begins: count anew."""
        self._spent, self._size, self._in_head = self._piece, 0, True
        self.transport.reading = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header, and drop what comes after the body: it was counted, and says nothing."""
        if not self._in_head:
            return
        if len(self.headers) >= HEADERS:
            raise TooMuch
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The request can be answered, or waits for its turn."""
        if len(self.pipeline) >= PIPELINED:
            raise TooMuch
        self._in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body, and read no more for now when much is kept."""
        self._piece -= len(body)
        self._spent += EACH - len(body)
        self._size += len(body)
        super().on_body(body)
        if len(self.cycle.body) > BUFFERED:
            self.flow.pause_reading()

    def on_message_complete(self) -> None:
        """The request is there."""
        self.transport.reading = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is sent: the time for the next head begins."""
        self.since = time.monotonic()
        self.transport.flush()
        super().on_response_complete()

    @property
    def resting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete) or self.transport.lingering

    @property
    def unsent(self) -> int:
        """Bytes of answers that the client has not taken."""
        return int(self.transport.get_write_buffer_size())

    def look(self, now: float, settings: Settings) -> None:
        """Cut the connection if it has taken too long for what it does."""
        unsent = self.unsent
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

    def too_much(self) -> None:
        """Refuse a request that is not its body, or is too many."""
        self._drained = DRAINED * self.watched.settings.header_bytes
        fix = "send fewer or shorter headers, no trailers, and larger chunks"
        self.refuse(431, "The head is too large", fix)

    def refuse(self, status: int, title: str, detail: str) -> None:
        """Say why, and close; without a word where it would be taken for an earlier answer."""
        if self.transport.is_closing():
            return
        earlier = self.cycle if self.cycle and not self.cycle.response_complete else None
        if earlier and (self._in_head or earlier.response_started):
            self.cut(title.lower())
            return
        REFUSED.labels(title).inc()
        kind = title.lower().replace(" ", "-")
        body = json.dumps(problem(status, kind, title, detail)).encode()
        head = (
            f"HTTP/1.1 {status} {title}\r\nContent-Type: {MEDIA_TYPE}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        )
        head += "Retry-After: 1\r\n\r\n" if status == 503 else "\r\n"
        self.transport.write(head.encode() + body)
        self.transport.close()
        self.since = time.monotonic()
        if earlier:  # what answers it need not go on
            earlier.disconnected = earlier.response_complete = True
            earlier.message_event.set()

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed as every mistake is answered."""
        self.transport.reading = True
        raised = sys.exception()
        if raised is not None and isinstance(raised.__context__, TooMuch):
            self.too_much()
        else:
            self.refuse(400, "Bad Request", msg)
