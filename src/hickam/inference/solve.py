"""Problem → tables: the choice of the engine."""

from __future__ import annotations

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.inference.coupled.choice import coupled
from hickam.inference.reduce import Problem, Tables
from hickam.inference.settled.choice import settled


def solve(problem: Problem, limits: Limits) -> tuple[Tables, str, Accuracy]:
    """The tables of a problem, the engine that gave them, and how accurate they are.

    Impossible evidence comes back with log_evidence -inf; the caller knows what to say about it.
    """
    if problem.settled:
        return settled(problem, limits)
    return coupled(problem, limits)
