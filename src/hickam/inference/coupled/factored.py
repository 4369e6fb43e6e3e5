"""The frontier with more and more risk factors in its state, until the answer no longer changes."""

from __future__ import annotations

from collections.abc import Iterator

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.difference import breach, difference
from hickam.inference.coupled.strongest import importance
from hickam.inference.frontier.visit import SECONDS, frontier
from hickam.inference.problem import Problem, Solution, Tables

STRIDE = 2  # risk factors more at each turn
MOST_JOINT = 16
CAUTION = 8.0  # stated error over the last change
EARLIER = 0.3  # how much the change before that counts


def refine(
    problem: Problem, seconds: float, limits: Limits, deadline: Deadline
) -> Iterator[Solution]:
    """Better and better solutions, each predicted to take at most so many seconds.

    The first two turns have no error to state yet and are not given.
    """
    tables: Tables | None = None
    weights = None
    changes: list[float] = []
    for joint in range(0, MOST_JOINT + 1, STRIDE):
        left = deadline.left
        allowed = seconds if left is None else min(seconds, 0.7 * left)
        try:
            found = frontier(
                problem,
                joint=joint,
                importance=weights,
                operations=allowed / SECONDS,
                memory=limits.memory,
                seconds=deadline.seconds,
            )
        except TimeoutError:
            return
        if found.tables is None:
            return
        if found.exact:
            yield Solution(found.tables, "frontier", Accuracy("exact", found.rounding))
            return
        if tables is None:
            weights = importance(problem, found.tables.posterior)
        else:
            changes.append(difference(tables, found.tables))
        tables = found.tables
        if len(changes) > 1:
            stated = CAUTION * max(changes[-1], EARLIER * changes[-2]) + 2.0 * breach(tables)
            note = f"at most {joint} of the open risk factors considered together"
            yield Solution(tables, "frontier", Accuracy("estimated", stated, notes=(note,)))
