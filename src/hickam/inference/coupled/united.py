"""Two solutions of one problem → one: of every disease what is better known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, relative_error
from hickam.inference.coupled.difference import by_score
from hickam.inference.problem import Solution, Tables
from hickam.model.network import Floats


def united(one: Solution, other: Solution) -> Solution:
    """The first solution, with each row from the second whose scores that knows better.

    A row is taken whole, so that its laws hold; what is not of a row from where it is better known.
    Diseases that explain nothing are left to the first: of these, draws know less than they state.
    The kind is that of the first.
    """
    errors, others = one.accuracy.stated_errors, other.accuracy.stated_errors
    if errors is None or others is None:
        return min(one, other, key=lambda solution: solution.accuracy.error)
    better = _worst(others, other.tables) < _worst(errors, one.tables)
    better &= one.tables.sustained.any(axis=1)
    if not better.any():
        return one
    tables = Tables(
        _nearer(one, other, "log_evidence").tables.log_evidence,
        np.where(better, other.tables.posterior, one.tables.posterior),
        np.where(better[:, None], other.tables.disabled, one.tables.disabled),
        np.where(better[:, None], other.tables.sustained, one.tables.sustained),
        _nearer(one, other, "unexplained").tables.unexplained,
    )
    bound = np.where(better[:, None], others, errors)
    accuracy = replace(
        one.accuracy,
        error=relative_error(bound, np.abs(by_score(tables)) - bound),
        notes=(*one.accuracy.notes, *other.accuracy.notes),
        stated_errors=bound,
        unexplained=_nearer(one, other, "unexplained").accuracy.unexplained,
        log_evidence=_nearer(one, other, "log_evidence").accuracy.log_evidence,
    )
    return Solution(tables, one.engine, accuracy)


def _worst(errors: Floats, tables: Tables) -> Floats:
    """[row] the largest error of a score, relative to it."""
    return np.asarray((errors / np.maximum(np.abs(by_score(tables)), FLOOR)).max(axis=1))


def _nearer(one: Solution, other: Solution, name: str) -> Solution:
    """The solution that states the smaller error of this."""

    def stated(solution: Solution) -> float:
        found = getattr(solution.accuracy, name)
        return solution.accuracy.error if found is None else float(found)

    return min(one, other, key=stated)
