"""Problem → tables: the choice of the engine."""

from __future__ import annotations

from hickam.inference.base import Accuracy
from hickam.inference.coupled import coupled
from hickam.inference.options import Limits
from hickam.inference.reduce import Problem, Tables
from hickam.inference.settled import settled


def solve(problem: Problem, limits: Limits) -> tuple[Tables, str, Accuracy]:
    """The tables of a problem, the engine that gave them, and how accurate they are.

    Impossible evidence comes back with log_evidence -inf; the caller knows what to say about it.
    """
    if problem.settled:
        return settled(problem, limits)
    return coupled(problem, limits)
