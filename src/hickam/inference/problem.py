"""What an engine for layered networks is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hickam.beliefs.beliefs import Accuracy
from hickam.model.network import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The numbers that an engine works on.

    Rows are the diseases that the evidence reaches (through a present or absent finding or a
    likelihood ratio), then those it reaches only through an unobserved risk factor they share with
    one of the former ("coupled": no links, weights 1). Columns are the present findings. Observed
    risk factors are folded into `on` and `off`, absent findings and likelihood ratios into the
    weights; risk factors that touch at most one row are averaged out.

    P(evidence) = exp(log_scale) * sum over r, D of
        P(r) * prod_rows [D ? weight_on * P(D = 1 | r) : weight_off * P(D = 0 | r)] * P(present | D)
    with P(D = 0 | r) = off * prod over coupling risk factors that are on of edge_fails.
    """

    size: int  # number of diseases in the network
    rows: Ints  # [row]  disease of each row
    reached: npt.NDArray[np.bool_]  # [row]  by evidence directly
    on: Floats  # [row]  P(D = 1) with the coupling risk factors off
    off: Floats  # [row]
    weight_on: Floats  # [row]  weight of D = 1 from absent findings and soft evidence
    weight_off: Floats  # [row]  weight of D = 0; the larger of the two weights is 1
    acts: Floats  # [row, present]  1 - λ
    fails: Floats  # [row, present]  λ
    leak: Floats  # [present]
    leak_fails: Floats  # [present]
    risks: Ints  # [risk]  the coupling risk factors
    risk_prior: Floats  # [risk]
    edge_risk: Ints  # [edge]  position in `risks`, sorted
    edge_row: Ints  # [edge]
    edge_acts: Floats  # [edge]
    edge_fails: Floats  # [edge]
    log_scale: float
    elsewhere: Floats  # [disease]  the posterior of diseases that are not rows
    single_fault: Floats | None = None  # [disease]  where the compiled reduction has found it

    @property
    def settled(self) -> bool:
        """Whether no unobserved risk factor couples the rows."""
        return len(self.risks) == 0


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """An engine's answer for the rows and columns of a problem, normalised by the evidence."""

    log_evidence: float  # without the problem's log_scale; -inf for impossible evidence
    posterior: Floats  # [row]
    disabled: Floats  # [row, present]
    sustained: Floats  # [row, present]
    unexplained: Floats  # [present]  P(no disease causes the finding | evidence)


class Solution(NamedTuple):
    """Every engine's result: its tables, its name, and how far they can be trusted."""

    tables: Tables
    engine: str
    accuracy: Accuracy


def impossible(problem: Problem) -> Tables:
    """The answer to evidence that cannot happen: log_evidence -inf, the rest empty of meaning."""
    blank = np.zeros_like(problem.acts)
    return Tables(-np.inf, np.zeros(len(problem.rows)), blank, blank, np.zeros(len(problem.leak)))


def with_edges(problem: Problem, kept: npt.NDArray[np.bool_]) -> Problem:
    """The problem with these links between risk factors and diseases only."""
    return replace(
        problem,
        edge_risk=problem.edge_risk[kept],
        edge_row=problem.edge_row[kept],
        edge_acts=problem.edge_acts[kept],
        edge_fails=problem.edge_fails[kept],
    )


def with_rows(problem: Problem, kept: npt.NDArray[np.bool_]) -> Problem:
    """The problem with these rows and their links only."""
    among = with_edges(problem, kept[problem.edge_row])
    return replace(
        among,
        rows=problem.rows[kept],
        reached=problem.reached[kept],
        on=problem.on[kept],
        off=problem.off[kept],
        weight_on=problem.weight_on[kept],
        weight_off=problem.weight_off[kept],
        acts=problem.acts[kept],
        fails=problem.fails[kept],
        edge_row=(np.cumsum(kept) - 1)[among.edge_row],
    )


def log_fails(acts: Floats, fails: Floats) -> Floats:
    """log λ to full precision, whether λ is near 0 or near 1."""
    with np.errstate(divide="ignore"):
        return np.where(acts < 0.5, np.log1p(-np.minimum(acts, 0.5)), np.log(fails))


def lifted(problem: Problem, least: float) -> Problem:
    """The problem with unlikely findings scaled until all causes of each add up to `least`.

    Where chances are that small they add up, to a relative error of `least`, so that those of one
    finding can be multiplied by a power of two; `log_scale` makes up for it.
    """
    total = problem.leak + problem.acts.sum(axis=0)
    small = (total > 0.0) & (total < least)
    if not small.any():
        return problem
    _, exponent = np.frexp(np.where(small, total / least, 1.0))
    power = np.where(small, -exponent, 0)
    acts, leak = np.ldexp(problem.acts, power), np.ldexp(problem.leak, power)
    return replace(
        problem,
        acts=acts,
        fails=np.where(small, 1.0 - acts, problem.fails),
        leak=leak,
        leak_fails=np.where(small, 1.0 - leak, problem.leak_fails),
        log_scale=problem.log_scale - float(power.sum()) * float(np.log(2.0)),
    )


def kernel_arguments(problem: Problem) -> tuple[Any, ...]:
    """A problem as the compiled kernels take it."""
    p = problem
    floats = [
        np.ascontiguousarray(x, dtype=np.float64)
        for x in (p.on, p.off, p.weight_on, p.weight_off, p.acts, p.fails, p.leak, p.leak_fails)
    ]
    return (
        *floats[:4],
        np.ascontiguousarray(p.reached),
        *floats[4:],
        np.ascontiguousarray(p.risk_prior),
        np.ascontiguousarray(p.edge_risk, dtype=np.int64),
        np.ascontiguousarray(p.edge_row, dtype=np.int64),
        np.ascontiguousarray(p.edge_acts),
        np.ascontiguousarray(p.edge_fails),
    )
