"""Settled risk factors: 150 relevant diseases with 10, 15 and 20 present findings.

python benchmarks/settled.py

Also the physical limit: multiply-adds per second of COVER against a bare loop in the same run.
"""

from __future__ import annotations

import numpy as np
from instances import best_of, relevant_diseases

from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.options import Limits
from hickam.inference.settled.choice import settled
from hickam.inference.settled.cover import cover
from hickam.inference.settled.lattice import lattice
from hickam.kernels import compiled, describe

GOALS = {10: 0.001, 15: 0.040, 20: 1.5}
CHANCES = {
    "usual": {},
    "rare": {"priors": (1e-9, 1e-5), "leaks": (1e-6, 1e-4)},
}


def gap(tables, truth) -> float:
    """The largest relative difference of any score."""
    worst = 0.0
    for name in ("posterior", "disabled", "sustained"):
        ours, theirs = getattr(tables, name), getattr(truth, name)
        if ours.ndim == 2:
            ours, theirs = ours.sum(axis=1), theirs.sum(axis=1)
        worst = max(worst, float((np.abs(ours - theirs) / np.maximum(theirs, FLOOR)).max()))
    return worst


def main() -> None:
    print(f"kernels: {describe()}\n")
    print("| present | links each | chances | engine | seconds | processor | goal | difference |")
    print("|---|---|---|---|---|---|---|---|")
    for present, goal in GOALS.items():
        for links in (4, 7):
            for name, chances in CHANCES.items():
                problem = relevant_diseases(150, present, links, **chances)
                wall, cpu, (tables, engine, _) = best_of(
                    20 if present < 15 else 3, lambda p=problem: settled(p, Limits())
                )
                other = cover(problem) if engine == "lattice" else lattice(problem, 4)[0]
                print(
                    f"| {present} | {links} | {name} | {engine} | {wall:.2g} | {cpu:.2g} "
                    f"| {goal:g} | {gap(tables, other):.0e} |"
                )
    if compiled() is not None:
        limit()


def limit() -> None:
    """Multiply-adds per second of COVER and of a bare loop over as much memory."""
    print("\n| present | COVER, 10^9 madd/s | bare loop | share |\n|---|---|---|---|")
    for present in (8, 10, 12, 15, 18):
        problem = relevant_diseases(150, present, 6)
        links = (problem.acts > 0.0).sum()
        # forward twice, backward once, two sums a link; two mixes and a sum a row
        work = 2.0**present * (4.0 * links + 5.0 * 150)
        _, cpu, _ = best_of(5, lambda p=problem: cover(p))
        sweeps = max(1, int(2e8 / 2**present))
        _, bare, _ = best_of(5, lambda n=present, s=sweeps: compiled().bare_loop(2**n, s))
        ours, theirs = work / cpu / 1e9, 2.0**present * sweeps / bare / 1e9
        print(f"| {present} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.0%} |")


if __name__ == "__main__":
    main()
