"""Load on `hickam serve`: diagnose on `clinic` with 8 findings, at fixed arrival rates.

    python benchmarks/serve_load.py [--seconds 10] [--workers 2]
    python benchmarks/serve_load.py --soak 10           memory and p99 over ten minutes

Starts the server itself, sends requests at their appointed times whether or not earlier ones were
answered (so that a slow answer delays no later question), and counts each answer's time from its
appointed time. First 20 requests/s, the expectation of a clinical decision support hook (p99 under
500 ms); then twice the rate, again and again, until p99 passes 500 ms or an answer fails: the
ceiling. Last, a burst far beyond the ceiling: refusals must be quick, and the service must recover.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import psutil

import hickam
from hickam.evidence.locate import locate

PROMISE = 0.5  # seconds at the 99th percentile
PATH = "/api/v1/networks/clinic/diagnose"


@dataclass
class Tally:
    rate: float
    seconds: np.ndarray
    statuses: list[int]

    @property
    def good(self) -> bool:
        return set(self.statuses) == {200} and np.quantile(self.seconds, 0.99) < PROMISE

    def __str__(self) -> str:
        p50, p95, p99 = 1000 * np.quantile(self.seconds, (0.5, 0.95, 0.99))
        failed = sum(status != 200 for status in self.statuses)
        return (
            f"{self.rate:6.0f} requests/s: p50 {p50:6.1f} ms, p95 {p95:6.1f} ms, "
            f"p99 {p99:6.1f} ms, {len(self.statuses)} requests, {failed} refused or failed"
        )


def bodies(count: int, seed: int = 7) -> list[bytes]:
    """Cases of six findings that a disease causes and two absent ones."""
    network = hickam.load("clinic")
    rng = np.random.default_rng(seed)
    links = network.effects
    made = []
    while len(made) < count:
        disease = int(rng.integers(len(network.diseases)))
        row = links.of_cause(disease)
        effects = links.effect[row][np.argsort(-links.acts[row])].tolist()
        if len(effects) < 6:
            continue
        absent = rng.choice([f for f in range(len(network.findings)) if f not in effects], 2, False)
        case = {
            "present": [network.findings[f] for f in effects[:6]],
            "absent": [network.findings[int(f)] for f in absent],
            "sex": "female" if rng.random() < 0.5 else "male",
            "age": float(rng.integers(18, 90)),
        }
        if not locate(hickam.Case(**case), network).doubts:  # a woman has no prostate
            made.append(json.dumps({"case": case}).encode())
    return made


class Client:
    """Threads that ask at appointed times, each on its own kept-alive connection."""

    def __init__(self, port: int, threads: int = 64) -> None:
        self.port = port
        self.threads = threads

    def run(self, rate: float, questions: list[bytes], from_sending: bool = False) -> Tally:
        begin = time.perf_counter() + 0.2
        results: list[tuple[float, int]] = []

        def ask(start: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            for at in range(start, len(questions), self.threads):
                appointed = begin + at / rate
                time.sleep(max(0.0, appointed - time.perf_counter()))
                if from_sending:
                    appointed = time.perf_counter()
                results.append(self._one(connection, questions[at], appointed))
            connection.close()

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(ask, range(self.threads)))
        return Tally(rate, np.array([r[0] for r in results]), [r[1] for r in results])

    def _one(
        self, connection: http.client.HTTPConnection, body: bytes, appointed: float
    ) -> tuple[float, int]:
        try:
            connection.request("POST", PATH, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            return time.perf_counter() - appointed, answer.status
        except (OSError, http.client.HTTPException):
            connection.close()
            return time.perf_counter() - appointed, 599


def serve(port: int, workers: int) -> subprocess.Popen[bytes]:
    """A server on a port, ready to answer."""
    code = "from hickam.cli.main import main; import sys; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "serve", "--port", str(port), "--rate", "0"]
    command += ["--workers", str(workers)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    return server


def processor_time(server: subprocess.Popen[bytes], client: Client, count: int = 500) -> str:
    """Processor time of a request by process, which a busy machine disturbs less than the clock."""
    front = psutil.Process(server.pid)

    def used() -> tuple[float, float]:
        nursery, *_ = front.children()
        workers = sum(sum(worker.cpu_times()[:2]) for worker in nursery.children())
        return sum(front.cpu_times()[:2]), workers + sum(nursery.cpu_times()[:4])  # ended ones too

    before = used()
    client.run(100.0, bodies(count, seed=11))
    front_ms, behind_ms = (1000 * (b - a) / count for a, b in zip(before, used(), strict=True))
    return f"processor time of a request: front {front_ms:.2f} ms, workers {behind_ms:.2f} ms"


def soak(server: subprocess.Popen[bytes], client: Client, minutes: float) -> bool:
    """Ask 40 times a second for minutes, in ten spells; whether memory and p99 stay what they were.

    The first spell, in which caches fill, is not judged.
    """
    front = psutil.Process(server.pid)
    spells = []
    for spell in range(10):
        tally = client.run(40.0, bodies(max(40, int(40 * 6 * minutes)), seed=spell))
        held = [process.memory_info().rss for process in (front, *front.children(recursive=True))]
        spells.append((max(held), float(np.quantile(tally.seconds, 0.99)), tally.good))
        print(
            f"{held[0] / 1e6:6.0f} MB front, {max(held) / 1e6:6.0f} MB largest; {tally}", flush=True
        )
    memory, p99, good = zip(*spells[1:], strict=True)
    kept = memory[-1] < 1.2 * memory[0] and p99[-1] < 3.0 * p99[0] + 0.05 and all(good)
    print(f"memory × {memory[-1] / memory[0]:.2f}, p99 × {p99[-1] / p99[0]:.2f}: steady: {kept}")
    return kept


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--soak", type=float, metavar="MINUTES", help="only this, for so long")
    given = options.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = serve(port, given.workers)
    print(f"{given.workers} workers, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    try:
        client = Client(port)
        client.run(20, bodies(40))
        if given.soak:
            sys.exit(0 if soak(server, client, given.soak) else 1)
        print(processor_time(server, client))
        rate, ceiling = 20.0, None
        while True:
            tally = client.run(rate, bodies(max(40, int(rate * given.seconds))))
            print(tally)
            if not tally.good or rate > 5000:
                break
            ceiling, rate = tally, rate * 2
        print(f"ceiling: {ceiling.rate if ceiling else 0:.0f} requests/s")
        # More clients at once than the queues hold, each asking again as soon as it is answered.
        flood = Client(port, threads=200).run(1e6, bodies(3000), from_sending=True)
        refused = flood.seconds[np.array(flood.statuses) == 503]
        print(f"flood of 200 clients: {len(refused)} of {len(flood.statuses)} refused with 503")
        if len(refused):
            p50, p99 = 1000 * np.quantile(refused, (0.5, 0.99))
            print(f"  a refusal takes {p50:.0f} ms at the median, {p99:.0f} ms at p99")
        print(f"after: {client.run(20, bodies(100))}")
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main()
