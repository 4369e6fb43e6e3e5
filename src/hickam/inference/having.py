"""The worlds that have given diseases, as a smaller problem of their own.

A disease that is on for certain has nothing left to say but what made it so, and its links are as
good as leaks. Diseases that no evidence reaches only listen: nobody asks for them here. Both leave
risk factors to act on fewer diseases, so that much of what couples diseases is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hickam.inference.coupled.strongest import averaged
from hickam.inference.problem import Problem, with_edges, with_rows
from hickam.inference.reduce import settle_loose


def having(problem: Problem, rows: Sequence[int]) -> Problem:
    """The problem among the worlds that have the diseases of these rows, their links as leaks.

    Its evidence is that of the problem, and these diseases. Left out are the rows that only listen
    and, of the given ones, those that depend on one risk factor at most.
    """
    among = with_rows(_certain(problem, rows), problem.reached)
    given = np.flatnonzero(np.isin(among.rows, problem.rows[list(rows)]))
    while True:
        touched = np.bincount(among.edge_risk, minlength=len(among.risks))
        among = averaged(among, touched[among.edge_risk] > 1)
        heard = np.bincount(among.edge_row, minlength=len(among.rows))[given]
        if not (heard == 1).any():
            return settle_loose(_tidy(among))
        among = _told(among, int(given[heard == 1][0]))


def _certain(problem: Problem, rows: Sequence[int]) -> Problem:
    """The problem with the diseases of these rows on, and their links as leaks."""
    acts, fails = problem.acts.copy(), problem.fails.copy()
    leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
    weight_off = problem.weight_off.copy()
    for row in rows:
        leak, leak_fails = leak + leak_fails * acts[row], leak_fails * fails[row]
        acts[row], fails[row], weight_off[row] = 0.0, 1.0, 0.0
    return replace(
        problem,
        acts=acts,
        fails=fails,
        leak=leak,
        leak_fails=leak_fails,
        weight_off=weight_off,
        single_fault=None,
    )


def _told(problem: Problem, row: int) -> Problem:
    """The problem after a disease that is on has told of the one risk factor that acts on it."""
    (edge,) = np.flatnonzero(problem.edge_row == row)
    risk, acts = problem.edge_risk[edge], problem.edge_acts[edge]
    prior, on, off = problem.risk_prior.copy(), problem.on.copy(), problem.off.copy()
    with_it = prior[risk] * (on[row] + off[row] * acts)
    on[row] = with_it + (1.0 - prior[risk]) * on[row]
    off[row] *= 1.0 - prior[risk] * acts
    if on[row] > 0.0:
        prior[risk] = with_it / on[row]
    others = np.arange(len(problem.edge_row)) != edge
    return replace(with_edges(problem, others), risk_prior=prior, on=on, off=off)


def _tidy(problem: Problem) -> Problem:
    """The problem without risk factors that act on nothing any more."""
    used = np.bincount(problem.edge_risk, minlength=len(problem.risks)) > 0
    return replace(
        problem,
        risks=problem.risks[used],
        risk_prior=problem.risk_prior[used],
        edge_risk=(np.cumsum(used) - 1)[problem.edge_risk],
    )
