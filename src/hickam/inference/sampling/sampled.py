"""Sampled, with error bars from independent chains: for more present findings than a lattice holds.

One step takes one present disease (or an empty slot) out and refills the slot from its exact
conditional distribution over all diseases: births, deaths and exchanges at once, never rejected.
Hotter copies of each chain hand it new explanations. Because the conditional is known for every
disease, a step estimates all of them, in two ways that are combined by their variances:
    indicator  P(k) = E[1{k in the set} + share of k in the refill]
    slot       P(k) = E[weight of k / norm of the refill]
Unobserved risk factors are sampled along.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.kernels import compiled
from hickam.inference.problem import Problem, Solution, Tables, log_fails
from hickam.inference.sampling.slot_gibbs import slot_gibbs
from hickam.model.network import Floats

CHAINS, BATCHES = 8, 4
# Standard errors in the stated error: it has to hold for the worst of thousands of scores.
WIDTH = 6.0
# Eight chains tell their own spread only roughly.
CAUTION = 1.25
# A disease of which no sample knows may still have this many chances in as many samples.
UNSEEN = 5.0
# Nominal cost of one step and of one link it looks at, in seconds; the number of steps must not
# depend on how busy the machine is, or the same question would get different answers.
STEP, LINK = 4.0e-6, 1.0e-9
NOMINAL = 2.0  # seconds on two cores without a deadline
SEEN = 256  # diseases that a step looks at when there are many


@dataclass(frozen=True, slots=True, eq=False)
class _Estimate:
    """One score of every row: its value, its standard error and the mix of the two estimators."""

    value: Floats
    error: Floats
    mix: Floats


def by_sampling(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The sampled solution within what is left of the deadline."""
    tables, accuracy = sampled(problem, replace(limits, deadline=deadline.left))
    return Solution(tables, "sampling", accuracy)


def sampled(problem: Problem, limits: Limits, steps: int | None = None) -> tuple[Tables, Accuracy]:
    """The tables of any problem by slot Gibbs, and how accurate they are.

    A fixed amount of work without a deadline, or as many `steps` of each chain as asked for; with
    a deadline, more work until the tolerance is met or the time is used.
    """
    if steps is not None:
        return _combine(problem, _sample(problem, steps, limits.seed, None))
    began = time.monotonic()
    links = max(1.0, (problem.acts > 0.0).sum() / max(1, len(problem.rows)))
    cost = STEP + LINK * links * min(SEEN, len(problem.rows))
    budget = NOMINAL if limits.deadline is None else min(NOMINAL, 0.6 * limits.deadline)
    steps = max(200, int(2.0 * budget / cost / CHAINS))
    found = _sample(problem, steps, limits.seed, limits.deadline and 0.8 * limits.deadline)
    tables, accuracy = _combine(problem, found)
    if limits.deadline is not None and accuracy.error > limits.tolerance:
        spent = time.monotonic() - began
        left = 0.9 * limits.deadline - spent
        growth = min((accuracy.error / limits.tolerance) ** 2, left / max(spent, 1e-3))
        if growth > 1.0:
            more = _sample(problem, int(growth * steps), limits.seed + 1, left)
            tables, accuracy = _combine(problem, more)
    return tables, accuracy


def _sample(problem: Problem, steps: int, seed: int, seconds: float | None) -> Mapping[str, Floats]:
    """Batch means of every chain, compiled or by the NumPy twin."""
    kernels = compiled()
    if kernels is None:
        return slot_gibbs(problem, CHAINS, BATCHES, max(200, steps // 50), seed)
    return kernels.sample(
        problem.off,
        problem.weight_off,
        problem.weight_on,
        problem.acts,
        problem.fails,
        problem.leak,
        problem.leak_fails,
        problem.risk_prior,
        problem.edge_risk,
        problem.edge_row,
        log_fails(problem.edge_acts, problem.edge_fails),
        CHAINS,
        BATCHES,
        steps,
        seed,
        min(CHAINS, os.cpu_count() or 1),
        seconds or 0.0,
    )


def _combine(problem: Problem, found: Mapping[str, Floats]) -> tuple[Tables, Accuracy]:
    """Tables and accuracy from batch means."""
    rows = len(problem.rows)
    weight = found["steps"] / found["steps"].sum()
    set_scores = found["set_scores"].reshape(-1, rows, 2)
    slot_scores = found["slot_scores"].reshape(-1, rows, 2)
    posterior = _mix(found["indicator"], found["slot"], weight)
    # The tables come from fewer looks than the posterior; what is known better corrects them.
    strength = problem.acts.sum(axis=1)
    guess = np.stack([strength, 0.5 * strength], axis=1)  # for diseases that were never looked at
    set_scores = _corrected(set_scores, found["present"], found["indicator"], weight, guess)
    slot_scores = _corrected(slot_scores, found["picked"], found["slot"], weight, guess)
    sufficiency = _mix(set_scores[:, :, 0], slot_scores[:, :, 0], weight)
    disablement = _mix(set_scores[:, :, 1], slot_scores[:, :, 1], weight)
    where = problem.acts > 0.0  # row order, as the links of the kernel
    row = np.nonzero(where)[0]
    disabled, sustained = np.zeros_like(problem.acts), np.zeros_like(problem.acts)
    for table, name, score in (
        (sustained, "sustained", sufficiency),
        (disabled, "disabled", disablement),
    ):
        mix = score.mix[row]
        table[where] = mix * found[f"set_{name}"] + (1.0 - mix) * found[f"slot_{name}"]
        sums = table.sum(axis=1)
        unseen = ~(sums > 0.0)
        table[unseen] = problem.acts[unseen]
        sums = table.sum(axis=1)
        scale = np.divide(score.value, sums, out=np.zeros(rows), where=sums > 0.0)
        table[:] = table * scale[:, None]
    errors = np.stack([posterior.error, disablement.error, sufficiency.error], axis=1)
    values = np.stack([posterior.value, disablement.value, sufficiency.value], axis=1)
    # a chance that no sample shows counts once for the posterior, once per finding for the others
    missed = np.stack([np.ones(rows), *[np.maximum(1.0, where.sum(axis=1) / 2.0)] * 2], axis=1)
    bound = WIDTH * errors + UNSEEN * missed / _effective_samples(found["indicator"])
    error = float((bound / np.maximum(values, FLOOR)).max(initial=0.0))
    log_evidence = _log_prior_weight(problem) + float(np.log(found["chances"].mean(axis=0)).sum())
    tables = Tables(
        log_evidence,
        np.minimum(posterior.value, 1.0),
        disabled,
        sustained,
        weight @ found["unexplained"],
    )
    notes = (f"{int(found['steps'].sum())} steps of {CHAINS} chains; log evidence is rough",)
    return tables, Accuracy("sampled", error, notes=notes, standard_errors=errors)


def _corrected(
    scores: Floats, seen: Floats, known: Floats, weight: Floats, guess: Floats
) -> Floats:
    """[batch, row, score] with the difference between known and seen presence allowed for."""
    total = weight @ seen
    ratio = np.divide(
        np.einsum("b,brs->rs", weight, scores),
        total[:, None],
        out=guess.copy(),
        where=total[:, None] > 0.0,
    )
    return scores + (known - seen)[:, :, None] * ratio


def _mix(first: Floats, second: Floats, weight: Floats) -> _Estimate:
    """Two unbiased estimates [batch, row] combined by their variances.

    The standard error is the larger of those from batches and from whole chains: batches of one
    chain may resemble each other.
    """
    one, two = first - weight @ first, second - weight @ second
    spread = ((one - two) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = (two * (two - one)).sum(axis=0) / spread
    mix = np.clip(np.where(spread > 0.0, best, 1.0), 0.0, 1.0)
    batches = mix * first + (1.0 - mix) * second
    error = np.zeros(batches.shape[1])
    for grouped in (batches, batches.reshape(CHAINS, -1, batches.shape[1]).mean(axis=1)):
        error = np.maximum(error, grouped.std(axis=0, ddof=1) / np.sqrt(len(grouped)))
    return _Estimate(weight @ batches, CAUTION * error, mix)


def _effective_samples(indicator: Floats) -> float:
    """How many independent samples would tell the presence of the likely diseases as well."""
    chains = indicator.reshape(CHAINS, -1, indicator.shape[1]).mean(axis=1)
    mean = chains.mean(axis=0)
    likely = (mean > 0.02) & (mean < 0.98)
    if not likely.any():
        likely = mean == mean.max(initial=0.0)
    spread = chains[:, likely].var(axis=0, ddof=1) / CHAINS
    wide = mean[likely] * (1.0 - mean[likely])
    samples = np.divide(wide, spread, out=np.full(len(wide), 1e4), where=spread > 0.0)
    return float(np.clip(np.median(samples), 1.0, 1e6)) if len(samples) else 1.0


def _log_prior_weight(problem: Problem) -> float:
    """log of the evidence without the present findings: absent ones and soft evidence."""
    if problem.settled:
        mass = problem.weight_off * problem.off + problem.weight_on * problem.on
        return float(np.log(mass).sum())
    generator = np.random.default_rng(0)
    risks = generator.random((2000, len(problem.risks))) < problem.risk_prior
    log_edge = np.maximum(log_fails(problem.edge_acts, problem.edge_fails), -700.0)
    log_off = np.zeros((len(risks), len(problem.rows)))
    np.add.at(log_off.T, problem.edge_row, risks.T[problem.edge_risk] * log_edge[:, None])
    off = problem.off * np.exp(log_off)
    log_mass = np.log(problem.weight_off * off + problem.weight_on * (1.0 - off)).sum(axis=1)
    peak = log_mass.max()
    return float(peak + np.log(np.exp(log_mass - peak).mean()))
