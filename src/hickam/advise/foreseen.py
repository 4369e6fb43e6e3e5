"""What a question promises, verified: every answer is inferred before the question is put.

What a question is worth is estimated from a few hundred explanations, which is quick and mostly
right. Before a question is put its answers are inferred, so that its reason states what the
differential then shows. One that turns out to tell far less than was estimated goes back in the
queue, and the next is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hickam.advise.bits import entropy
from hickam.advise.moves import MOVES
from hickam.advise.questions import YES_OR_NO, Move, Question, reason_for
from hickam.advise.replies import told
from hickam.advise.worth import Objective
from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Options
from hickam.evidence.case import Case, Evidence
from hickam.infer import infer_located, take
from hickam.issues import InvalidInput, TooHard
from hickam.model.kinds import Model
from hickam.model.network import Floats

AT_ONCE = 8  # present findings up to which inference keeps nobody waiting
TRIES = 4  # questions whose promise is verified before one is put
PATIENCE = 1.0  # seconds for all of them
FAR = 1 / 3  # of what was estimated: a question that tells less goes back in the queue
SLIGHT = 0.05  # and so does one of which no answer moves a chance by as much as this

Inferred = tuple[Evidence, Beliefs]


@dataclass(frozen=True, slots=True, eq=False)
class Foreseen:
    """Questions in their order, and what each answer to the first would imply where verified."""

    questions: tuple[Question, ...]
    after: Mapping[str, Inferred] = field(default_factory=dict)  # by answer
    slight: bool = False  # whether as many as are tried all move nothing


def foresee(
    model: Model,
    case: Case,
    now: Beliefs,
    questions: Sequence[Question],
    aim: Objective,
    options: Options,
) -> Foreseen:
    """The questions with the first of them verified, if that keeps nobody waiting.

    Of at most `TRIES` the first that tells about as much as was estimated, and moves something, is
    put first. If none does, it is the one that is worth most of those verified.
    """
    weights = _weights(model, now, aim)
    deadline = Deadline.after(PATIENCE)
    tried: list[Foreseen] = []
    rest = list(questions)
    while rest and len(tried) < TRIES:
        question = rest[0]
        if tried and tried[0].questions[0].rate >= question.rate:
            break
        after = _inferred(model, case, question, options, deadline)
        if after is None:
            break
        rest.pop(0)
        seen, share = _verified(model, now.posterior, question, after, weights)
        tried.append(Foreseen((seen,), after, share == 0.0))
        if share >= FAR:
            tried.insert(0, tried.pop())
            break
        tried.sort(key=lambda one: one.questions[0].rate, reverse=True)
    if not tried:
        return Foreseen(tuple(questions))
    others = [seen.questions[0] for seen in tried[1:]]
    behind = sorted([*others, *rest], key=lambda question: -question.rate)
    slight = all(seen.slight for seen in tried) and (len(tried) == TRIES or not rest)
    return Foreseen((tried[0].questions[0], *behind), tried[0].after, slight)


def _weights(model: Model, now: Beliefs, aim: Objective) -> Floats:
    """[disease] how much it matters what a question tells about each."""
    harm = [aim.harm.get(model.entries[name].urgency, 1.0) for name in model.diseases]
    causes = now.at_work.max(axis=1) if now.present else np.ones(len(harm))
    return np.asarray(np.array(harm) * causes)


def _inferred(
    model: Model, case: Case, question: Question, options: Options, deadline: Deadline
) -> dict[str, Inferred] | None:
    """What each answer would imply; None where it takes too long or an answer is impossible."""
    after = {}
    for answer in question.answers:
        given = told(case, question, answer)
        try:
            if deadline.over or len(take(model, given, options)[0].present) > AT_ONCE:
                return None
            after[answer] = infer_located(model, given, "auto", options)
        except (InvalidInput, TooHard):
            return None
    return after


def _verified(
    model: Model,
    now: Floats,
    question: Question,
    after: Mapping[str, Inferred],
    weights: Floats,
) -> tuple[Question, float]:
    """The question with what it really does, and how much that is of what was estimated.

    One of which no answer moves a chance that it is asked for does nothing.
    """
    then = np.stack([beliefs.posterior for _, beliefs in after.values()])  # [answer, disease]
    chances = _chances(question, now, then)
    bits = weights * _tells(chances, then)
    moved = [int(d) for d in np.argsort(-bits, kind="stable")[:MOVES] if bits[d] > 0.0]
    moves = tuple(
        Move(
            model.diseases[disease],
            model.label(model.diseases[disease]),
            float(now[disease]),
            dict(zip(question.answers, then[:, disease].tolist(), strict=True)),
        )
        for disease in moved
    )
    estimated = 0.0
    for move in question.moves:
        promised = np.array([[move.after[answer]] for answer in question.answers])
        weight = weights[model.diseases.index(move.disease)]
        estimated += float(weight * _tells(np.array(question.chances), promised)[0])
    share = float(bits[moved].sum()) / estimated if estimated > 0.0 else 1.0
    if max((np.ptp(list(move.after.values())) for move in moves), default=0.0) < SLIGHT:
        share = 0.0
    value = question.value * (share if share < FAR else 1.0)
    price = question.value - question.net
    seen = replace(
        question,
        chances=tuple(chances.tolist()),
        value=value,
        net=value - price,
        reason=reason_for(model, moves),
        moves=moves,
    )
    return seen, share


def _chances(question: Question, now: Floats, then: Floats) -> Floats:
    """[answer] how likely each is: of yes and no, so that their mean is what is believed now."""
    if question.answers != YES_OR_NO:
        return np.array(question.chances)
    swing = then[0] - then[1]
    size = float(swing @ swing)
    yes = float((now - then[1]) @ swing) / size if size > 0.0 else question.chance
    return np.array([np.clip(yes, 0.0, 1.0), 1.0 - np.clip(yes, 0.0, 1.0)])


def _tells(chances: Floats, then: Floats) -> Floats:
    """[disease] bits that an answer tells about each, never below 0."""
    return np.maximum(entropy(chances @ then) - chances @ entropy(then), 0.0)
