"""Cases per second and core of `hickam batch` on the embedded clinic.

    python benchmarks/batch.py [--cases 2000]

Time is processor time of one worker, so the figures hold on a busy machine; reading, ranking and
writing Parquet are included. Beside it `infer_many` for the same cases, and what 10^8 of them cost.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import hickam
from hickam.batch.cases import spool
from hickam.batch.job import make_job
from hickam.batch.plan import plan
from hickam.io.cases import write_cases
from hickam.study.simulate import Simulation, simulate
from hickam.work.parts import Errand, fulfil
from hickam.work.task import version

KINDS = {
    "4 findings, risk factors known": Simulation(most_findings=4, report_risks=1.0),
    "4 findings, a third of risk factors known": Simulation(most_findings=4, report_risks=0.3),
    "8 findings, risk factors known": Simulation(
        least_findings=5, most_findings=8, report_risks=1.0
    ),
    "8 findings, a third of risk factors known": Simulation(
        least_findings=5, most_findings=8, report_risks=0.3
    ),
}


def measure(name: str, kind: Simulation, count: int) -> None:
    network = hickam.load("clinic")
    plan_of = Simulation(**{**{f: getattr(kind, f) for f in kind.__slots__}, "patients": count})
    vignettes = simulate(network, plan_of, np.random.default_rng(1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.parquet"
        write_cases(path, [vignette.case for vignette in vignettes])
        shards = plan(make_job(network, "clinic", path, part=500), Path(folder) / "out")
        errands = [Errand(shard, folder, version()) for shard in shards]
        start = time.process_time()
        spool(path, Path(shards[0].source), 500)
        spooled = time.process_time() - start
        fulfil(errands[0])
        start = time.process_time() - spooled
        for errand in errands[1:]:
            fulfil(errand)
        spent = time.process_time() - start
    count = sum(shard.count for shard in shards[1:])
    cases = [vignette.case for vignette in vignettes[-count:]]
    start = time.process_time()
    answered = sum(1 for _ in hickam.infer_many(network, cases))
    alone = (time.process_time() - start) / answered
    each, hours = spent / count, 1e8 * spent / count / 3600
    print(
        f"| {name} | {1000 * each:.2f} | {1 / each:,.0f} | {1000 * alone:.2f} | {each / alone:.1f} "
        f"| {hours:,.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2000)
    count = parser.parse_args().cases
    print("| cases | ms | cases/s per core | `infer_many` ms | ratio | core-hours for 10^8 |")
    print("|---|---|---|---|---|---|")
    for name, kind in KINDS.items():
        measure(name, kind, count)


if __name__ == "__main__":
    main()
