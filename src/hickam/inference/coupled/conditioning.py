"""Unobserved risk factors settled in every possible way, and the answers added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import NEVER, Deadline
from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Solution, Tables, impossible, log_fails
from hickam.inference.settled.cover import cover
from hickam.issues import TooHard, error
from hickam.model.network import Floats, Ints

# 2 ** this many runs of COVER is all that conditioning is good for.
MOST_RISKS = 12


def by_conditioning(problem: Problem, _limits: Limits, deadline: Deadline) -> Solution:
    """The exact solution, or a refusal where the settings are too many."""
    if len(problem.risks) > MOST_RISKS:
        what = f"would settle {len(problem.risks)} risk factors (at most {MOST_RISKS})"
        raise TooHard([error("engine 'conditioning'", what, "use engine 'auto'")])
    return Solution(condition_on_risks(problem, deadline), "conditioning", Accuracy("exact", 1e-12))


def condition_on_risks(problem: Problem, deadline: Deadline = NEVER) -> Tables:
    """The tables of a coupled problem as the evidence-weighted mean over all risk settings.

    Exact and positive; the cost is 2 ** (number of coupling risk factors) runs of COVER.
    """
    everyone = np.arange(len(problem.risks))
    tables, _ = condition(problem, everyone, lambda settled: (cover(settled, deadline).tables, 0.0))
    return tables


def condition(
    problem: Problem, chosen: Ints, engine: Callable[[Problem], tuple[Tables, float]]
) -> tuple[Tables, float]:
    """The tables and error of an engine that sees only the other risk factors unobserved.

    Runs it once for every setting of the chosen risk factors; the answers, and the errors the
    engine reports, are averaged by the probability of the setting given the evidence.
    """
    parts, logs, errors = [], [], []
    for states in product((False, True), repeat=len(chosen)):
        on = np.array(states, dtype=bool)
        prior = np.where(on, problem.risk_prior[chosen], 1.0 - problem.risk_prior[chosen]).prod()
        if not prior > 0.0:
            continue
        tables, error = engine(settle(problem, chosen, on))
        if tables.log_evidence > -np.inf:
            parts.append(tables)
            logs.append(float(np.log(prior)) + tables.log_evidence)
            errors.append(error)
    if not parts:
        return impossible(problem), 0.0
    tables, share = mix(parts, logs)
    return tables, float(share @ np.array(errors))


def settle(problem: Problem, chosen: Ints, on: npt.NDArray[np.bool_]) -> Problem:
    """The problem with the chosen risk factors observed to be on or off."""
    place = np.full(len(problem.risks), -1)
    place[chosen] = np.arange(len(chosen))
    gone = place[problem.edge_risk] >= 0
    lit = gone.copy()
    lit[gone] = on[place[problem.edge_risk[gone]]]
    log_edge = log_fails(problem.edge_acts[lit], problem.edge_fails[lit])
    log_off = log_fails(problem.on, problem.off)
    log_off = log_off + np.bincount(problem.edge_row[lit], log_edge, len(problem.rows))
    keep = np.setdiff1d(np.arange(len(problem.risks)), chosen)
    number = np.full(len(problem.risks), -1)
    number[keep] = np.arange(len(keep))
    return replace(
        problem,
        on=-np.expm1(log_off),
        off=np.exp(log_off),
        risks=problem.risks[keep],
        risk_prior=problem.risk_prior[keep],
        edge_risk=number[problem.edge_risk[~gone]],
        edge_row=problem.edge_row[~gone],
        edge_acts=problem.edge_acts[~gone],
        edge_fails=problem.edge_fails[~gone],
    )


def mix(parts: Sequence[Tables], logs: Sequence[float]) -> tuple[Tables, Floats]:
    """The mean of tables weighted by exp(logs), and the weights; logs add up to the evidence."""
    peak = max(logs)
    weights = np.exp(np.array(logs) - peak)
    share = weights / weights.sum()

    def mean(name: str) -> Floats:
        return np.einsum("i,i...->...", share, np.array([getattr(part, name) for part in parts]))

    names = ("posterior", "disabled", "sustained", "unexplained")
    tables = Tables(peak + float(np.log(weights.sum())), *(mean(name) for name in names))
    return tables, share
