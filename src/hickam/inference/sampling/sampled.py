"""Sampled, with error bars from independent chains: for more present findings than a lattice holds.

One step takes one present disease (or an empty slot) out and refills the slot from its exact
conditional distribution over all diseases: births, deaths and exchanges at once, never rejected.
Unobserved risk factors are visited in turn, and flipped together with the diseases that they cause.
Hotter copies of each chain hand it new explanations, and what the explanations known from the start
differ in is tried as a whole. Because the conditional is known for every disease, a step estimates
all of them, in two ways that are combined by their variances:
    indicator  P(k) = E[1{k in the set} + share of k in the refill]
    slot       P(k) = E[weight of k / norm of the refill]
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.inference.problem import Problem, Solution, Tables, lifted
from hickam.inference.sampling.estimates import combine
from hickam.inference.sampling.slot_gibbs import slot_gibbs
from hickam.issues import TooHard, error
from hickam.kernels import compiled
from hickam.model.network import Floats

CHAINS, BATCHES = 8, 4
NOMINAL = 4.0  # processor seconds of a run without a deadline
# Nominal price in seconds of a step, and of each present finding, link it looks at, row and link of
# an unobserved risk factor. The number of steps must not depend on how busy the machine is, or the
# same question would get different answers.
STEP, FINDING, LINK, ROW, EDGE = 5e-7, 2.2e-8, 2.5e-9, 5e-10, 4.5e-9
ROUNDING = 1e-13  # stated where nothing is left to sample
LIFTED = 1e-8  # relative error that samples may have from scaling unlikely findings
LEAST_LEAK, TINY = 1e-20, 1e-290  # of the likeliest cause; keeps every set of diseases reachable
SEEN = 256  # diseases that a step looks at when there are many
NUMPY_FACTOR = 100.0  # how much slower a step is without compiled kernels
SHORT = 0.25  # seconds: a deadline that leaves no time for a first look
# Seconds that the answer takes once the samples are there, and of it each row and link.
FINISH, FINISH_EACH = 3e-3, 1.2e-6
# Of the time until a deadline, what other engines leave for sampling: seconds and a part of it, but
# at most another part.
SPARED, SPARED_PART, MOST_SPARED = 6e-3, 0.1, 0.5
# Seconds of the shortest run, and of it each row, link and link of an unobserved risk factor; how
# many times a deadline, and seconds, it may take to be worth beginning.
SHORTEST, A_ROW, A_LINK, AN_EDGE = 1e-3, 2.2e-6, 1.2e-6, 2e-6
LATE, LATE_BY = 1.2, 2.5e-3


def sparing(problem: Problem, deadline: Deadline) -> Deadline:
    """The deadline of others who try before: sampling has time to say something after it."""
    left = deadline.left
    if left is None or left <= 0.0:
        return deadline
    spared = max(SPARED, 2.0 * shortest(problem))
    return deadline.share(1.0 - min(max(spared / left, SPARED_PART), MOST_SPARED))


def shortest(problem: Problem) -> float:
    """Seconds that a run takes however little time it is given; 0 without compiled kernels."""
    if compiled() is None:
        return 0.0
    links = int((problem.acts > 0.0).sum())
    return SHORTEST + A_ROW * len(problem.rows) + A_LINK * links + AN_EDGE * len(problem.edge_row)


def by_sampling(problem: Problem, limits: Limits, deadline: Deadline) -> Solution:
    """The sampled solution within what is left of the deadline.

    Refused if not even the shortest run is over by the time that was given for all.
    """
    least, given = shortest(problem), limits.deadline
    if given is not None and least > LATE * given + LATE_BY:
        what = f"takes about {least:.2g} seconds even for a rough sample; the limit is {given:.2g}"
        raise TooHard([error("the case", what, "give more time")])
    tables, accuracy = sampled(problem, replace(limits, deadline=deadline.left))
    return Solution(tables, "sampling", accuracy)


def sampled(problem: Problem, limits: Limits, steps: int | None = None) -> tuple[Tables, Accuracy]:
    """The tables of any problem by slot Gibbs, and how accurate they are.

    A fixed amount of work without a deadline, or as many `steps` of each chain as asked for; with
    a deadline, more work until the tolerance is met or the time is used.
    """
    if len(problem.rows) == 0:
        return _of_leaks(problem), Accuracy("exact", ROUNDING)
    found = draw(problem, limits, steps)
    return combine(problem, found, CHAINS)


def _of_leaks(problem: Problem) -> Tables:
    """The tables where no disease is in question: whatever is present, its leak explains."""
    with np.errstate(divide="ignore"):
        log_evidence = float(np.log(problem.leak).sum())
    none = np.zeros_like(problem.acts)
    return Tables(log_evidence, np.zeros(0), none, none, np.ones(len(problem.leak)))


def draw(problem: Problem, limits: Limits, steps: int | None = None) -> Mapping[str, Any]:
    """What the chains saw, under the names that `combine` knows."""
    near = lifted(problem, LIFTED)
    found = dict(_draw(replace(near, leak=_reachable(near)), limits, steps))
    found["log_weights"] = found["log_weights"] + (near.log_scale - problem.log_scale)
    return found


def _reachable(problem: Problem) -> Floats:
    """[present] the leaks, none so small beside its likeliest cause that no chain gets past it."""
    alone = problem.on.copy()
    np.maximum.at(
        alone, problem.edge_row, problem.risk_prior[problem.edge_risk] * problem.edge_acts
    )
    with np.errstate(divide="ignore"):
        alone = np.minimum(alone * problem.weight_on / problem.weight_off, 1.0)
    cause = (problem.acts * alone[:, None]).max(axis=0, initial=0.0)
    return np.maximum(problem.leak, np.maximum(LEAST_LEAK * cause, TINY))


def _draw(problem: Problem, limits: Limits, steps: int | None) -> Mapping[str, Any]:
    """The same for a problem that chains can sample."""
    if steps is not None:
        return _sample(problem, steps, limits.seed, None)
    nominal = nominal_steps(problem)
    if limits.deadline is None:
        return _sample(problem, nominal, limits.seed, None)
    end = time.monotonic() + 0.9 * limits.deadline - _finishing(problem)
    if limits.deadline > SHORT:
        first = min(nominal, int(nominal * limits.deadline / NOMINAL))
        found = _sample(problem, first, limits.seed, 0.4 * limits.deadline)
        error = combine(problem, found, CHAINS)[1].error
        left = end - time.monotonic()
        if error <= limits.tolerance or left < 0.2 * limits.deadline:
            return found
    # As many as may be useful; the clock is watched.
    left = max(end - time.monotonic(), 1e-4)
    most = int(nominal * max(1.0, 2.0 * left / NOMINAL * (os.cpu_count() or 1)))
    return _sample(problem, most, limits.seed + 1, left)


def nominal_steps(problem: Problem) -> int:
    """Steps of each chain that take about `NOMINAL` processor seconds in all."""
    links = float((problem.acts > 0.0).sum()) * min(1.0, SEEN / max(1, len(problem.rows)))
    cost = STEP + FINDING * len(problem.leak) + LINK * links + ROW * len(problem.rows)
    cost += EDGE * len(problem.edge_row)
    steps = NOMINAL / cost / CHAINS
    return max(200, int(steps if compiled() is not None else steps / NUMPY_FACTOR))


def _finishing(problem: Problem) -> float:
    """Seconds to keep for what follows the sampling."""
    return FINISH + FINISH_EACH * (len(problem.rows) + int((problem.acts > 0.0).sum()))


def _sample(problem: Problem, steps: int, seed: int, seconds: float | None) -> Mapping[str, Any]:
    """Batch means of every chain, compiled or by the NumPy twin."""
    kernels = compiled()
    if kernels is None:
        return slot_gibbs(problem, CHAINS, BATCHES, steps, seed, seconds)
    return kernels.sample(
        problem.off,
        problem.on,
        problem.weight_off,
        problem.weight_on,
        problem.acts,
        problem.fails,
        problem.leak,
        problem.leak_fails,
        problem.risk_prior,
        problem.edge_risk,
        problem.edge_row,
        problem.edge_acts,
        problem.edge_fails,
        CHAINS,
        BATCHES,
        steps,
        seed,
        min(CHAINS, os.cpu_count() or 1),
        seconds or 0.0,
    )
