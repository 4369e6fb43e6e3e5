"""Why evidence is impossible: a smallest subset of it that contradicts the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hickam.evidence.case import Evidence
from hickam.issues import ImpossibleEvidence, error
from hickam.model.network import Network


def is_possible(network: Network, evidence: Evidence) -> bool:
    """Whether the evidence has positive probability.

    In a noisy-OR network only certainties can contradict. A disease is excluded by a likelihood of
    zero or by an absent finding that it always causes; an unobserved risk factor that always causes
    an excluded disease must be off. Everything else may be on at once, which is the best case for
    every present finding, so one look at that world decides.
    """
    causes, effects = network.causes, network.effects
    if np.any(network.finding_leak_fails[evidence.absent] == 0.0):
        return False
    if np.any(network.risk_prior[evidence.risks_on] == 0.0):
        return False
    if np.any(network.risk_prior[evidence.risks_off] == 1.0):
        return False
    absent = np.zeros(len(network.findings), dtype=bool)
    absent[evidence.absent] = True
    excluded = evidence.likelihood == 0.0
    always = np.flatnonzero(effects.fails == 0.0)
    excluded[effects.cause[always[absent[effects.effect[always]]]]] = True
    must_be_off = np.zeros(len(network.risk_factors), dtype=bool)
    always = np.flatnonzero(causes.fails == 0.0)
    must_be_off[causes.cause[always[excluded[causes.effect[always]]]]] = True
    certain = network.risk_prior == 1.0
    certain[evidence.risks_on] = True
    if np.any(must_be_off & certain) or np.any(excluded & (network.disease_leak_fails == 0.0)):
        return False
    unexplained = evidence.present[network.finding_leak[evidence.present] == 0.0]
    if len(unexplained) == 0:
        return True
    may_be_on = (network.risk_prior > 0.0) & ~must_be_off
    may_be_on[evidence.risks_on] = True
    may_be_on[evidence.risks_off] = False
    able = network.disease_leak > 0.0
    able[causes.effect[may_be_on[causes.cause] & (causes.acts > 0.0)]] = True
    able &= ~excluded
    explained = np.zeros(len(network.findings), dtype=bool)
    explained[effects.effect[able[effects.cause] & (effects.acts > 0.0)]] = True
    return bool(np.all(explained[unexplained]))


def explain_conflict(network: Network, evidence: Evidence) -> ImpossibleEvidence:
    """The error for impossible evidence, naming a subset from which nothing can be left out."""
    left = evidence
    parts: list[tuple[str, str, Callable[[str], str]]] = [
        ("present", "findings", lambda name: f"'{name}' present"),
        ("absent", "findings", lambda name: f"'{name}' absent"),
        ("risks_on", "risk_factors", lambda name: f"risk factor '{name}' true"),
        ("risks_off", "risk_factors", lambda name: f"risk factor '{name}' false"),
    ]
    for field, _, _ in parts:
        for item in getattr(left, field).tolist():
            kept = getattr(left, field)
            fewer = replace(left, **{field: kept[kept != item]})
            if not is_possible(network, fewer):
                left = fewer
    for disease in np.flatnonzero(left.likelihood == 0.0):
        likelihood = left.likelihood.copy()
        likelihood[disease] = 1.0
        fewer = replace(left, likelihood=likelihood)
        if not is_possible(network, fewer):
            left = fewer
    named = [
        phrase(getattr(network, axis)[item])
        for field, axis, phrase in parts
        for item in getattr(left, field).tolist()
    ]
    named += [
        f"disease '{network.diseases[disease]}' ruled out"
        for disease in np.flatnonzero(left.likelihood == 0.0)
    ]
    what = "cannot happen in this network"
    if len(named) > 1:
        what += " together"
    return ImpossibleEvidence(
        [
            error(
                ", ".join(named),
                what,
                "drop one of them, or give the network a leak that allows it",
            ),
            *evidence.doubts,
        ]
    )
