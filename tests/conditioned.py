"""Exact answers for coupled problems, and exact questions about cures, the slow and obvious way."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from hickam.inference.problem import Problem, Tables, impossible, log_fails
from hickam.inference.settled.cover import cover
from hickam.model.network import Ints


def condition_on_risks(problem: Problem) -> Tables:
    """The mean of COVER's tables over all settings, weighted by their probability."""
    parts, logs = [], []
    for states in product((False, True), repeat=len(problem.risks)):
        on = np.array(states, dtype=bool)
        prior = np.where(on, problem.risk_prior, 1.0 - problem.risk_prior).prod()
        if not prior > 0.0:
            continue
        tables = cover(settled(problem, on)).tables
        if tables.log_evidence > -np.inf:
            parts.append(tables)
            logs.append(np.log(prior) + tables.log_evidence)
    if not parts:
        return impossible(problem)
    peak = max(logs)
    weights = np.exp(np.array(logs) - peak)
    share = weights / weights.sum()

    def mean(name):
        return np.einsum("i,i...->...", share, np.array([getattr(part, name) for part in parts]))

    names = ("posterior", "disabled", "sustained", "unexplained")
    return Tables(peak + float(np.log(weights.sum())), *(mean(name) for name in names))


def settled(problem: Problem, on: np.ndarray) -> Problem:
    """The problem with every risk factor observed to be on or off."""
    stay_on, stay_off = problem.on.copy(), problem.off.copy()
    for edge in np.flatnonzero(on[problem.edge_risk]):
        row = problem.edge_row[edge]
        stay_on[row] += stay_off[row] * problem.edge_acts[edge]
        stay_off[row] *= problem.edge_fails[edge]
    none = np.zeros(0, dtype=np.int64)
    return replace(
        problem,
        on=stay_on,
        off=stay_off,
        risks=none,
        risk_prior=np.zeros(0),
        edge_risk=none,
        edge_row=none,
        edge_acts=np.zeros(0),
        edge_fails=np.zeros(0),
    )


def only_caused_by(problem: Problem, rows: Ints, column: int) -> Problem | None:
    """The problem whose evidence is: as before, and every active cause of one finding is in a set.

    The mechanisms of all other causes must fail: each other disease k pays λ_ks when on, the leak
    pays its own λ_s, and the finding must be produced by the set alone. Positive throughout. None
    if that is impossible.
    """
    inside = np.zeros(len(problem.rows), dtype=bool)
    inside[rows] = True
    if problem.leak_fails[column] == 0.0 or not np.any(problem.acts[inside, column] > 0.0):
        return None
    acts, fails = problem.acts.copy(), problem.fails.copy()
    outside = ~inside
    weight_on = np.where(outside, problem.weight_on * fails[:, column], problem.weight_on)
    acts[outside, column], fails[outside, column] = 0.0, 1.0
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    paid = float(log_fails(leak[column : column + 1], leak_fails[column : column + 1])[0])
    leak[column], leak_fails[column] = 0.0, 1.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        weight_on=weight_on,
        log_scale=problem.log_scale + paid,
    )
