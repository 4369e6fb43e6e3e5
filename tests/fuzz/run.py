"""Fuzz the readers: random inputs near valid ones may only be read or refused.

    python tests/fuzz/run.py                          every target, 100,000 executions each
    python tests/fuzz/run.py network-yaml -n 5000     one target
    python tests/fuzz/run.py --show network-yaml 17   the input of one execution

Each target runs in processes of its own with bounded memory. An input that raises anything but
`InvalidInput`, takes too long, or ends the process is kept in the folder of `--keep`, and the run
goes on after it. Execution k of a target is the same input for the same seed, whatever came before.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import sys
import time
import traceback
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from mutate import mutate
from targets import FAULTY, TARGETS

from hickam.io.bounds import held_bytes
from hickam.issues import InvalidInput

SLOW = 3.0  # seconds of processor time for one input
STUCK = 60.0  # seconds on the clock
MEMORY = 1_000_000_000  # bytes of address space beyond what libraries map: growth is a fault


def input_of(target: str, seed: int, number: int) -> bytes:
    """The input of one execution."""
    return mutate({**TARGETS, **FAULTY}[target].seeds, random.Random(f"{target} {seed} {number}"))


def attempt(target: str, data: bytes) -> str:
    """What went wrong with an input, or nothing."""
    started = time.process_time()
    try:
        {**TARGETS, **FAULTY}[target].run(data)
    except InvalidInput:
        pass
    except BaseException as bad:
        where = traceback.extract_tb(bad.__traceback__)[-1]
        return f"{type(bad).__name__} at {Path(where.filename).name}:{where.lineno}: {bad!s:.100}"
    taken = time.process_time() - started
    return f"slow: {taken:.1f} s" if taken > SLOW else ""


def work(target: str, seed: int, first: int, stop: int, at: Synchronized[int], out: Any) -> None:
    """Executions of one target in this process; faults go to the queue."""
    room = held_bytes() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    for number in range(first, stop):
        at.value = number
        fault = attempt(target, input_of(target, seed, number))
        if fault:
            out.put((number, fault))
    at.value = stop


def fuzz(target: str, executions: int, seed: int = 0) -> dict[int, str]:
    """Execution → fault, over all executions of a target; a dead process is one more fault."""
    context = multiprocessing.get_context("spawn")
    at, out = context.Value("q", 0), context.SimpleQueue()
    faults: dict[int, str] = {}
    first = 0
    while first < executions:
        worker = context.Process(
            target=work, args=(target, seed, first, executions, at, out), daemon=True
        )
        at.value = first
        worker.start()
        last, since = first, time.monotonic()
        while worker.is_alive():
            worker.join(0.2)
            while not out.empty():
                faults.update([out.get()])
            if at.value != last:
                last, since = at.value, time.monotonic()
            elif time.monotonic() - since > STUCK:
                worker.kill()
        while not out.empty():
            faults.update([out.get()])
        if at.value < executions:
            faults[at.value] = f"the process ended with {worker.exitcode}"
        first = at.value + 1
    return faults


def main() -> int:
    """Run the targets and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=[], help=f"of {', '.join(TARGETS)}")
    parser.add_argument("-n", "--executions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-faults"))
    parser.add_argument("--show", nargs=2, metavar=("TARGET", "NUMBER"))
    given = parser.parse_args()
    if given.show:
        sys.stdout.buffer.write(input_of(given.show[0], given.seed, int(given.show[1])))
        return 0
    total = 0
    for target in given.targets or TARGETS:
        started = time.monotonic()
        faults = fuzz(target, given.executions, given.seed)
        seconds = time.monotonic() - started
        print(f"{target:16} {given.executions:9,} executions {seconds:7.0f} s {len(faults)} faults")
        total += len(faults)
        for number in sorted(faults):
            given.keep.mkdir(exist_ok=True)
            data = input_of(target, given.seed, number)
            (given.keep / f"{target}-{given.seed}-{number}").write_bytes(data)
        shown = {fault.partition(": ")[0]: (number, fault) for number, fault in faults.items()}
        for number, fault in shown.values():
            print(f"    {number}: {fault}", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
