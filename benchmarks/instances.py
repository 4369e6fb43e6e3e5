"""Instances and clocks that the benchmarks of the settled engines share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from planted import planted_problem

__all__ = ["best_of", "planted_problem", "relevant_diseases"]


def relevant_diseases(rows: int, present: int, links: int, seed: int = 0, **chances: Any) -> Any:
    """A problem of so many diseases, each causing about so many of the present findings."""
    spread = (max(1, links - 2), min(present, links + 2))
    return planted_problem(seed, rows, present, present, links=spread, **chances)


def best_of(times: int, work: Callable[[], Any]) -> tuple[float, float, Any]:
    """The least wall-clock and processor seconds of several runs, and the last answer."""
    wall, cpu, answer = np.inf, np.inf, None
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        answer = work()
        wall = min(wall, time.perf_counter() - began)
        cpu = min(cpu, time.process_time() - worked)
    return float(wall), float(cpu), answer
