"""What it costs to ask how far an answer can be trusted: sensitivity and robustness on `clinic`.

python benchmarks/trust.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import hickam

SIX = ("cough", "fever", "headache", "fatigue", "chest pain", "nausea")
PATIENCE = 600.0
T = TypeVar("T")


def main() -> None:
    """Print the tables."""
    network = hickam.load("clinic")
    known = dict.fromkeys(network.risk_factors, False) | {"smoker": True}
    cases = {
        "risk factors open": hickam.Case(present=SIX, age=40, sex="female"),
        "risk factors known": hickam.Case(present=SIX, age=40, sex="female", risks=known),
    }
    print("| six findings | engine | one inference | numbers | examined | sensitivity | "
          "robust, 100 draws |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for name, case in cases.items():
        hickam.infer(network, case)
        once, beliefs = timed(lambda case=case: hickam.infer(network, case))
        moved, found = timed(lambda case=case: hickam.sensitivity(network, case, deadline=PATIENCE))
        drawn, _ = timed(lambda case=case: hickam.robust(network, case, deadline=PATIENCE))
        print(
            f"| {name} | {beliefs.engine} | {1000 * once:.1f} ms | {found.numbers} | "
            f"{len(found.effects)} | {moved:.2f} s | {drawn:.2f} s |"
        )


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds of a call, and its result."""
    begun = time.process_time()
    result = call()
    return time.process_time() - begun, result


if __name__ == "__main__":
    main()
