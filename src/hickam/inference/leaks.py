"""What the leaks produce, and what only they explain: start and end of a sweep over sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hickam.inference.problem import Problem
from hickam.model.network import Floats


def leaked(problem: Problem) -> Floats:
    """[T] P(the leaks produce exactly T)."""
    table = np.ones(1)
    for s in range(len(problem.leak)):
        table = np.concatenate([table * problem.leak_fails[s], table * problem.leak[s]])
    return table


def only_leaked(
    problem: Problem,
    last: Floats,
    log_evidence: float,
    sweep: Callable[[Problem], tuple[Floats, float]],
) -> Floats:
    """[present] P(no disease causes the finding | evidence): only its leak does.

    (leak / leak_fails) P(the finding off, all others on) / P(evidence). A certain leak is taken
    away first, because with it the finding can never be off; `sweep` gives the last table of such
    a problem and the log of its scale.
    """
    full = len(last) - 1
    share = np.zeros(len(problem.leak))
    for s in range(len(share)):
        if problem.leak_fails[s] > 0.0:
            share[s] = problem.leak[s] / problem.leak_fails[s] * last[full ^ (1 << s)] / last[full]
            continue
        leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
        leak[s], leak_fails[s] = 0.0, 1.0
        table, log_scale = sweep(replace(problem, leak=leak, leak_fails=leak_fails))
        share[s] = table[full ^ (1 << s)] * np.exp(log_scale - log_evidence)
    return share
