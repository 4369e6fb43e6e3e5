"""Instances and clocks that benchmarks share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hickam.model.network import Network
from planted import planted_problem

__all__ = ["best_of", "complaints", "planted_problem", "relevant_diseases"]


def relevant_diseases(rows: int, present: int, links: int, seed: int = 0, **chances: Any) -> Any:
    """A problem of so many diseases, each causing about so many of the present findings."""
    spread = (max(1, links - 2), min(present, links + 2))
    return planted_problem(seed, rows, present, present, links=spread, **chances)


def complaints(network: Network, rng: np.random.Generator, count: int) -> list[str]:
    """So many findings that a few diseases, drawn at random, happen to cause."""
    found: list[int] = []
    while len(found) < count:
        links = network.effects.of_cause(int(rng.integers(len(network.diseases))))
        acts, effects = network.effects.acts[links], network.effects.effect[links]
        found += [int(s) for s in effects[rng.random(len(acts)) < acts] if s not in found]
    return [network.findings[s] for s in found[:count]]


def best_of(times: int, work: Callable[[], Any]) -> tuple[float, float, Any]:
    """The least wall-clock and processor seconds of several runs, and the last answer."""
    wall, cpu, answer = np.inf, np.inf, None
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        answer = work()
        wall = min(wall, time.perf_counter() - began)
        cpu = min(cpu, time.process_time() - worked)
    return float(wall), float(cpu), answer
