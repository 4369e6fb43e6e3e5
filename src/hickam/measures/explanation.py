"""What speaks against a disease and what raised it, read off the network and the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hickam.evidence.case import Evidence
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, as_network, as_scm
from hickam.model.network import Floats, Network

if TYPE_CHECKING:
    from hickam.model.scm import SCM


class Explanations:
    """What the evidence of one case says for and against each disease."""

    def __init__(self, model: Model, evidence: Evidence) -> None:
        self._model = model
        self._evidence = evidence
        self._network = as_network(model)
        self._denied = {} if self._network is None else _denied(self._network, evidence)
        self._on = set(evidence.risks_on.tolist())
        self._chances: Floats | None = None

    def against(self, disease: int) -> dict[str, float]:
        """Absent finding → factor by which its absence multiplies the odds, strongest first.

        In a noisy-OR network the absence of a finding multiplies the odds by exactly λ. On a
        general model this holds for the direct links into noisy-OR findings, and only those are
        listed.
        """
        if self._network is None:
            return _against(as_scm(self._model), self._evidence, disease)
        denied = self._denied.get(disease)
        return dict(sorted(denied.items(), key=lambda item: item[1])) if denied else {}

    def raised_by(self, disease: int) -> dict[str, float]:
        """Observed risk factor → factor on the disease's prior odds against its own absence.

        The other observed risk factors are as they are, the unobserved ones averaged. A general
        model that is not a three-layer network has no such factor apart from the rest of its
        evidence.
        """
        network = self._network
        if network is None or not self._on:
            return {}
        links = network.causes
        into = links.of_effect(disease)
        causes = links.cause[into].tolist()
        if self._on.isdisjoint(causes):
            return {}
        fired = self._known(network)[links.cause[into]] * links.acts[into]
        found = {}
        for position, (link, risk) in enumerate(zip(into.tolist(), causes, strict=True)):
            if risk in self._on and links.acts[link] > 0.0:
                others = np.delete(fired, position)
                factor = _raised(network, disease, link, others)
                if factor is not None:
                    found[network.risk_factors[risk]] = factor
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _known(self, network: Network) -> Floats:
        """[risk factor] the chance that it is on, as far as it is known."""
        if self._chances is None:
            self._chances = adapted(network, self._evidence.circumstances).risk_prior.copy()
            self._chances[self._evidence.risks_on] = 1.0
            self._chances[self._evidence.risks_off] = 0.0
        return self._chances


def _denied(network: Network, evidence: Evidence) -> dict[int, dict[str, float]]:
    """Disease → absent finding → λ, where it is below 1."""
    links = network.effects
    found: dict[int, dict[str, float]] = {}
    for finding in evidence.absent.tolist():
        into = links.of_effect(finding)
        pairs = zip(links.cause[into].tolist(), links.fails[into].tolist(), strict=True)
        for disease, fails in pairs:
            if fails < 1.0:
                found.setdefault(disease, {})[network.findings[finding]] = fails
    return found


def _raised(network: Network, disease: int, link: int, others: Floats) -> float | None:
    """The factor of a link from a risk factor that is on; None where the disease is certain."""
    links = network.causes
    if network.disease_leak[disease] >= 1.0:
        return None
    off_without = network.disease_leak_fails[disease] * np.prod(1.0 - others)
    with np.errstate(divide="ignore"):
        log_off = np.log1p(-network.disease_leak[disease]) + np.log1p(-others).sum()
    on_without = -np.expm1(log_off)
    if on_without >= 1.0:
        return None
    off_with = off_without * links.fails[link]
    on_with = on_without + off_without * links.acts[link]
    odds_without = on_without / off_without
    return float(
        on_with / off_with / odds_without if off_with > 0.0 and odds_without > 0.0 else np.inf
    )


def _against(model: SCM, evidence: Evidence, disease: int) -> dict[str, float]:
    """Absent finding → λ, for the disease's direct links into noisy-OR findings."""
    from hickam.model.mechanism import Gate

    name = model.diseases[disease]
    factors = {}
    for finding in (model.findings[position] for position in evidence.absent.tolist()):
        gate = model.nodes[finding].mechanism
        if isinstance(gate, Gate) and gate.kind == "or" and name in gate.parents:
            fails = gate.links[gate.parents.index(name)].fails
            if fails < 1.0:
                factors[finding] = fails
    return dict(sorted(factors.items(), key=lambda item: item[1]))
