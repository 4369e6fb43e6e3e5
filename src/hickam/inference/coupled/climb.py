"""Expansions that carry more and more sets of risk factors, until two of them hardly differ.

What an expansion leaves out is in proportion to the least product of deviations that it carries. A
finer one is the truth as a coarser one sees it: their difference is the error of the coarser, and
in that proportion, with caution, tells that of the finer one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.beliefs.beliefs import FLOOR, LEADING, WIDTH, Accuracy
from hickam.beliefs.options import Limits
from hickam.inference.coupled.difference import apart, by_score
from hickam.inference.coupled.mixture import Expansion, Mixture
from hickam.inference.problem import Solution, Tables
from hickam.model.network import Floats

# Least product of deviations of the first expansion, over the tolerance, at most, and what may be
# made of it to save operations; of the second over the first, and of others over the one before.
FIRST, COARSE, COARSEST, LEAP, STEP = 40.0, 0.05, 0.3, 1.0 / 16.0, 0.25
BEGIN = 0.15  # of the operations, what may go into the first
# Error of a finer expansion over its difference from a coarser one: so many times the proportion of
# what they carry, but not less than that.
CAUTION, NEVER_LESS = 4.0, 0.25
# What is stated of a score, beside its own difference: a share of the largest among those that lead
# at least as much, and so many times what a risk factor deviates that is in no set.
ALIKE, UNSAID = 0.5, 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """The finest expansion, and the one before."""

    expansion: Expansion
    before: Expansion | None  # None: there was time for one only
    operations: float  # of all of them

    def accuracy(self) -> Accuracy | None:
        """What the finest expansion is worth; None where nothing tells."""
        if self.before is None:
            return None
        fine, coarse = self.expansion, self.before
        tables, others = fine.tables, coarse.tables
        part = min(max(CAUTION * fine.least / coarse.least, NEVER_LESS), 1.0)
        bound = part * _bound(others, tables)
        beside = fine.rounding + UNSAID * fine.unsaid
        unexplained = np.abs(others.unexplained - tables.unexplained).max(initial=0.0)
        log_apart = abs(others.log_evidence - tables.log_evidence)
        scores = np.maximum(np.abs(by_score(tables)), FLOOR)
        note = f"deviations of risk factors carried down to {fine.least:.1g}"
        return Accuracy(
            "estimated",
            float(bound.max(initial=0.0)) + beside,
            notes=(note,),
            standard_errors=(bound + beside) * scores / WIDTH,
            unexplained=part * (1.0 + ALIKE) * float(unexplained) + beside,
            log_evidence=part * (1.0 + ALIKE) * log_apart + beside,
        )


def climb(
    mixture: Mixture, operations: float, limits: Limits, seconds: float = 0.0
) -> Climbed | None:
    """Expansions for so many operations, until the leading scores are known to the tolerance."""
    goal = min(limits.tolerance, 1.0)
    memory, level, step = limits.memory, min(FIRST * goal, COARSE), LEAP
    found = mixture.expand(BEGIN * operations, level, COARSEST, memory, seconds)
    if found is None:
        return None
    climbed = Climbed(found, None, found.operations)
    while not climbed.expansion.exact:
        coarse = climbed.expansion
        rest = operations - climbed.operations
        fine = mixture.expand(rest, step * coarse.least, 0.5 * coarse.least, memory, seconds)
        if fine is None:
            break
        climbed = Climbed(fine, coarse, climbed.operations + fine.operations)
        step = STEP
        told = climbed.accuracy()
        assert told is not None
        if leading_error(Solution(fine.tables, "mixture", told)) <= goal:
            break
    return climbed


def leading_error(solution: Solution) -> float:
    """The stated error of the leading diseases, or of all where theirs is not told."""
    tables, _, accuracy = solution
    told = accuracy.of_leading(tables.posterior, tables.disabled, tables.sustained)
    return accuracy.error if told.leading is None else told.leading


def _bound(before: Tables, tables: Tables) -> Floats:
    """[row, 3] the stated errors, relative to max(score, floor)."""
    gap = apart(before, tables)
    order = np.argsort(-tables.disabled.sum(axis=1), kind="stable")
    largest = np.maximum.accumulate(gap[order].max(axis=1))
    largest[:LEADING] = largest[:LEADING].max(initial=0.0)
    worst = np.empty(len(order))
    worst[order] = largest
    return gap + ALIKE * worst[:, None]
