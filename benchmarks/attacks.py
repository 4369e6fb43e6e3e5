"""The hostile clients of `hostile.py`, each bounded in number and time, and all on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import hickam
from hickam.evidence.hierarchy import above
from hickam.evidence.locate import locate

HONEST = "127.0.0.1"
PIECE = 1 << 18
NETWORK = "/api/v1/networks/clinic"
CLINIC = hickam.load("clinic")
CHUNKED = (
    f"POST {NETWORK}/diagnose HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    "Transfer-Encoding: chunked\r\n\r\n"
).encode()


@dataclass
class Tally:
    """What one client, or many alike, have seen."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, status: int, seconds: float) -> None:
        self.statuses[status] += 1
        self.seconds.append(seconds)

    def __str__(self) -> str:
        return ", ".join(f"{n} x {s or 'cut'}" for s, n in sorted(self.statuses.items())) or "-"


def request(method: str, path: str, body: bytes = b"", *more: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HONEST}", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}", *more, "", ""]
    return "\r\n".join(lines).encode() + body


async def connect(port: int, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(HONEST, port, local_addr=(address, 0), limit=1 << 22)


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return status, await reader.readexactly(length)


async def ask(port: int, address: str, sent: bytes, tally: Tally, patience: float = 30.0) -> bytes:
    """One request on a connection of its own."""
    begun = time.perf_counter()
    writer = None
    status, body = 0, b""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
        async with asyncio.timeout(patience):
            reader, writer = await connect(port, address)
            for at in range(0, len(sent), PIECE):
                writer.write(sent[at : at + PIECE])
                await writer.drain()
            status, body = await read_answer(reader)
    if writer is not None:
        writer.close()
    tally.add(status, time.perf_counter() - begun)
    return body


def findings(count: int, rng: random.Random) -> list[str]:
    return rng.sample(list(CLINIC.findings), count)


def cheap(rng: random.Random) -> bytes:
    while True:
        case = {"present": findings(3, rng), "absent": findings(1, rng), "age": rng.randint(20, 80)}
        said = {kind for f in case["present"] for kind in (f, *above(CLINIC, f))}
        case["absent"] = [f for f in case["absent"] if f not in said]
        if not locate(hickam.Case(**case), CLINIC).doubts:  # nobody is pregnant at 69
            break
    return request("POST", f"{NETWORK}/diagnose", json.dumps({"case": case}).encode())


def expensive(rng: random.Random) -> bytes:
    """A question that takes seconds."""
    kind = rng.choice(["diagnose", "next", "what-if", "smallest", "twin", "second", "batch"])
    present = {"present": findings(rng.randint(16, 40), rng)}
    diseases = rng.sample(list(CLINIC.diseases), 12)
    body: dict[str, object] = {"case": present}
    path = kind
    if kind == "what-if":
        body["cure"] = diseases
    elif kind == "smallest":
        path, body["remove"] = "what-if", 3.0
        body["case"] = {"present": present["present"][:8]}
    elif kind == "twin":
        body["disease"] = diseases[0]
    elif kind == "second":
        path, body["differential"] = "second-opinion", diseases
    elif kind == "batch":
        cases = [{"present": findings(14, rng)} for _ in range(100)]
        body = {"cases": cases}
    return request("POST", f"{NETWORK}/{path}", json.dumps(body).encode())


class Attack:
    """The attacks; each runs for about so many seconds."""

    def __init__(self, port: int, seconds: float) -> None:
        self.port = port
        self.seconds = seconds
        self.rng = random.Random(5)
        self.addresses = itertools.cycle(f"127.0.1.{n}" for n in range(1, 200))

    async def _many(self, count: int, one: Callable[[int], Awaitable[None]]) -> None:
        await asyncio.gather(*(one(n) for n in range(count)))

    async def quiet(self, tally: Tally) -> None:
        await asyncio.sleep(self.seconds)

    async def slow_heads(self, tally: Tally) -> None:
        await self._drip(300, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ", tally)

    async def slow_bodies(self, tally: Tally) -> None:
        head = request("POST", f"{NETWORK}/diagnose", b"", "X: y").replace(
            b"Content-Length: 0", b"Content-Length: 500000"
        )
        await self._drip(300, head, tally)

    async def _drip(self, count: int, head: bytes, tally: Tally) -> None:
        ends = time.monotonic() + self.seconds

        async def one(n: int) -> None:
            with contextlib.suppress(OSError):
                _, writer = await connect(self.port, f"127.0.2.{n % 4 + 1}")
                writer.write(head)
                while time.monotonic() < ends and not writer.is_closing():
                    await asyncio.sleep(0.5)
                    writer.write(b"a")
                    await writer.drain()
                writer.close()

        await self._many(count, one)

    async def idle(self, tally: Tally) -> None:
        writers = []
        for n in range(1500):
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(1.0):
                    writers.append((await connect(self.port, f"127.0.3.{n % 200 + 1}"))[1])
        await asyncio.sleep(self.seconds)
        for writer in writers:
            writer.close()

    async def expensive(self, tally: Tally) -> None:
        ends = time.monotonic() + self.seconds

        async def one(n: int) -> None:
            while time.monotonic() < ends:
                await ask(self.port, f"127.0.4.{n + 1}", expensive(self.rng), tally)
                await asyncio.sleep(0.02)

        await self._many(10, one)

    async def hang_ups(self, tally: Tally) -> None:
        ends = time.monotonic() + self.seconds
        while time.monotonic() < ends:
            with contextlib.suppress(OSError):
                _, writer = await connect(self.port, next(self.addresses))
                writer.write(expensive(self.rng))
                await asyncio.sleep(0.05)
                writer.close()

    async def flood(self, tally: Tally) -> None:
        ends = time.monotonic() + self.seconds

        async def one(n: int) -> None:
            while time.monotonic() < ends:
                await ask(self.port, "127.0.5.1", cheap(self.rng), tally)

        await self._many(50, one)

    async def unknown_names(self, tally: Tally) -> None:
        ends = time.monotonic() + self.seconds
        names = ["".join(self.rng.choices("abcdefgh ", k=30)) for _ in range(900)]
        body = json.dumps({"case": {"present": names[:60], "risks": dict.fromkeys(names, True)}})
        query = "&".join("p=" + name.replace(" ", "+") for name in names[:200])

        async def one(n: int) -> None:
            while time.monotonic() < ends:
                sent = request("POST", f"{NETWORK}/diagnose", body.encode())
                if n % 2:
                    sent = request("GET", f"/?n=clinic&{query}")
                await ask(self.port, f"127.0.6.{n + 1}", sent, tally)

        await self._many(10, one)

    async def big_bodies(self, tally: Tally) -> None:
        text = "hickam: 1\nname: big\nfindings:\n" + "  - {id: f, name: F}\n" * 800_000
        body = json.dumps({"file": "big.yaml", "text": text}).encode()
        sent = request("POST", "/api/v1/networks", body)

        async def one(n: int) -> None:
            await ask(self.port, f"127.0.7.{n % 8 + 1}", sent, tally)

        await self._many(40, one)

    async def uploads(self, tally: Tally) -> None:
        kept = Tally()
        own = "hickam: 1\nname: N\ndiseases: [{id: a, name: A, leak: 0.1}]\n"
        own += "findings: [{id: f, name: F, leak: 0.1, causes: {a: 0.5}}]\n"
        sent = request(
            "POST", "/api/v1/networks", json.dumps({"file": "n.yaml", "text": own}).encode()
        )
        mine = json.loads(await ask(self.port, HONEST, sent, kept))["id"]
        for address in ("127.0.8.1", "127.0.8.2"):
            await self._many(60, lambda n, a=address: self._ask_quietly(a, sent, tally))
        await ask(self.port, HONEST, request("GET", f"/api/v1/networks/{mine}"), kept)
        if kept.statuses != {201: 1, 200: 1}:
            tally.add(599, 0.0)

    async def _ask_quietly(self, address: str, sent: bytes, tally: Tally) -> None:
        await ask(self.port, address, sent, tally)

    async def nonsense(self, tally: Tally) -> None:
        deep = b"[" * 400_000
        sent = [
            b"\x00\xff" * 500 + b"\r\n\r\n",
            request("GET", "/studies/x/%00"),
            request("GET", "/?" + "p=x&" * 5000),
            request("FOO", "/"),
            request("POST", f"{NETWORK}/diagnose", deep),
            request("POST", f"{NETWORK}/diagnose", b'{"case": {"age": 1e999}}'),
            request(
                "POST", "/api/v1/networks", json.dumps({"file": "a.zip", "text": "x"}).encode()
            ),
            request("GET", "/", b"", "Host: elsewhere.example"),
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        ]
        for one in sent * 10:
            await ask(self.port, next(self.addresses), one, tally)

    async def trailers(self, tally: Tally) -> None:
        line = b"X-Network-Key: " + b"a" * 1000 + b"\r\n"
        await self._stream(6, CHUNKED + b"2\r\n{}\r\n0\r\n", line * 60, tally)

    async def small_chunks(self, tally: Tally) -> None:
        await self._stream(6, CHUNKED, b"1\r\n \r\n" * 10_000, tally)

    async def chunk_extensions(self, tally: Tally) -> None:
        await self._stream(6, CHUNKED, b"1;a=" + b"b" * 60_000 + b"\r\n \r\n", tally)

    async def endless_heads(self, tally: Tally) -> None:
        """Behind requests that are still being answered."""
        await self._stream(6, expensive(self.rng) + b"GET / HTTP/1.1\r\n", b"A:b\r\n" * 9000, tally)

    async def pipelines(self, tally: Tally) -> None:
        asked = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
        await self._stream(6, expensive(self.rng), asked * 2000, tally)

    async def _stream(self, count: int, begin: bytes, piece: bytes, tally: Tally) -> None:
        """Connections that send without end, again and again; 35 MB each time at most."""
        ends = time.monotonic() + self.seconds

        async def one(n: int) -> None:
            while time.monotonic() < ends:
                begun, writer = time.perf_counter(), None
                with contextlib.suppress(OSError):
                    _, writer = await connect(self.port, f"127.0.9.{n + 1}")
                    writer.write(begin)
                    for _ in range(35_000_000 // len(piece)):
                        writer.write(piece)
                        await writer.drain()
                        if time.monotonic() > ends:
                            break
                if writer is not None:
                    writer.close()
                tally.add(0, time.perf_counter() - begun)
                await asyncio.sleep(0.02)

        await self._many(count, one)

    async def full_heads(self, tally: Tally) -> None:
        """As many headers as fit on as many connections as there may be, never ended."""
        await self._hold(
            1200, b"GET / HTTP/1.1\r\n" + b"A:b\r\n" * 99 + b"X: " + b"a" * 30_000, tally
        )

    async def part_bodies(self, tally: Tally) -> None:
        """Bodies that all but come."""
        head = request("POST", "/api/v1/networks").replace(b"Length: 0", b"Length: 19000000")
        await self._hold(900, head + b" " * 250_000, tally)

    async def _hold(self, count: int, sent: bytes, tally: Tally) -> None:
        ends = time.monotonic() + self.seconds

        async def one(n: int) -> None:
            await asyncio.sleep(0.5 * self.seconds * n / count)
            begun, writer = time.perf_counter(), None
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(max(0.1, ends - time.monotonic())):
                    _, writer = await connect(self.port, f"127.0.10.{n % 200 + 1}")
                    writer.transport.pause_reading()
                    writer.write(sent)
                    await writer.drain()
                    await asyncio.sleep(ends - time.monotonic())
            if writer is not None:
                writer.transport.abort()
            tally.add(0, time.perf_counter() - begun)

        await self._many(count, one)

    async def refused_bodies(self, tally: Tally) -> None:
        """Bodies beyond the limit, whose clients must read why."""
        ends = time.monotonic() + self.seconds
        sent = request("POST", f"{NETWORK}/diagnose", b" " * 4_000_000)

        async def one(n: int) -> None:
            while time.monotonic() < ends:
                await ask(self.port, f"127.0.11.{n + 1}", sent, tally)
                await asyncio.sleep(0.05)

        await self._many(6, one)
        if tally.statuses.keys() - {413, 429}:
            tally.add(599, 0.0)
