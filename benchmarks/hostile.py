"""Hostile clients against `hickam serve`: what a cheap request takes meanwhile, memory, recovery.

    python benchmarks/hostile.py [--seconds 8] [--workers 2]

Starts the server itself on 127.0.0.1. Attackers come from other loopback addresses, so that they
and the one honest client are different clients to the server. Every attack is bounded in number and
time; meanwhile the honest client asks a cheap `diagnose` twenty times a second. Exits with 1 on a
crash (of the server, its nursery or a worker), an unexpected 5xx (anything but 503), more than 1 GB
in one process, a p99 of cheap requests above 500 ms, or an end that takes longer than stated.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import numpy as np
import psutil

import hickam
from hickam.evidence.hierarchy import above

HONEST = "127.0.0.1"
PROMISE = 0.5
MEMORY = 1e9
GRACE = 5.0
PIECE = 1 << 18
NETWORK = "/api/v1/networks/clinic"
CLINIC = hickam.load("clinic")


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
    case = {"present": findings(3, rng), "absent": findings(1, rng), "age": rng.randint(20, 80)}
    said = {kind for f in case["present"] for kind in (f, *above(CLINIC, f))}
    case["absent"] = [f for f in case["absent"] if f not in said]
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


class Watch:
    """The largest memory of any process of the server."""

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self.most = 0.0

    async def run(self) -> None:
        while True:
            with contextlib.suppress(psutil.Error):
                family = [self.process, *self.process.children(recursive=True)]
                for one in family:
                    with contextlib.suppress(psutil.Error):
                        self.most = max(self.most, one.memory_info().rss)
            await asyncio.sleep(0.1)


async def honest(port: int, tally: Tally, rng: random.Random) -> None:
    """A cheap request twenty times a second, each on a connection of its own."""
    running: set[asyncio.Task[bytes]] = set()
    try:
        while True:
            task = asyncio.create_task(ask(port, HONEST, cheap(rng), tally))
            running.add(task)
            task.add_done_callback(running.discard)
            await asyncio.sleep(0.05)
    finally:
        await asyncio.gather(*running)


async def during(port: int, attack: Callable[[Tally], Awaitable[None]], watch: Watch) -> list[str]:
    """Run an attack beside the honest client, print what both saw; what was broken."""
    watch.most = 0.0
    seen, theirs = Tally(), Tally()
    client = asyncio.create_task(honest(port, seen, random.Random(3)))
    begun = time.perf_counter()
    await attack(theirs)
    client.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await client
    p50, p99 = np.quantile(seen.seconds, (0.5, 0.99))
    name = attack.__name__.replace("_", " ")
    print(
        f"{name:14} {time.perf_counter() - begun:5.1f} s | cheap p50 {1000 * p50:5.0f} ms, "
        f"p99 {1000 * p99:5.0f} ms, {seen} | largest process {watch.most / 1e6:4.0f} MB | {theirs}",
        flush=True,
    )
    broken = []
    for status in (*seen.statuses, *theirs.statuses):
        if status >= 500 and status != 503:
            broken.append(f"{name}: status {status}")
    if seen.statuses.keys() - {200}:
        broken.append(f"{name}: cheap requests got {seen}")
    if p99 > PROMISE:
        broken.append(f"{name}: p99 of cheap requests {p99:.2f} s")
    if watch.most > MEMORY:
        broken.append(f"{name}: a process took {watch.most / 1e6:.0f} MB")
    return broken


async def deaths(port: int) -> int:
    """Workers that ended by a fault."""
    text = (await ask(port, HONEST, request("GET", "/metrics"), Tally())).decode()
    rows = [line for line in text.splitlines() if line.startswith("hickam_worker_deaths_total")]
    return int(float(rows[0].split()[-1])) if rows else -1


async def run(port: int, server: subprocess.Popen[bytes], seconds: float) -> list[str]:
    watch = Watch(psutil.Process(server.pid))
    watching = asyncio.create_task(watch.run())
    attack = Attack(port, seconds)
    broken: list[str] = []
    for one in (
        attack.quiet,
        attack.slow_heads,
        attack.slow_bodies,
        attack.idle,
        attack.expensive,
        attack.hang_ups,
        attack.flood,
        attack.unknown_names,
        attack.big_bodies,
        attack.uploads,
        attack.nonsense,
        attack.quiet,
    ):
        broken += await during(port, one, watch)
        if server.poll() is not None:
            return [*broken, f"{one.__name__}: the server ended"]
    died = await deaths(port)
    print(f"workers that died by a fault: {died}")
    if died:
        broken.append(f"{died} workers died")
    last = asyncio.create_task(attack.slow_bodies(Tally()))
    stuck = asyncio.create_task(attack.expensive(Tally()))
    await asyncio.sleep(1.0)
    begun = time.perf_counter()
    server.send_signal(signal.SIGTERM)
    while server.poll() is None and time.perf_counter() - begun < 30:
        await asyncio.sleep(0.05)
    took = time.perf_counter() - begun
    print(f"asked to end among slow and expensive requests: ended after {took:.1f} s")
    if server.poll() is None or took > GRACE + 2.5:
        broken.append(f"the end took {took:.1f} s")
    for task in (last, stuck, watching):
        task.cancel()
    return broken


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=8.0)
    options.add_argument("--workers", type=int, default=2)
    given = options.parse_args()
    with socket.socket() as free:
        free.bind((HONEST, 0))
        port = free.getsockname()[1]
    code = "from hickam.cli.main import main; import sys; main(sys.argv[1:])"
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as nowhere:
        command = [sys.executable, "-c", code, "serve", "--port", str(port), "--uploads", folder]
        command += ["--workers", str(given.workers)]
        log = os.environ.get("HOSTILE_LOG")
        with open(log, "wb") if log else contextlib.nullcontext(nowhere) as errors:
            server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        assert server.stdout is not None
        server.stdout.readline()  # it says when it answers
        print(f"{given.workers} workers, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        try:
            broken = asyncio.run(run(port, server, given.seconds))
        finally:
            if server.poll() is None:
                server.kill()
            server.wait(20)
    print("\n".join(broken) or "nothing broke")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
