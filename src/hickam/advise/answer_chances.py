"""How likely an answer is, given what is known: a ratio of two evidences, by inference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hickam.advise.questions import CATEGORY, RISK, Question
from hickam.beliefs.beliefs import Accuracy, Beliefs
from hickam.beliefs.options import Limits
from hickam.evidence.case import Case, Evidence
from hickam.evidence.locate import locate
from hickam.infer import believe
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, as_network
from hickam.model.network import Floats

Inferred = tuple[Evidence, Beliefs]


def inferred_from(
    model: Model, stood: Inferred, more: Case, limits: Limits, then: Inferred | None = None
) -> Inferred:
    """What a case that says more implies, all soft evidence being what it is.

    How many findings there are weighs what is known, not what might be seen next. `then` is what is
    inferred from the larger case as it stands, if that is known.
    """
    evidence = stood[0]
    if then is not None and np.array_equal(then[0].likelihood, evidence.likelihood):
        return then
    told = replace(locate(more, model), likelihood=evidence.likelihood, dial=evidence.dial)
    return told, believe(model, told, "auto", limits)


def chance_of(stood: Inferred, then: Inferred, prior: float = 1.0) -> float:
    """P(what the second case says more | evidence).

    `prior` is that of the risk factors that it says more of, which no evidence includes.
    """
    gap = then[1].log_evidence - stood[1].log_evidence
    return min(prior * math.exp(min(gap, 700.0)), 1.0)


def chances_of(
    model: Model,
    stood: Inferred,
    question: Question,
    told: Sequence[Case],
    then: Sequence[Inferred],
    limits: Limits,
) -> tuple[Floats, Accuracy]:
    """[answer] how likely each is; `told` and `then` are the case and what it implies with each."""
    if question.about != CATEGORY:
        risk = question.about == RISK
        prior = risk_chance(model, stood[0], question.id) if risk else 1.0
        seen = inferred_from(model, stood, told[0], limits, then[0])
        yes = chance_of(stood, seen, prior)
        return np.array([yes, 1.0 - yes]), worst(stood[1], seen[1])
    category = next(one for one in model.categories if one.id == question.id)
    logs = np.array([beliefs.log_evidence for _, beliefs in then])
    weight = np.exp(logs - logs.max()) * np.array(category.otherwise)
    return weight / weight.sum(), worst(stood[1], *(beliefs for _, beliefs in then))


def risk_chance(model: Model, evidence: Evidence, risk: str) -> float:
    """P(a risk factor is on) for patients of this sex and age, before any evidence."""
    network = as_network(model)
    assert network is not None
    return float(adapted(network, evidence.circumstances).risk_prior[model.index[risk]])


def worst(*found: Beliefs) -> Accuracy:
    """The accuracy of what is computed from several inferences."""
    how = max((one.accuracy for one in found), key=lambda accuracy: accuracy.error)
    errors = [one.accuracy.log_evidence or one.accuracy.error for one in found]
    return replace(how, error=max(how.error, sum(errors)), stated_errors=None, leading=None)
