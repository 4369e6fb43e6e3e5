"""Cures of sets of diseases on a general model: what each removes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.dial import Turned
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.model.network import Floats
from hickam.model.scm import SCM
from hickam.model.scm_adapted import adapted_scm
from hickam.twin.exact import Setting, chance_of, chance_of_any, log_chance, solve
from hickam.twin.infer import EXACT, few_diseases, risk_evidence
from hickam.twin.observe import explain_conflict, observe
from hickam.twin.worlds import Action


@dataclass(frozen=True, slots=True, eq=False)
class ModelCures:
    """A case ready for questions, each answered on a merged twin. [CD expected-disablement]"""

    setting: Setting
    present: tuple[str, ...]
    able: tuple[str, ...]  # the diseases that can affect a present finding, the best cures first
    turned: Turned | None = None  # how the Occam–Hickam dial reweighs, unless it is at 1

    @classmethod
    def of(cls, model: SCM, evidence: Evidence, limits: Limits) -> ModelCures:
        """The case ready for questions; impossible evidence is explained."""
        model = adapted_scm(model, evidence.circumstances)
        seen = observe(model, evidence)
        setting = Setting(model, seen.states, seen.weights, limits.memory)
        if log_chance(setting) == -math.inf:
            raise explain_conflict(
                model,
                seen.states,
                seen.weights,
                lambda s, w: log_chance(Setting(model, s, w, limits.memory)),
            )
        reach = [d for d in model.diseases if model.descendants(d) & set(seen.present)]
        turned = None
        if evidence.dial != 1.0:
            asked = [(0, disease) for disease in model.diseases]
            factual = solve(setting, (), asked)
            chances = [chance_of_any(factual, model.nodes[d]) for d in model.diseases]
            log_evidence = factual.log_total - risk_evidence(setting, seen)
            few = few_diseases(setting, seen, evidence.dial)
            turned = Turned.of(few, log_evidence, sum(chances), EXACT.error)
        bare = cls(setting, seen.present, tuple(reach), turned)
        alone = {disease: sum(bare.removed([disease])[0].values()) for disease in reach}
        able = tuple(sorted(reach, key=lambda d: -alone[d]))
        return cls(setting, seen.present, able, turned)

    def at_most(self, _chosen: Sequence[str], others: Sequence[str]) -> Floats:
        """[other] a bound on the number of findings removed; nothing better is known here."""
        return np.full(len(others), float(len(self.present)))

    def removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """Present finding → P(it goes away under do(every one of the diseases = off))."""
        nodes = self.setting.model.nodes
        action = Action(do={disease: nodes[disease].off for disease in diseases})
        solved = solve(self.setting, [action], [(1, finding) for finding in self.present])
        found = {f: chance_of(solved, f, world=1, state=nodes[f].off) for f in self.present}
        if self.turned is None:
            return found, EXACT
        share = {f: min(chance / self.turned.total, 1.0) for f, chance in found.items()}
        return share, self.turned.accuracy(EXACT)

    tried = removed
