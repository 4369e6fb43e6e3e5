"""The probability of the evidence while it is taken in, piece by piece (NumPy)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hickam.inference.sampling.heat import Level
from hickam.model.network import Floats

PARTICLES, STAGES = 16, 8  # of annealed importance sampling over the risk factors
ROUNDS, CLOSE = 12, 1e-3  # of the search for the middle of a bridge


def weigh_prior(level: Level, random: np.random.Generator) -> tuple[float, Any]:
    """log P(absent findings and soft evidence), and risk factors drawn while taking it in.

    Annealed importance sampling over the risk factors alone, the diseases summed out.
    """
    rows = np.flatnonzero(level.weight_on != level.weight_off)

    def log_mass(risks: Any) -> Floats:
        up, down = level.masses(rows, level.log_off(risks)[:, rows], 1.0)
        return np.log(up + down).sum(axis=1)

    risks = random.random((PARTICLES, len(level.risk))) < level.risk
    log_weight = log_mass(risks) / STAGES
    for stage in range(1, STAGES):
        for j in range(len(level.risk)):
            on, off = risks.copy(), risks.copy()
            on[:, j], off[:, j] = True, False
            gap = level.log_odds[j] + stage / STAGES * (log_mass(on) - log_mass(off))
            chance = 1.0 / (1.0 + np.exp(np.clip(-gap, -700.0, 700.0)))
            risks[:, j] = random.random(PARTICLES) < chance
        log_weight += log_mass(risks) / STAGES
    share = np.exp(log_weight - log_weight.max())
    chosen = int(random.choice(PARTICLES, p=share / share.sum()))
    return float(log_weight.max() + np.log(share.mean())), risks[chosen]


def bridge(colder: list[list[float]], hotter: list[list[float]]) -> tuple[float, list[Any]]:
    """About the log ratio of evidence of neighbouring targets, and what corrects it by chain.

    Given are, for each chain, logs of the colder target over the hotter one at states of either.
    By the acceptance ratio method (Bennett 1976) the means agree where the middle is the answer.
    """
    seen = np.array([ratio for ratios in (*colder, *hotter) for ratio in ratios])
    middle = float(seen.mean()) if len(seen) else 0.0  # no time for any: not known at all
    means: list[Any] = []
    for _ in range(ROUNDS):
        means = [
            [_accepted(np.array(c) - middle), _accepted(middle - np.array(h))]
            for c, h in zip(colder, hotter, strict=True)
        ]
        sums = np.maximum(np.array(means).sum(axis=0), 1e-300)
        move = float(np.log(sums[1] / sums[0]))
        if abs(move) < CLOSE:
            break
        middle += float(np.clip(move, -20.0, 20.0))
    return middle, means


def _accepted(gap: Floats) -> float:
    """The mean acceptance at these gaps; none was looked at: either way."""
    if len(gap) == 0:
        return 0.5
    return float((1.0 / (1.0 + np.exp(np.clip(gap, -700.0, 700.0)))).mean())
