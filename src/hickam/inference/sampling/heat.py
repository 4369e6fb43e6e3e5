"""A problem at one temperature: again a noisy-OR problem, with softer numbers (NumPy)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hickam.inference.problem import Problem
from hickam.model.network import Floats

LEAST_FAILS = 1e-25
MOST_HEATS, HEAT_STEP = 10, 0.8
ENOUGH = 0.12  # diseases that chance alone turns on, for each present finding, at the hottest


class Level:
    """The numbers of a problem at one temperature.

    Every activation a = 1 - f above the findings becomes a^heat / (a^heat + f^heat), every weight
    and leak its power: heat 1 is the problem itself; below, explanations change more easily.
    """

    def __init__(self, problem: Problem, heat: float) -> None:
        self.heat = heat
        self.acts, self.fails = problem.acts, problem.fails
        self.quiet: npt.NDArray[np.bool_] = ~np.any(problem.acts > 0.0, axis=1)
        self.on, off = _soften(problem.on, problem.off, heat)
        self.own_log_off = _log(self.on, off)
        self.weight_on, self.weight_off = problem.weight_on**heat, problem.weight_off**heat
        self.risk, no_risk = _soften(problem.risk_prior, 1.0 - problem.risk_prior, heat)
        self.log_odds = np.log(np.maximum(self.risk, 1e-90)) - np.log(np.maximum(no_risk, 1e-90))
        acts, fails = _soften(problem.edge_acts, problem.edge_fails, heat)
        self.log_fails = np.zeros((len(problem.risks), len(problem.rows)))  # [risk, row]
        self.log_fails[problem.edge_risk, problem.edge_row] = _log(acts, fails)
        self.rows_of = [np.nonzero(row)[0] for row in self.log_fails]
        self.leak = problem.leak**heat
        self.leak_fails = problem.leak_fails if heat == 1.0 else 1.0 - self.leak
        nothing = np.zeros(len(problem.rows), dtype=bool)
        self.log_rows_of_nothing = float(self.log_rows(self.own_log_off, nothing).sum())
        self.log_nothing = float(np.log(no_risk).sum()) + self.log_rows_of_nothing

    def log_off(self, risks: Any) -> Floats:
        """[row] log P(D = 0 | risk factors), for one setting or for many."""
        return self.own_log_off + risks @ self.log_fails

    def masses(self, rows: Any, log_off: Any, gain: float) -> tuple[Any, Any]:
        """Of D = 1 and D = 0; the present findings multiply the former by a gain."""
        up = self.weight_on[rows] * -np.expm1(log_off) * gain
        return up, self.weight_off[rows] * np.exp(log_off)

    def posterior(self, log_off: Floats) -> Floats:
        """[row] P(D = 1 | risk factors), were no finding present."""
        up, down = self.masses(slice(None), log_off, 1.0)
        return up / (up + down)

    def log_rows(self, log_off: Floats, inside: Any, rows: Any = slice(None)) -> Floats:
        """[row] log of what each row adds to the target; those without findings are summed out."""
        up, down = self.masses(rows, log_off, 1.0)
        with np.errstate(divide="ignore"):
            turned: Floats = np.log(up)
            stayed: Floats = np.log(self.weight_off[rows]) + log_off
            summed: Floats = np.log(up + down)
        told: Floats = np.where(inside, turned, stayed)
        return np.where(self.quiet[rows], summed, told)

    def leaks(self, power: float) -> tuple[Floats, Floats]:
        """[present] the leaks between certain (0) and their own (1)."""
        if power == 1.0:
            return self.leak, self.leak_fails
        return self.leak**power, 1.0 - self.leak**power

    def look(self, inside: Any, power: float) -> tuple[Floats, Floats]:
        """[present] P(finding on) and P(finding off) given a set of diseases."""
        on, off = (values.copy() for values in self.leaks(power))
        for k in np.flatnonzero(inside):
            on += off * self.acts[k]
            off = off * self.fails[k]
        return on, off

    def expected(self) -> float:
        """Diseases with a finding that chance alone would turn on."""
        log_off = self.own_log_off + np.log1p(self.risk[:, None] * np.expm1(self.log_fails)).sum(0)
        return float(self.posterior(log_off)[~self.quiet].sum())


def ladder_of(problem: Problem) -> list[Level]:
    """The posterior and ever hotter levels until chance turns on enough diseases."""
    levels = [Level(problem, 1.0)]
    while len(levels) < MOST_HEATS and levels[-1].expected() < ENOUGH * len(problem.leak):
        levels.append(Level(problem, levels[-1].heat * HEAT_STEP))
    return levels


def _soften(acts: Floats, fails: Floats, heat: float) -> tuple[Floats, Floats]:
    """Activation probabilities and their complements at a temperature."""
    fails = np.maximum(fails, LEAST_FAILS)
    if heat == 1.0:
        return acts, fails
    up, down = acts**heat, fails**heat
    return up / (up + down), down / (up + down)


def _log(acts: Floats, fails: Floats) -> Floats:
    """log of fails, to full precision also where acts are tiny."""
    return np.where(acts < 0.5, np.log1p(-np.minimum(acts, 0.5)), np.log(fails))
