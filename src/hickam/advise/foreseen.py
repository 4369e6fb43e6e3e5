"""What a question promises, verified: every answer is inferred before the question is put.

What a question is worth is estimated from a few hundred explanations, which is quick and mostly
right. Before a question is put its answers are inferred, so that its figures are what the
differential then shows. One that turns out to tell far less than was estimated goes back in the
queue, and the next is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hickam.advise.answer_chances import Inferred, chances_of
from hickam.advise.bits import entropy
from hickam.advise.estimates import Estimate
from hickam.advise.moves import MOVES
from hickam.advise.questions import Move, with_figures
from hickam.advise.replies import told
from hickam.advise.standing import AT_ONCE
from hickam.advise.worth import Objective
from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Limits, Options
from hickam.evidence.case import Case
from hickam.infer import infer_located, take
from hickam.issues import InvalidInput, TooHard
from hickam.model.kinds import Model
from hickam.model.network import Floats

TRIES = 4  # questions whose promise is verified before one is put
PATIENCE = 1.0  # seconds for all of them
FAR = 1 / 3  # of what was estimated: a question that tells less goes back in the queue
SLIGHT = 0.05  # and so does one of which no answer moves a chance by as much as this


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A question with what its answers were found to do."""

    estimate: Estimate
    after: Mapping[str, Inferred]  # by answer
    share: float  # of what was estimated; 0 if no answer moves a chance that it is asked for
    accuracy: Accuracy

    @property
    def humbled(self) -> Estimate:
        """The question, worth less if it tells far less than was estimated."""
        asked = self.estimate.question
        value = asked.value * (self.share if self.share < FAR else 1.0)
        price = asked.value - asked.net
        return replace(self.estimate, question=replace(asked, value=value, net=value - price))


@dataclass(frozen=True, slots=True, eq=False)
class Foreseen:
    """Questions in their order, and what each answer to the first would imply where verified."""

    found: tuple[Estimate, ...]
    after: Mapping[str, Inferred] = field(default_factory=dict)  # by answer
    slight: bool = False  # whether as many as are tried all move nothing
    accuracy: Accuracy | None = None  # of all figures


@dataclass(frozen=True, slots=True, eq=False)
class _Check:
    """How the questions about one case are verified, within one deadline."""

    model: Model
    case: Case
    stood: Inferred
    weights: Floats  # [disease] how much it matters what a question tells about each
    options: Options
    limits: Limits
    deadline: Deadline

    @classmethod
    def of(
        cls, model: Model, case: Case, stood: Inferred, aim: Objective, options: Options
    ) -> _Check:
        now = stood[1]
        harm = [aim.harm.get(model.entries[name].urgency, 1.0) for name in model.diseases]
        causes = now.at_work.max(axis=1) if now.present else np.ones(len(harm))
        weights = np.asarray(np.array(harm) * causes)
        limits = take(model, case, options)[1]
        return cls(model, case, stood, weights, options, limits, Deadline.after(PATIENCE))

    def verify(self, estimate: Estimate) -> Seen | None:
        """What the answers do; None where it takes too long or an answer is impossible."""
        question = estimate.question
        cases = [told(self.case, question, answer) for answer in question.answers]
        if len(self.stood[1].present) > AT_ONCE:
            return None
        then = []
        try:
            for case in cases:
                if self.deadline.over:
                    return None
                then.append(infer_located(self.model, case, "auto", self.options))
            chances, how = chances_of(self.model, self.stood, question, cases, then, self.limits)
        except (InvalidInput, TooHard):
            return None
        return self._seen(estimate, dict(zip(question.answers, then, strict=True)), chances, how)

    def _seen(
        self, estimate: Estimate, after: Mapping[str, Inferred], chances: Floats, how: Accuracy
    ) -> Seen:
        """The question with its figures, and how much of what was estimated it tells."""
        model, now = self.model, self.stood[1].posterior
        then = np.stack([beliefs.posterior for _, beliefs in after.values()])  # [answer, disease]
        bits = self.weights * _tells(chances, then)
        moved = [int(d) for d in np.argsort(-bits, kind="stable")[:MOVES] if bits[d] > 0.0]
        moves = tuple(
            Move(
                model.diseases[disease],
                model.label(model.diseases[disease]),
                float(now[disease]),
                dict(zip(after, then[:, disease].tolist(), strict=True)),
            )
            for disease in moved
        )
        estimated = 0.0
        for move in estimate.moves:
            promised = np.array([[move.after[answer]] for answer in after])
            weight = self.weights[model.diseases.index(move.disease)]
            estimated += float(weight * _tells(np.array(estimate.chances), promised)[0])
        share = float(bits[moved].sum()) / estimated if estimated > 0.0 else 1.0
        if max((np.ptp(list(move.after.values())) for move in moves), default=0.0) < SLIGHT:
            share = 0.0
        said = tuple(chances.tolist())
        question = with_figures(model, estimate.question, said, moves)
        return Seen(Estimate(question, said, moves), after, share, how)


def figured(
    model: Model,
    case: Case,
    stood: Inferred,
    found: Sequence[Estimate],
    aim: Objective,
    options: Options,
) -> tuple[tuple[Estimate, ...], Accuracy | None]:
    """The questions in their order, with figures as long as that keeps nobody waiting."""
    check = _Check.of(model, case, stood, aim, options)
    return _with_figures(check, found, [])


def _with_figures(
    check: _Check, found: Sequence[Estimate], seen: Sequence[Seen]
) -> tuple[tuple[Estimate, ...], Accuracy | None]:
    """The questions, those without figures verified; and the worst accuracy, also of those seen."""
    accuracies = [one.accuracy for one in seen]
    filled = []
    for estimate in found:
        verified = None if estimate.question.chances else check.verify(estimate)
        accuracies += [] if verified is None else [verified.accuracy]
        filled.append(estimate if verified is None else verified.estimate)
    return tuple(filled), max(accuracies, key=lambda how: how.error, default=None)


def foresee(
    model: Model,
    case: Case,
    stood: Inferred,
    found: Sequence[Estimate],
    aim: Objective,
    options: Options,
    shown: int,
) -> Foreseen:
    """The questions to show, the first of them verified, if that keeps nobody waiting.

    Of at most `TRIES` the first that tells about as much as was estimated, and moves something, is
    put first. If none does, it is the one that is worth most of those verified.
    """
    check = _Check.of(model, case, stood, aim, options)
    tried: list[Seen] = []
    rest = list(found)
    while rest and len(tried) < TRIES:
        if tried and tried[0].humbled.question.rate >= rest[0].question.rate:
            break
        seen = check.verify(rest[0])
        if seen is None:
            break
        rest.pop(0)
        tried.append(seen)
        if seen.share >= FAR:
            tried.insert(0, tried.pop())
            break
        tried.sort(key=lambda one: one.humbled.question.rate, reverse=True)
    if not tried:
        return Foreseen(tuple(found[:shown]))
    behind = [*(seen.humbled for seen in tried[1:]), *rest]
    behind.sort(key=lambda one: -one.question.rate)
    slight = all(seen.share == 0.0 for seen in tried) and (len(tried) == TRIES or not rest)
    listed, accuracy = _with_figures(check, [tried[0].humbled, *behind][:shown], tried)
    return Foreseen(listed, tried[0].after, slight, accuracy)


def _tells(chances: Floats, then: Floats) -> Floats:
    """[disease] bits that an answer tells about each, never below 0."""
    return np.maximum(entropy(chances @ then) - chances @ entropy(then), 0.0)
