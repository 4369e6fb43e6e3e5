"""Many patients on `clinic`, and the value of every unasked finding.

python benchmarks/many.py [--patients 400]
"""

from __future__ import annotations

import argparse

import numpy as np
from instances import best_of

import hickam
from hickam.kernels import describe


def patients(network, count: int, settled: bool) -> list[hickam.Case]:
    """Patients with four findings of one disease each; their risk factors known or not."""
    draw = np.random.default_rng(0)
    cases = []
    while len(cases) < count:
        caused = network.effects.effect[
            network.effects.of_cause(draw.integers(len(network.diseases)))
        ]
        if len(caused) < 4:
            continue
        risks = dict.fromkeys(network.risk_factors, False) if settled else {}
        chosen = draw.choice(caused, 4, replace=False)
        cases.append(hickam.Case(present=[network.findings[s] for s in chosen], risks=risks))
    return cases


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--patients", type=int, default=400)
    count = parser.parse_args().patients
    network = hickam.load("clinic")
    print(f"kernels: {describe()}; {network}\n")
    print("| risk factors | workers | ms per patient | processor ms | largest stated error |")
    print("|---|---|---|---|---|")
    for settled in (True, False):
        cases = patients(network, count, settled)
        for workers in (1, 2):
            wall, cpu, found = best_of(
                3, lambda c=cases, w=workers: list(hickam.infer_many(network, c, workers=w))
            )
            error = max(beliefs.accuracy.error for beliefs in found)
            known = "known" if settled else "unobserved"
            print(
                f"| {known} | {workers} | {wall / count * 1e3:.2f} | {cpu / count * 1e3:.2f} "
                f"| {error:.0e} |"
            )


if __name__ == "__main__":
    main()
