"""Exact with unobserved risk factors: settle them in every possible way and add up."""

from __future__ import annotations

import numpy as np

from hickam.inference.cover import cover
from hickam.inference.reduce import Problem, Tables, impossible, log_fails
from hickam.model.network import Floats


def condition_on_risks(problem: Problem) -> Tables:
    """The tables of a coupled problem as the evidence-weighted mean over all risk settings.

    Exact and positive; the cost is 2 ** (number of coupling risk factors) runs of COVER.
    """
    count = len(problem.risks)
    log_edge = log_fails(problem.edge_acts, problem.edge_fails)
    log_own_off = log_fails(problem.on, problem.off)
    parts, logs = [], []
    for setting in range(1 << count):
        states = np.array([(setting >> j) & 1 for j in range(count)], dtype=bool)
        prior = np.where(states, problem.risk_prior, 1.0 - problem.risk_prior).prod()
        if not prior > 0.0:
            continue
        lit = states[problem.edge_risk]
        log_off = log_own_off + np.bincount(problem.edge_row[lit], log_edge[lit], len(problem.rows))
        tables = cover(problem, -np.expm1(log_off), np.exp(log_off))
        if tables.log_evidence > -np.inf:
            parts.append(tables)
            logs.append(float(np.log(prior)) + tables.log_evidence)
    if not parts:
        return impossible(problem)
    peak = max(logs)
    weights = np.exp(np.array(logs) - peak)
    share = weights / weights.sum()

    def mean(name: str) -> Floats:
        return np.einsum("i,i...->...", share, np.array([getattr(part, name) for part in parts]))

    return Tables(
        peak + float(np.log(weights.sum())),
        *(mean(name) for name in ("posterior", "disabled", "sustained", "unexplained")),
    )
