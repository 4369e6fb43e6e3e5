"""Exact and free of cancellation: which present findings have been produced so far? (COVER)

The state of the recursion is the set T of present findings that the diseases visited so far, and
the leaks, have produced. Every term is non-negative, so float64 keeps its digits for any priors
and leaks. Valid when no unobserved risk factor couples the diseases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.inference.leaks import leaked, only_leaked
from hickam.inference.problem import Problem, Solution, Tables, impossible
from hickam.issues import LostPrecision
from hickam.kernels import compiled
from hickam.model.network import Floats

COVER_ACCURACY = Accuracy("exact", 1e-12)
# Up to so many present findings, and rows times sets of them, COVER needs no planning.
FEW_FINDINGS = 12
FEW_CELLS = 1 << 20


def cover(problem: Problem, deadline: Deadline = NEVER) -> Solution:
    """The exact solution of a problem whose coupling risk factors are settled.

    TimeoutError after the deadline.
    """
    stay_off = problem.weight_off * problem.off
    turn_on = problem.weight_on * problem.on
    kernels = compiled()
    if kernels is None:
        return Solution(_cover(problem, stay_off, turn_on), "cover", COVER_ACCURACY)
    found = kernels.cover(
        stay_off,
        turn_on,
        problem.acts,
        problem.fails,
        problem.leak,
        problem.leak_fails,
        deadline.seconds,
    )
    if found is None:
        raise TimeoutError("COVER did not finish before the deadline")
    tables = Tables(*found)
    if np.isnan(tables.log_evidence):
        raise LostPrecision("COVER underflowed")
    return Solution(tables, "cover", COVER_ACCURACY)


class _Sweep(NamedTuple):
    """The NumPy twin's view of a problem: what each disease does to the lattice."""

    stay_off: Floats  # [row]
    turn_on: Floats  # [row]
    acts: Floats  # [row, present]
    fails: Floats  # [row, present]
    reached: list[list[int]]  # [row]  the present findings it can cause

    def forward(self, k: int, table: Floats) -> tuple[Floats, float]:
        """The table after disease k, scaled to maximum 1, and the log of the scale."""
        produced = table.copy()
        for s in self.reached[k]:
            pair = produced.reshape(-1, 2, 1 << s)
            pair[:, 1] += self.acts[k, s] * pair[:, 0]
            pair[:, 0] *= self.fails[k, s]
        return _scaled(self.stay_off[k] * table + self.turn_on[k] * produced)

    def over(self, problem: Problem) -> tuple[Floats, float]:
        """The last table over a problem's own leaks, and the log of its scale."""
        table, log_table = leaked(problem), 0.0
        for k in range(len(self.reached)):
            table, log_scale = self.forward(k, table)
            log_table += log_scale
        return table, log_table

    def given_on(self, k: int, after: Floats, but: int = -1) -> Floats:
        """The completion table before disease k if it is on, one mechanism possibly left out."""
        table = after.copy()
        for s in self.reached[k]:
            if s != but:
                pair = table.reshape(-1, 2, 1 << s)
                pair[:, 0] = self.fails[k, s] * pair[:, 0] + self.acts[k, s] * pair[:, 1]
        return table


def _cover(problem: Problem, stay_off: Floats, turn_on: Floats) -> Tables:
    """The NumPy twin of the compiled kernel."""
    reached = [[int(s) for s in np.flatnonzero(row > 0.0)] for row in problem.acts]
    sweep = _Sweep(stay_off, turn_on, problem.acts, problem.fails, reached)
    count, findings = problem.acts.shape
    # forward: P(the leaks and the diseases before k produce exactly T), kept every stride diseases
    stride = max(1, int(np.sqrt(count)))
    table, log_table = leaked(problem), 0.0
    saved = []
    for k in range(count):
        if k % stride == 0:
            saved.append((table, log_table))
        table, log_scale = sweep.forward(k, table)
        log_table += log_scale
    full = len(table) - 1
    evidence = table[full]
    if not evidence > 0.0:
        return impossible(problem)
    log_evidence = float(np.log(evidence)) + log_table

    # backward: after[T] = P(the diseases from k on complete T to all present findings)
    after, log_after = np.zeros(full + 1), 0.0
    after[full] = 1.0
    posterior = np.zeros(count)
    disabled, sustained = np.zeros((count, findings)), np.zeros((count, findings))
    for block in reversed(range(len(saved))):
        first = block * stride
        before = [saved[block]]
        for k in range(first, min(first + stride, count) - 1):
            grown, log_scale = sweep.forward(k, before[-1][0])
            before.append((grown, before[-1][1] + log_scale))
        for k in reversed(range(first, first + len(before))):
            earlier, log_earlier = before[k - first]
            given_on = sweep.given_on(k, after)
            weight = turn_on[k] * np.exp(log_earlier + log_after - log_evidence)
            posterior[k] = weight * (earlier @ given_on)
            for s in reached[k]:
                f = earlier.reshape(-1, 2, 1 << s)
                y = sweep.given_on(k, after, but=s).reshape(-1, 2, 1 << s)
                joined = float((f[:, 0] * y[:, 1]).sum() + (f[:, 1] * y[:, 1]).sum())
                alone = float((f[:, 0] * (y[:, 1] - y[:, 0])).sum())
                sustained[k, s] = weight * problem.acts[k, s] * joined
                disabled[k, s] = weight * problem.acts[k, s] * alone
            after, log_scale = _scaled(stay_off[k] * after + turn_on[k] * given_on)
            log_after += log_scale
    unexplained = only_leaked(problem, table, log_evidence, sweep.over)
    return Tables(log_evidence, posterior, disabled, sustained, unexplained)


def _scaled(table: Floats) -> tuple[Floats, float]:
    """The table with maximum 1, and the log of what it was divided by."""
    peak = table.max()
    return (table / peak, float(np.log(peak))) if peak > 0.0 else (table, 0.0)
