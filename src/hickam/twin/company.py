"""Two diseases at once on a general model: how likely both are, and what each then causes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Limits
from hickam.evidence.case import Evidence
from hickam.model.network import Floats
from hickam.model.scm import SCM
from hickam.twin.cures import ModelCures
from hickam.twin.exact import Setting, log_chance
from hickam.twin.infer import EXACT
from hickam.twin.observe import abnormal


@dataclass(frozen=True, eq=False)
class ModelCompany:
    """A case ready for questions in which diseases are taken for certain: they are observed."""

    cures: ModelCures

    @classmethod
    def of(cls, model: SCM, evidence: Evidence, limits: Limits) -> ModelCompany:
        """The case ready for questions; impossible evidence is explained."""
        return cls(ModelCures.of(model, evidence, limits))

    @property
    def present(self) -> tuple[str, ...]:
        """The present findings."""
        return self.cures.present

    @property
    def accuracy(self) -> Accuracy:
        """Every answer is exact."""
        return EXACT

    @cached_property
    def _log_evidence(self) -> float:
        return log_chance(self.cures.setting)

    def leading(self, count: int) -> tuple[str, ...]:
        """The diseases that can affect a present finding, the best cures first."""
        return self.cures.able[:count]

    def chance(self, one: str, other: str) -> float:
        """P(both diseases | evidence)."""
        both = log_chance(self._given(one, other)) - self._log_evidence
        turned = self.cures.turned
        return min(math.exp(both) / (1.0 if turned is None else turned.total), 1.0)

    def removed(self, cured: str, beside: str) -> Floats:
        """[present] P(the finding goes away with one of two diseases | both, evidence)."""
        return self._removed((cured, beside), (cured,))

    def removed_together(self, one: str, other: str) -> Floats:
        """[present] P(the finding goes away when both are cured | both, evidence)."""
        return self._removed((one, other), (one, other))

    def _removed(self, there: tuple[str, str], cured: tuple[str, ...]) -> Floats:
        given = replace(self.cures, setting=self._given(*there), turned=None)
        removed = given.removed(cured)[0]
        return np.array([removed[finding] for finding in self.present])

    def _given(self, *there: str) -> Setting:
        """The setting in which these diseases are seen to be in an abnormal state."""
        setting = self.cures.setting
        weights = dict(setting.weights)
        for disease in there:
            ill = abnormal(setting.model.nodes[disease])
            weights[disease] = weights.get(disease, 1.0) * ill
        return replace(setting, weights=weights)
