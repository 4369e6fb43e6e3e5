"""The slow, obviously right engine: every world of risk factors and diseases, one by one."""

from __future__ import annotations

import numpy as np

from hickam.beliefs.beliefs import Accuracy, Beliefs, tidy
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.inference.problem import log_fails
from hickam.issues import ImpossibleEvidence, TooHard, error
from hickam.model.network import Floats, Network

MAX_BITS = 20
ACCURACY = Accuracy("exact", 1e-10)


def enumerate_worlds(
    network: Network, evidence: Evidence, _limits: Limits | None = None
) -> Beliefs:
    """Beliefs by summing over all worlds, straight from the definitions.

    A world sets every risk factor and disease. Given the world, disease k alone keeps finding s
    present with probability D_k (1 - λ_ks) [CD sufficiency-lemma], and is the only active cause of
    it with probability D_k (1 - λ_ks) leak_fails prod_{i != k} λ_is ** D_i [CD disablement-lemma].
    """
    bits = len(network.risk_factors) + len(network.diseases)
    if bits > MAX_BITS:
        raise TooHard(
            [
                error(
                    "engine 'enumeration'",
                    f"would visit 2^{bits} worlds (at most 2^{MAX_BITS})",
                    "use engine 'auto'",
                )
            ]
        )
    diseases, log_weight = _worlds(network, evidence)
    fails = np.ones((len(network.diseases), len(network.findings)))
    acts = np.zeros_like(fails)
    links = network.effects
    fails[links.cause, links.effect] = links.fails
    acts[links.cause, links.effect] = links.acts

    chosen = diseases.astype(bool)
    log_absent = {
        finding: log_fails(network.finding_leak, network.finding_leak_fails)[finding]
        + np.where(chosen, log_fails(acts, fails)[:, finding], 0.0).sum(axis=1)
        for finding in map(int, (*evidence.present, *evidence.absent))
    }
    for finding in map(int, evidence.absent):
        log_weight = log_weight + log_absent[finding]
    with np.errstate(divide="ignore"):
        log_present = {
            finding: np.log(-np.expm1(log_absent[finding]))
            for finding in map(int, evidence.present)
        }
    before = log_weight
    for finding in map(int, evidence.present):
        log_weight = log_weight + log_present[finding]
    peak = log_weight.max()
    if not peak > -np.inf:
        raise ImpossibleEvidence([error("the evidence", "has probability zero")])
    log_evidence = float(peak + np.log(np.exp(log_weight - peak).sum()))
    weight = np.exp(log_weight - log_evidence)

    shape = (len(network.diseases), len(evidence.present))
    disabled, sustained = np.zeros(shape), np.zeros(shape)
    unexplained = np.zeros(len(evidence.present))
    for column, finding in enumerate(map(int, evidence.present)):
        others = before - log_evidence  # log weight without this finding's own factor
        for other in map(int, evidence.present):
            if other != finding:
                others = others + log_present[other]
        no_disease = np.where(chosen, fails[:, finding], 1.0).prod(axis=1)
        if network.finding_leak[finding] > 0.0:
            leak_alone = np.exp(others + np.log(network.finding_leak[finding]))
            unexplained[column] = (leak_alone * no_disease).sum()
        for disease in range(len(network.diseases)):
            strength = acts[disease, finding]
            if strength == 0.0:
                continue
            has = chosen[:, disease]
            rest = np.delete(np.arange(len(network.diseases)), disease)
            nobody_else = network.finding_leak_fails[finding] * np.where(
                chosen[:, rest], fails[rest, finding], 1.0
            ).prod(axis=1)
            caused = np.exp(np.where(has, others, -np.inf) + np.log(strength))
            sustained[disease, column] = caused.sum()
            disabled[disease, column] = (caused * nobody_else).sum()
    posterior: Floats = (weight[:, None] * diseases).sum(axis=0)
    posterior, disabled, sustained = tidy(posterior, disabled, sustained, ACCURACY.error)
    return Beliefs(
        present=tuple(network.findings[finding] for finding in evidence.present),
        log_evidence=log_evidence,
        posterior=posterior,
        disabled=disabled,
        sustained=sustained,
        unexplained=unexplained,
        single_fault=_single_fault(diseases, weight),
        engine="enumeration",
        accuracy=ACCURACY,
        in_force=evidence.in_force,
    )


def _single_fault(diseases: Floats, weight: Floats) -> Floats:
    """[disease] the posterior among the worlds with exactly one disease."""
    alone = np.where(diseases.sum(axis=1) == 1.0, weight, 0.0)
    total = alone.sum()
    return alone @ diseases / total if total > 0.0 else np.zeros(diseases.shape[1])


def _worlds(network: Network, evidence: Evidence) -> tuple[Floats, Floats]:
    """The diseases and the log prior weight of every world that agrees with the observed risks."""
    n_risks, n_diseases = len(network.risk_factors), len(network.diseases)
    index = np.arange(1 << (n_risks + n_diseases))
    states = ((index[:, None] >> np.arange(n_risks + n_diseases)) & 1).astype(np.float64)
    risks, diseases = states[:, :n_risks], states[:, n_risks:]
    log_weight = np.zeros(len(index))
    prior = network.risk_prior.copy()
    prior[evidence.risks_on], prior[evidence.risks_off] = 1.0, 0.0
    with np.errstate(divide="ignore"):
        for risk in range(n_risks):
            on = risks[:, risk] == 1.0
            log_weight += np.where(on, np.log(prior[risk]), np.log1p(-prior[risk]))
    links = network.causes
    for disease in range(n_diseases):
        log_off = np.full(
            len(index), log_fails(network.disease_leak, network.disease_leak_fails)[disease]
        )
        for link in links.of_effect(disease):
            on = risks[:, links.cause[link]] == 1.0
            log_off = log_off + np.where(on, log_fails(links.acts, links.fails)[link], 0.0)
        has = diseases[:, disease] == 1.0
        with np.errstate(divide="ignore"):
            log_on = np.log(-np.expm1(log_off)) + np.log(evidence.likelihood[disease])
        log_weight += np.where(has, log_on, log_off)
    return diseases, log_weight
