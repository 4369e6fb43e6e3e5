"""Exact and free of cancellation: which present findings have been produced so far? (COVER)

The state of the recursion is the set T of present findings that the diseases visited so far, and
the leaks, have produced. Every term is non-negative, so float64 keeps its digits for any priors
and leaks. Valid when no unobserved risk factor couples the diseases.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.inference.reduce import Problem, Tables, impossible
from hickam.model.network import Floats


def cover(problem: Problem, on: Floats | None = None, off: Floats | None = None) -> Tables:
    """The tables of a problem whose coupling risk factors are settled.

    `on` and `off` replace the problem's own activation probabilities, for callers that settle the
    risk factors themselves.
    """
    on = problem.on if on is None else on
    off = problem.off if off is None else off
    stay_off = problem.weight_off * off
    turn_on = problem.weight_on * on
    reached = [[int(s) for s in np.flatnonzero(row > 0.0)] for row in problem.acts]

    # forward: before[k][T] = P(the leaks and the diseases before k produce exactly T)
    before, log_forward = _forward(problem, stay_off, turn_on, reached)
    if before is None:
        return impossible(problem)
    full = len(before[-1]) - 1
    evidence = before[-1][full]
    if not evidence > 0.0:
        return impossible(problem)

    # backward: after[T] = P(the diseases from k on complete T to all present findings)
    count, findings = problem.acts.shape
    after = np.zeros(full + 1)
    after[full] = 1.0
    posterior = np.zeros(count)
    disabled, sustained = np.zeros((count, findings)), np.zeros((count, findings))
    log_after = 0.0
    for k in reversed(range(count)):
        scale = np.exp(log_forward[k] + log_after - log_forward[count]) / evidence
        given_on = after.copy()
        for s in reached[k]:
            _undo(given_on, s, problem.acts[k, s], problem.fails[k, s])
        weight = turn_on[k] * scale
        posterior[k] = weight * (before[k] @ given_on)
        for s in reached[k]:
            f = before[k].reshape(-1, 2, 1 << s)
            others = after.copy()  # given_on without the mechanism k → s
            for other in reached[k]:
                if other != s:
                    _undo(others, other, problem.acts[k, other], problem.fails[k, other])
            y = others.reshape(-1, 2, 1 << s)
            joined = float((f[:, 0] * y[:, 1]).sum() + (f[:, 1] * y[:, 1]).sum())
            alone = float((f[:, 0] * (y[:, 1] - y[:, 0])).sum())
            sustained[k, s] = weight * problem.acts[k, s] * joined
            disabled[k, s] = weight * problem.acts[k, s] * alone
        after = stay_off[k] * after + turn_on[k] * given_on
        peak = after.max()
        after /= peak
        log_after += float(np.log(peak))
    log_evidence = float(np.log(evidence)) + log_forward[count]
    unexplained = _unexplained(problem, before[-1], stay_off, turn_on, log_evidence, reached)
    return Tables(log_evidence, posterior, disabled, sustained, unexplained)


def _unexplained(
    problem: Problem,
    last: Floats,
    stay_off: Floats,
    turn_on: Floats,
    log_evidence: float,
    reached: list[list[int]],
) -> Floats:
    """[present] P(no disease causes the finding | evidence): only its leak does.

    (leak / leak_fails) P(the finding off, all others on) / P(evidence); a certain leak is taken
    away first, because then the finding can never be off.
    """
    full = len(last) - 1
    share = np.zeros(len(problem.leak))
    for s in range(len(share)):
        if problem.leak_fails[s] > 0.0:
            share[s] = problem.leak[s] / problem.leak_fails[s] * last[full ^ (1 << s)] / last[full]
            continue
        leak, leak_fails = problem.leak.copy(), problem.leak_fails.copy()
        leak[s], leak_fails[s] = 0.0, 1.0
        without = replace(problem, leak=leak, leak_fails=leak_fails)
        before, logs = _forward(without, stay_off, turn_on, reached)
        if before is not None:
            share[s] = before[-1][full ^ (1 << s)] * np.exp(logs[-1] - log_evidence)
    return share


def _forward(
    problem: Problem, stay_off: Floats, turn_on: Floats, reached: list[list[int]]
) -> tuple[list[Floats] | None, list[float]]:
    """before[k] for k = 0..rows, each scaled to maximum 1, and the logs of the scales."""
    table = np.ones(1)
    for s in range(len(problem.leak)):
        table = np.concatenate([table * problem.leak_fails[s], table * problem.leak[s]])
    before, logs = [table], [0.0]
    for k, children in enumerate(reached):
        produced = table.copy()
        for s in children:
            pair = produced.reshape(-1, 2, 1 << s)
            pair[:, 1] += problem.acts[k, s] * pair[:, 0]
            pair[:, 0] *= problem.fails[k, s]
        table = stay_off[k] * table + turn_on[k] * produced
        peak = table.max()
        if not peak > 0.0:
            return None, logs
        table = table / peak
        before.append(table)
        logs.append(logs[-1] + float(np.log(peak)))
    return before, logs


def _undo(table: Floats, s: int, acts: float, fails: float) -> None:
    """Pull a completion table back through one mechanism: either it fires or it fails."""
    pair = table.reshape(-1, 2, 1 << s)
    pair[:, 0] = fails * pair[:, 0] + acts * pair[:, 1]
