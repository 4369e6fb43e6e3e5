"""A doctor's differential as evidence: the second opinion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from hickam.beliefs.options import Options
from hickam.diagnose import diagnose
from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, ranked
from hickam.evidence.vocabulary import vocabularies
from hickam.issues import InvalidInput, Issue, Kind, error
from hickam.measures.differential import Candidate, Differential
from hickam.model.kinds import Model


@dataclass(frozen=True, slots=True)
class PositionWeights:
    """Likelihood ratios of a disease by its position in a doctor's list.

    `listed[i]` = P(listed at position i + 1 | it is the disease) / P(… | it is not); the last
    holds for all later positions. `unlisted` is the same ratio for a disease the doctor left out.

    >>> PositionWeights((30.0, 10.0), 0.3).ratio(5)
    10.0
    """

    listed: tuple[float, ...]
    unlisted: float
    source: str = ""

    def ratio(self, position: int | None) -> float:
        """The likelihood ratio of a position from 1, or of not being listed."""
        if position is None:
            return self.unlisted
        return self.listed[min(position, len(self.listed)) - 1]

    def check(self) -> list[Issue]:
        """What is wrong with the weights."""
        values = (*self.listed, self.unlisted)
        if self.listed and all(0.0 < value < float("inf") for value in values):
            return []
        fix = "one positive ratio per position, and one for unlisted diseases"
        return [error("position weights", f"are {values}", fix)]


DEFAULT_WEIGHTS = PositionWeights(
    listed=(220.0, 6.7, 1.9, 0.33),
    unlisted=0.014,
    source="fitted to the 903 opinions of the reproduction study, docs/reproduction.md",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One disease of a second opinion and where each of the three lists puts it."""

    disease: str
    name: str
    doctor: int | None  # position in the doctor's list
    algorithm: int  # position without the doctor
    fused: int  # position with the doctor
    ratio: float  # likelihood ratio that the doctor's list contributes
    reason: str


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """The doctor's list, the algorithm's and the fused one, all of the doctor's own size."""

    doctor: tuple[str, ...]
    algorithm: tuple[str, ...]
    fused: tuple[str, ...]
    outside: tuple[str, ...]  # listed diseases the network does not know; they cannot be weighed
    lines: tuple[Line, ...]  # every disease of the three lists, by fused position
    differential: Differential  # the fused one in full
    weights: PositionWeights

    @property
    def added(self) -> tuple[str, ...]:
        """Diseases the fused list has and the doctor's has not."""
        return tuple(disease for disease in self.fused if disease not in self.doctor)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Diseases the doctor listed and the fused list left out."""
        return tuple(disease for disease in self.doctor if disease not in self.fused)


def with_opinion(
    case: Case, opinion: Opinion, weights: PositionWeights, known: Sequence[str]
) -> Case:
    """The case with a doctor's list as likelihood ratios, relative to an unlisted disease.

    The factor `weights.unlisted` on every disease alike is what the Occam–Hickam dial is: multiply
    the dial by it.
    """
    ratios = dict(case.likelihoods)
    inside = set(known)
    for disease, position in opinion.positions.items():
        if disease in inside:
            ratios[disease] = ratios.get(disease, 1.0) * weights.ratio(position) / weights.unlisted
    return replace(case, likelihoods=ratios)


def second_opinion(
    network: Model,
    case: Case,
    doctor: Sequence[str | Sequence[str]],
    measure: str = "single_fault",
    *,
    weights: PositionWeights = DEFAULT_WEIGHTS,
    **options: Unpack[Options],
) -> SecondOpinion:
    """A doctor's list weighed with the network's own ranking, at the doctor's own size.

    `doctor` lists diseases best first, by id, name or synonym; a list inside it is a group of ties.
    A differential lists alternatives, so the default ranks them one disease at a time.

    >>> import hickam
    >>> found = second_opinion(hickam.load("smoker"), Case(present=["chest pain"]), ["emphysema"])
    >>> len(found.fused)
    1
    """
    issues = weights.check()
    opinion, outside = _identified(network, doctor, issues)
    if issues:
        raise InvalidInput(issues)
    alone = diagnose(network, case, measure, **options)
    dial = float(options.get("dial", 1.0)) * min(weights.unlisted, 1.0)
    told = with_opinion(_by_id(network, case), opinion, weights, network.diseases)
    told_options = options.copy()
    told_options["dial"] = dial
    fused = diagnose(network, told, measure, **told_options)
    size = opinion.size + len(outside)
    before = {c.disease: place for place, c in enumerate(alone, start=1)}
    lists = (opinion.diseases, _first(alone, size), _first(fused, size))
    shown = set().union(*lists)
    lines = tuple(
        _line(candidate, place, opinion.positions, before, weights)
        for place, candidate in enumerate(fused, start=1)
        if candidate.disease in shown
    )
    return SecondOpinion(*lists, tuple(outside), lines, fused, weights)


def _first(differential: Differential, size: int) -> tuple[str, ...]:
    """The first diseases of a differential."""
    return tuple(candidate.disease for candidate in differential[:size])


def _identified(
    network: Model, doctor: Sequence[str | Sequence[str]], issues: list[Issue]
) -> tuple[Opinion, list[str]]:
    """The opinion by disease id, and the listed diseases that the network does not know."""
    words = vocabularies(network)["disease"]
    groups, outside, seen = [], [], set()
    for group in ranked(doctor):
        inside = []
        for name in group:
            found = words.find(name)
            if isinstance(found, Issue):
                if found.kind is Kind.AMBIGUOUS_NAME:
                    issues.append(found)
                outside.append(name)
            elif found in seen:
                issues.append(error(f"disease '{name}'", "is listed twice", "keep one"))
            else:
                seen.add(found)
                inside.append(network.diseases[found])
        groups.append(tuple(inside))
    if not seen and not issues:
        near = [words.find(name) for name in outside]
        issues += [issue for issue in near if isinstance(issue, Issue)]
        if not near:
            issues.append(error("the doctor's list", "is empty", "name at least one disease"))
    return Opinion("doctor", tuple(group for group in groups if group)), outside


def _by_id(network: Model, case: Case) -> Case:
    """The case with its own likelihood ratios keyed by id, so that they can be multiplied."""
    words = vocabularies(network)["disease"]
    ratios = {}
    for name, ratio in case.likelihoods.items():
        found = words.find(name)
        ratios[network.diseases[found] if isinstance(found, int) else name] = ratio
    return replace(case, likelihoods=ratios)


def _line(
    candidate: Candidate,
    place: int,
    listed: Mapping[str, int],
    before: Mapping[str, int],
    weights: PositionWeights,
) -> Line:
    """Where one disease stands, and why in words."""
    position = listed.get(candidate.disease)
    own = before[candidate.disease]
    finding = next(iter(candidate.explains), None)
    if position is None:
        reason = f"not on the doctor's list; ranked {own} by the findings alone"
    elif own <= position:
        reason = f"doctor and findings agree (doctor {position}, findings alone {own})"
    else:
        reason = f"the doctor ranks it {position}, the findings alone {own}"
    if finding is not None:
        reason += f"; explains '{finding}' with probability {candidate.explains[finding]:.2f}"
    ratio = weights.ratio(position)
    return Line(candidate.disease, candidate.name, position, own, place, ratio, reason)
