"""One case on one network, reduced exactly to the part that the answer depends on."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hickam.evidence.case import Evidence
from hickam.inference.problem import Problem, lifted, log_fails, with_rows
from hickam.kernels import compiled
from hickam.model.network import Floats, Ints, Links, Network

EXACTLY = 2.0**-57  # of chances that add up without any rounding error


def reduce(network: Network, evidence: Evidence, *, single_fault: bool = True) -> Problem:
    """The problem that a case poses, with everything irrelevant folded away exactly.

    `single_fault` says whether that baseline is wanted as well where it comes along cheaply.
    """
    problem = settle_loose(reduce_links(network, evidence, single_fault=single_fault))
    return lifted(problem, EXACTLY)


def reduce_links(
    network: Network, evidence: Evidence, *, single_fault: bool = False, keep: bool = True
) -> Problem:
    """The same with a row for every disease that the evidence reaches, also the loose ones.

    `keep` says whether the network will be asked again, and what it takes should be kept.
    """
    if compiled() is not None:
        prepare = prepared if keep else prepared.__wrapped__
        found = prepare(network).reduce(
            evidence.present,
            evidence.absent,
            evidence.risks_on,
            evidence.risks_off,
            evidence.likelihood,
            single_fault,
        )
        reached = found.pop("reached").view(np.bool_)
        return Problem(size=len(network.diseases), reached=reached, **found)
    return _reduce(network, evidence)


def settle_loose(problem: Problem) -> Problem:
    """The problem without the rows that cause no present finding and hang on no open risk factor.

    Such a disease has soft evidence or absent findings only: it is independent of all others, and
    its posterior is prior odds times weight.
    """
    loose = ~np.any(problem.acts > 0.0, axis=1)
    loose[problem.edge_row] = False
    if not loose.any():
        return problem
    kept = ~loose
    yes = problem.on[loose] * problem.weight_on[loose]
    no = problem.off[loose] * problem.weight_off[loose]
    either = yes + no
    if not np.all(either > 0.0):  # impossible evidence: for the engines to say
        return problem
    elsewhere = problem.elsewhere.copy()
    elsewhere[problem.rows[loose]] = yes / either
    return replace(
        with_rows(problem, kept),
        log_scale=problem.log_scale + float(np.log(either).sum()),
        elsewhere=elsewhere,
    )


@lru_cache(maxsize=128)  # as many as networks adapted to people are kept
def prepared(network: Network) -> Any:
    """What the compiled reduction needs of a network, computed once."""
    kernels = compiled()
    assert kernels is not None
    return kernels.Prepared(network)


def _reduce(network: Network, evidence: Evidence) -> Problem:
    """The NumPy twin of the compiled reduction."""
    size = len(network.diseases)
    causes = network.causes
    log_off = log_fails(network.disease_leak, network.disease_leak_fails)
    observed_on = np.zeros(len(network.risk_factors), dtype=bool)
    observed_on[evidence.risks_on] = True
    unobserved = ~observed_on
    unobserved[evidence.risks_off] = False
    edge_log_fails = log_fails(causes.acts, causes.fails)
    picked = observed_on[causes.cause]
    log_off = log_off + np.bincount(causes.effect[picked], edge_log_fails[picked], size)

    log_weight, reached = _weights(network, evidence)

    open_edge = unobserved[causes.cause] & (causes.acts > 0.0)
    touched = np.bincount(
        causes.cause[open_edge & reached[causes.effect]], minlength=len(unobserved)
    )
    total = np.bincount(causes.cause[open_edge], minlength=len(unobserved))
    coupling = unobserved & (touched >= 1) & (total >= 2)
    averaged = open_edge & ~coupling[causes.cause]
    mean_acts = network.risk_prior[causes.cause[averaged]] * causes.acts[averaged]
    with np.errstate(divide="ignore"):
        log_off = log_off + np.bincount(causes.effect[averaged], np.log1p(-mean_acts), size)
    kept = open_edge & coupling[causes.cause]
    coupled = np.zeros(size, dtype=bool)
    coupled[causes.effect[kept]] = True

    rows = np.concatenate([np.flatnonzero(reached), np.flatnonzero(coupled & ~reached)])
    row_of = np.full(size, -1)
    row_of[rows] = np.arange(len(rows))
    risks = np.flatnonzero(coupling)
    risk_of = np.full(len(unobserved), -1)
    risk_of[risks] = np.arange(len(risks))
    shift = np.maximum(log_weight[rows], 0.0)
    acts, fails = dense(network.effects, rows, evidence.present)
    log_scale = float(
        log_fails(network.finding_leak, network.finding_leak_fails)[evidence.absent].sum()
        + shift.sum()
    )
    return Problem(
        size=size,
        rows=rows,
        reached=reached[rows],
        on=-np.expm1(log_off[rows]),
        off=np.exp(log_off[rows]),
        weight_on=np.exp(log_weight[rows] - shift),
        weight_off=np.exp(-shift),
        acts=acts,
        fails=fails,
        leak=network.finding_leak[evidence.present],
        leak_fails=network.finding_leak_fails[evidence.present],
        risks=risks,
        risk_prior=network.risk_prior[risks],
        edge_risk=risk_of[causes.cause[kept]],
        edge_row=row_of[causes.effect[kept]],
        edge_acts=causes.acts[kept],
        edge_fails=causes.fails[kept],
        log_scale=log_scale,
        elsewhere=-np.expm1(log_off),
    )


def _weights(network: Network, evidence: Evidence) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """[disease] log weight of D = 1 relative to D = 0, and whether the evidence reaches it."""
    effects = network.effects
    size = len(network.diseases)
    state = np.zeros(len(network.findings), dtype=np.int8)
    state[evidence.absent] = -1
    state[evidence.present] = 1
    seen = state[effects.effect]
    denied = seen == -1
    lost = log_fails(effects.acts[denied], effects.fails[denied])
    with np.errstate(divide="ignore"):
        log_weight = np.log(evidence.likelihood)
    log_weight = log_weight + np.bincount(effects.cause[denied], lost, size)
    reached = evidence.likelihood != 1.0
    reached[effects.cause[(seen != 0) & (effects.acts > 0.0)]] = True
    return log_weight, reached


def dense(links: Links, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
    """acts and fails as [row, column] tables for chosen causes and effects; no link: 0 and 1."""
    acts = np.zeros((len(rows), len(columns)))
    fails = np.ones((len(rows), len(columns)))
    row_of = np.full(len(links.start) - 1, -1)
    row_of[rows] = np.arange(len(rows))
    for column, effect in enumerate(columns):
        into = links.of_effect(int(effect))
        into = into[row_of[links.cause[into]] >= 0]
        acts[row_of[links.cause[into]], column] = links.acts[into]
        fails[row_of[links.cause[into]], column] = links.fails[into]
    return acts, fails
