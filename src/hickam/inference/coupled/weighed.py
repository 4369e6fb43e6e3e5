"""Sums over weighed explanations → tables, and what they are worth.

An explanation A has the chance P(A), drawn with Q(A) from the mixture; R(A) is the expansion's, or
Q(A) itself. What the findings make of Q and R is known exactly: the mean μ of a score x under Q,
its mean ν under R, and ζ, the evidence of R over that of Q. With d = (P(A) - R(A)) / Q(A), D its
mean and W = ζ + D, a score has the posterior mean
    T = (ζ ν + E[d x]) / W = ν + (E[d x] - D (E[x] - μ + ν)) / W
in which E[x] - μ is nothing but chance: only what d has to do with x is estimated. Rare diseases
are drawn more often than they are believed in, so a draw counts v. The draws are independent, and
the standard error of T is that of a mean, of
    v (d - D)(x - T) / W
Where Q believes in a disease and P does not, d and x have everything to do with each other, and the
plain ratio E[w x] / W with w = P(A) / Q(A) is better. Its standard error has w in place of d - D.
But it knows nothing of explanations that were not drawn: it is for scores rough otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hickam.beliefs.beliefs import FLOOR, WIDTH, Accuracy, score_bounds, score_error
from hickam.inference.coupled.difference import breach, by_score
from hickam.inference.extremes import extremes
from hickam.inference.problem import Problem, Tables
from hickam.model.network import Floats

# Draws in which a score that was rarely or never seen may have had weights like all the others.
UNSEEN = 10.0
# Draws with a disease on from which its scores may be told without those of the mixture, and the
# error over the score with those that makes it worth while.
SEEN, UNSURE = 30.0, 0.5
# How often the heaviest explanation may have been missed.
MISSED = 3.0
# The same for explanations near the likely ones, whose weights are known.
NEARBY = 2.5


# Where links to findings are cut few explanations weigh much, and those that were drawn say too
# little of others.
SKEWED_BY_CUTS = 1.2
# The same of the evidence and of what is unexplained.
ROUGH_BY_CUTS = 3.0
# Draws with a disease on in which what its cut links explain may not have been met.
UNTOLD = 4.0
# Draws with a disease on that can decide between what Q and R say of it; of the difference, what is
# in doubt without them: so many times the error of R over that of Q, in all that was drawn, and a
# part of it in any case.
DECISIVE, NEARER, LEAST_DOUBT = 20.0, 30.0, 0.1
# Share of its bound by which a score may well be too high that so few draws tell, where those that
# were looked at are so much of the mixture.
SKEWED, HEAVY, NEARLY_ALL = 0.4, 8.0, 0.99


class Weighed(NamedTuple):
    """What draws make of a mixture or an expansion."""

    tables: Tables
    accuracy: Accuracy
    chance: Floats  # [row, 3] standard errors, without what no draw may have met
    missed: Floats  # [row, 3] what is known that no draw met, or that too few could decide
    met: Floats  # [row] as many draws with it on, all counting the same, would tell as much
    nearer: float  # squared error of R over that of Q, in what was drawn


def weighed(
    problem: Problem,
    mean: Tables,
    near: Tables,
    draws: Mapping[str, Any],
    kept: int,
    cut: npt.NDArray[np.bool_] | None = None,
) -> Weighed:
    """The tables and what they are worth, from the tables of Q and R and draws from Q.

    Q and R know nothing of the links to findings that are cut.
    """
    count, counts = float(draws["count"]), float(draws["counts"])
    everything = draws["all"][0]
    surplus = float(everything[1]) / counts
    scale = float(np.exp(near.log_evidence - mean.log_evidence)) + surplus
    shape = _Spread(surplus, everything[2:], counts * scale)

    def corrected(known: Floats, nearer: Floats, seen: Floats, excess: Floats) -> Floats:
        return nearer + (excess - surplus * (seen + counts * (nearer - known))) / (counts * scale)

    known, nearer = by_score(mean), by_score(near)
    sums = draws["rows"].reshape(*known.shape, 8)
    scores = corrected(known, nearer, sums[..., 0], sums[..., 1])
    squares = shape.squared(sums[..., 2:], scores)
    disabled = corrected(mean.disabled, near.disabled, draws["disabled"], draws["disabled_excess"])
    sustained = corrected(
        mean.sustained, near.sustained, draws["sustained"], draws["sustained_excess"]
    )
    if near is mean:
        ratio = (sums[..., 0] + sums[..., 1]) / (counts * scale)
        around = replace(shape, surplus=-1.0).squared(sums[..., 2:], ratio)
        unsure = (WIDTH * np.sqrt(squares) > UNSURE * np.maximum(scores, FLOOR)).any(axis=1)
        plain = unsure & (_effective(sums) >= SEEN) & _better(around, squares, ratio)
        scores[plain], squares[plain] = ratio[plain], around[plain]
        for table, name in ((disabled, "disabled"), (sustained, "sustained")):
            table[plain] = (draws[name] + draws[f"{name}_excess"])[plain] / (counts * scale)
    size = np.divide(
        known, mean.posterior[:, None], out=np.ones_like(known), where=mean.posterior[:, None] > 0.0
    )
    beside = _beside(problem, cut)
    size += beside
    rare = np.minimum(UNSEEN / count, 4.0 * mean.posterior)[:, None] * size**2
    errors = np.sqrt(squares + rare * shape.squared_log)
    heaviest = draws["heaviest"] / (counts * scale)
    unmet = _unseen(mean.posterior[problem.reached], sums[problem.reached, 0, 0], counts)
    lost = _lost(count, counts, float(everything[2]))
    # of the explanations that were looked at it is known what no draw met
    unseen = min(unmet, max(0.0, 1.0 - draws["looked"])) + lost
    bound = WIDTH * errors + MISSED * (heaviest + unseen) * np.abs(scores)
    bound += heaviest * np.minimum(1.0, np.sqrt(mean.posterior / FLOOR))[:, None] * size
    seldom = np.minimum(1.0, UNTOLD / np.maximum(_effective(sums), 1.0))[:, None]
    bound += seldom * np.maximum(mean.posterior, scores[:, 0])[:, None] * beside
    rough = 1.0
    if cut is not None and cut.any():
        bound *= SKEWED_BY_CUTS
        rough = ROUGH_BY_CUTS
    missed = draws["missed"] / scale
    missed_row = np.abs(draws["missed_row"]) + np.sqrt(draws["missed_square"])
    missed_row *= NEARBY / scale
    met = _effective(sums)
    few_met = np.where(problem.reached, np.maximum(0.0, 1.0 - met / DECISIVE), 0.0)
    off = float(everything[7]) / max(float(draws["mixed"]), 1e-300)
    doubt = float(np.clip(NEARER * np.sqrt(off), LEAST_DOUBT, 1.0))
    undecided = doubt * few_met[:, None] * np.abs(nearer - known)
    undecided += NEARBY * missed * np.abs(scores) + missed_row
    bound += undecided
    posterior = scores[:, 0].copy()
    far = ~problem.reached
    if far.any():
        posterior[far], spread = _listeners(mean.posterior, draws, scale, far)
        errors[far, 0] = spread
        bound[far, 0] = WIDTH * spread + MISSED * unseen * posterior[far]
        bound[far, 0] += NEARBY * missed * posterior[far] + missed_row[far, 0]
    scores[:, 0] = posterior
    tables = Tables(
        mean.log_evidence + float(np.log(scale)),
        posterior,
        disabled,
        sustained,
        corrected(mean.unexplained, near.unexplained, *draws["unexplained"][:, :2].T),
    )
    # what was missed may be all of a score; where few explanations are all there is, those that
    # draws happened to meet may count too much
    few = near is mean and draws["looked"] > NEARLY_ALL
    heavy = np.minimum(1.0, HEAVY / np.maximum(_telling(sums), 1.0)) if few else 0.0
    lowest = scores - undecided - SKEWED * heavy * bound
    least, most = extremes(problem)
    error = score_error(bound, scores, least, most, lowest)
    error = max(error, breach(tables))
    left = shape.squared(draws["unexplained"][:, 2:], tables.unexplained)
    log_error, left_error = float(np.sqrt(shape.squared_log)), float(np.sqrt(left.max(initial=0.0)))
    # each explanation that draws may have missed, but that of no disease, has a row on
    chance = float(np.sqrt(draws["missed_square"][problem.reached, 0].sum())) / scale
    left_out = MISSED * (heaviest + unmet + lost) + NEARBY * (missed + chance)
    notes = (
        f"{int(count)} explanations, {kept} of {len(problem.edge_risk)} couplings kept; standard "
        f"error of the log evidence {log_error:.1g}, of what is unexplained {left_error:.1g}",
    )
    accuracy = Accuracy(
        "sampled",
        error,
        notes=notes,
        stated_errors=score_bounds(bound, scores, least, most),
        unexplained=rough * (WIDTH * left_error + left_out),
        log_evidence=rough * (WIDTH * log_error + left_out),
    )
    return Weighed(tables, accuracy, errors, undecided, met, off)


def _beside(problem: Problem, cut: npt.NDArray[np.bool_] | None) -> Floats:
    """[row, 3] how much more a disease that is on may explain by links that are cut, at most."""
    found = np.zeros((len(problem.rows), 3))
    if cut is not None:
        most = problem.acts / np.maximum(problem.acts + problem.fails * problem.leak, 1e-300)
        found[:, 0] = cut.any(axis=1)
        found[:, 1:] = np.where(cut, most, 0.0).sum(axis=1)[:, None]
    return found


def _better(one: Floats, other: Floats, scores: Floats) -> npt.NDArray[np.bool_]:
    """[row] where the errors of all three scores together are smaller, each relative to its own."""
    scale = np.maximum(scores, FLOOR) ** 2
    return np.asarray((one / scale).sum(axis=1) < (other / scale).sum(axis=1))


def _effective(sums: Floats) -> Floats:
    """[row] as many draws, all counting the same, would tell as much about it."""
    seen, squared = sums[:, 0, 0], sums[:, 0, 5]
    return np.divide(seen**2, squared, out=np.zeros_like(seen), where=squared > 0.0)


def _telling(sums: Floats) -> Floats:
    """[row, 3] as many draws, all weighing the same, would tell as much of the true score."""
    x, dx, _, _, _, xx, dxx, ddxx = np.moveaxis(sums, -1, 0)
    squared = xx + 2.0 * dxx + ddxx
    return np.divide((x + dx) ** 2, squared, out=np.zeros_like(x), where=squared > 0.0)


def _unseen(posterior: Floats, seen: Floats, counts: float) -> float:
    """The share of explanations unlike any that was drawn: in what no draw has on, or all have."""
    never_on, never_off = seen == 0.0, seen >= counts * (1.0 - 1e-12)
    found = posterior[never_on].sum() + (1.0 - posterior[never_off]).sum()
    return max(float(found), 0.0)


def _lost(count: float, counts: float, squared: float) -> float:
    """The share of the mixture that draws of rare diseases have left no room for.

    What draws count is one on average; where it is less, by more than chance, most have met
    explanations that count little.
    """
    mean = counts / count
    chance = np.sqrt(max(squared / count - mean**2, 0.0) / count)
    return float(np.clip(1.0 - mean - 2.0 * chance, 0.0, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Spread:
    """What the standard errors of all scores have in common."""

    surplus: float
    everything: Floats  # sums of v² times 1, d, d², 1, d, d²
    scale: float  # Σ v · W

    @property
    def squared_log(self) -> float:
        """Of the log evidence."""
        one, d, dd = self.everything[:3]
        return max(float(dd - 2.0 * self.surplus * d + self.surplus**2 * one), 0.0) / self.scale**2

    def squared(self, sums: Floats, value: Floats) -> Floats:
        """Of scores, from sums of v² times x, dx, ddx, xx, dxx and ddxx."""
        x, dx, ddx, xx, dxx, ddxx = np.moveaxis(sums, -1, 0)
        square = ddxx - 2.0 * self.surplus * dxx + self.surplus**2 * xx
        cross = ddx - 2.0 * self.surplus * dx + self.surplus**2 * x
        found = (square - 2.0 * value * cross) / self.scale**2 + value**2 * self.squared_log
        return np.maximum(found, 0.0)


def _listeners(
    known: Floats, draws: Mapping[str, Any], scale: float, far: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Posteriors of rows that no evidence reaches, and their standard errors.

    Nobody is asked where all of them are certain.
    """
    asked, squared = float(draws["listened"]), float(draws["listened2"])
    if asked == 0.0:
        return known[far], np.zeros(int(far.sum()))
    more = draws["listener"][far] / asked
    spread = draws["listener2"][far] - 2.0 * more * draws["listener1"][far] + more**2 * squared
    return known[far] - more / scale, np.sqrt(np.maximum(spread, 0.0)) / (asked * scale)
