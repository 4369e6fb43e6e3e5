"""What speaks against a disease and what raised it, read off the network and the evidence."""

from __future__ import annotations

import numpy as np

from hickam.evidence.case import Evidence
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, as_network, as_scm
from hickam.model.mechanism import Gate
from hickam.model.scm import SCM


def against(model: Model, evidence: Evidence, disease: int) -> dict[str, float]:
    """Absent finding → factor by which its absence multiplies the disease's odds, strongest first.

    In a noisy-OR network the absence of a finding multiplies the odds by exactly λ. On a general
    model this holds for the direct links into noisy-OR findings, and only those are listed.
    """
    network = as_network(model)
    if network is None:
        return _against(as_scm(model), evidence, disease)
    links = network.effects
    row = links.of_cause(disease)
    absent = set(evidence.absent.tolist())
    factors = {
        network.findings[finding]: float(fails)
        for finding, fails in zip(links.effect[row].tolist(), links.fails[row], strict=True)
        if finding in absent and fails < 1.0
    }
    return dict(sorted(factors.items(), key=lambda item: item[1]))


def raised_by(model: Model, evidence: Evidence, disease: int) -> dict[str, float]:
    """Observed risk factor → factor on the disease's prior odds against its own absence.

    The other observed risk factors are as they are, the unobserved ones averaged. A general model
    that is not a three-layer network has no such factor apart from the rest of its evidence.
    """
    network = as_network(model)
    if network is None:
        return {}
    network = adapted(network, evidence.circumstances)
    links = network.causes
    into = links.of_effect(disease)
    prior = network.risk_prior.copy()
    prior[evidence.risks_on] = 1.0
    prior[evidence.risks_off] = 0.0
    fired = prior[links.cause[into]] * links.acts[into]
    found = {}
    for position, link in enumerate(into):
        risk = int(links.cause[link])
        if risk not in evidence.risks_on or links.acts[link] == 0.0:
            continue
        off_without = network.disease_leak_fails[disease] * np.prod(
            1.0 - np.delete(fired, position)
        )
        off_with = off_without * links.fails[link]
        on_without = (
            -np.expm1(
                np.log1p(-network.disease_leak[disease])
                + np.log1p(-np.delete(fired, position)).sum()
            )
            if network.disease_leak[disease] < 1.0
            else 1.0
        )
        if on_without >= 1.0:
            continue
        on_with = on_without + off_without * links.acts[link]
        odds_without = on_without / off_without
        found[network.risk_factors[risk]] = float(
            on_with / off_with / odds_without if off_with > 0.0 and odds_without > 0.0 else np.inf
        )
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _against(model: SCM, evidence: Evidence, disease: int) -> dict[str, float]:
    """Absent finding → λ, for the disease's direct links into noisy-OR findings."""
    name = model.diseases[disease]
    factors = {}
    for finding in (model.findings[position] for position in evidence.absent.tolist()):
        gate = model.nodes[finding].mechanism
        if isinstance(gate, Gate) and gate.kind == "or" and name in gate.parents:
            fails = gate.links[gate.parents.index(name)].fails
            if fails < 1.0:
                factors[finding] = fails
    return dict(sorted(factors.items(), key=lambda item: item[1]))
