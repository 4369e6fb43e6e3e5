"""The leading explanations of a case: sets of diseases with their weights, found by search.

An explanation is a set of diseases that are there while all others are not. A few hundred of them
carry nearly all of the probability, and everything a question could tell follows from them in a few
matrix products, without another inference. Unobserved risk factors are averaged out here, so the
weights are approximate; `benchmarks/interview.py --loss` measures by how much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hickam.evidence.case import Evidence
from hickam.inference.problem import Problem, log_fails
from hickam.inference.reduce import dense, reduce
from hickam.model.network import Floats, Ints, Network

BEAM = 48  # explanations of one size that are extended by one more disease
KEPT = 256  # explanations in all
LARGEST = 6  # diseases in one explanation
COVERED = 1e-4  # a size whose best explanation has less than this share ends the search
ROWS = 512  # diseases that the search adds, the most promising by themselves
NEVER = 1e-12  # stands for a chance of 0 while searching, so that there is a way through it
ROUNDS, STEP = 60, 1.0  # of matching explanations to exact posteriors: at most, in log odds
LEAST, CLOSE = 1e-6, 1e-3  # the least chance that is matched, and when it is near enough
FASTEST = 30.0  # the rate of a mechanism that always acts


@dataclass(frozen=True, slots=True, eq=False)
class Explanations:
    """Sets of diseases that may explain a case, and what causes what in each of them."""

    diseases: Ints  # [candidate]  those in any explanation
    members: npt.NDArray[np.bool_]  # [explanation, candidate]
    weight: Floats  # [explanation]  P(explanation | evidence), sums to 1
    levelled: Floats  # [explanation]  the same if rare diseases were less rare, see `explain`
    # [explanation, present, candidate + 1]  P(the candidate is what causes the finding); last:
    # none of them. Where several mechanisms may act the first to fire counts, of rates -log λ.
    causes: Floats
    background: Floats  # [disease]  P(D = 1 | evidence) of the others, each on its own

    @property
    def posterior(self) -> Floats:
        """[candidate] P(D = 1 | evidence) by these explanations."""
        return self.weight @ self.members


def explain(network: Network, evidence: Evidence, *, level: float = 0.0) -> Explanations:
    """The leading explanations of the present findings; with none present, of the absent ones.

    `level` is how far the priors of diseases are evened out in `Explanations.levelled`: each prior
    is taken to the power of 1 − level, all scaled so that as many diseases are expected as before.
    """
    problem = reduce(network, evidence, single_fault=False)
    on, off = _averaged(problem)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(on * problem.weight_on) - np.log(off * problem.weight_off)
    odds = np.clip(np.nan_to_num(odds, nan=-np.inf), -700.0, 700.0)
    background = problem.elsewhere.copy()
    background[problem.rows] = 1.0 / (1.0 + np.exp(-odds))
    raised = _raised(network.prior, level)
    able = np.flatnonzero(problem.reached & (problem.acts > 0.0).any(axis=1))
    if not len(evidence.present):
        likely = np.argsort(-background, kind="stable")[:BEAM]
        return _of_rows(
            network, evidence, likely, _logit(background[likely]), background, raised[likely]
        )
    alone = (
        odds[able]
        + raised[problem.rows[able]]
        + _log_shown(problem.leak_fails * problem.fails[able]).sum(axis=1)
    )
    able = able[np.argsort(-alone, kind="stable")[:ROWS]]
    rows = problem.rows[able]
    return _of_rows(network, evidence, rows, odds[able], background, raised[rows])


def matched(found: Explanations, posterior: Floats) -> Explanations:
    """The explanations weighted so that each candidate is as likely as exact inference says.

    `posterior` is [disease] P(D = 1 | evidence). The odds of each candidate are turned until the
    sums over explanations agree; what the explanations say of diseases together stays.
    """
    wanted = np.clip(posterior[found.diseases], LEAST, 1.0 - LEAST)
    target = np.log(wanted) - np.log1p(-wanted)
    members = found.members.astype(np.float64)
    weight = found.weight
    for _ in range(ROUNDS):
        now = np.clip(weight @ members, LEAST, 1.0 - LEAST)
        turn = np.clip(target - np.log(now) + np.log1p(-now), -STEP, STEP)
        with np.errstate(divide="ignore"):
            weight = _shares(np.log(weight) + members @ (turn / 2.0))
        if np.abs(now - wanted).max(initial=0.0) < CLOSE:
            break
    turned = np.divide(weight, found.weight, out=np.zeros_like(weight), where=found.weight > 0.0)
    levelled = found.levelled * turned
    return replace(found, weight=weight, levelled=levelled / levelled.sum())


def _raised(prior: Floats, level: float) -> Floats:
    """[disease] what evening the priors out adds to the log odds of each."""
    possible = (prior > 0.0) & (prior < 1.0)
    if level == 0.0 or not possible.any():
        return np.zeros(len(prior))
    even = np.where(possible, np.maximum(prior, 1e-300) ** (1.0 - level), prior)
    even[possible] *= prior[possible].sum() / even[possible].sum()
    even = np.minimum(even, np.maximum(prior, 0.5))
    return np.where(possible, _logit(even) - _logit(prior), 0.0)


def _logit(chance: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.clip(np.log(chance) - np.log1p(-chance), -700.0, 700.0)


def _averaged(problem: Problem) -> tuple[Floats, Floats]:
    """[row] P(D = 1) and P(D = 0) with every coupling risk factor averaged out on its own."""
    fired = problem.risk_prior[problem.edge_risk] * problem.edge_acts
    with np.errstate(divide="ignore"):
        lost = np.bincount(problem.edge_row, np.log1p(-fired), len(problem.rows))
        log_off = np.log(problem.off) + lost
    off = np.exp(log_off)
    return np.where(problem.off < 0.5, 1.0 - off, -np.expm1(log_off)), off


def _of_rows(
    network: Network,
    evidence: Evidence,
    rows: Ints,
    odds: Floats,
    background: Floats,
    raised: Floats,
) -> Explanations:
    """The explanations that are made of these diseases, given their odds apart from findings."""
    acts, fails = dense(network.effects, rows, evidence.present)
    leak_fails = network.finding_leak_fails[evidence.present]
    chosen, log_weight = _search(odds + raised, fails, leak_fails, evidence.dial)
    used = np.flatnonzero(chosen.any(axis=0))
    weight = _shares(log_weight - chosen @ raised)
    members = chosen[:, used]
    rates = np.minimum(-log_fails(acts[used], fails[used]), FASTEST)
    leak = np.minimum(-_log(leak_fails), FASTEST)
    # [explanation, present, candidate]
    causes = members[:, None, :] * rates.T[None]
    causes = np.concatenate(
        [causes, np.broadcast_to(leak[None, :, None], (*causes.shape[:2], 1))], 2
    )
    total = causes.sum(axis=2, keepdims=True)
    causes = np.divide(causes, total, out=np.zeros_like(causes), where=total > 0.0)
    return Explanations(rows[used], members, weight, _shares(log_weight), causes, background)


def _shares(log_weight: Floats) -> Floats:
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def _search(
    odds: Floats, fails: Floats, leak_fails: Floats, dial: float
) -> tuple[npt.NDArray[np.bool_], Floats]:
    """([explanation, row] members, [explanation] log weight): the heaviest that a beam finds.

    log weight = sum of the members' log odds + log P(present findings | members only); the dial is
    in the odds once for each disease, and twice more against there being none.
    """
    size = len(odds)
    marks = np.random.default_rng(0).random(size)  # sums that tell sets of diseases apart
    member = np.zeros((1, size), dtype=bool)
    quiet = leak_fails[None, :]  # [explanation, present]  P(finding absent | explanation)
    prior = np.zeros(1)
    log_weight = _log_shown(quiet).sum(axis=1) + 2.0 * np.log(dial)
    all_members, all_weights = [member], [log_weight]
    for _ in range(min(LARGEST, size)):
        first = np.argsort(-log_weight, kind="stable")[:BEAM]
        member, quiet, prior = member[first], quiet[first], prior[first]
        heavier = prior[:, None] + odds[None, :]
        heavier = heavier + _log_shown(quiet[:, None, :] * fails[None]).sum(axis=2)
        heavier[member] = -np.inf
        best = np.argsort(-heavier, axis=None, kind="stable")[: 4 * KEPT]
        grown, added = np.unravel_index(best[np.isfinite(heavier.ravel()[best])], heavier.shape)
        if not len(grown):
            break
        member = member[grown]
        member[np.arange(len(added)), added] = True
        _, kept = np.unique(member @ marks, return_index=True)
        kept = np.sort(kept)[:KEPT]
        log_weight = heavier[grown[kept], added[kept]]
        quiet = quiet[grown[kept]] * fails[added[kept]]
        prior = prior[grown[kept]] + odds[added[kept]]
        member = member[kept]
        all_members.append(member)
        all_weights.append(log_weight)
        if log_weight.max() < max(part.max() for part in all_weights) + np.log(COVERED):
            break
    weights = np.concatenate(all_weights)
    order = np.argsort(-weights, kind="stable")[:KEPT]
    return np.concatenate(all_members)[order], weights[order]


def _log_shown(absent: Floats) -> Floats:
    """log P(finding present) from P(finding absent)."""
    return _log(1.0 - absent)


def _log(chance: Floats) -> Floats:
    return np.log(np.maximum(chance, NEVER))
