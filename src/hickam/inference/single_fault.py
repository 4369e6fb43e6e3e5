"""The baseline that assumes exactly one disease."""

from __future__ import annotations

import numpy as np

from hickam.beliefs.dial import Few
from hickam.evidence.case import Evidence
from hickam.inference.problem import log_fails
from hickam.inference.reduce import dense
from hickam.model.network import Floats, Ints, Network


def single_fault(network: Network, evidence: Evidence) -> Floats:
    """[disease] P(D = 1 | evidence, exactly one disease); all 0 if that is impossible."""
    log_weight = log_only(network, evidence)
    peak = log_weight.max(initial=-np.inf)
    if not np.isfinite(peak):
        return np.zeros(len(log_weight))
    weight = np.exp(log_weight - peak)
    return weight / weight.sum()


def few_diseases(network: Network, evidence: Evidence) -> Few:
    """The worlds with no disease and with exactly one, for the Occam–Hickam dial."""
    causes = network.causes
    log_leak = log_fails(network.finding_leak, network.finding_leak_fails)
    prior = _risk_prior(network, evidence)
    silent = np.bincount(causes.cause, log_fails(causes.acts, causes.fails), len(prior))
    acts, fails = dense(network.effects, np.arange(len(network.diseases)), evidence.present)
    leak, leak_fails = (
        side[evidence.present] for side in (network.finding_leak, network.finding_leak_fails)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        nobody = (
            np.log(1.0 - prior + prior * np.exp(silent)).sum()
            + log_fails(network.disease_leak, network.disease_leak_fails).sum()
            + np.log(leak).sum()
            + log_leak[evidence.absent].sum()
        )
        shown = leak + leak_fails * acts  # P(present | only this disease), without cancellation
        sustained = np.divide(acts, shown, out=np.zeros_like(acts), where=shown > 0.0)
        unexplained = np.divide(leak * fails, shown, out=np.zeros_like(acts), where=shown > 0.0)
    return Few(
        dial=evidence.dial,
        nobody=float(nobody),
        only=log_only(network, evidence) + float(log_leak[evidence.absent].sum()),
        disabled=leak_fails * sustained,
        sustained=sustained,
        unexplained=unexplained,
    )


def _risk_prior(network: Network, evidence: Evidence) -> Floats:
    """[risk factor] P(on), those observed settled."""
    prior = network.risk_prior.copy()
    prior[evidence.risks_on] = 1.0
    prior[evidence.risks_off] = 0.0
    return prior


def log_only(network: Network, evidence: Evidence) -> Floats:
    """[disease] log P(evidence, only this disease), but for the leaks of absent findings.

    With only disease k present, P(evidence, only k) factorises even over unobserved risk factors:
    given that all other diseases are off, risk factor j is on with the odds
    p_j / (1 - p_j) * prod_{i != k} λ_ji, independently of the other risk factors.
    """
    causes, effects = network.causes, network.effects
    size = len(network.diseases)
    prior = _risk_prior(network, evidence)
    log_edge = log_fails(causes.acts, causes.fails)
    silent = causes.fails == 0.0  # λ = 0: kept apart, because log 0 cannot be taken back out
    finite = np.where(silent, 0.0, log_edge)
    log_all = np.bincount(causes.cause, finite, len(prior))
    zeros = np.bincount(causes.cause, silent, len(prior))
    with np.errstate(divide="ignore", over="ignore"):
        # per edge (j, k): P(every disease but k stays off through j | j on)
        others = np.where(
            zeros[causes.cause] - silent > 0, 0.0, np.exp(log_all[causes.cause] - finite)
        )
        p = prior[causes.cause]
        mixed = 1.0 - p + p * others
        tilted = np.divide(p * others, mixed, out=np.zeros_like(p), where=mixed > 0.0)
        everyone = np.where(zeros > 0, 0.0, np.exp(log_all))
        log_mixed_all = np.log(1.0 - prior + prior * everyone)
        log_mixed = np.log(mixed)
    # log P(all others off): the risk factors of k see one factor fewer than in the full product
    log_rest_risks = _leave_out(log_mixed_all, causes.cause, causes.effect, log_mixed, size)
    log_leak = log_fails(network.disease_leak, network.disease_leak_fails)
    certain = np.isneginf(log_leak)
    leak_sum = np.where(certain, 0.0, log_leak).sum() - np.where(certain, 0.0, log_leak)
    log_others_off = np.where(certain.sum() - certain > 0, -np.inf, leak_sum) + log_rest_risks
    with np.errstate(divide="ignore", invalid="ignore"):
        log_stay_off = log_leak + np.bincount(causes.effect, np.log1p(-tilted * causes.acts), size)
        log_on = np.log(-np.expm1(log_stay_off))
        acts, fails = dense(effects, np.arange(size), evidence.present)
        leak = log_fails(network.finding_leak, network.finding_leak_fails)[evidence.present]
        log_present = np.log(-np.expm1(leak + log_fails(acts, fails))).sum(axis=1)
        denied = np.isin(effects.effect, evidence.absent)
        lost = log_fails(effects.acts[denied], effects.fails[denied])
        log_absent = np.bincount(effects.cause[denied], lost, size)
        log_weight: Floats = (
            log_on + log_others_off + log_present + log_absent + np.log(evidence.likelihood)
        )
    return log_weight


def _leave_out(log_all: Floats, risk: Ints, disease: Ints, log_edge: Floats, size: int) -> Floats:
    """[disease] sum of log_all over risk factors, with log_edge instead where there is a link."""
    dead = np.isneginf(log_all)
    finite = np.where(dead, 0.0, log_all)
    total = finite.sum() + np.bincount(disease, log_edge - finite[risk], size)
    still_dead = dead.sum() - np.bincount(disease, dead[risk], size)
    return np.where(still_dead > 0, -np.inf, total)
