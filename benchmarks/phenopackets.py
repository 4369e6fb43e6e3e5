"""Published patients as phenopackets: reading, ranking, pairs, reports and type-ahead, in CPU time.

    python benchmarks/phenopackets.py FOLDER [--patients 40]

FOLDER holds phenopackets in any form that `hickam batch` takes; the network is that of the Human
Phenotype Ontology (`hickam hpo build`). Patients with up to fifteen findings are drawn with a seed.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hickam
from hickam.io.cases import read_rows
from hickam.io.phenopackets import case_for
from hickam.language.search import search
from hickam.record import Record
from hickam.report.case_report import case_report

TYPED = (
    "s",
    "se",
    "seiz",
    "seizure",
    "sezure",
    "microceph",
    "big head",
    "hart defect",
    "no speech",
)
MOST = 15


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its milliseconds of CPU time."""
    begun = time.process_time()
    found = call()
    return found, 1000.0 * (time.process_time() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--patients", type=int, default=40)
    args = parser.parse_args()
    network, milliseconds = timed(lambda: hickam.load("hpo"))
    print(f"load {milliseconds:.0f} ms: {network!r}")
    rows, milliseconds = timed(lambda: [row.content for row in read_rows(args.folder)])
    print(f"read {len(rows)} phenopackets: {milliseconds / len(rows):.2f} ms each")
    drawn = random.Random(7).sample(rows, len(rows))
    times: dict[str, list[float]] = {"fit": [], "rank": [], "pairs": [], "report": []}
    for row in drawn:
        (case, issues), fit = timed(lambda row=row: case_for(network, row))  # type: ignore[misc]
        if not 1 <= len(case.present) <= MOST:
            continue
        dx, rank = timed(lambda case=case: hickam.diagnose(network, case, top=10))  # type: ignore[misc]
        found, pairs = timed(lambda case=case: hickam.pairs(network, case, deadline=10.0))  # type: ignore[misc]
        record = Record(network, case, dx, "now", hickam.__version__, found, tuple(issues))
        _, report = timed(lambda record=record: case_report(record))  # type: ignore[misc]
        for name, value in zip(times, (fit, rank, pairs, report), strict=True):
            times[name].append(value)
        if len(times["fit"]) == args.patients:
            break
    print(f"{len(times['fit'])} patients with up to {MOST} findings, ms of CPU: median, largest")
    for name, values in times.items():
        values.sort()
        print(f"  {name:8} {values[len(values) // 2]:8.1f} {values[-1]:8.1f}")
    _, milliseconds = timed(lambda: search(network, "first"))
    print(f"index of the names {milliseconds:.0f} ms, once; then")
    for typed in TYPED:
        matches, milliseconds = timed(lambda typed=typed: search(network, typed, ("finding",)))  # type: ignore[misc]
        print(f"  {typed!r:16} {milliseconds:6.1f} ms  {', '.join(m.name for m in matches[:2])}")


if __name__ == "__main__":
    main()
