"""Batch means of independent chains → tables, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import WIDTH, Accuracy, relative_error, score_bounds, score_error
from hickam.inference.extremes import caused, extremes
from hickam.inference.problem import Problem, Tables
from hickam.model.network import Floats, Ints

# Eight chains tell their own spread only roughly.
CAUTION = 1.25
# What no sample shows may still have this many chances in as many samples. Fewer than a plain count
# would need: a step also tells the chances of every explanation one exchange away.
UNSEEN = 2.5
# With unobserved risk factors, and for a disease that needs one on: chains look at risk factors
# every 16 steps only, so that what needs one is seldom met, and for long.
UNSEEN_COUPLED, UNSEEN_CAUSED = 10.0, 40.0
DISAGREE = 1.1  # split R-hat from which an answer says that its chains disagree
LEAST_LOG_ERROR = 0.02  # of log evidence: what the chains do not tell about themselves
# Of log P(absent findings and soft evidence): what the few weighed states of the risk factors miss.
SOFT = 0.3
OVERLAP = 1e-4  # mean acceptance between neighbouring targets, from which it says something
# Of an error of the scores that log evidence may have: where some cannot be told, it can hardly be.
LOST = 0.1
# Bound over a score from which it is hardly told from nothing: two standard errors.
UNTOLD = 3.0
ROUNDING = 1e-9  # of what samples add up to
FEWEST = 50  # samples of half a chain from which R-hat means something


@dataclass(frozen=True, slots=True, eq=False)
class _Estimate:
    """One score of every row: its value, its standard error and the mix of the two estimators."""

    value: Floats
    error: Floats
    mix: Floats


def combine(problem: Problem, found: Mapping[str, Any], chains: int) -> tuple[Tables, Accuracy]:
    """Tables and accuracy from what the sampler found."""
    rows = len(problem.rows)
    weight = found["steps"] / found["steps"].sum()
    set_scores = found["set_scores"].reshape(-1, rows, 2)
    slot_scores = found["slot_scores"].reshape(-1, rows, 2)
    # A visit to a disease lasts about as long as it takes to mark every present one.
    visits = found["steps"].sum() / (1.0 + float((weight @ found["indicator"]).sum()))
    chance = np.clip(weight @ found["slot"], 0.0, 1.0)
    rarity = chance * (1.0 - chance) * len(weight) / visits  # of a batch's count of visits
    posterior = _mix(found["indicator"], found["slot"], weight, rarity, chains)
    # The tables come from fewer looks than the posterior; what is known better corrects them.
    strength = problem.acts.sum(axis=1)
    guess = np.stack([strength, 0.5 * strength], axis=1)  # for diseases that were never looked at
    set_scores = _corrected(set_scores, found["present"], found["indicator"], weight, guess)
    slot_scores = _corrected(slot_scores, found["picked"], found["slot"], weight, guess)
    scores = []
    for at in range(2):
        one, two = set_scores[:, :, at], slot_scores[:, :, at]
        scale = np.divide(weight @ two, chance, out=strength.copy(), where=chance > 0.0)
        scores.append(_mix(one, two, weight, rarity * scale**2, chains))
    sufficiency, disablement = scores
    chance = np.clip(posterior.value, 0.0, 1.0)
    sustained = np.clip(_table(problem, found, "sustained", sufficiency), 0.0, chance[:, None])
    disabled = np.clip(_table(problem, found, "disabled", disablement), 0.0, sustained)
    errors = np.stack([posterior.error, disablement.error, sufficiency.error], axis=1)
    values = np.stack([posterior.value, disablement.value, sufficiency.value], axis=1)
    chances = UNSEEN + np.zeros((len(chance), 1))
    if not problem.settled:
        chances = UNSEEN_COUPLED + (UNSEEN_CAUSED - UNSEEN_COUPLED) * caused(problem)[:, None]
    samples = _effective_samples(found["indicator"], visits, chains)
    unseen = chances / samples
    reported = np.stack([chance, disabled.sum(axis=1), sustained.sum(axis=1)], axis=1)
    error, bounds = _stated(problem, errors, reported, unseen, samples)
    lost = relative_error(WIDTH * errors + unseen * _causes(problem)[:, None], values)
    log_evidence, log_error = evidence(found)
    tables = Tables(log_evidence, chance, disabled, sustained, weight @ found["unexplained"])
    notes = [
        f"{int(found['steps'].sum())} steps of {chains} chains; "
        f"log evidence with a standard error of {log_error:.2g}"
    ]
    worst = split_r_hat(found["kept"])
    if worst > DISAGREE:
        notes.append(f"chains disagree (R-hat {worst:.2f}); the stated error allows for it")
    soft = 0.0 if problem.settled else SOFT * float(np.abs(found["log_weights"]).mean())
    left = _standard_error(found["unexplained"], chains).max(initial=0.0)
    accuracy = Accuracy(
        "sampled",
        error,
        notes=tuple(notes),
        stated_errors=bounds,
        unexplained=WIDTH * CAUTION * float(left) + 2.0 * float(unseen.max()),
        log_evidence=WIDTH * CAUTION * log_error + soft + LOST * min(lost, 1.0 / LOST),
    )
    return tables, accuracy


def _stated(
    problem: Problem, errors: Floats, scores: Floats, unseen: Floats, samples: float
) -> tuple[float, Floats]:
    """Six standard errors and what the samples may have missed, but nothing impossible.

    The error of the worst score, relative to it, and [row, 3] the absolute ones.

    A disease counts in an explanation that no sample shows as far as it can be on: once for the
    posterior, and for the other scores by all that it causes if nothing else does.
    """
    least, most = extremes(problem)
    seen = np.divide(scores, scores[:, :1], out=np.zeros_like(scores), where=scores[:, :1] > 0.0)
    whole = np.divide(most, most[:, :1], out=np.ones_like(most), where=most[:, :1] > 0.0)
    causes = np.maximum(seen, whole)
    # of a disease that was hardly looked at it is not known what it explains
    looked = np.minimum(scores[:, :1], 1.0 / samples) * (np.arange(3) > 0)
    missed = causes * np.maximum(unseen * most[:, :1], looked)
    farthest = np.maximum(np.abs(most - scores), np.abs(scores - least))
    missed = np.minimum(missed, np.maximum(unseen * farthest, looked * causes))
    # of a disease that is nearly always on it is hardly seen how seldom it is off
    always = scores[:, 0] > 0.5
    missed[always, 0] += 2.0 * np.minimum(1.0 - scores[:, :1], unseen)[always, 0]
    bounds = WIDTH * errors + missed
    lowest = np.where(bounds > UNTOLD * scores, least, scores)
    error = ROUNDING + score_error(bounds, scores, least, most, lowest)
    return error, ROUNDING + score_bounds(bounds, scores, least, most)


def _causes(problem: Problem) -> Floats:
    """[row] findings that a disease is likely to cause, at least one."""
    return np.maximum(1.0, problem.acts.sum(axis=1) / 2.0)


def evidence(found: Mapping[str, Any]) -> tuple[float, float]:
    """log P(evidence) and its standard error, by leaving out one chain at a time.

    Without the present findings it is known; from there a bridge leads to every next temperature
    (the acceptance ratio method). Targets that hardly overlap leave the error unknown: infinite.
    """

    def of(keep: Any) -> float:
        log_weights, means = found["log_weights"][keep], found["bridges"][:, keep].mean(axis=1)
        peak = log_weights.max()
        logs = np.log(np.maximum(means, 1e-300))
        ratios = found["middles"] + logs[:, 1] - logs[:, 0]
        return float(peak + np.log(np.exp(log_weights - peak).mean()) + ratios.sum())

    chains = len(found["log_weights"])
    without = np.array([of(np.arange(chains) != c) for c in range(chains)])
    spread = np.sqrt((chains - 1.0) / chains * ((without - without.mean()) ** 2).sum())
    apart = (found["bridges"].mean(axis=1).min(axis=1, initial=1.0) < OVERLAP).any()
    return of(slice(None)), np.inf if apart else float(np.hypot(spread, LEAST_LOG_ERROR))


def presence(kept: Any) -> tuple[Ints, list[Any]]:
    """The rows that were ever present, and [sample, such row] of every chain whether they were."""
    rows = np.unique(np.concatenate([members for _, members in kept]))
    found = []
    for start, members in kept:
        inside = np.zeros((len(start) - 1, len(rows)), dtype=bool)
        sample = np.repeat(np.arange(len(start) - 1), np.diff(start))
        inside[sample, np.searchsorted(rows, members)] = True
        found.append(inside)
    return rows, found


def split_r_hat(kept: Any) -> float:
    """The largest R-hat over half chains of the presence of any disease that is often present."""
    shortest = min(len(start) - 1 for start, _ in kept) // 2
    if shortest < FEWEST:
        return 1.0
    _, chains = presence(kept)
    halves = [half.mean(axis=0) for c in chains for half in (c[:shortest], c[-shortest:])]
    means = np.array(halves)
    within = (means * (1.0 - means)).mean(axis=0)
    between = means.var(axis=0, ddof=1)
    often = np.abs(means.mean(axis=0) - 0.5) < 0.48
    ratio = np.divide(between, within, out=np.full(len(often), np.inf), where=within > 0.0)
    return float(np.sqrt(1.0 + ratio[often].max(initial=0.0)))


def _table(problem: Problem, found: Mapping[str, Any], name: str, score: _Estimate) -> Floats:
    """[row, present] by finding, adding up to a row's score."""
    where = problem.acts > 0.0  # row order, as the links of the kernel
    mix = score.mix[np.nonzero(where)[0]]
    table = np.zeros_like(problem.acts)
    table[where] = mix * found[f"set_{name}"] + (1.0 - mix) * found[f"slot_{name}"]
    unseen = ~(table.sum(axis=1) > 0.0)
    table[unseen] = problem.acts[unseen]
    sums = table.sum(axis=1)
    return table * np.divide(score.value, sums, out=np.zeros_like(sums), where=sums > 0.0)[:, None]


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


def _mix(first: Floats, second: Floats, weight: Floats, rarity: Floats, chains: int) -> _Estimate:
    """Two unbiased estimates [batch, row] combined by their variances.

    The first counts visits: `rarity` is its variance from visits too rare to show in the batches.
    The standard error is the larger of those from batches and from whole chains: batches of one
    chain may resemble each other.
    """
    one, two = first - weight @ first, second - weight @ second
    spread = ((one - two) ** 2).sum(axis=0) + len(weight) * rarity
    with np.errstate(divide="ignore", invalid="ignore"):
        best = (two * (two - one)).sum(axis=0) / spread
    mix = np.clip(np.where(spread > 0.0, best, 1.0), 0.0, 1.0)
    batches = mix * first + (1.0 - mix) * second
    return _Estimate(weight @ batches, CAUTION * _standard_error(batches, chains), mix)


def _standard_error(batches: Floats, chains: int) -> Floats:
    """Of means over [batch, ...]: the larger of those from batches and from whole chains."""
    error = np.zeros(batches.shape[1])
    of_chains = batches.reshape(chains, len(batches) // chains, batches.shape[1]).mean(axis=1)
    for grouped in (batches, of_chains):
        error = np.maximum(error, grouped.std(axis=0, ddof=1) / np.sqrt(len(grouped)))
    return error


def _effective_samples(indicator: Floats, visits: float, chains: int) -> float:
    """How many independent samples would tell the presence of the likely diseases as well."""
    means = indicator.reshape(chains, -1, indicator.shape[1]).mean(axis=1)
    mean = means.mean(axis=0)
    likely = (mean > 0.02) & (mean < 0.98)
    spread = means[:, likely].var(axis=0, ddof=1) / chains
    wide = mean[likely] * (1.0 - mean[likely])
    samples = np.divide(wide, spread, out=np.full(len(wide), visits), where=spread > 0.0)
    return float(np.clip(quantile(samples, 0.5), 1.0, visits)) if len(samples) else visits


def quantile(values: Floats, share: float) -> float:
    """The value below which a share of the values lie.

    As NumPy's, which first loads a library of its own, for longer than some answers may take.
    """
    ordered = np.sort(values)
    return float(np.interp(share * (len(ordered) - 1), np.arange(len(ordered)), ordered))
