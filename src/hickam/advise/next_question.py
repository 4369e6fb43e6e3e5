"""What to ask next: what each question is worth, why, and when to stop asking."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from hickam.advise.answers import Answers, Unasked, answers_to
from hickam.advise.bearers import too_early
from hickam.advise.by_inference import LONGLIST, information, outcomes_of
from hickam.advise.costs import cost_of
from hickam.advise.explanations import Explanations, explain, matched
from hickam.advise.manner import in_order
from hickam.advise.moves import moves_by, moves_of
from hickam.advise.questions import (
    CATEGORY,
    FINDING,
    YES_OR_NO,
    Move,
    Question,
    reason_for,
)
from hickam.advise.screening import about_diseases
from hickam.advise.worth import (
    FIRST_STEP,
    SECOND_STEP,
    SHORTLIST,
    Objective,
    Wrong,
    about_explanations,
    doubt_about,
    find_objective,
    worth,
    worth_of_two,
    wrong_about,
)
from hickam.beliefs.options import Options
from hickam.evidence.case import Case, Evidence
from hickam.evidence.stated import layered
from hickam.infer import take
from hickam.inference.engines import check_possible
from hickam.issues import Issue, error, invalid, raise_errors
from hickam.language.vocabulary import vocabularies
from hickam.model.adapted import adapted
from hickam.model.kinds import Model
from hickam.model.network import Floats, Ints, Network
from hickam.words import counted

# Below this many bits the best question would hardly change what explains the findings.
WORTHLESS = 0.02
FEW = 4  # questions left, of which none is spent on good manners


@dataclass(frozen=True, slots=True)
class Advice:
    """The best questions, best first, and whether to go on asking."""

    questions: tuple[Question, ...]
    stop: bool
    why: str
    alpha: float
    unweighed: int = 0  # findings that the deadline left no time to weigh up


def next_question(
    network: Model,
    case: Case,
    *,
    objective: str = "differential",
    alpha: float = 0.0,
    costs: Mapping[str, float] | None = None,
    top: int = 5,
    about: Collection[str] = (FINDING,),
    skip: Collection[str] = (),
    untold: Collection[str] = (),
    left: int | None = None,
    posterior: Floats | None = None,
    consider: int = LONGLIST,
    **options: Unpack[Options],
) -> Advice:
    """The questions whose answers take away most doubt about what causes the present findings.

    The value of a question is the doubt it is expected to take away, in bits (see
    `hickam.advise.worth`); they come in the order of (value − α · cost) / cost, near ties as in an
    interview (see `hickam.advise.manner`). `costs` (finding id → cost) replaces the network's own
    costs; `about` says what may be asked ("finding", "risk factor", "category"), `skip` what may
    not, `untold` what the patient was asked and does not know; `left` is the number of questions
    that may still be asked, if that is limited; `posterior` [disease] is P(D = 1 | case), where
    inference has been made already: the chances that a question names then agree with it.

    On a general model each finding is tried by inference: `consider` of them, and a `deadline` is
    for all of them together.

    >>> import hickam
    >>> advice = next_question(hickam.load("smoker"), Case(present=["chest pain"]))
    >>> advice.questions[0].value > 0
    True
    """
    _check(alpha, costs or {})
    aim = find_objective(objective)
    evidence, _ = take(network, case, options)
    skip = frozenset((*skip, *untold, *too_early(network, evidence)))
    three_layers = layered(network, evidence)
    if three_layers is None:
        return _by_inference(network, case, alpha, costs or {}, top, consider, skip, options)
    three_layers = adapted(three_layers, evidence.circumstances)
    check_possible(three_layers, evidence)
    settled = _ids(network, case.categories)
    found = explain(three_layers, evidence, level=aim.level)
    if posterior is not None:
        found = matched(found, posterior)
    answers = answers_to(
        three_layers,
        evidence,
        found,
        skip=skip,
        categories=settled,
        about=about,
        widely=aim.bystanders,
    )
    if not answers.questions:
        return Advice((), True, NOTHING_LEFT, float(alpha))
    cost = np.array([cost_of(network, q.id, costs or {}) for q in answers.questions])
    value = values(three_layers, evidence, found, answers, cost, aim=aim, left=left)
    value *= _told(network, answers, settled, untold)
    score = (value - alpha * cost) / np.maximum(cost, 1e-9)
    few = left is not None and left <= FEW
    order = in_order(three_layers, evidence, answers.questions, score, strictly=few)[:top]
    questions = tuple(
        _made(
            network,
            answers.questions[at],
            tuple((found.weight @ answers.given[:, answers.questions[at].columns]).tolist()),
            float(value[at]),
            float(cost[at]),
            alpha,
            moves_of(three_layers, found, answers, at, aim, posterior),
            figures=False,
        )
        for at in order
        if value[at] > 0.0
    )
    stop, why = _stop(questions, alpha, 0)
    return Advice(questions, stop, why, float(alpha))


NO_DIFFERENCE = "No answer would noticeably change what explains the findings."
NOTHING_LEFT = "Nothing that is still unknown bears on what causes the findings."


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


def _check(alpha: float, costs: Mapping[str, float]) -> None:
    """Refuse a price or a cost that is none."""
    number = isinstance(alpha, (int, float)) and not isinstance(alpha, bool)
    if not (number and 0.0 <= alpha < math.inf):
        raise invalid(f"alpha {alpha!r}", "is not a price per unit of cost", "give a number >= 0")
    raise_errors(
        [
            error(f"cost of '{name}'", f"is {cost!r}", "give a number >= 0")
            for name, cost in costs.items()
            if isinstance(cost, bool)
            or not isinstance(cost, (int, float))
            or not 0 <= cost < math.inf
        ]
    )


def _made(
    network: Model,
    asked: Unasked,
    chances: tuple[float, ...],
    value: float,
    cost: float,
    alpha: float,
    moves: tuple[Move, ...],
    *,
    figures: bool = True,
) -> Question:
    """A question with its names; its reason without figures where these are estimated."""
    entry = network.entries.get(asked.id)
    name = entry.name if entry else next(c.name for c in network.categories if c.id == asked.id)
    kind = entry.kind if entry else ""
    reason = reason_for(network, moves, figures=figures)
    net = value - alpha * cost
    return Question(
        asked.kind, asked.id, name, kind, asked.answers, chances, value, cost, net, reason, moves
    )


def _by_inference(
    network: Model,
    case: Case,
    alpha: float,
    costs: Mapping[str, float],
    top: int,
    consider: int,
    skip: Collection[str],
    options: Options,
) -> Advice:
    """The same on a general model, by inferring both answers of each finding."""
    outcomes = outcomes_of(network, case, consider, options)
    value = information(outcomes)
    names = [network.findings[finding] for finding in outcomes.findings.tolist()]
    cost = np.array([cost_of(network, name, costs) for name in names])
    order = np.argsort(-(value - alpha * cost) / np.maximum(cost, 1e-9), kind="stable")
    kept = [int(at) for at in order if names[at] not in skip][:top]
    questions = tuple(
        _made(
            network,
            Unasked(FINDING, names[at], YES_OR_NO, 0),
            (float(outcomes.chance[at]), 1.0 - float(outcomes.chance[at])),
            float(value[at]),
            float(cost[at]),
            alpha,
            moves_by(network, outcomes, at),
        )
        for at in kept
    )
    stop, why = _stop(questions, alpha, outcomes.unweighed)
    return Advice(questions, stop, why, float(alpha), outcomes.unweighed)


def _stop(questions: tuple[Question, ...], alpha: float, unweighed: int) -> tuple[bool, str]:
    """Whether to stop asking, and why."""
    if unweighed:
        left = f" For {counted(unweighed, 'other finding')} there was no time."
        stop, why = _stop(questions, alpha, 0)
        return (
            stop and bool(questions),
            (why if questions else "No finding was weighed up.") + left,
        )
    if not questions:
        return True, NOTHING_LEFT
    best = max(question.value for question in questions)
    if best < WORTHLESS:
        return True, NO_DIFFERENCE
    if alpha > 0.0 and max(question.net for question in questions) <= 0.0:
        return True, "Nothing left to ask is worth its cost."
    return False, f"The best question is expected to take away {best:.2g} weighted bits of doubt."
