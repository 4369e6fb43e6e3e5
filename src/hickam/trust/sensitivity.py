"""Which numbers of the network does this answer hang on?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from hickam.beliefs.beliefs import Accuracy
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.options import Options
from hickam.evidence.case import Case
from hickam.infer import take
from hickam.issues import Issue, invalid, raise_errors
from hickam.language.vocabulary import find_each, vocabularies
from hickam.measures.differential import leading
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, need_network
from hickam.model.network import Network
from hickam.trust.curves import Curve, with_odds
from hickam.trust.examine import Examination, check_measure
from hickam.trust.numbers import Number

FACTOR = 2.0
TOP = 10
PATIENCE = 10.0  # seconds for all numbers together, unless a deadline is given
FOLLOWED = 5  # leading candidates whose scores are told besides that of the one asked about


@dataclass(frozen=True, slots=True)
class Turn:
    """A value of a number at which another disease takes the first place."""

    value: float
    disease: str
    odds: float  # factor on the odds of the number that leads there

    def to_dict(self) -> dict[str, Any]:
        """The turn as plain values, ready for JSON."""
        return {"value": self.value, "disease": self.disease, "odds": self.odds}


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """What one number does to the scores; the odds of it are divided and multiplied by a factor."""

    number: Number
    low: float  # score of the candidate with the odds divided
    high: float  # with the odds multiplied
    ranks: tuple[int, int]  # of the candidate, likewise
    slope: float  # exact derivative of the score by the log odds of the number
    range: tuple[float, float]  # the number itself, divided and multiplied
    turns: tuple[Turn, ...]  # where the first place changes hands, below and above
    others: Mapping[str, tuple[float, float]]  # leading candidate → low, high

    @property
    def swing(self) -> float:
        """How much the score moves over the range."""
        return abs(self.high - self.low)

    def near(self, factor: float) -> list[Turn]:
        """The turns within a factor on the odds."""
        return [turn for turn in self.turns if 1.0 / factor <= turn.odds <= factor]

    def to_dict(self) -> dict[str, Any]:
        """The effect as plain values, ready for JSON."""
        return {
            "number": self.number.to_dict(),
            "range": list(self.range),
            "score": [self.low, self.high],
            "rank": list(self.ranks),
            "slope": self.slope,
            "turns": [turn.to_dict() for turn in self.turns],
            "others": {disease: list(ends) for disease, ends in self.others.items()},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """How one candidate of a case follows the numbers of the network, the strongest first."""

    network: Network  # as it is for this patient
    measure: str
    candidate: str
    score: float
    rank: int
    leader: str  # the disease in the first place
    factor: float
    effects: tuple[Effect, ...]  # of every number examined, by swing
    numbers: int  # that bear on the case
    left: float  # no number that was not examined swings the score by more than this
    settled: bool  # whether every number that could take away the first place was examined
    engine: str
    accuracy: Accuracy
    in_force: tuple[str, ...]

    @property
    def decisive(self) -> list[Effect]:
        """The effects that change the first place within the factor, the nearest first."""
        near = [(effect, effect.near(self.factor)) for effect in self.effects]
        found = [(min(abs(np.log(t.odds)) for t in turns), e) for e, turns in near if turns]
        return [effect for _, effect in sorted(found, key=lambda pair: pair[0])]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """The whole as plain values, ready for JSON."""
        return {
            "network": self.network.name,
            "measure": self.measure,
            "candidate": self.candidate,
            "score": self.score,
            "rank": self.rank,
            "leader": self.leader,
            "factor": self.factor,
            "numbers": self.numbers,
            "examined": len(self.effects),
            "largest_swing_left": self.left,
            "first_place_settled": self.settled,
            "effects": [effect.to_dict() for effect in self.effects[:top]],
            "decisive": [effect.to_dict() for effect in self.decisive],
            "engine": self.engine,
            "accuracy": self.accuracy.to_dict(),
            "options": list(self.in_force),
        }


def sensitivity(
    model: Model,
    case: Case,
    measure: str = "disablement",
    *,
    candidate: str | None = None,
    factor: float = FACTOR,
    top: int = TOP,
    **options: Unpack[Options],
) -> Sensitivity:
    """How the score and rank of a candidate follow each number of the network.

    The candidate is the disease in the first place unless another is named. The odds of one number
    at a time are divided and multiplied by `factor`, the others stay. Derivatives, values and turns
    are exact where the engine is. Numbers are examined until the `top` strongest and all that could
    change the first place are known for certain, or the deadline (10 s if none is given) is over;
    `left` bounds the others.

    >>> import hickam
    >>> case = Case(present=["chest pain"], risks={"smoker": True, "elderly": False})
    >>> found = sensitivity(hickam.load("smoker"), case)
    >>> found.effects[0].number.in_words(found.network)
    'Chest pain: leak'
    """
    network = need_network(model, "sensitivity to its numbers")
    check_measure(measure)
    check_factor(factor)
    if not top >= 1:
        raise invalid(f"top {top!r}", "is not a number of numbers", "give 1 or more")
    evidence, limits = take(network, case, options)
    if evidence.dial != 1.0:
        fix = "leave out the dial"
        raise invalid("the dial", "is not one of the network's numbers and is set", fix)
    if not len(evidence.present) and measure != "posterior":
        raise invalid("the case", "has no present finding", "say what is there to be explained")
    deadline = Deadline.after(PATIENCE if limits.deadline is None else limits.deadline)
    own = adapted(network, evidence.circumstances)
    known = Examination(own, evidence, measure, factor, limits, deadline)
    order, ranks = leading(known.scores, known.posterior)
    leader = int(order[0])
    target = leader if candidate is None else find_candidate(own, candidate)
    if known.scores[target] <= 0.0:
        what = "explains none of the findings, whatever the numbers"
        raise invalid(f"disease '{own.diseases[target]}'", what, "name another candidate")
    left, settled = known.examine(target, leader, top)
    followed = [int(disease) for disease in order[:FOLLOWED]]
    effects = [
        _effect(own, number, curve, target, leader, factor, followed)
        for number, curve in known.curves()
    ]
    effects.sort(key=lambda effect: -effect.swing)
    return Sensitivity(
        own,
        measure,
        own.diseases[target],
        float(known.scores[target]),
        int(ranks[order.tolist().index(target)]),
        own.diseases[leader],
        factor,
        tuple(effects),
        known.size,
        left,
        settled,
        known.engine,
        known.accuracy,
        evidence.in_force,
    )


def _effect(
    network: Network,
    number: Number,
    curve: Curve,
    target: int,
    leader: int,
    factor: float,
    followed: list[int],
) -> Effect:
    """What one number does."""
    ends = (with_odds(number.value, 1.0 / factor), with_odds(number.value, factor))
    low, high = (curve.scores(end) for end in ends)
    return Effect(
        number=number,
        low=float(low[target]),
        high=float(high[target]),
        ranks=(int((low > low[target]).sum()) + 1, int((high > high[target]).sum()) + 1),
        slope=float(curve.slopes()[target]),
        range=ends,
        turns=tuple(
            Turn(value, network.diseases[disease], _odds(value) / _odds(number.value))
            for value, disease in filter(None, curve.turns(leader))
        ),
        others={network.diseases[d]: (float(low[d]), float(high[d])) for d in followed},
    )


def _odds(value: float) -> float:
    return value / (1.0 - value)


def check_factor(factor: float) -> None:
    """Refuse a factor that is none."""
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 1.0 < factor <= 1e3:
        raise invalid(f"factor {factor!r}", "is not a factor on odds", "give 1.1 to 1000, e.g. 2")


def find_candidate(network: Network, name: str) -> int:
    """The position of a disease by its name."""
    issues: list[Issue] = []
    (position,) = find_each(vocabularies(network), "disease", [name], issues)
    raise_errors(issues)
    assert position is not None
    return position
