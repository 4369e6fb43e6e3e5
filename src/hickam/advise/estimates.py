"""What every question is worth, estimated from the leading explanations of a case."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from hickam.advise.answer_chances import Inferred
from hickam.advise.answers import Answers, Unasked, answers_to
from hickam.advise.bearers import too_early
from hickam.advise.costs import cost_of
from hickam.advise.explanations import Explanations, explain, matched
from hickam.advise.manner import in_order
from hickam.advise.moves import moves_of
from hickam.advise.questions import CATEGORY, Move, Question, reason_for
from hickam.advise.screening import about_diseases
from hickam.advise.worth import (
    FIRST_STEP,
    SECOND_STEP,
    SHORTLIST,
    Objective,
    Wrong,
    about_explanations,
    doubt_about,
    worth,
    worth_of_two,
    wrong_about,
)
from hickam.evidence.case import Case, Evidence
from hickam.issues import Issue
from hickam.language.vocabulary import vocabularies
from hickam.model.adapted import adapted
from hickam.model.kinds import Model
from hickam.model.network import Floats, Ints, Network

FEW = 4  # questions left, of which none is spent on good manners


@dataclass(frozen=True, slots=True)
class Estimate:
    """A question, and what it is estimated or found to do; the question shows only what is found.

    An estimate serves to choose between questions and to say in words what one is asked for.
    """

    question: Question
    chances: tuple[float, ...]  # [answer]
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """What questions are wanted."""

    aim: Objective
    alpha: float
    costs: Mapping[str, float]
    top: int
    about: Collection[str]
    skip: Collection[str]
    untold: Collection[str]
    left: int | None


def estimates(
    model: Model, network: Network, case: Case, stood: Inferred, wish: Wish
) -> tuple[Estimate, ...]:
    """The best questions, best first; `stood` is what the case implies so far."""
    evidence, now = stood
    network = adapted(network, evidence.circumstances)
    settled = _ids(model, case.categories)
    found = matched(explain(network, evidence, level=wish.aim.level), now.posterior)
    answers = answers_to(
        network,
        evidence,
        found,
        skip=frozenset((*wish.skip, *wish.untold, *too_early(model, evidence))),
        categories=settled,
        about=wish.about,
        widely=wish.aim.bystanders,
    )
    if not answers.questions:
        return ()
    cost = np.array([cost_of(model, q.id, wish.costs) for q in answers.questions])
    value = values(network, evidence, found, answers, cost, aim=wish.aim, left=wish.left)
    value *= _told(model, answers, settled, wish.untold)
    score = (value - wish.alpha * cost) / np.maximum(cost, 1e-9)
    few = wish.left is not None and wish.left <= FEW
    order = in_order(network, evidence, answers.questions, score, strictly=few)[: wish.top]
    return tuple(
        _estimate(model, answers, at, found, float(value[at]), float(cost[at]), wish, network)
        for at in order
        if value[at] > 0.0
    )


def _estimate(
    model: Model,
    answers: Answers,
    at: int,
    found: Explanations,
    value: float,
    cost: float,
    wish: Wish,
    network: Network,
) -> Estimate:
    """One question as far as explanations tell, its reason without figures."""
    asked = answers.questions[at]
    moves = moves_of(network, found, answers, at, wish.aim)
    reason = reason_for(model, moves, figures=False)
    question = unfigured(model, asked, value, cost, wish.alpha, reason)
    chances = found.weight @ answers.given[:, asked.columns]
    return Estimate(question, tuple(chances.tolist()), moves)


def unfigured(
    model: Model, asked: Unasked, value: float, cost: float, alpha: float, reason: str
) -> Question:
    """A question with its names, and no probabilities."""
    entry = model.entries.get(asked.id)
    name = entry.name if entry else next(c.name for c in model.categories if c.id == asked.id)
    kind = entry.kind if entry else ""
    net = value - alpha * cost
    return Question(
        asked.kind, asked.id, name, kind, asked.answers, (), value, cost, net, reason, ()
    )


def _told(
    network: Model, answers: Answers, given: Collection[str], untold: Collection[str]
) -> Floats:
    """[question] the chance that a patient can tell; of categories, as it went with the others."""
    failed = sum(category.id in untold for category in network.categories)
    chance = (1 + len(given)) / (1 + len(given) + failed)
    return np.array([chance if asked.kind == CATEGORY else 1.0 for asked in answers.questions])


def values(
    network: Network,
    evidence: Evidence,
    found: Explanations,
    answers: Answers,
    cost: Floats,
    *,
    aim: Objective,
    left: int | None,
) -> Floats:
    """[question] the doubt that each takes away; 0 for those that are not on the shortlist.

    Where the objective looks ahead, half of what a question takes away with the best one after it
    counts if that is more. With one question left, what counts is the first guess it leaves.
    """
    if aim.bystanders:
        return about_diseases(network, found, answers)
    bits = about_explanations(answers, found.levelled)
    shortlist = np.argsort(-bits / np.maximum(cost, 1e-9), kind="stable")[:SHORTLIST]
    weights = np.array(
        [network.entries[network.findings[f]].cruelty for f in evidence.present.tolist()]
    )
    doubt = doubt_about(network, found, aim, weights)
    value = np.zeros(len(bits))
    value[shortlist] = worth(answers, doubt, found.levelled, shortlist)
    order = _first(value / np.maximum(cost, 1e-9), shortlist)
    if left == 1 and len(weights):
        wrong = wrong_about(found, weights)
        return _last(value, order[:SECOND_STEP], answers, wrong, found.levelled)
    if aim.ahead:
        first = order[:FIRST_STEP]
        two = worth_of_two(answers, doubt, found.levelled, first, order[:SECOND_STEP])
        value[first] = np.maximum(value[first], two / 2.0)
    return value


def _last(value: Floats, among: Ints, answers: Answers, wrong: Wrong, weight: Floats) -> Floats:
    """The values in the order of the first guess that the last question leaves.

    The values stay what they are: bits of doubt.
    """
    gain = worth(answers, wrong, weight, among)
    value[among] = np.sort(value[among])[np.argsort(np.argsort(gain, kind="stable"))]
    return value


def _first(value: Floats, among: Ints) -> Ints:
    """Those with a value, the most valuable first."""
    order = among[np.argsort(-value[among], kind="stable")]
    return order[value[order] > 0.0] if (value[order] > 0.0).any() else order[:1]


def _ids(network: Model, names: Collection[str]) -> frozenset[str]:
    """The ids of categories by any of their names; a node named with its state is none."""
    words = vocabularies(network)["category"]
    found = (words.find(name, hint=False) for name in names)
    return frozenset(network.categories[at].id for at in found if not isinstance(at, Issue))
