"""Expansions that carry more and more sets of risk factors, until two of them hardly differ.

What an expansion leaves out is in proportion to the least product of deviations that it carries. A
finer one is the truth as a coarser one sees it: their difference is the error of the coarser, and
in that proportion, with caution, tells that of the finer one. Where couplings are strong that need
not be so: draws, which know nothing of it, must not contradict.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.beliefs.beliefs import FLOOR, LEADING, Accuracy, relative_error
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.inference.coupled.difference import apart, by_score
from hickam.inference.coupled.mixture import Expansion, Mixture
from hickam.inference.coupled.weighed import Weighed
from hickam.inference.problem import Solution
from hickam.model.network import Floats, Ints

# Least product of deviations of the first expansion, over the tolerance, at most, and what may be
# made of it to save operations; of the second over the first. Of others, over what would do if
# errors were in proportion (they shrink faster), and at most over the one before.
FIRST, COARSE, COARSEST, LEAP = 8.0, 0.05, 0.3, 0.1
STEP, LITTLE = 2.0, 0.4
ROOM = 0.6  # of the tolerance, that an expansion may take before draws add what confirms it
BEGIN = 0.15  # of the operations, what may go into the first
# Error of a finer expansion over its difference from a coarser one: so many times the proportion of
# what they carry, but not less than that; and how many more sets tell a difference at all.
CAUTION, NEVER_LESS, MORE = 2.0, 0.125, 1.2
# What is stated of a score, beside its own difference: a share of the largest among those that lead
# as much or more; so many times the least product that is carried, for those that lead and are
# likely, for others, and for diseases that explain nothing; and so many times what a risk factor
# deviates that is in no set.
ALIKE, LEAD, OTHERS, SILENT, UNSAID = 0.5, 0.2, 10.0, 8.0, 10.0
# Scores that draws tell well are those that lead and posteriors above this. Draws may contradict
# what is stated by so many standard errors; two are added, a part of all that the draws state, and
# what they find beyond one standard error.
LIKELY, CHANCE, TWO, PART, DRAWN = 0.05, 5.0, 2.0, 0.02, 1.5
MET = 8.0  # draws that have met a disease, to say something of it at all
WHOLE = 0.2  # of what draws state of the evidence and of what is unexplained
CONTRADICTED = 3.0  # standard errors by which they differ from a listener that may be wrong


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """The finest expansion, and the one before."""

    expansion: Expansion
    before: Expansion | None  # that carried fewer sets; None: there was time for one only
    operations: float  # of all of them

    def bound(self) -> Floats | None:
        """[row, 3] the errors relative to max(score, floor); None where nothing tells."""
        fine, coarse = self.expansion, self.before
        if coarse is None or fine.turned < MORE * coarse.turned:
            return None
        gap = apart(coarse.tables, fine.tables)
        order = np.argsort(-fine.tables.disabled.sum(axis=1), kind="stable")
        worst = np.maximum.accumulate(gap[order].max(axis=1))
        worst[:LEADING] = worst[:LEADING].max(initial=0.0)
        rare = LIKELY / np.maximum(fine.tables.posterior[order], FLOOR)
        share = np.clip(LEAD * rare, LEAD, OTHERS)
        share[LEADING:] = OTHERS
        share[~fine.tables.sustained[order].any(axis=1)] = SILENT
        alike = np.empty(len(order))
        alike[order] = np.maximum(self._part * ALIKE * worst, share * fine.least)
        return np.asarray(self._part * gap + alike[:, None] + self._beside)

    def leading_bound(self) -> float:
        """The largest error of the leading diseases; infinite where nothing tells."""
        bound = self.bound()
        return np.inf if bound is None else float(bound[self._leading()].max(initial=0.0))

    def confirmed(self, drawn: Weighed) -> Solution | None:
        """The finest expansion as a solution, unless draws contradict its errors."""
        bound = self.bound()
        if self.before is None or bound is None or drawn.accuracy.stated_errors is None:
            return None
        tables, others, other = self.expansion.tables, self.before.tables, drawn.tables
        scores = np.maximum(np.abs(by_score(tables)), FLOOR)
        off = np.abs(by_score(other) - by_score(tables)) / scores
        told = tables.posterior >= LIKELY
        told[self._leading()] = True
        chance, all_of_it = drawn.chance / scores, drawn.accuracy.stated_errors / scores
        known = drawn.missed / scores
        if (off > bound + CHANCE * chance)[told].any():
            return None
        told |= drawn.met >= MET
        more = TWO * chance + PART * all_of_it + DRAWN * np.maximum(off - chance, 0.0)
        bound[told] += more[told]
        bound += known
        # what draws say of listeners is rough, but may be enough to contradict
        silent = ~tables.sustained.any(axis=1)
        bound[silent] += DRAWN * np.maximum(off - CONTRADICTED * chance, 0.0)[silent]
        beside = ALIKE * float(bound[self._leading()].max(initial=0.0)) + self._beside

        def stated(one: float, two: float, drawn: float | None) -> float:
            assert drawn is not None
            return self._part * (1.0 + ALIKE) * one + DRAWN * two + WHOLE * drawn + beside

        accuracy = Accuracy(
            "estimated",
            relative_error(bound * scores, (1.0 - bound) * scores),
            notes=(f"deviations of risk factors carried down to {self.expansion.least:.1g}",),
            stated_errors=bound * scores,
            unexplained=stated(
                float(np.abs(others.unexplained - tables.unexplained).max(initial=0.0)),
                float(np.abs(other.unexplained - tables.unexplained).max(initial=0.0)),
                drawn.accuracy.unexplained,
            ),
            log_evidence=stated(
                abs(others.log_evidence - tables.log_evidence),
                abs(other.log_evidence - tables.log_evidence),
                drawn.accuracy.log_evidence,
            ),
        )
        return Solution(tables, "mixture", accuracy)

    @property
    def _part(self) -> float:
        assert self.before is not None
        part = CAUTION * self.expansion.least / self.before.least
        return min(max(part, NEVER_LESS), 1.0)

    @property
    def _beside(self) -> float:
        return self.expansion.rounding + UNSAID * self.expansion.unsaid

    def _leading(self) -> Ints:
        disablement = self.expansion.tables.disabled.sum(axis=1)
        return np.argsort(-disablement, kind="stable")[:LEADING]


def climb(
    mixture: Mixture, operations: float, limits: Limits, deadline: Deadline = NEVER
) -> Climbed | None:
    """Expansions for so many operations, until the leading scores are known to the tolerance."""
    goal = min(limits.tolerance, 1.0)
    memory, level, step = limits.memory, min(FIRST * goal, COARSE), LEAP
    found = mixture.expand(BEGIN * operations, level, COARSEST, memory, deadline.seconds)
    if found is None:
        return None
    climbed = Climbed(found, None, found.operations)
    while not climbed.expansion.exact and not deadline.over:
        coarse = climbed.expansion
        rest = operations - climbed.operations
        least = step * coarse.least
        fine = mixture.expand(rest, least, 0.5 * coarse.least, memory, deadline.seconds)
        if fine is None:
            break
        more = climbed.before is None or fine.turned >= MORE * coarse.turned
        before = coarse if more else climbed.before
        climbed = Climbed(fine, before, climbed.operations + fine.operations)
        bound = climbed.leading_bound()
        if bound <= ROOM * goal:
            break
        step = min(max(STEP * ROOM * goal / bound, LEAP), LITTLE)
    return climbed


def leading_error(solution: Solution) -> float:
    """The stated error of the leading diseases, or of all where theirs is not told."""
    tables, _, accuracy = solution
    told = accuracy.of_leading(tables.posterior, tables.disabled, tables.sustained)
    return accuracy.error if told.leading is None else told.leading
