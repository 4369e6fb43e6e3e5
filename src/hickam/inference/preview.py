"""What every unasked finding would tell: its chance, and the beliefs after either answer."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.coupled.subsets import kernel_arguments
from hickam.inference.kernels import compiled
from hickam.inference.reduce import dense, reduce
from hickam.inference.solve import solve
from hickam.model.network import Floats, Ints, Network

MOST_FINDINGS = 12  # present, for one run over their subsets
CHECKED = 4  # answers of each kind held to full inference
LEFT_OUT = 5.0  # how much more the loops may do to the others
LEAST = 2e-4  # error stated at the least
RARE = 1e-5  # a finding less likely than this gets an inference of its own
HARDLY_FAILS = 1e-6  # likewise one that some disease practically always causes


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The three measures of every disease, one row per situation."""

    posterior: Floats  # [situation, disease]
    disablement: Floats  # [situation, disease]  expected disablement
    sufficiency: Floats  # [situation, disease]  expected sufficiency


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """The answers to every finding that is neither present nor absent, before asking.

    Where an answer is impossible (chance 0 or 1), its row repeats the beliefs of now.
    """

    findings: Ints  # [asked]  positions of the unasked findings
    chance: Floats  # [asked]  P(finding present | evidence)
    now: Scores  # one row: the beliefs before asking
    if_present: Scores  # [asked, disease]
    if_absent: Scores  # [asked, disease]
    accuracy: Accuracy  # of the worst of all these answers


def preview(network: Network, evidence: Evidence, limits: Limits | None = None) -> Preview:
    """The chance of every unasked finding and every disease's scores after either answer."""
    limits = limits or Limits()
    asked = np.ones(len(network.findings), dtype=bool)
    asked[evidence.present] = False
    asked[evidence.absent] = False
    findings = np.flatnonzero(asked)
    # a link or leak that never fails needs the care that only full inference takes
    certain = bool(
        (network.effects.fails == 0.0).any() or (network.disease_leak_fails == 0.0).any()
    )
    few = len(findings) > 0 and len(evidence.present) <= MOST_FINDINGS and not certain
    if few and compiled() is not None and limits.tolerance >= 5.0 * LEAST:
        return _all_at_once(network, evidence, findings, limits)
    return _one_by_one(network, evidence, findings, limits)


def _all_at_once(network: Network, evidence: Evidence, findings: Ints, limits: Limits) -> Preview:
    """The preview by one compiled run, on the problem that all answers together pose.

    Loops of coupled diseases are left out there; full inference of the answers that change most,
    and of those with the most causes, says how much that matters.
    """
    base = reduce(network, evidence)
    wide = reduce(network, replace(evidence, absent=np.append(evidence.absent, findings)))
    weight_on, weight_off = np.ones((2, network.prior.size))
    weight_on[base.rows], weight_off[base.rows] = base.weight_on, base.weight_off
    wide = replace(
        wide,
        reached=np.ones(len(wide.rows), dtype=bool),
        weight_on=weight_on[wide.rows],
        weight_off=weight_off[wide.rows],
    )
    acts, fails = dense(network.effects, wide.rows, findings)
    goal = 0.3 * limits.tolerance
    kernels = compiled()
    assert kernels is not None
    chance, _, if_present, if_absent, rounding = kernels.preview(
        *kernel_arguments(wide),
        acts,
        fails,
        network.finding_leak[findings],
        network.finding_leak_fails[findings],
        goal,
    )

    def spread(scores: Floats) -> Floats:
        """[..., measure, row] as [..., measure, disease]."""
        full = np.zeros((*scores.shape[:-1], wide.size))
        full[..., 0, :] = wide.elsewhere
        full[..., wide.rows] = scores
        return full

    _, best, accuracy = _scores(network, evidence, limits)
    present = spread(if_present)
    error = rounding + accuracy.error
    if not wide.settled:
        shift = np.abs(present[:, 0] - best[0]).sum(axis=1) * (chance > 0.0)
        links = (acts > 0.0).sum(axis=0) * (chance > 0.0)
        error += LEAST
        for i in {*np.argsort(-shift)[:CHECKED].tolist(), *np.argsort(-links)[:CHECKED].tolist()}:
            asking = _answered(evidence, int(findings[i]), present=True)
            _, right, how = _scores(network, asking, limits)
            gap = np.abs(present[i] - right) / np.maximum(np.abs(right), FLOOR)
            error = max(error, LEFT_OUT * float(gap.max()) + how.error + rounding)
    return Preview(
        findings=findings,
        chance=chance,
        now=_table(best[None]),
        if_present=_table(present),
        if_absent=_table(spread(if_absent)),
        accuracy=Accuracy("exact" if wide.settled else "estimated", error),
    )


def _one_by_one(network: Network, evidence: Evidence, findings: Ints, limits: Limits) -> Preview:
    """The preview by one inference for each finding.

    An absent finding merely changes the diseases' weights; what then remains of the beliefs of now
    is the case of its presence. Where hardly anything remains, presence gets its own inference.
    """
    log_now, now, accuracy = _scores(network, evidence, limits)
    links = network.effects
    certain = np.zeros(len(network.findings), dtype=bool)
    certain[links.effect[(links.fails < HARDLY_FAILS) & (links.acts > 0.0)]] = True

    def answers(finding: int) -> tuple[float, Floats, Floats, Accuracy]:
        log_absent, absent, how = _scores(network, _answered(evidence, finding, False), limits)
        sampled = "sampled" in (how.kind, accuracy.kind)
        if certain[finding] or sampled or not log_absent < log_now + np.log1p(-RARE):
            log_present, present, other = _scores(
                network, _answered(evidence, finding, True), limits
            )
            chance = _share(log_present, log_absent)
            how = _worse(how, other)
        else:
            chance = float(-np.expm1(log_absent - log_now))
            present = _remainder(network, finding, now, absent, chance)
        return chance, present if chance > 0.0 else now, absent if chance < 1.0 else now, how

    workers = (os.cpu_count() or 1) if compiled() is not None else 1
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(answers, findings.tolist()))
    for _, _, _, how in found:
        accuracy = _worse(accuracy, how)
    empty = np.zeros((0, *now.shape))
    return Preview(
        findings=findings,
        chance=np.array([chance for chance, _, _, _ in found]),
        now=_table(now[None]),
        if_present=_table(np.array([scores for _, scores, _, _ in found]) if found else empty),
        if_absent=_table(np.array([scores for _, _, scores, _ in found]) if found else empty),
        accuracy=accuracy,
    )


def _remainder(
    network: Network, finding: int, now: Floats, absent: Floats, chance: float
) -> Floats:
    """[measure, disease] the scores if the finding is present: now = chance × these + rest.

    The new finding adds to the counterfactual scores: a disease causes it with probability
    acts P(D | now) / chance, and alone with (acts / fails) P(D, absent | now) / chance.
    """
    scores = (now - (1.0 - chance) * absent) / chance
    into = network.effects.of_effect(finding)
    cause, acts = network.effects.cause[into], network.effects.acts[into]
    alone = acts / np.where(acts > 0.0, network.effects.fails[into], 1.0)
    scores[1, cause] += alone * (1.0 - chance) * absent[0, cause] / chance
    scores[2, cause] += acts * now[0, cause] / chance
    return np.maximum(scores, 0.0)


def _worse(one: Accuracy, other: Accuracy) -> Accuracy:
    """The less trustworthy of two accuracies."""
    return max(one, other, key=lambda accuracy: (not accuracy.exact, accuracy.error))


def _answered(evidence: Evidence, finding: int, present: bool) -> Evidence:
    """The evidence with one more answer."""
    if present:
        return replace(evidence, present=np.append(evidence.present, finding))
    return replace(evidence, absent=np.append(evidence.absent, finding))


def _scores(network: Network, evidence: Evidence, limits: Limits) -> tuple[float, Floats, Accuracy]:
    """log P(evidence), [measure, disease] the three measures, and their accuracy."""
    problem = reduce(network, evidence, single_fault=False)
    tables, _, accuracy = solve(problem, limits)
    scores = np.zeros((3, problem.size))
    scores[0] = problem.elsewhere
    scores[0, problem.rows] = tables.posterior
    scores[1, problem.rows] = tables.disabled.sum(axis=1)
    scores[2, problem.rows] = tables.sustained.sum(axis=1)
    return tables.log_evidence + problem.log_scale, scores, accuracy


def _share(log_one: float, log_other: float) -> float:
    """The first of two probabilities over their sum."""
    if log_one == -np.inf:
        return 0.0
    return float(1.0 / (1.0 + np.exp(min(log_other - log_one, 700.0))))


def _table(scores: Floats) -> Scores:
    """[situation, measure, disease] as scores."""
    return Scores(scores[:, 0], scores[:, 1], scores[:, 2])
