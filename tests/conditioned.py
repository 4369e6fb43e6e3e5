"""Exact answers for coupled problems by settling every risk factor in every way."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from hickam.inference.problem import Problem, Tables, impossible
from hickam.inference.settled.cover import cover


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
