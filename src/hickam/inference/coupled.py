"""The choice among the engines for diseases that unobserved risk factors couple."""

from __future__ import annotations

from hickam.inference.base import Accuracy
from hickam.inference.bethe import bethe
from hickam.inference.conditioning import condition_on_risks
from hickam.inference.elimination import eliminate
from hickam.inference.options import Limits
from hickam.inference.reduce import Problem, Tables

EXACT_CELLS = 2.0**16  # table cells over all subsets that are worth being exact
FEW_RISKS = 8


def coupled(problem: Problem, limits: Limits) -> tuple[Tables, str, Accuracy]:
    """The tables of a coupled problem, the engine that gave them, and how accurate they are."""
    subsets = 2.0 ** len(problem.leak)
    exact = eliminate(problem, EXACT_CELLS / subsets)
    if exact is not None and exact.rounding <= min(limits.tolerance, 1e-6):
        accuracy = Accuracy("exact", exact.rounding, exact.condition)
        return exact.tables, "elimination", accuracy
    if len(problem.risks) <= FEW_RISKS:
        return condition_on_risks(problem), "conditioning", Accuracy("exact", 1e-12)
    answer = bethe(problem)
    assert answer is not None
    error = 2.0 * answer.change + answer.rounding
    return answer.tables, "bethe", Accuracy("estimated", error, answer.condition)
