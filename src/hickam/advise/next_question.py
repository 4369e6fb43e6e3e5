"""What to ask next: what each question is worth, why, and when to stop asking."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from hickam.advise.answers import Unasked
from hickam.advise.bearers import too_early
from hickam.advise.by_inference import LONGLIST, information, outcomes_of
from hickam.advise.costs import cost_of
from hickam.advise.estimates import Wish, estimates, unfigured
from hickam.advise.foreseen import figured
from hickam.advise.moves import moves_by
from hickam.advise.questions import EVERYTHING, FINDING, YES_OR_NO, Question, with_figures
from hickam.advise.standing import standing
from hickam.advise.worth import find_objective
from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.evidence.stated import layered
from hickam.infer import take
from hickam.issues import error, invalid, raise_errors
from hickam.model.kinds import Model
from hickam.words import counted

# Below this many bits the best question would hardly change what explains the findings.
WORTHLESS = 0.02
NO_DIFFERENCE = "No answer would noticeably change what explains the findings."
NOTHING_LEFT = "Nothing that is still unknown bears on what causes the findings."


@dataclass(frozen=True, slots=True)
class Advice:
    """The best questions, best first, and whether to go on asking.

    `accuracy` is that of all probabilities that the questions name; None if they name none.
    """

    questions: tuple[Question, ...]
    stop: bool
    why: str
    alpha: float
    unweighed: int = 0  # findings that the deadline left no time to weigh up
    accuracy: Accuracy | None = None


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
    consider: int = LONGLIST,
    **options: Unpack[Options],
) -> Advice:
    """The questions whose answers take away most doubt about what causes the present findings.

    The value of a question is the doubt it is expected to take away, in bits (see
    `hickam.advise.worth`); they come in the order of (value − α · cost) / cost, near ties as in an
    interview (see `hickam.advise.manner`). `costs` (finding id → cost) replaces the network's own
    costs; `about` says what may be asked ("finding", "risk factor", "category"), `skip` what may
    not, `untold` what the patient was asked and does not know; `left` is the number of questions
    that may still be asked, if that is limited.

    Every probability that a question names is inferred. Where that would take long, with more
    than eight present findings or the time up, a question names none: `chances` and `moves` are
    empty.

    On a general model each finding is tried by inference: `consider` of them, and a `deadline` is
    for all of them together.

    >>> import hickam
    >>> advice = next_question(hickam.load("smoker"), Case(present=["chest pain"]))
    >>> advice.questions[0].value > 0
    True
    """
    _check(alpha, costs or {}, about, top)
    wish = Wish(find_objective(objective), alpha, costs or {}, top, about, skip, untold, left)
    evidence, _ = take(network, case, options)
    three_layers = layered(network, evidence)
    if three_layers is None:
        skip = frozenset((*skip, *untold, *too_early(network, evidence)))
        return _by_inference(network, case, wish, consider, skip, options)
    stood = standing(network, case, options)
    found = estimates(network, three_layers, case, stood, wish)
    found, accuracy = figured(network, case, stood, found, wish.aim, options)
    questions = tuple(one.question for one in found)
    stop, why = stop_of(questions, alpha)
    return Advice(questions, stop, why, float(alpha), accuracy=accuracy)


def _check(alpha: float, costs: Mapping[str, float], about: Collection[str], top: int) -> None:
    """Refuse a price, a cost, a kind of question or a number of questions that is none."""
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise invalid(f"top {top!r}", "is not a number of questions", "give a whole number >= 1")
    for kind in (about,) if isinstance(about, str) else about:
        if isinstance(about, str) or kind not in EVERYTHING:
            fix = f"give a list of {', '.join(map(repr, EVERYTHING))}"
            raise invalid(f"about {kind!r:.60}", "is not what may be asked", fix)
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


def _by_inference(
    network: Model, case: Case, wish: Wish, consider: int, skip: Collection[str], options: Options
) -> Advice:
    """The same on a general model, by inferring both answers of each finding."""
    outcomes = outcomes_of(network, case, consider, options)
    value = information(outcomes)
    alpha = wish.alpha
    names = [network.findings[finding] for finding in outcomes.findings.tolist()]
    cost = np.array([cost_of(network, name, wish.costs) for name in names])
    order = np.argsort(-(value - alpha * cost) / np.maximum(cost, 1e-9), kind="stable")
    questions = []
    for at in [int(at) for at in order if names[at] not in skip][: wish.top]:
        asked = Unasked(FINDING, names[at], YES_OR_NO, 0)
        chance = float(outcomes.chance[at])
        bare = unfigured(network, asked, float(value[at]), float(cost[at]), alpha, "")
        moves = moves_by(network, outcomes, at)
        questions.append(with_figures(network, bare, (chance, 1.0 - chance), moves))
    stop, why = stop_of(questions, alpha, outcomes.unweighed)
    accuracy = outcomes.accuracy if questions else None
    return Advice(tuple(questions), stop, why, float(alpha), outcomes.unweighed, accuracy)


def stop_of(questions: Sequence[Question], alpha: float, unweighed: int = 0) -> tuple[bool, str]:
    """Whether to stop asking, and why."""
    if unweighed:
        left = f" For {counted(unweighed, 'other finding')} there was no time."
        stop, why = stop_of(questions, alpha)
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
