"""Between what the scores of a disease lie, whatever the other diseases and risk factors are.

Given those, the chance of a disease and its scores have a closed form. They are highest with every
risk factor on and no other disease, lowest with no risk factor on and every other disease. A score
is an average over all of that, and so in between: a law, of which no sample need know.
"""

from __future__ import annotations

import numpy as np

from hickam.inference.problem import Problem, log_fails
from hickam.model.network import Floats

TINY, HIGHEST = 1e-300, 600.0  # a chance that may be divided by, a logarithm that may be raised


def extremes(problem: Problem) -> tuple[Floats, Floats]:
    """[row, 3] the least and the most that posterior, disablement and sufficiency can be."""
    log_off = log_fails(problem.on, problem.off)
    pushed = log_off.copy()
    np.add.at(pushed, problem.edge_row, log_fails(problem.edge_acts, problem.edge_fails))
    silent = problem.leak_fails * _others(problem.fails)
    heard = problem.leak + problem.leak_fails * (1.0 - _others(problem.fails))
    return (
        _scores(problem, log_off, heard, silent),
        _scores(problem, pushed, problem.leak, problem.leak_fails),
    )


def caused(problem: Problem) -> Floats:
    """[row] the share of its highest chance that a disease has by unlikely risk factors only."""
    log_off = log_fails(problem.on, problem.off)
    usual = problem.risk_prior[problem.edge_risk] * problem.edge_acts
    np.add.at(log_off, problem.edge_row, log_fails(usual, 1.0 - usual))
    alone = _scores(problem, log_off, problem.leak, problem.leak_fails)[:, 0]
    highest = extremes(problem)[1][:, 0]
    return 1.0 - np.divide(alone, highest, out=np.ones_like(alone), where=highest > 0.0)


def _scores(problem: Problem, log_off: Floats, heard: Floats, silent: Floats) -> Floats:
    """[row, 3] the scores of each disease, given what the others do.

    `heard` is the chance that they cause a finding, `silent` that they do not.
    """
    gain = np.log1p(problem.acts * silent / np.maximum(heard, TINY)).sum(axis=1)
    up = problem.weight_on * -np.expm1(log_off) * np.exp(np.minimum(gain, HIGHEST))
    down = problem.weight_off * np.exp(log_off)
    chance = np.divide(up, up + down, out=np.ones_like(up), where=up + down > 0.0)
    present = heard + silent * problem.acts
    sustained = np.divide(
        problem.acts, present, out=np.zeros_like(problem.acts), where=present > 0.0
    )
    scores = np.ones_like(chance), (sustained * silent).sum(axis=1), sustained.sum(axis=1)
    return np.asarray(chance[:, None] * np.stack(scores, axis=1))


def _others(fails: Floats) -> Floats:
    """[row, present] the product over all other rows."""
    ones = np.ones((1, fails.shape[1]))
    before = np.cumprod(np.concatenate([ones, fails[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, fails[:0:-1]]), axis=0)[::-1]
    return np.asarray(before * after)
