"""Cures of sets of diseases on a general model: what each removes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.model.scm import SCM
from hickam.twin.exact import Setting, chance_of, log_chance, solve
from hickam.twin.infer import EXACT
from hickam.twin.observe import explain_conflict, observe
from hickam.twin.worlds import Action


@dataclass(frozen=True, slots=True, eq=False)
class ModelCures:
    """A case ready for questions, each answered on a merged twin. [CD expected-disablement]"""

    setting: Setting
    present: tuple[str, ...]
    able: tuple[str, ...]  # the diseases that can affect a present finding, the best cures first

    @classmethod
    def of(cls, model: SCM, evidence: Evidence, limits: Limits) -> ModelCures:
        """The case ready for questions; impossible evidence is explained."""
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
        bare = cls(setting, seen.present, tuple(reach))
        alone = {disease: sum(bare.removed([disease])[0].values()) for disease in reach}
        return cls(setting, seen.present, tuple(sorted(reach, key=lambda d: -alone[d])))

    def removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """Present finding → P(it goes away under do(every one of the diseases = off))."""
        action = Action(do=dict.fromkeys(diseases, 0))
        solved = solve(self.setting, [action], [(1, finding) for finding in self.present])
        return {f: chance_of(solved, f, world=1, state=0) for f in self.present}, EXACT
