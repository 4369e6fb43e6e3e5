"""Hostile clients against `hickam serve`: what a cheap request takes meanwhile, memory, recovery.

    python benchmarks/hostile.py [--seconds 8] [--workers 2]

Starts the server itself on 127.0.0.1. Attackers come from other loopback addresses, so that they
and the one honest client are different clients to the server. Every attack is bounded in number and
time; meanwhile the honest client asks a cheap `diagnose` twenty times a second. Exits with 1 on a
crash (of the server, its nursery or a worker), an unexpected 5xx (anything but 503), more than 1 GB
in one process or 300 MB in the one that talks HTTP, a cheap request that waits more than a second,
a p99 of them above 500 ms, or an end that takes longer than stated. Times mean something on a quiet
machine only: the load is printed, and p99 also as a multiple of the one without an attack.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable

import numpy as np
import psutil
from attacks import HONEST, Attack, Tally, ask, cheap, request

PROMISE = 0.5  # seconds, at the 99th percentile
LONGEST = 1.0  # seconds that any cheap request may wait
MEMORY = 1e9  # bytes of any process
FRONT = 300e6  # bytes of the process that talks HTTP
GRACE = 5.0


class Watch:
    """The largest memory of the front process, and of any process of the server."""

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self.most = self.front = 0.0
        self.quiet = 0.0  # p99 of cheap requests without an attack

    async def run(self) -> None:
        while True:
            with contextlib.suppress(psutil.Error):
                self.front = max(self.front, self.process.memory_info().rss)
                for one in self.process.children(recursive=True):
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
    watch.most = watch.front = 0.0
    seen, theirs = Tally(), Tally()
    client = asyncio.create_task(honest(port, seen, random.Random(3)))
    begun, computed = time.perf_counter(), sum(watch.process.cpu_times()[:2])
    await attack(theirs)
    busy = (sum(watch.process.cpu_times()[:2]) - computed) / (time.perf_counter() - begun)
    client.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await client
    p50, p99 = np.quantile(seen.seconds, (0.5, 0.99))
    longest = max(seen.seconds)
    watch.quiet = watch.quiet or float(p99)
    name = attack.__name__.replace("_", " ")
    print(
        f"{name:16} {time.perf_counter() - begun:5.1f} s, load {os.getloadavg()[0]:4.1f} | "
        f"cheap p50 {1000 * p50:4.0f} ms, p99 {1000 * p99:4.0f} ms ({p99 / watch.quiet:4.1f} x), "
        f"longest {1000 * longest:4.0f} ms, {seen} | "
        f"front {watch.front / 1e6:3.0f} MB and {busy:4.0%} of a core, "
        f"others {watch.most / 1e6:3.0f} MB | {theirs}",
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
    if longest > LONGEST:
        broken.append(f"{name}: a cheap request took {longest:.2f} s")
    if watch.front > FRONT:
        broken.append(f"{name}: the front took {watch.front / 1e6:.0f} MB")
    if watch.most > MEMORY:
        broken.append(f"{name}: a process took {watch.most / 1e6:.0f} MB")
    return broken


async def deaths(port: int) -> int:
    """Workers that ended by a fault."""
    text = (await ask(port, HONEST, request("GET", "/metrics"), Tally())).decode()
    rows = [line for line in text.splitlines() if line.startswith("hickam_worker_deaths_total")]
    return int(float(rows[0].split()[-1])) if rows else -1


async def run(
    port: int, server: subprocess.Popen[bytes], seconds: float, only: str = ""
) -> list[str]:
    watch = Watch(psutil.Process(server.pid))
    await asyncio.gather(*(ask(port, HONEST, cheap(random.Random(7)), Tally()) for _ in range(9)))
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
        attack.trailers,
        attack.small_chunks,
        attack.chunk_extensions,
        attack.endless_heads,
        attack.pipelines,
        attack.full_heads,
        attack.part_bodies,
        attack.refused_bodies,
        attack.quiet,
    ):
        if only and one.__name__ not in ["quiet", *only.split(",")]:
            continue
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
    options.add_argument("--only", help="Names of attacks, with commas between.")
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
            broken = asyncio.run(run(port, server, given.seconds, given.only))
        finally:
            if server.poll() is None:
                server.kill()
            server.wait(20)
    print("\n".join(broken) or "nothing broke")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
