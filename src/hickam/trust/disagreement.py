"""Which numbers should experts talk about first? Those whose dispute changes differentials."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hickam.beliefs.deadline import Deadline
from hickam.evidence.case import Case
from hickam.infer import infer, take
from hickam.issues import InvalidInput
from hickam.measures.scores import MEASURES
from hickam.model.adapted import adapted
from hickam.model.network import Floats, Network
from hickam.model.numbers import Chance
from hickam.trust.changed import with_numbers
from hickam.trust.curves import Curve
from hickam.trust.examine import Examination, check_measure
from hickam.trust.experts import Opinions
from hickam.trust.patients import concerned
from hickam.trust.pool import Pool

EACH = 10  # patients drawn for each number
PATIENCE = 60.0  # seconds for all cases together


@dataclass(frozen=True, slots=True)
class Example:
    """A case in which one expert's number makes the largest difference."""

    present: tuple[str, ...]
    expert: str
    before: str  # the first disease with the pooled number
    after: str  # and with the expert's


@dataclass(frozen=True, slots=True)
class Dispute:
    """What it matters that experts differ on one number."""

    opinions: Opinions
    pooled: Chance
    bears: int  # cases that the number bears on
    turned: int  # cases whose first disease changes with the number of at least one expert
    moved: float  # mean share of the scores that moves, over all cases and experts
    example: Example | None  # the case with the largest move


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """The numbers of a pool by what their dispute does to differentials, the worst first."""

    pool: Pool
    measure: str
    cases: int
    refused: int  # cases without an answer
    disputes: tuple[Dispute, ...]
    agree: Mapping[str, float]  # expert → share of cases with the same first disease as the pool

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        return {
            "network": self.pool.network.name,
            "method": self.pool.method,
            "weights": dict(self.pool.weights),
            "measure": self.measure,
            "cases": self.cases,
            "refused": self.refused,
            "same_first_as_the_pool": dict(self.agree),
            "numbers": [
                {
                    **self.pool.number_dict(dispute.opinions),
                    "bears_on": dispute.bears,
                    "first_place_changes": dispute.turned,
                    "mean_share_of_scores_moved": dispute.moved,
                    "example": None
                    if dispute.example is None
                    else {
                        "present": list(dispute.example.present),
                        "expert": dispute.example.expert,
                        "first_by_pool": dispute.example.before,
                        "first_by_expert": dispute.example.after,
                    },
                }
                for dispute in self.disputes
            ],
            "proposals": [self.pool.number_dict(one) for one in self.pool.proposals],
        }


class _Tally:
    """What one number did so far."""

    def __init__(self) -> None:
        self.bears = self.turned = 0
        self.moved = self.largest = 0.0
        self.example: Example | None = None


def disagreement(
    pool: Pool,
    cases: Sequence[Case] | None = None,
    measure: str = "disablement",
    *,
    each: int = EACH,
    seed: int = 0,
    deadline: float = PATIENCE,
) -> Disagreement:
    """How much each disputed number matters to differentials.

    In every case one number at a time takes the value of each expert, the others stay pooled. The
    scores follow exactly, by one inference for each number and case. Without cases, patients whom
    the numbers concern are drawn from the pooled network, `each` for each number.
    """
    check_measure(measure)
    network = pool.network
    if cases is None:
        cases = concerned(network, pool.opinions, each, np.random.default_rng(seed))
    until = Deadline.after(deadline)
    tallies = {one.key: _Tally() for one in pool.opinions}
    answered: list[Case] = []
    refused = 0
    for case in cases:
        if answered and until.over:
            break
        try:
            _tally(pool, case, measure, until, tallies)
            answered.append(case)
        except InvalidInput:
            refused += 1
    disputes = [
        Dispute(
            one,
            pool.pooled[one.key],
            tallies[one.key].bears,
            tallies[one.key].turned,
            tallies[one.key].moved / max(1, len(answered)),
            tallies[one.key].example,
        )
        for one in pool.opinions
    ]
    disputes.sort(key=lambda dispute: (-dispute.moved, -dispute.opinions.spread))
    return Disagreement(
        pool, measure, len(answered), refused, tuple(disputes), _agree(pool, answered, measure)
    )


def _tally(
    pool: Pool, case: Case, measure: str, until: Deadline, tallies: Mapping[tuple[str, str], _Tally]
) -> None:
    """What every disputed number does to one case."""
    evidence, limits = take(pool.network, case, {})
    own = adapted(pool.network, evidence.circumstances)
    known = Examination(own, evidence, measure, 2.0, limits, until)
    certain = {key for key, chance in pool.pooled.items() if 0.0 in chance}
    for one in pool.opinions:
        curve = known.curve(*one.key)
        if curve is not None:
            moves = _moves(pool, one, curve)
        elif one.key in certain:
            moves = _from_certainty(pool, one, case, measure, known.scores)
        else:
            continue
        tally = tallies[one.key]
        tally.bears += any(move > 0.0 for move, _ in moves.values()) or curve is not None
        first = int(np.argmax(known.scores))
        tally.turned += any(now != first for _, now in moves.values())
        tally.moved += sum(move for move, _ in moves.values()) / len(moves)
        expert, (move, now) = max(moves.items(), key=lambda item: (item[1][1] != first, item[1][0]))
        weight = move + (now != first)
        if weight > tally.largest:
            tally.largest = weight
            names = (own.findings[finding] for finding in evidence.present.tolist())
            diseases = own.diseases
            tally.example = Example(tuple(names), expert, diseases[first], diseases[now])


def _moves(pool: Pool, one: Opinions, curve: Curve) -> dict[str, tuple[float, int]]:
    """Expert → (share of the scores that moves with their number, the first disease then)."""
    base = curve.scores(curve.value)
    found = {}
    for expert, chance in one.chances.items():
        scores = curve.scores(_for_patient(curve.value, pool.pooled[one.key], chance))
        found[expert] = (_distance(base, scores), int(np.argmax(scores)))
    return found


def _from_certainty(
    pool: Pool, one: Opinions, case: Case, measure: str, base: Floats
) -> dict[str, tuple[float, int]]:
    """The moves of a number that was pooled to 0 or 1: no curve, an inference for each expert."""
    found = {}
    for expert, chance in one.chances.items():
        scores = _scores(with_numbers(pool.network, {one.key: chance}), case, measure)
        if scores is None:  # impossible with their number
            scores = np.zeros_like(base)
        found[expert] = (_distance(base, scores), int(np.argmax(scores)))
    return found


def _for_patient(value: float, pooled: Chance, said: Chance) -> float:
    """An expert's number as it is for a patient whose circumstances change the pooled one."""
    if said.acts == 0.0 or said.fails == 0.0:
        return said.acts
    by = said.acts / said.fails * pooled.fails / pooled.acts
    return value * by / (value * by + 1.0 - value)


def _distance(one: Floats, other: Floats) -> float:
    """Half the sum of the changes of the shares that diseases have of all scores."""
    totals = one.sum(), other.sum()
    if not (totals[0] > 0.0 and totals[1] > 0.0):
        return 0.0 if math.isclose(*totals) else 1.0
    return float(0.5 * np.abs(one / totals[0] - other / totals[1]).sum())


def _agree(pool: Pool, cases: Sequence[Case], measure: str) -> dict[str, float]:
    """Expert → share of the cases in which all their numbers together keep the first disease."""
    firsts = [_first(pool.network, case, measure) for case in cases]
    shares = {}
    for expert in pool.experts:
        theirs = {o.key: o.chances[expert] for o in pool.opinions if expert in o.chances}
        network = with_numbers(pool.network, theirs)
        same = [
            _first(network, case, measure) == first
            for case, first in zip(cases, firsts, strict=True)
        ]
        shares[expert] = sum(same) / len(same) if same else 1.0
    return shares


def _first(network: Network, case: Case, measure: str) -> int | None:
    """The first disease of a case; None where there is no answer."""
    scores = _scores(network, case, measure)
    return None if scores is None else int(np.argmax(scores))


def _scores(network: Network, case: Case, measure: str) -> Floats | None:
    """[disease] the scores of a case; None where there is no answer."""
    try:
        beliefs = infer(network, case)
    except InvalidInput:
        return None
    return MEASURES[measure](beliefs, np.ones(len(beliefs.present)))
