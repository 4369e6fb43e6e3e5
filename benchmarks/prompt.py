"""How soon an answer is there: the first one of a new process, and one with a deadline.

    python benchmarks/prompt.py [--times 10]

The first: the least processor time of several runs of `hickam diagnose`, and beside it what Python
and NumPy take before anything of Hickam is read. Bytecode must have been written, as an
installation does; the script sees to it.

The second: cases on `clinic` with no risk factor known. The least time by the clock when 1, 20 and
100 ms are allowed; what an answer in 1 ms takes is what no deadline shortens. A refusal in time is
an answer too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

import numpy as np

import hickam

RUN = "import sys; from hickam.cli.main import main; main(sys.argv[1:])"
STARTS = {
    "python": ["-c", "pass"],
    "numpy": ["-c", "import numpy"],
    "hickam": ["-c", "import hickam"],
    "diagnose, names as the network has them": ["-c", RUN, "diagnose", "-p", "fever"],
    "diagnose, a doctor's own words": ["-c", RUN, "diagnose", "-p", "chucking up"],
}
ALLOWED = (0.001, 0.020, 0.100)
SPARE = 1.2  # of the time allowed


def start(arguments: list[str], environment: dict[str, str]) -> float:
    """Processor seconds of a new process."""

    def used() -> float:
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    before = used()
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return used() - before


def starts(times: int) -> None:
    """The least processor time of every kind of start, taken in turns."""
    with tempfile.TemporaryDirectory() as compiled:
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "PYTHONPYCACHEPREFIX": compiled}
        runs = [
            [start(arguments, environment) for arguments in STARTS.values()]
            for _ in range(times + 1)
        ]
    least = np.min(runs[1:], axis=0)
    for what, seconds in zip(STARTS, least, strict=True):
        print(f"{what:40} {seconds:.3f} s, {seconds / least[1]:.1f} × NumPy")


def deadlines(times: int, seed: int = 3) -> None:
    """The least time by the clock that answers take with little time allowed."""
    network = hickam.load("clinic")
    draw = np.random.default_rng(seed)
    for count in (8, 12, 16, 24, 40):
        chosen = draw.choice(len(network.findings), count, replace=False)
        case = hickam.Case(present=[network.findings[int(f)] for f in chosen])
        runs = [[answer(network, case, allowed) for allowed in ALLOWED] for _ in range(times)]
        fixed, *took = np.min(runs, axis=0)
        kept = all(t <= SPARE * a + fixed for t, a in zip(took, ALLOWED[1:], strict=True))
        said = ", ".join(
            f"{1000 * a:.0f} ms: {1000 * t:.1f}"
            for a, t in zip(ALLOWED, (fixed, *took), strict=True)
        )
        print(f"{count:3} present  {said}  {'kept' if kept else 'missed'}")


def answer(network: hickam.Network, case: hickam.Case, allowed: float) -> float:
    """Seconds by the clock until an answer or a refusal."""
    begun = time.perf_counter()
    with suppress(hickam.TooHard):
        hickam.infer(network, case, deadline=allowed)
    return time.perf_counter() - begun


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=10)
    given = options.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    starts(given.times)
    deadlines(given.times)


if __name__ == "__main__":
    main()
