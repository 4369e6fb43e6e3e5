"""What it costs to ask what cures would remove, against one inference, on `clinic`.

    python benchmarks/cures.py [--patients 5]

For 6, 10, 14 and 18 present findings, risk factors unobserved or known: one inference; curing the
leading disease, the two and the three leading ones, each asked of a case that is already solved and
of which nothing else was asked; the three again where the two were asked before; and the whole
search, inference included, for the smallest set that removes half of the findings.
Processor milliseconds and their ratio to one inference, the largest of each over all patients. The
errors are stated, and true where the exact frontier can say: of the sets of two and three, and of
what the search says about the set that it found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from instances import complaints

import hickam
from hickam.advise.smallest_cure import Cure, cure_of, find_smallest
from hickam.beliefs.beliefs import FLOOR
from hickam.beliefs.deadline import NEVER
from hickam.beliefs.options import Limits
from hickam.evidence.locate import locate
from hickam.inference.cures import NetworkCures
from hickam.inference.frontier.visit import exactly
from hickam.inference.problem import Problem
from hickam.kernels import describe

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from conditioned import only_caused_by

T = TypeVar("T")
PATIENCE = 3.0  # predicted seconds of one exact probability of evidence


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--patients", type=int, default=5)
    patients = parser.parse_args().patients
    network = hickam.load("clinic")
    known = dict.fromkeys(network.risk_factors, False)
    print(f"kernels: {describe()}; {patients} patients a line, the largest of each")
    print("| present | risk factors | inference ms | one × | two × | three × | after two × | "
          "smallest ms | × | sets stated | true | smallest stated | true |")  # fmt: skip
    print("|" + "---|" * 13)
    for count in (6, 10, 14, 18):
        drawn = [complaints(network, np.random.default_rng(s), count) for s in range(patients)]
        for what, risks in (("unobserved", {}), ("known", known)):
            cases = [hickam.Case(present=present, risks=risks) for present in drawn]
            rows = [asked(network, case) for case in cases]
            print(f"| {count} | {what} | {line(rows)} |", flush=True)


def asked(network: hickam.Network, case: hickam.Case) -> list[float]:
    """The columns of one patient."""
    evidence = locate(case, network)

    def ready() -> NetworkCures:
        return NetworkCures(network, evidence, Limits())

    once = min(timed(lambda: hickam.infer(network, case))[0] for _ in range(6))
    cures, fresh = ready(), ready()
    able = cures.able
    asked_of = ((cures, 1), (cures, 2), (fresh, 3), (cures, 3))
    spent, sets = zip(
        *[timed(lambda one=one, n=n: cure_of(one, able[:n])) for one, n in asked_of], strict=True
    )
    took, smallest = timed(lambda: find_smallest(ready(), 0.5 * len(case.present)))
    stated = max(one.accuracy.error for one in sets[1:])
    true = max(off(cures, one) for one in sets[1:])
    last = [np.nan] * 2 if smallest is None else [smallest.accuracy.error, off(cures, smallest)]
    return [once, *[one / once for one in spent], took, took / once, stated, true, *last]


def off(cures: NetworkCures, cure: Cure) -> float:
    """The true error of a cure in the unit in which it is stated; nan where nobody knows it."""
    exact = removed_exactly(cures.problem, cures._rows(cure.diseases))
    return np.nan if exact is None else abs(cure.expected - exact) / max(exact, FLOOR)


def removed_exactly(problem: Problem, rows: np.ndarray) -> float | None:
    """The expected number of findings whose active causes are all among the rows, if it is known:
    ratios of exact probabilities of evidence."""

    def log_chance(of: Problem) -> float | None:
        found = exactly(of, PATIENCE, Limits(), NEVER)
        return None if found is None else found.tables.log_evidence + of.log_scale

    whole, total = log_chance(problem), 0.0
    for column in np.flatnonzero(problem.acts[rows].any(axis=0)).tolist():
        only = only_caused_by(problem, rows, column)
        if only is None:
            continue
        part = log_chance(only)
        if whole is None or part is None:
            return None
        total += float(np.exp(part - whole))
    return total


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds of a call, and its result."""
    begun = time.process_time()
    result = call()
    return time.process_time() - begun, result


def line(rows: list[list[float]]) -> str:
    """The largest of each column."""
    rows = [row for row in rows if not np.isnan(row[9])]  # half of the findings can be removed
    once, one, two, three, after, took, times, *errors = [
        max((value for value in column if not np.isnan(value)), default=np.nan)
        for column in zip(*rows, strict=True)
    ]
    figures = [f"{1e3 * once:.1f}", f"{one:.2g}", f"{two:.2g}", f"{three:.2g}", f"{after:.2g}"]
    figures += [f"{1e3 * took:.0f}", f"{times:.2g}"]
    figures += ["–" if np.isnan(error) else f"{error:.0e}" for error in errors]
    return " | ".join(figures)


if __name__ == "__main__":
    main()
