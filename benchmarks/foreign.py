"""Public networks made for posteriors: read, compared with pyAgrum, and asked counterfactually.

HICKAM_NETWORKS=folder python benchmarks/foreign.py [NAME …] [--cases 50]

Every network of the folder is one row. Roles and normal states that no file states are guessed, and
counted. *Posteriors*: of every state of every disease, over cases drawn from the network (each
finding seen in its own state; the risk factors unknown in every second case), the largest
difference from pyAgrum's lazy propagation on the same tables in double precision. *Counterfactual*:
how `hickam upgrade` answers cases drawn from it. Each network has a process of its own with bounded
memory; times are processor time.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import queue
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import pyagrum_nets
from hickam.evidence.locate import locate
from hickam.io.load import read_network
from hickam.issues import TooHard
from hickam.model.kinds import as_scm
from hickam.model.scm import SCM
from hickam.twin.exact import Setting, chance_of, solve
from hickam.twin.observe import observe
from hickam.upgrade import upgrade
from hickam.upgrade.patients import patients

MEMORY = 4_000_000_000  # of one process
TABLES = 400_000_000  # bytes of an exact answer
PATIENCE = 900.0  # seconds on the clock for one network
SECONDS = 60.0  # of `upgrade`, for all its cases together
UPGRADED = 20  # cases


@dataclass
class Row:
    """What one network gave."""

    name: str
    nodes: int = 0
    links: int = 0
    widest: int = 0  # states of a node, at most
    guessed: str = ""  # roles and normal states that nobody states
    reading: float = 0.0  # seconds
    compared: int = 0
    large: int = 0  # cases whose tables would not fit
    beyond: int = 0  # cases that pyAgrum cannot do in the memory of a process
    difference: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    upgraded: str = ""
    engine: str = ""
    seconds: float = 0.0
    differs: str = ""


def cases_of(model: SCM, count: int, seed: int = 1) -> Iterator[Any]:
    """Cases drawn from the model; in every second one the risk factors are unknown."""
    for number, patient in enumerate(patients(model, count, np.random.default_rng(seed))):
        case = patient.case
        if number % 2:
            kept = {n: v for n, v in case.categories.items() if n not in model.risk_factors}
            case = replace(case, risks={}, categories=kept)
        yield case


def compare(model: SCM, count: int, row: Row) -> None:
    """The posteriors of drawn cases, ours and pyAgrum's."""
    net = pyagrum_nets.build(model)
    for case in cases_of(model, 2 * count):
        if row.compared == count:
            break
        seen = observe(model, locate(case, model))
        try:
            setting = Setting(model, seen.states, {}, TABLES)
            found = solve(setting, (), [(0, disease) for disease in model.diseases])
        except TooHard as bad:
            if not row.large:
                row.refused[f"in a case without risk factors, {bad}"] = 1
            row.large += 1
            continue
        try:
            theirs = pyagrum_nets.posteriors(net, model, seen.states, model.diseases)
        except Exception as bad:  # it has no error of its own for too little memory
            row.beyond += 1
            reason = f"pyAgrum has no posteriors to compare with: {bad}"
            row.refused[reason] = row.refused.get(reason, 0) + 1
            if row.beyond > count // 5:
                break
            continue
        for disease, chances in theirs.items():
            for state, chance in enumerate(chances.tolist()):
                ours = chance_of(found, disease, world=0, state=state)
                row.difference = max(row.difference, abs(ours - chance))
        row.compared += 1


def ask(model: SCM, row: Row) -> None:
    """What `hickam upgrade` says of the network."""
    began = time.process_time()
    found = upgrade(model, cases=UPGRADED, seconds=SECONDS)
    row.seconds = (time.process_time() - began) / max(1, found.asked)
    sure = [case for case in found.cases if case.sure]
    kinds = {f"{case.engine} ({'exact' if case.exact else 'sampled'})" for case in found.cases}
    row.engine = ", ".join(sorted(kinds)) or "none"
    row.upgraded = f"{len(sure)} of {found.asked}"
    row.differs = ", ".join(f"{100 * share:.0f} %" for share in found.differ.values()) or "–"
    for reason, times in found.refused.items():
        row.refused[reason] = row.refused.get(reason, 0) + times
    rough = len(found.cases) - len(sure)
    if rough:
        row.refused["sampled with a stated error above 0.1: shown, not counted"] = rough


def examine(path: Path, count: int, out: Any) -> None:
    """The row of one network, in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    began = time.process_time()
    read, issues = read_network(path)
    row = Row(path.name, reading=time.process_time() - began)
    if read is None:
        row.refused[str(issues[0])] = 1
        out.put(row)
        return
    model = as_scm(read)
    row.nodes, row.links = len(model.index), model.links
    row.widest = max(len(node.states) for node in model)
    row.guessed = f"{len(model.guessed.roles)}, {len(model.guessed.normal)}"
    compare(model, count, row)
    ask(model, row)
    out.put(row)


def rows_of(paths: list[Path], count: int) -> Iterator[Row]:
    """One row for each file, in processes of their own."""
    context = multiprocessing.get_context("spawn")
    for path in paths:
        out = context.Queue()
        worker = context.Process(target=examine, args=(path, count, out), daemon=True)
        worker.start()
        until = time.monotonic() + PATIENCE
        row = Row(path.name, refused={"no answer within the time and memory of a process": 1})
        while time.monotonic() < until:
            alive = worker.is_alive()
            with contextlib.suppress(queue.Empty):
                row = out.get(timeout=1.0)
                break
            if not alive:
                break
        worker.kill()
        worker.join()
        yield row


HEAD = """\
| network | nodes | links | states | guessed: roles, normal states | read, s | posteriors compared \
| largest difference | counterfactual | how | a case, s \
| first disease differs: disablement, sufficiency |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def line(row: Row) -> str:
    """One row of the table."""
    off = f"{row.difference:.0e}" if row.compared else "–"
    compared = f"{row.compared} ({row.large} too large)" if row.large else str(row.compared)
    cells = (
        *(row.name, row.nodes, row.links, row.widest, row.guessed, f"{row.reading:.2f}"),
        *(compared, off),
        *(row.upgraded, row.engine, f"{row.seconds:.2f}", row.differs),
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the table, and what was not answered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of file names; all files if none")
    parser.add_argument("--cases", type=int, default=50)
    given = parser.parse_args()
    folder = os.environ.get("HICKAM_NETWORKS", "")
    if not folder:
        sys.exit("set HICKAM_NETWORKS to a folder of public networks")
    wanted = [p for p in sorted(Path(folder).iterdir()) if p.suffix != ".md"]
    wanted = [p for p in wanted if not given.names or any(n in p.name for n in given.names)]
    print(HEAD, flush=True)
    refused = []
    for row in rows_of(wanted, given.cases):
        print(line(row), flush=True)
        refused += [f"- {row.name}: {n} × {reason}" for reason, n in row.refused.items()]
    print("\nNot answered:\n" + ("\n".join(refused) or "nothing"))


if __name__ == "__main__":
    main()
