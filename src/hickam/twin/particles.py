"""Weighted settings of the noise, and any world evaluated on them: action and prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from hickam.beliefs.beliefs import UNSEEN, WIDTH, relative_error
from hickam.model.network import Floats, Ints
from hickam.model.scm import SCM
from hickam.twin.worlds import Action

NEARBY = 2.5  # what was missed in all over what was looked at, as for a mixture


@dataclass(frozen=True, slots=True, eq=False)
class Particles:
    """Settings of all noise that agree with the evidence: what abduction leaves. [CD scm]"""

    model: SCM
    noise: Mapping[str, Sequence[Ints]]  # node → its noises, each [particle]
    factual: Mapping[str, Ints]  # node → [particle]
    weight: Floats  # [particle]  sums to 1
    log_evidence: float
    missed: float = 0.0  # share of the evidence in likely explanations that no sample met

    def imagine(self, action: Action, wanted: Set[str] | None = None) -> dict[str, Ints]:
        """Every (wanted) node's state after an action, all noise as in the factual world.

        `wanted` must hold the ancestors of the nodes that are asked about.
        """
        noise = self.noise
        if wanted is not None:
            noise = {name: own for name, own in noise.items() if name in wanted}
            needed = {name: state for name, state in action.do.items() if name in wanted}
            action = replace(action, do=needed)
        return evaluate(self.model, noise, len(self.weight), action, self.factual)

    def chance(self, event: Ints) -> float:
        """The probability of an event, [particle] of truth values."""
        if event.dtype == np.bool_:
            return float(self.weight[event].sum())
        return float(self.weight @ event.astype(np.float64))

    @property
    def effective(self) -> float:
        """The effective sample size: how many equally weighted particles are worth as much."""
        return float(1.0 / (self.weight**2).sum())

    def standard_error(self, event: Ints) -> float:
        """The standard error of `chance` if the particles are a sample (self-normalised)."""
        off = np.asarray(event, dtype=np.float64) - self.chance(event)
        return float(np.sqrt(((self.weight * off) ** 2).sum()))

    @property
    def log_error(self) -> float:
        """The error to vouch for of the log evidence, as of the scores."""
        spread = float((self.weight**2).sum()) - 1.0 / len(self.weight)
        unseen = UNSEEN / max(self.effective, 1.0) + NEARBY * self.missed
        return WIDTH * float(np.sqrt(max(spread, 0.0))) + unseen

    def stated_error(self, event: Ints) -> float:
        """The error to vouch for, relative to max(|score|, FLOOR): it holds for the worst of many.

        Six standard errors, what so many samples may not have shown, and what they are known to
        have missed.
        """
        score = self.chance(event)
        bound = WIDTH * self.standard_error(event) + UNSEEN / max(self.effective, 1.0)
        bound += NEARBY * self.missed * max(float(np.max(event)), 1.0)  # an event may be a count
        return relative_error(np.array([bound]), np.array([abs(score)]))


def evaluate(
    model: SCM,
    noise: Mapping[str, Sequence[Ints]],
    count: int,
    action: Action,
    factual: Mapping[str, Ints] | None = None,
) -> dict[str, Ints]:
    """Every node's state after an action, for each setting of the noise.

    Nodes without noise in `noise` are left out; with the factual states given, a node whose parents
    did not change is not computed again.
    """
    states: dict[str, Ints] = {}
    changed: set[str] = set()
    for node in model:
        name = node.id
        if name in action.do:
            states[name] = np.broadcast_to(np.array(action.do[name], dtype=np.int8), (count,))
            changed.add(name)
        elif name not in noise:
            continue
        elif factual is not None and (
            name in action.held
            or (name not in action.silenced and not changed.intersection(node.parents))
        ):
            states[name] = factual[name]
        else:
            parents = [states[parent] for parent in node.parents]
            answer = node.mechanism.evaluate(parents, noise[name], name in action.silenced)
            states[name] = np.broadcast_to(answer, (count,)).astype(np.int8)
            changed.add(name)
    return states
