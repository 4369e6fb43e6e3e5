"""Large networks: 8,000 diseases and 60 findings, with 20, 22 and 40 present.

python benchmarks/large.py
"""

from __future__ import annotations

import resource

import numpy as np
from instances import best_of, planted_problem

from hickam.beliefs.options import Limits
from hickam.inference.sampling.sampled import sampled
from hickam.inference.settled.choice import settled
from hickam.kernels import describe


def main() -> None:
    print(f"kernels: {describe()}\n")
    print("| present | instance | engine | seconds | processor | peak MB | accuracy |")
    print("|---|---|---|---|---|---|---|")
    for present in (20, 22):
        for seed in range(3):
            problem = planted_problem(seed, present=present)
            wall, cpu, (_, engine, accuracy) = best_of(1, lambda p=problem: settled(p, Limits()))
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            print(
                f"| {present} | {seed} | {engine} | {wall:.2g} | {cpu:.2g} | {peak:.0f} "
                f"| {accuracy.error:.0e}, condition {accuracy.condition:.0e} |"
            )
    print("\nSampling held to the exact answer (20 present), top ten posteriors:")
    print("| instance | seconds | processor | largest error | stated errors | beyond them |")
    print("|---|---|---|---|---|---|")
    for seed in range(4):
        problem = planted_problem(seed, present=20)
        truth, _, _ = settled(problem, Limits())
        compare(problem, truth.posterior, None, seed)
    print("\nForty present, held to a run eight times as long:")
    print("| instance | seconds | processor | largest error | stated errors | beyond them |")
    print("|---|---|---|---|---|---|")
    for seed in range(2):
        problem = planted_problem(seed, present=40)
        long, accuracy = sampled(problem, Limits(seed=99), steps=800_000)
        compare(problem, long.posterior, accuracy.stated_errors[:, 0], seed)


def compare(problem, truth, doubt, seed) -> None:
    """One row: a sampled answer against the truth on the ten likeliest diseases."""
    wall, cpu, (tables, accuracy) = best_of(1, lambda: sampled(problem, Limits(seed=seed)))
    top = np.argsort(-truth)[:10]
    error = np.abs(tables.posterior - truth)[top]
    bound = accuracy.stated_errors[top, 0] + (0.0 if doubt is None else doubt[top])
    relative, stated = (error / truth[top]).max(), (bound / truth[top]).max()
    outside = int((error > bound).sum())
    print(f"| {seed} | {wall:.2g} | {cpu:.2g} | {relative:.1%} | {stated:.1%} | {outside} of 10 |")


if __name__ == "__main__":
    main()
