"""A doctor's differential as evidence: the second opinion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack

import numpy as np

from hickam.advise.left_open import LeftOpen, left_open
from hickam.advise.position_weights import DEFAULT_WEIGHTS, PositionWeights
from hickam.beliefs.options import Options
from hickam.diagnose import differential
from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, ranked
from hickam.infer import believe, take
from hickam.issues import InvalidInput, Issue, Kind, error
from hickam.language.vocabulary import vocabularies
from hickam.measures.differential import Candidate, Differential
from hickam.measures.scores import find_measure
from hickam.model.kinds import Model
from hickam.words import percent

__all__ = ["DEFAULT_WEIGHTS", "PositionWeights", "SecondOpinion", "second_opinion", "with_opinion"]


# An urgent disease that is this likely by the findings alone is not passed over in silence.
SUPPORTED = 0.05


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
class Overlooked:
    """An urgent disease that the findings support and the doctor's list leaves out."""

    disease: str
    name: str
    urgency: str
    alone: float  # its probability by the findings alone
    fused: float  # with the doctor's list as evidence
    kept: bool  # whether it is on the fused list


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """The doctor's list, the algorithm's and the fused one, all of the doctor's own size."""

    doctor: tuple[str, ...]
    algorithm: tuple[str, ...]
    fused: tuple[str, ...]
    outside: Mapping[str, int]  # listed disease that the network does not know → its position
    lines: tuple[Line, ...]  # every disease of the three lists, by fused position
    overlooked: tuple[Overlooked, ...]  # the likeliest by the findings alone first
    left_open: tuple[LeftOpen, ...]  # present findings that the doctor's list does not explain
    differential: Differential  # the fused one in full
    weights: PositionWeights  # as used on this network

    @property
    def added(self) -> tuple[str, ...]:
        """Diseases the fused list has and the doctor's has not."""
        return tuple(disease for disease in self.fused if disease not in self.doctor)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Diseases the doctor listed and the fused list left out."""
        return tuple(disease for disease in self.doctor if disease not in self.fused)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be said with the fused list, as sentences."""
        said = [_outside_in_words(name, place) for name, place in self.outside.items()]
        said += [_overlooked_in_words(urgent, len(self.fused)) for urgent in self.overlooked]
        for disease in self.dropped:
            candidate = self.differential.of(disease)
            if candidate.urgent:
                said.append(
                    f"{candidate.name} ({candidate.urgency}) is on the doctor's list and not on "
                    f"the fused one: the findings do not support it, but it must not be missed."
                )
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """The second opinion as plain values, ready for JSON."""
        return {
            "doctor": list(self.doctor),
            "algorithm": list(self.algorithm),
            "fused": list(self.fused),
            "added": list(self.added),
            "dropped": list(self.dropped),
            "outside": list(self.outside),
            "warnings": list(self.warnings),
            "overlooked": [asdict(urgent) for urgent in self.overlooked],
            "left_open": [asdict(item) for item in self.left_open],
            "lines": [asdict(line) for line in self.lines],
            "weights": asdict(self.weights),
            "measure": self.differential.measure,
            "accuracy": self.differential.accuracy.to_dict(),
        }


def with_opinion(
    case: Case, opinion: Opinion, weights: PositionWeights, known: Sequence[str]
) -> Case:
    """The case with a doctor's list as likelihood ratios, relative to an unlisted disease.

    The factor `weights.unlisted` on every disease alike leaves their order as it is.
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
    engine: str = "auto",
    **options: Unpack[Options],
) -> SecondOpinion:
    """A doctor's list weighed with the network's own ranking, at the doctor's own size.

    `doctor` lists diseases best first, by id, name or synonym; a list inside it is a group of ties.
    A differential lists alternatives, so the default ranks them one disease at a time. The weights
    are tempered to the network; what the fused list must not hide is in `warnings`.

    >>> import hickam
    >>> found = second_opinion(hickam.load("smoker"), Case(present=["chest pain"]), ["emphysema"])
    >>> len(found.fused)
    1
    """
    find_measure(measure)
    issues = weights.check()
    opinion, outside = _identified(network, doctor, issues)
    if issues:
        raise InvalidInput(issues)
    listed = {d: place for d, place in opinion.positions.items() if d not in outside}
    used = weights.on(network)
    evidence, limits = take(network, case, options)
    ratios = np.array([used.ratio(listed.get(disease)) for disease in network.diseases])
    told = replace(
        evidence,
        likelihood=evidence.likelihood * ratios,
        in_force=(*evidence.in_force, "the doctor's list as evidence"),
    )
    alone, fused = (
        differential(network, known, believe(network, known, engine, limits), measure)
        for known in (evidence, told)
    )
    before = {c.disease: place for place, c in enumerate(alone, start=1)}
    lists = (tuple(listed), _first(alone, opinion.size), _first(fused, opinion.size))
    shown = set().union(*lists)
    lines = tuple(
        _line(candidate, place, listed, before, used, fused.names)
        for place, candidate in enumerate(fused, start=1)
        if candidate.disease in shown
    )
    overlooked = _overlooked(alone, fused, listed, lists[2])
    open_ = tuple(left_open(fused, set(listed), network))
    return SecondOpinion(*lists, outside, lines, overlooked, open_, fused, used)


def _first(ranked: Differential, size: int) -> tuple[str, ...]:
    """The first diseases of a differential."""
    return tuple(candidate.disease for candidate in ranked[:size])


def _support(candidate: Candidate) -> float:
    """How likely a disease is, as one of several or as the only one."""
    return max(candidate.posterior, candidate.single_fault)


def _overlooked(
    alone: Differential, fused: Differential, listed: Mapping[str, int], kept: Sequence[str]
) -> tuple[Overlooked, ...]:
    """The urgent diseases that the findings support and the doctor did not list.

    Supported is what explains a present finding, or is likely while none is present.
    """
    after = {candidate.disease: _support(candidate) for candidate in fused}
    found = [
        Overlooked(c.disease, c.name, c.urgency, _support(c), after[c.disease], c.disease in kept)
        for c in alone
        if c.urgent and c.disease not in listed and _support(c) >= SUPPORTED
        if c.sustained or c.disabled or not alone.present
    ]
    return tuple(sorted(found, key=lambda urgent: -urgent.alone))


def _overlooked_in_words(urgent: Overlooked, size: int) -> str:
    """What to say about an urgent disease that the doctor's list leaves out."""
    first = "the first" if size == 1 else f"among the first {size}"
    text = (
        f"{urgent.name} ({urgent.urgency}) is not on the doctor's list: {percent(urgent.alone)} by "
        f"the findings alone, {percent(urgent.fused)} with the list as evidence"
    )
    return (
        f"{text}."
        if urgent.kept
        else f"{text}. It is not {first} of the fused list: do not miss it."
    )


def _outside_in_words(name: str, place: int) -> str:
    """What to say about a listed disease that the network does not know."""
    text = f"'{name}' is not in the network and could not be weighed"
    if place > 1:
        return f"{text}."
    return (
        f"{text}. It is the doctor's first choice, so the fused list answers a smaller question: "
        f"which of the network's diseases, if it is one of them?"
    )


def _identified(
    network: Model, doctor: Sequence[str | Sequence[str]], issues: list[Issue]
) -> tuple[Opinion, dict[str, int]]:
    """The opinion with ids in place of names, and the listed diseases that the network lacks.

    What the network does not know keeps its place: the second choice stays the second choice.
    """
    words = vocabularies(network)["disease"]
    groups, unknown, seen = [], [], set()
    for group in ranked(doctor):
        named = []
        for name in group:
            found = words.find(name)
            if isinstance(found, Issue):
                if found.kind is Kind.AMBIGUOUS_NAME:
                    issues.append(found)
                unknown.append(name)
                named.append(name)
            elif found in seen:
                issues.append(error(f"disease '{name}'", "is listed twice", "keep one"))
            else:
                seen.add(found)
                named.append(network.diseases[found])
        groups.append(tuple(named))
    if not seen and not issues:
        near = [words.find(name) for name in unknown]
        issues += [issue for issue in near if isinstance(issue, Issue)]
        if not near:
            issues.append(error("the doctor's list", "is empty", "name at least one disease"))
    opinion = Opinion("doctor", tuple(group for group in groups if group))
    return opinion, {name: opinion.positions[name] for name in unknown}


def _line(
    candidate: Candidate,
    place: int,
    listed: Mapping[str, int],
    before: Mapping[str, int],
    weights: PositionWeights,
    names: Mapping[str, str],
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
        chance = percent(candidate.explains[finding])
        reason += f"; explains {names[finding].lower()} with probability {chance}"
    ratio = weights.ratio(position)
    return Line(candidate.disease, candidate.name, position, own, place, ratio, reason)
