"""Any counterfactual probability; on three layers by the engines of `infer` and `cure` if they can.

They can where nothing is done and the target is any joint state of findings and risk factors with
one disease at most, and where diseases are cured and the target is a present finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hickam.advise.answer_chances import Inferred, chance_of, inferred_from, worst
from hickam.advise.what_if import cure
from hickam.beliefs.beliefs import FLOOR, Accuracy
from hickam.evidence.case import Case
from hickam.infer import infer_located, take
from hickam.issues import ImpossibleEvidence, InvalidInput
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, as_network
from hickam.model.network import Network
from hickam.twin.answer import Answer, named
from hickam.twin.query import Answers, Asked, by_twins, read_query

AUTO = "auto"
WHY = "three layers of noisy-ORs: the mechanisms settle it"
Found = tuple[float, float]  # probability, bound on its error


class _Unsuited(Exception):
    """A question that the engines for three layers cannot take as it is."""


def query(
    model: Model,
    evidence: Case | Mapping[str, object],
    do: Mapping[str, object],
    target: Mapping[str, object] | Sequence[str] | str,
    engine: str = AUTO,
    **options: Any,
) -> Answers:
    """P(target | evidence, do), where the target is in the world after the intervention.

    `evidence` is a case, or node → state (true and false for on and off); `do` likewise, and may be
    empty. `target` is node → state, or names of nodes, for all their joint states.

    >>> import hickam
    >>> network = hickam.load("smoker")
    >>> cured = query(network, {"chest pain": True}, {"angina": False}, {"chest pain": False})
    >>> 0.0 < cured.probability < 1.0
    True
    """
    asked = read_query(model, evidence, do, target, engine, options)
    network = as_network(model)
    if network is not None and engine == AUTO:
        try:
            return _by_layers(model, network, evidence, asked, options)
        except _Unsuited:
            pass
    return by_twins(asked, engine)


def _by_layers(
    model: Model,
    network: Network,
    evidence: Case | Mapping[str, object],
    asked: Asked,
    options: Any,
) -> Answers:
    """The answers by the engines for three layers."""
    case = evidence if isinstance(evidence, Case) else _as_case(network, asked.setting.observed)
    located, limits = take(model, case, options)
    if located.states:
        raise _Unsuited
    nodes = asked.scm.nodes
    if any(nodes[node].role != "disease" or state for node, state in asked.do.items()):
        raise _Unsuited
    stood = infer_located(model, case, AUTO, options)
    if asked.do:
        what = cure(model, case, list(asked.do), **options)
        bound = what.accuracy.error * max(what.expected, FLOOR)
        found = [_after(what.removed, states, bound) for states in asked.wanted]
        accuracy = what.accuracy
    else:
        joint = _Joint(network, case, stood, limits, dict(asked.setting.observed))
        answers = [joint.of(states) for states in asked.wanted]
        found = [one for one, _ in answers]
        accuracy = max((how for _, how in answers), key=lambda how: how.error)
    errors = (bound / max(chance, FLOOR) for chance, bound in found)
    prior = adapted(network, located.circumstances).risk_prior
    with np.errstate(divide="ignore"):
        risks = np.log(prior[located.risks_on]).sum() + np.log1p(-prior[located.risks_off]).sum()
    return Answers(
        model=network.name,
        given=named(asked.scm, asked.setting.observed),
        do=named(asked.scm, asked.do),
        answers=tuple(
            Answer(named(asked.scm, states), chance, chance, chance, "identified", WHY, {})
            for states, (chance, _) in zip(asked.wanted, found, strict=True)
        ),
        log_evidence=stood[1].log_evidence + float(risks),
        engine=stood[1].engine,
        accuracy=replace(
            accuracy, error=max(accuracy.error, *errors), stated_errors=None, leading=None
        ),
    )


def _as_case(network: Network, states: Mapping[str, int]) -> Case:
    """The case that says of findings and risk factors what the states do."""
    findings, risks = set(network.findings), set(network.risk_factors)
    if any(node not in findings and node not in risks for node in states):
        raise _Unsuited
    return Case(
        present=[node for node, state in states.items() if node in findings and state],
        absent=[node for node, state in states.items() if node in findings and not state],
        risks={node: bool(state) for node, state in states.items() if node in risks},
    )


def _after(removed: Mapping[str, float], states: Mapping[str, int], bound: float) -> Found:
    """How likely a present finding is in a state after a cure."""
    if len(states) != 1 or not removed.keys() >= states.keys():
        raise _Unsuited
    ((finding, state),) = states.items()
    return (1.0 - removed[finding] if state else removed[finding]), bound


class _Joint:
    """Joint states of a patient as he is, by one inference for each."""

    def __init__(
        self, network: Network, case: Case, stood: Inferred, limits: Any, observed: dict[str, int]
    ) -> None:
        self.network, self.case, self.stood, self.limits = network, case, stood, limits
        self.observed = observed
        self.prior = adapted(network, stood[0].circumstances).risk_prior

    def of(self, states: Mapping[str, int]) -> tuple[Found, Accuracy]:
        """The probability of a joint state, and the accuracy that it rests on."""
        exact = Accuracy("exact", 0.0)
        if any(self.observed.get(node, state) != state for node, state in states.items()):
            return (0.0, 0.0), exact
        left = {node: state for node, state in states.items() if node not in self.observed}
        ill = [node for node in left if node in self.network.diseases]
        seen = {node: state for node, state in left.items() if node not in ill}
        if len(ill) > 1:
            raise _Unsuited
        chance, then = 1.0, self.stood
        if seen:
            told = _as_case(self.network, seen)
            try:
                then = inferred_from(self.network, self.stood, _and(self.case, told), self.limits)
            except ImpossibleEvidence:
                return (0.0, 0.0), exact
            except InvalidInput:
                raise _Unsuited from None
            if len(then[0].weighed) != len(self.stood[0].weighed):
                raise _Unsuited
            prior = [self.prior[self.network.index[risk]] for risk in told.risks]
            factors = [
                p if on else 1.0 - p for p, on in zip(prior, told.risks.values(), strict=True)
            ]
            chance = chance_of(self.stood, then, float(np.prod(factors)))
        how = worst(self.stood[1], then[1])
        bound = how.error * max(chance, FLOOR)
        for disease in ill:
            posterior = float(then[1].posterior[self.network.index[disease]])
            chance *= posterior if left[disease] else 1.0 - posterior
        return (chance, bound), how


def _and(case: Case, told: Case) -> Case:
    """A case with what is told besides."""
    return replace(
        case,
        present=(*case.present, *told.present),
        absent=(*case.absent, *told.absent),
        risks={**case.risks, **told.risks},
    )
