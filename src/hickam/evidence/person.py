"""What the sex and age of a patient change, and what they make doubtful."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hickam.evidence.likelihood import prevalence_ratios, prevalence_rows
from hickam.issues import Issue, warning
from hickam.model.adapted import USUAL, Circumstances
from hickam.model.described import Described
from hickam.model.network import SEXES, Floats

NAMED = 3  # ruled-out causes that a doubt names


class Person(NamedTuple):
    """What a network says about patients of one sex and age."""

    ratios: Floats | None  # [disease]  factor on the prior odds; None if all are 1
    circumstances: Circumstances
    no_risks: frozenset[int]  # risk factors that they cannot have
    no_findings: frozenset[int]  # findings of which they can have no cause that the network lists


def person_of(network: Described, sex: str | None, age: float | None) -> Person:
    """What a network says about patients of this sex and age."""
    return _person(network, sex, band(network, age))


def band(network: Described, age: float | None) -> float | None:
    """The age from which on nothing changes up to this age: equal for patients who are alike."""
    if age is None:
        return None
    bounds = _age_bounds(network)
    return bounds[bisect_right(bounds, age) - 1]


def people(network: Described) -> list[tuple[str | None, float | None]]:
    """(sex, age) of one patient of each kind that a network tells apart, as far as it is known."""
    ages = sorted({max(bound, 0.0) for bound in _age_bounds(network)})
    return [(sex, age) for sex in (*SEXES, None) for age in (None, *ages)]


@lru_cache(maxsize=32)
def _age_bounds(network: Described) -> tuple[float, ...]:
    """The ages at which anything changes, in order, from below every age."""
    kinds = ("risk factor", "disease", "finding")
    rows = [row for kind in kinds for _, row in prevalence_rows(network, kind)]
    return (-math.inf, *sorted({bound for row in rows for bound in row.age or ()}))


@lru_cache(maxsize=256)
def _person(network: Described, sex: str | None, age: float | None) -> Person:
    """What a network says about patients of this sex, from this age to where anything changes."""
    ratios = prevalence_ratios(network, sex, age)
    risks = _factors(network, "risk factor", sex, age)
    leaks = _factors(network, "finding", sex, age)
    no_risks = frozenset(position for position, factor in risks if factor == 0.0)
    certain = no_risks or np.any(ratios == 0.0)
    return Person(
        ratios if np.any(ratios != 1.0) else None,
        Circumstances(risks, leaks) if risks or leaks else USUAL,
        no_risks,
        _without_cause(network, ratios, no_risks) if certain else frozenset(),
    )


def doubts(
    network: Described,
    person: Person,
    words: str,
    present: Sequence[int],
    risks_on: Sequence[int],
) -> tuple[Issue, ...]:
    """What is entered but cannot be, or can have no listed cause, at this sex and age.

    Nothing is refused: sex, age or the entry may be wrong, and only the user knows which.
    """
    found = []
    fix = "check the entry, the sex and the age"
    for position in risks_on:
        if position in person.no_risks:
            where = f"risk factor '{network.risk_factors[position]}'"
            found.append(warning(where, f"is not expected for {words}", fix))
    for position in present:
        if position in person.no_findings:
            links = network.effects
            into = links.of_effect(position)
            causes = [network.label(network.diseases[c]) for c in links.cause[into].tolist()]
            listed = ", ".join(causes[:NAMED]) + (" …" if len(causes) > NAMED else "")
            where = f"finding '{network.findings[position]}'"
            what = f"is not expected for {words}: its causes ({listed}) do not occur then"
            found.append(warning(where, what, fix))
    return tuple(found)


def _factors(
    network: Described, kind: str, sex: str | None, age: float | None
) -> tuple[tuple[int, float], ...]:
    """(position, product of the matching factors) of the nodes that they change."""
    found: dict[int, float] = {}
    for position, row in prevalence_rows(network, kind):
        if row.matches(sex, age):
            found[position] = found.get(position, 1.0) * row.factor
    return tuple((position, factor) for position, factor in found.items() if factor != 1.0)


def _without_cause(network: Described, ratios: Floats, no_risks: frozenset[int]) -> frozenset[int]:
    """The findings that have causes, every one of them ruled out."""
    possible = network.disease_leak > 0.0
    links = network.causes
    usable = (links.acts > 0.0) & ~np.isin(links.cause, list(no_risks))
    possible[links.effect[usable]] = True
    possible &= ratios > 0.0
    links = network.effects
    size = len(network.findings)
    able = links.acts > 0.0
    causes = np.bincount(links.effect[able], minlength=size)
    left = np.bincount(links.effect[able & possible[links.cause]], minlength=size)
    return frozenset(np.flatnonzero((causes > 0) & (left == 0)).tolist())
