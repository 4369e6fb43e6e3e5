"""Problem → tables: the choice of the engine."""

from __future__ import annotations

from hickam.inference.base import Accuracy
from hickam.inference.coupled import coupled
from hickam.inference.cover import cover
from hickam.inference.options import Limits
from hickam.inference.reduce import Problem, Tables


def solve(problem: Problem, limits: Limits) -> tuple[Tables, str, Accuracy]:
    """The tables of a problem, the engine that gave them, and how accurate they are.

    Impossible evidence comes back with log_evidence -inf; the caller knows what to say about it.
    """
    if problem.settled:
        return cover(problem), "cover", Accuracy("exact", 1e-12)
    return coupled(problem, limits)
