"""Scaling curves: time and memory against present findings, diseases and unobserved risk factors.

pip install '.[bench]' && python benchmarks/scaling.py

Writes docs/pictures/scaling.svg. Every point is a process of its own: its processor time for one
inference and the growth of its largest size in memory.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from pathlib import Path

import numpy as np
from instances import planted_problem, relevant_diseases

import hickam
from hickam.beliefs.options import Limits
from hickam.inference.solve import solve
from hickam.model.build import build_network

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "scaling.svg"
LEAST_MB = 0.1


def by_findings(present: int):
    problem = relevant_diseases(150, present, min(5, present))
    return lambda: solve(problem, Limits())[1]


def by_diseases(rows: int):
    problem = planted_problem(0, rows, 60, 16)
    return lambda: solve(problem, Limits())[1]


def by_risks(risks: int):
    draw = np.random.default_rng(1)
    network, _ = build_network(
        {
            "hickam": 1,
            "name": "coupled",
            "risk_factors": [{"id": f"r{j}", "prior": 0.2} for j in range(risks)],
            "diseases": [
                {
                    "id": f"d{k}",
                    "leak": 0.005,
                    "causes": {
                        f"r{j}": float(draw.uniform(0.02, 0.3))
                        for j in draw.choice(risks, min(3, risks), replace=False)
                    },
                }
                for k in range(150)
            ],
            "findings": [
                {
                    "id": f"f{s}",
                    "leak": 0.02,
                    "causes": {
                        f"d{k}": float(draw.uniform(0.1, 0.9))
                        for k in draw.choice(150, 12, replace=False)
                    },
                }
                for s in range(8)
            ],
        }
    )
    case = hickam.Case(present=network.findings)
    return lambda: hickam.infer(network, case).engine


CURVES = (
    ("present findings\n(150 diseases, settled)", by_findings, (4, 8, 10, 12, 14, 16, 18, 20, 22)),
    ("diseases\n(16 present findings, settled)", by_diseases, (100, 300, 1000, 3000, 8000)),
    ("unobserved risk factors\n(150 diseases, 8 present)", by_risks, (1, 5, 10, 20, 40)),
)


def point(make, size: int, pipe) -> None:
    """Processor seconds, megabytes and engine of one inference."""
    work = make(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    engine = work()
    took = time.process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    pipe.send((took, grown, engine))


def main() -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    for panel, (title, make, sizes) in zip(panels, CURVES, strict=True):
        found = []
        for size in sizes:
            ours, theirs = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(target=point, args=(make, size, theirs))
            process.start()
            found.append(ours.recv())
            process.join()
            took, grown, engine = found[-1]
            print(f"{title.splitlines()[0]} {size}: {took:.2g} s, {grown:.1f} MB, {engine}")
        panel.semilogy(sizes, [took for took, _, _ in found], "o-", label="seconds")
        megabytes = [max(grown, LEAST_MB) for _, grown, _ in found]
        panel.semilogy(sizes, megabytes, "s--", label="MB")
        for size, (took, _, engine) in zip(sizes, found, strict=True):
            panel.annotate(engine, (size, took), fontsize=6, rotation=35, alpha=0.7)
        panel.set_xlabel(title)
        panel.grid(alpha=0.3)
    panels[0].legend()
    figure.suptitle("One inference, all three measures for every disease")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
