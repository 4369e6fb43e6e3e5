"""Does the answer stand if the network's estimates are off? All of them drawn anew, many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.deadline import Deadline
from hickam.beliefs.dial import turn
from hickam.beliefs.options import Limits, Options
from hickam.diagnose import finding_weights, treatment_factors
from hickam.evidence.case import Case, Evidence
from hickam.infer import take
from hickam.inference.engines import check_possible, finish
from hickam.inference.reduce import reduce_links, settle_loose
from hickam.inference.single_fault import few_diseases
from hickam.inference.solve import solve
from hickam.issues import ImpossibleEvidence, LostPrecision, TooHard, error, invalid
from hickam.measures.differential import leading
from hickam.measures.scores import Measure, find_measure
from hickam.model.adapted import adapted
from hickam.model.kinds import Model, need_network
from hickam.model.network import Floats, Network
from hickam.trust.redraw import Redraw
from hickam.trust.sensitivity import FACTOR, check_factor

DRAWS = 100
MOST_DRAWS = 10_000
PATIENCE = 20.0  # seconds for all draws together, unless a deadline is given
PLACES = 5
SHOWN = 10
MIDDLE = (0.05, 0.5, 0.95)  # quantiles


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one candidate stands over all draws."""

    disease: str
    name: str
    score: float  # with the numbers as they are
    rank: int
    first: int  # draws in which it is first
    among: int  # draws in which it is among the first five
    scores: tuple[float, float, float]  # 5 %, median, 95 %
    ranks: tuple[int, int]  # 5 % and 95 %

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain values, ready for JSON."""
        return {
            "disease": self.disease,
            "name": self.name,
            "score": self.score,
            "rank": self.rank,
            "first": self.first,
            "among_first_five": self.among,
            "score_quantiles": dict(zip(("5%", "50%", "95%"), self.scores, strict=True)),
            "rank_quantiles": dict(zip(("5%", "95%"), self.ranks, strict=True)),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Robustness:
    """How often the first place and the first five stay when the estimates are drawn anew."""

    measure: str
    factor: float
    seed: int
    asked: int
    draws: int  # that were finished in the time given
    drawn: int  # numbers drawn each time
    held: int  # numbers that are cited, or certain, and stay
    sampled: int  # draws whose answer is sampled, and moves by itself
    standings: tuple[Standing, ...]  # in the order of the differential
    first_stays: int  # draws
    leading: int  # the first five, or fewer where fewer have a score
    five_stay: int  # draws in which these are the first ones, in any order
    firsts: Mapping[str, int]  # disease → draws in which it is first, the most frequent first

    @property
    def leader(self) -> Standing:
        """The disease in the first place."""
        return self.standings[0]

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain values, ready for JSON."""
        return {
            "measure": self.measure,
            "factor": self.factor,
            "seed": self.seed,
            "draws": self.draws,
            "draws_asked": self.asked,
            "numbers_drawn": self.drawn,
            "numbers_held": self.held,
            "draws_sampled": self.sampled,
            "first_stays": self.first_stays,
            "leading": self.leading,
            "first_five_stay": self.five_stay,
            "firsts": dict(self.firsts),
            "candidates": [standing.to_dict() for standing in self.standings],
        }


def robust(
    model: Model,
    case: Case,
    measure: str = "disablement",
    *,
    factor: float = FACTOR,
    draws: int = DRAWS,
    top: int = SHOWN,
    cruelty: bool | Mapping[str, float] = False,
    treatment: bool = False,
    **options: Unpack[Options],
) -> Robustness:
    """How a differential fares when all estimates of the network are drawn anew, many times.

    The odds of every prior, leak and strength for which nobody is cited are multiplied by factor to
    the power of a number between -1 and 1, each as likely as any other, independently. Learnt
    numbers move no further than their patients leave open. Cited
    numbers, certainties, factors by sex and age and values of categories stay. `cruelty`,
    `treatment` and the other options are those of `hickam.diagnose`; `seed` is that of the draws.

    >>> import hickam
    >>> case = Case(present=["chest pain"], risks={"smoker": True})
    >>> found = robust(hickam.load("smoker"), case, draws=20)
    >>> found.leader.disease, found.draws
    ('angina', 20)
    """
    network = need_network(model, "redrawing its estimates")
    check_factor(factor)
    if isinstance(draws, bool) or not isinstance(draws, int) or not 1 <= draws <= MOST_DRAWS:
        raise invalid(f"draws {draws!r}", "is not a number of draws", f"give 1 to {MOST_DRAWS}")
    evidence, limits = take(network, case, options)
    deadline = Deadline.after(PATIENCE if limits.deadline is None else limits.deadline)
    check_possible(adapted(network, evidence.circumstances), evidence)
    redraw = Redraw(network, factor)
    present = tuple(network.findings[finding] for finding in evidence.present)
    rule = Rule(
        find_measure(measure),
        finding_weights(network, present, cruelty),
        treatment_factors(network, treatment),
    )
    base, likely, _ = scored(network, evidence, rule, limits)
    if not (base > 0.0).any():
        what, fix = "has no first place: every score is 0", "say what is there to be explained"
        raise invalid("the case", what, fix)
    order, places = leading(base, likely)
    rng = np.random.default_rng(limits.seed)
    found: list[tuple[Floats, Floats, bool]] = []
    while len(found) < draws and not (found and deadline.over):
        found.append(scored(redraw.draw(rng), evidence, rule, limits))
    scores = np.stack([one for one, _, _ in found])
    ranked = np.stack([_ranks(one, posterior) for one, posterior, _ in found])
    five = order[:PLACES][base[order[:PLACES]] > 0.0]
    firsts = Counter(int(np.argmin(ranks)) for ranks in ranked)
    among = ranked <= PLACES
    names = network.diseases
    return Robustness(
        measure=measure,
        factor=factor,
        seed=limits.seed,
        asked=draws,
        draws=len(found),
        drawn=redraw.drawn,
        held=redraw.held,
        sampled=sum(rough for _, _, rough in found),
        standings=tuple(
            Standing(
                names[disease],
                network.label(names[disease]),
                float(base[disease]),
                int(places[place]),
                firsts[disease],
                int(among[:, disease].sum()),
                _quantiles(scores[:, disease]),
                _ends(ranked[:, disease]),
            )
            for place, disease in enumerate(order[:top].tolist())
        ),
        first_stays=firsts[int(order[0])],
        leading=len(five),
        five_stay=int((ranked[:, five] <= len(five)).all(axis=1).sum()),
        firsts={names[disease]: count for disease, count in firsts.most_common()},
    )


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """How diseases are scored."""

    measure: Measure
    weights: Floats  # [present]
    factors: Floats  # [disease]

    def __call__(self, beliefs: Beliefs) -> Floats:
        """[disease] the scores."""
        scores = self.measure(beliefs, self.weights)
        return scores * self.factors if self.measure.counts_findings else scores


def scored(
    network: Network, evidence: Evidence, rule: Rule, limits: Limits
) -> tuple[Floats, Floats, bool]:
    """[disease] the scores by a rule, the posterior that orders ties; whether they are sampled."""
    own = adapted(network, evidence.circumstances)
    problem = settle_loose(reduce_links(own, evidence, single_fault=True, keep=False))
    try:
        solution = solve(problem, limits)
    except (LostPrecision, TimeoutError):
        what, fix = "cannot be answered in the time given", "give more time"
        raise TooHard([error("the case", what, fix)]) from None
    if not np.isfinite(solution.tables.log_evidence):
        what = "has a probability too small to be told from zero"
        raise ImpossibleEvidence([error("the evidence", what, "check the findings")])
    beliefs: Beliefs = finish(own, evidence, problem, solution)
    if evidence.dial != 1.0:
        beliefs = turn(beliefs, few_diseases(own, evidence))
    return rule(beliefs), beliefs.posterior, beliefs.accuracy.kind == "sampled"


def _ranks(scores: Floats, tie_break: Floats) -> Floats:
    """[disease] its place, ties in order of posterior."""
    order, _ = leading(scores, tie_break)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    return ranks


def _quantiles(values: Floats) -> tuple[float, float, float]:
    low, middle, high = np.quantile(values, MIDDLE).tolist()
    return low, middle, high


def _ends(ranks: Floats) -> tuple[int, int]:
    low, _, high = np.quantile(ranks, MIDDLE, method="nearest").tolist()
    return int(low), int(high)
