"""Problem → tables: the choice of the engine."""

from __future__ import annotations

from hickam.inference.base import Accuracy
from hickam.inference.coupled import coupled
from hickam.inference.options import Limits
from hickam.inference.reduce import Problem, Tables
from hickam.inference.sampling import sampled
from hickam.inference.settled import settled

# Subsets of the present findings times rows and edges that the coupled engines can go through.
COUPLED_WORK = 2e9


def solve(problem: Problem, limits: Limits) -> tuple[Tables, str, Accuracy]:
    """The tables of a problem, the engine that gave them, and how accurate they are.

    Impossible evidence comes back with log_evidence -inf; the caller knows what to say about it.
    """
    if problem.settled:
        return settled(problem, limits)
    if 2.0 ** len(problem.leak) * (len(problem.rows) + len(problem.edge_row)) > COUPLED_WORK:
        tables, accuracy = sampled(problem, limits)
        return tables, "sampling", accuracy
    return coupled(problem, limits)
