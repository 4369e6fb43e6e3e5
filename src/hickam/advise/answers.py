"""What each unasked question would be answered with, under each leading explanation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.advise.explanations import Explanations
from hickam.advise.questions import CATEGORY, FINDING, RISK, YES_OR_NO
from hickam.evidence.case import Evidence
from hickam.evidence.implied import implied
from hickam.inference.problem import log_fails
from hickam.inference.reduce import dense
from hickam.model.adapted import Factors
from hickam.model.is_a import kinds_of
from hickam.model.network import Category, Floats, Ints, Network

HARDLY = 0.05  # what sex or age make this much less likely is not asked of such a patient
MOST = 512  # findings that are weighed up: those that the candidates most likely cause


@dataclass(frozen=True, slots=True)
class Unasked:
    """A question that may be asked, with the answers it can have."""

    kind: str  # "finding" | "risk factor" | "category"
    id: str
    answers: tuple[str, ...]
    start: int  # its first column in `Answers.given`

    @property
    def columns(self) -> slice:
        """Its columns in `Answers.given`."""
        return slice(self.start, self.start + len(self.answers))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """P(answer | explanation) for every answer to every question that may be asked."""

    questions: tuple[Unasked, ...]
    given: Floats  # [explanation, answer]  the answers of one question sum to 1
    question_of: Ints  # [answer]

    def chances(self, weight: Floats) -> Floats:
        """[answer] P(answer | evidence)."""
        return weight @ self.given


def answers_to(
    network: Network,
    evidence: Evidence,
    found: Explanations,
    *,
    skip: Collection[str],
    categories: Collection[str],
    about: Collection[str] = (FINDING, RISK, CATEGORY),
    widely: bool = False,
) -> Answers:
    """The answers to all that is unknown, bears on a candidate and is not to be skipped.

    `widely` also takes findings in that no candidate causes.

    `categories` are those that have a value already.
    """
    findings, yes = _findings(network, found, *_askable(network, evidence, skip), widely)
    names = [(FINDING, network.findings[f]) for f in findings.tolist()]
    settled = {*evidence.risks_on.tolist(), *evidence.risks_off.tolist()}
    settled |= odd(evidence.circumstances.risk_factors)
    risks, risk_on = _risks(network, found, settled)
    names += [(RISK, network.risk_factors[r]) for r in risks.tolist()]
    either = np.concatenate([yes, risk_on], axis=1)
    told = implied(network, evidence)
    open_categories = [
        category
        for category in network.categories
        if category.id not in categories and category.id not in skip and _bears(category, told)
    ]
    parts = [np.stack([either, 1.0 - either], axis=2).reshape(len(either), -1)]
    questions = []
    for position, (kind, name) in enumerate(names):
        if name not in skip and kind in about:
            questions.append(Unasked(kind, name, YES_OR_NO, 2 * position))
    start = 2 * len(names)
    for category in open_categories if CATEGORY in about else ():
        parts.append(_values(network, found, category))
        questions.append(Unasked(CATEGORY, category.id, category.values, start))
        start += len(category.values)
    given = np.concatenate(parts, axis=1)
    question_of = np.full(start, -1)
    for position, question in enumerate(questions):
        question_of[question.columns] = position
    return Answers(tuple(questions), given, question_of)


def _bears(category: Category, told: Mapping[str, bool]) -> bool:
    """Whether the value of a category would say something that can be weighed up.

    One with a curve and no values cannot be; how a finding began is asked once it is there.
    """
    return bool(category.given) and (not category.of or told.get(category.of, False))


def _askable(
    network: Network, evidence: Evidence, skip: Collection[str]
) -> tuple[npt.NDArray[np.bool_], dict[int, int]]:
    """[finding] whether it may be asked, and the present finding that some of them are kinds of.

    What a case implies is not asked, nor what would be odd at this age or sex, and a kind of a
    finding only once that finding is present.
    """
    asked = np.ones(len(network.findings), dtype=bool)
    asked[list(odd(evidence.circumstances.leaks))] = False
    told = implied(network, evidence)
    places = {finding: place for place, finding in enumerate(network.findings)}
    for name in (*told, *skip):
        if name in places:
            asked[places[name]] = False
    wider: dict[int, int] = {}
    for finding, above in kinds_of(network).above.items():
        if told.get(network.findings[above[0]]) is True:
            wider[finding] = above[0]
        else:
            asked[finding] = False
    return asked, wider


def odd(factors: Factors) -> set[int]:
    """The positions of what a patient of this sex and age hardly has."""
    return {position for position, factor in factors if factor <= HARDLY}


def _findings(
    network: Network,
    found: Explanations,
    askable: npt.NDArray[np.bool_],
    wider: Mapping[int, int],
    widely: bool,
) -> tuple[Ints, Floats]:
    """The askable findings that a candidate causes, and [explanation, finding] P(present).

    Of a kind of a present finding: P(the kind | the finding), which the kind brings with it.
    """
    links = network.effects
    candidate = np.zeros(len(network.diseases), dtype=bool)
    candidate[found.diseases] = True
    mine = candidate[links.cause]
    there = np.where(candidate, 0.0, found.background if widely else 0.0)
    there[found.diseases] = found.posterior
    touched = np.bincount(links.effect, there[links.cause] * links.acts, len(network.findings))
    asked = np.flatnonzero((touched > 0.0) & askable & (network.finding_leak < 1.0))
    if len(asked) > MOST:
        asked = np.sort(asked[np.argsort(-touched[asked], kind="stable")[:MOST]])
    needed = np.unique(np.concatenate([asked, [wider[f] for f in asked.tolist() if f in wider]]))
    needed = needed.astype(np.int64)
    fired = np.where(mine, 0.0, found.background[links.cause] * links.acts)
    with np.errstate(divide="ignore"):
        quiet = np.log1p(-network.finding_leak)
        quiet += np.bincount(links.effect, np.log1p(-fired), len(network.findings))
        lost = log_fails(*dense(links, found.diseases, needed))
    present = -np.expm1(quiet[needed] + found.members @ np.maximum(lost, -700.0))
    column = {finding: place for place, finding in enumerate(needed.tolist())}
    chosen = present[:, [column[finding] for finding in asked.tolist()]]
    for place, finding in enumerate(asked.tolist()):
        if finding in wider:
            whole = np.maximum(present[:, column[wider[finding]]], 1e-300)
            chosen[:, place] = np.minimum(chosen[:, place] / whole, 1.0)
    return asked, chosen


def _risks(network: Network, found: Explanations, settled: set[int]) -> tuple[Ints, Floats]:
    """The unobserved risk factors of candidates, and [explanation, risk factor] P(on).

    Every candidate that is there multiplies the odds by P(D = 1 | on) / P(D = 1 | off), every other
    candidate by λ, with the other risk factors averaged; of all other diseases nothing is known.
    """
    links = network.causes
    place = np.full(len(network.diseases), -1)
    place[found.diseases] = np.arange(len(found.diseases))
    mine = place[links.effect] >= 0
    touching = np.unique(links.cause[mine & (links.acts > 0.0)])
    asked = np.array([r for r in touching.tolist() if r not in settled], dtype=np.int64)
    if not len(asked):
        return asked, np.zeros((len(found.members), 0))
    column = np.full(len(network.risk_factors), -1)
    column[asked] = np.arange(len(asked))
    fired = np.minimum(network.risk_prior[links.cause] * links.acts, 1.0 - 1e-12)
    with np.errstate(divide="ignore"):
        off = np.log1p(-network.disease_leak)
    off = np.maximum(off, -700.0) + np.bincount(
        links.effect, np.log1p(-fired), len(network.diseases)
    )
    off_without = off[links.effect] - np.log1p(-fired)  # the risk factor off, the others averaged
    on_without = np.maximum(-np.expm1(off_without), 1e-300)
    raised = np.log1p(links.acts * np.exp(off_without) / on_without)
    lost = np.maximum(log_fails(links.acts, links.fails), -30.0)
    prior = np.clip(network.risk_prior[asked], 1e-12, 1.0 - 1e-12)
    odds = np.log(prior) - np.log1p(-prior)
    here = mine & (column[links.cause] >= 0)
    odds += np.bincount(column[links.cause[here]], lost[here], len(asked))
    swing = np.zeros((len(found.diseases), len(asked)))
    swing[place[links.effect[here]], column[links.cause[here]]] = (raised - lost)[here]
    log_odds = odds[None, :] + found.members @ swing
    return asked, 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))


def _values(network: Network, found: Explanations, category: Category) -> Floats:
    """[explanation, value] P(value | explanation), as soft evidence on each disease gives it."""
    base = np.log(np.array(category.otherwise))
    ratios = np.zeros((len(found.diseases), len(base)))
    for row, disease in enumerate(found.diseases.tolist()):
        chances = category.given.get(network.diseases[disease])
        if chances is not None:
            ratios[row] = np.log(np.maximum(chances, 1e-12)) - base
    logs = base[None, :] + found.members @ ratios
    values = np.exp(logs - logs.max(axis=1, keepdims=True))
    return values / values.sum(axis=1, keepdims=True)
