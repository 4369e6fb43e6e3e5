"""A case on tied layers as a few cases on three layers, each with a sign and a weight.

A disease that causes others gets a stand-in among the risk factors if all its own causes are known
(`model/tied.py`); otherwise it is taken as there and as not there. Of an exclusive group each
member is taken as the only one allowed, and once none is, which counts negatively: with E_k for "no
other member than k", P(at most one) = sum_k P(E_k) - (n - 1) P(none).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.evidence.conflict import is_possible
from hickam.inference.engines import ENGINES, has_certainties
from hickam.issues import ImpossibleEvidence, TooHard, error
from hickam.model.adapted import USUAL, adapted
from hickam.model.is_a import either
from hickam.model.network import Floats, Network
from hickam.model.numbers import Chance
from hickam.model.tied import StandIns, Tied, stand_ins

SURE = 1e40  # a likelihood ratio that leaves no doubt


class Unsuited(Exception):
    """Too many cases, or one that could only be sampled."""


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One case on three layers, and what it counts."""

    network: Network
    evidence: Evidence
    log_weight: float
    sign: float
    there: frozenset[int]  # the diseases that are taken as there


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which diseases that cause others have stand-ins and which are taken both ways."""

    tied: Tied
    layers: StandIns
    both_ways: tuple[int, ...]

    @classmethod
    def of(cls, tied: Tied, evidence: Evidence) -> Layout:
        """The layout for the risk factors that a case knows."""
        known = {*evidence.risks_on.tolist(), *evidence.risks_off.tolist()}
        settled = tuple(d for d, causes in tied.causes.items() if known.issuperset(causes))
        open_ones = tuple(d for d in tied.causes if d not in settled)
        return cls(tied, stand_ins(tied, settled), open_ones)

    @property
    def size(self) -> int:
        """How many worlds there are."""
        return math.prod(len(group) + 1 for group in self.tied.exclusive) << len(self.both_ways)

    def worlds(self, evidence: Evidence) -> Iterator[World]:
        """Every setting of the diseases taken both ways and of the exclusive groups."""
        network = adapted(self.layers.network, evidence.circumstances)
        network = replace(network, risk_prior=self._priors(network, evidence))
        for setting in product((False, True), repeat=len(self.both_ways)):
            there = frozenset(d for d, on in zip(self.both_ways, setting, strict=True) if on)
            world = self._caused_by(network, there)
            for allowed in product(*((None, *group) for group in self.tied.exclusive)):
                likelihood = evidence.likelihood.copy()
                likelihood[[d for d in self.both_ways if d not in there]] = 0.0
                sign = 1.0
                for group, member in zip(self.tied.exclusive, allowed, strict=True):
                    sign *= 1.0 - len(group) if member is None else 1.0
                    likelihood[[d for d in group if d != member]] = 0.0
                likelihood[list(there)] *= SURE
                if all(likelihood[d] > 0.0 for d in there):
                    told = replace(evidence, likelihood=likelihood, circumstances=USUAL)
                    yield World(world, told, -math.log(SURE) * len(there), sign, there)

    def _priors(self, network: Network, evidence: Evidence) -> Floats:
        """[risk factor] the priors, those of the stand-ins given the causes of their diseases."""
        on = set(evidence.risks_on.tolist())
        prior = network.risk_prior.copy()
        for disease, (leak, links) in self.layers.own.items():
            acting = (link for risk, link in links.items() if risk in on)
            prior[self.layers.stand_in[disease]] = functools.reduce(either, acting, leak).acts
        prior.setflags(write=False)
        return prior

    def _caused_by(self, network: Network, there: frozenset[int]) -> Network:
        """The network with what these diseases cause in the leaks of their effects."""
        raised = {effect for cause, effect, _ in self.tied.ties if cause in there}
        leak, fails = network.disease_leak.copy(), network.disease_leak_fails.copy()
        for disease in raised:
            leak[disease], fails[disease] = self.leak(disease, there)
        return replace(network, disease_leak=leak, disease_leak_fails=fails)

    def leak(self, disease: int, there: frozenset[int]) -> Chance:
        """The leak of a disease with these others there."""
        network = self.layers.network
        own = Chance(
            float(network.disease_leak[disease]), float(network.disease_leak_fails[disease])
        )
        acting = (p for cause, effect, p in self.tied.ties if cause in there and effect == disease)
        return functools.reduce(either, acting, own)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What all the cases of one question may cost together."""

    limits: Limits
    deadline: Deadline

    def rest(self) -> Limits:
        """The limits of the next case."""
        if self.deadline.over:
            raise self.spent()
        return replace(self.limits, deadline=self.deadline.left)

    def spent(self) -> TooHard:
        """The error for a question that takes longer than it may."""
        what = f"needs more than the {self.limits.deadline:g} seconds of the deadline"
        return TooHard([error("a case in which diseases cause or exclude diseases", what)])


def run(network: Network, evidence: Evidence, allowance: Allowance) -> Beliefs | None:
    """The beliefs of one case; None if its evidence is impossible."""
    if has_certainties(network) and not is_possible(network, evidence):
        return None
    try:
        found = ENGINES["auto"].run(network, evidence, allowance.rest())
    except ImpossibleEvidence:
        return None
    if found.accuracy.kind == "sampled":  # its probability of the evidence is rough
        raise Unsuited
    return found
