"""All soft evidence of a case: factors on the odds of diseases, and each in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hickam.evidence.case import Case
from hickam.evidence.likelihood import (
    absence_ratios,
    absence_weights,
    category_ratios,
    per_finding_ratios,
)
from hickam.evidence.observations import Readings
from hickam.evidence.person import Person
from hickam.issues import Issue, error
from hickam.language.vocabulary import Vocabulary, find_each
from hickam.model.adapted import USUAL
from hickam.model.described import Described
from hickam.model.network import Floats
from hickam.words import counted

LARGEST_RATIO = 1e100  # of one disease, all soft evidence together: room for every later factor


@dataclass
class Soft:
    """The factors of one case while they are collected."""

    factors: list[Floats] = field(default_factory=list)  # each [disease]
    said: list[str] = field(default_factory=list)

    def add_counts(self, network: Described, present: int, weighed: list[int]) -> None:
        """Add what the number of findings says, and absences that do not count in full."""
        if (by_number := per_finding_ratios(network, present)) is not None:
            self.factors.append(by_number)
            self.said.append(f"breadth of each disease, for {counted(present, 'present finding')}")
        if not weighed:
            return
        weights = absence_weights(network)
        assert weights is not None
        some = [finding for finding in weighed if weights[finding] > 0.0]
        if some:
            self.factors.append(absence_ratios(network, some, weights))
            self.said.append(f"{counted(len(some), 'absent finding')} counted in part")
        if len(some) < len(weighed):
            self.said.append(f"{counted(len(weighed) - len(some), 'absent finding')} not counted")

    def add_readings(self, network: Described, readings: Readings) -> None:
        """Add what the observations with values say."""
        for category, reading in readings:
            self.factors.append(category_ratios(network, category, reading))
            self.said.append(f"{category.name.lower()}: {reading.words}")

    def add_person(self, person: Person, words: str) -> None:
        """Add the prevalence for a sex and age."""
        if person.ratios is not None:
            self.factors.append(person.ratios)
        if person.ratios is not None or person.circumstances is not USUAL:
            self.said.append(f"prevalence for {words}")

    def product(self, network: Described, issues: list[Issue]) -> Floats:
        """[disease] the product of factors; one that floats cannot hold is an issue."""
        if len(self.factors) == 1 and _moderate(self.factors[0]):  # sex and age alone, mostly
            return self.factors[0].copy()
        likelihood = np.ones(len(network.diseases))
        if not self.factors:
            return likelihood
        logs = np.zeros(len(network.diseases))
        with np.errstate(over="ignore", under="ignore"):
            for factor in self.factors:
                logs += np.log(np.where(factor == 0.0, 1.0, factor))
                likelihood *= factor
        for position in np.flatnonzero(~(np.abs(logs) <= math.log(LARGEST_RATIO) + 1e-9)).tolist():
            power = logs[position] / math.log(10.0)
            what = f"has soft evidence that multiplies to about 10^{power:.0f}"
            span = f"{1.0 / LARGEST_RATIO:g} and {LARGEST_RATIO:g}"
            fix = f"keep the product of its ratios between {span}"
            issues.append(error(f"disease '{network.diseases[position]}'", what, fix))
        return likelihood


def _moderate(factor: Floats) -> bool:
    """Whether every ratio is 0 or one that soft evidence may have."""
    inside = (factor >= 1.0 / LARGEST_RATIO) & (factor <= LARGEST_RATIO)
    return bool((inside | (factor == 0.0)).all())


def own_ratios(
    network: Described, words: Mapping[str, Vocabulary], case: Case, issues: list[Issue]
) -> Soft:
    """The case's own likelihood ratios, to which the rest is added."""
    if not case.likelihoods:
        return Soft()
    ratios = np.ones((2, len(network.diseases)))  # what is large, what is small: neither overflows
    said = []
    positions = find_each(words, "disease", case.likelihoods, issues)
    for (name, ratio), position in zip(case.likelihoods.items(), positions, strict=True):
        if position is None:
            continue
        where = f"likelihood ratio of '{name}'"
        if isinstance(ratio, bool) or not isinstance(ratio, (int, float)):
            issues.append(error(where, f"is {ratio!r:.40}", "write a number"))
        elif not (ratio == 0.0 or 1.0 / LARGEST_RATIO <= ratio <= LARGEST_RATIO):
            fix = f"give 0, or a number from {1.0 / LARGEST_RATIO:g} to {LARGEST_RATIO:g}"
            issues.append(error(where, f"is {ratio!s:.40}", fix))
        else:
            ratios[int(ratio < 1.0), position] *= ratio
            said.append(f"likelihood ratio {ratio:g} for {network.diseases[position]}")
    return Soft([ratios[0], ratios[1]] if said else [], said)


def weigh_absence(network: Described, absent: list[int]) -> tuple[list[int], list[int]]:
    """The absent findings that count in full, and those whose absence has another weight."""
    weights = absence_weights(network)
    if weights is None:
        return absent, []
    full = [finding for finding in absent if weights[finding] == 1.0]
    return full, [finding for finding in absent if weights[finding] != 1.0]
