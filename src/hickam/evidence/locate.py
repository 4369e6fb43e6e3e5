"""Names become indices here, once; nothing else knows both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hickam.evidence.case import Case, Evidence
from hickam.evidence.implied import apart, narrowed
from hickam.evidence.likelihood import (
    absence_ratios,
    absence_weights,
    category_ratios,
    per_finding_ratios,
)
from hickam.evidence.person import Person, doubts, person_of
from hickam.evidence.vocabulary import Vocabulary, find_each, fold, vocabularies
from hickam.issues import Issue, did_you_mean, error, raise_errors
from hickam.model.adapted import USUAL, Circumstances
from hickam.model.described import Described
from hickam.model.is_a import kinds_of
from hickam.model.network import SEXES, Floats, Ints
from hickam.words import counted

OLDEST = 130.0
LARGEST_RATIO = 1e100  # of one disease, all soft evidence together: room for every later factor
Words = Mapping[str, Vocabulary]


def locate(case: Case, network: Described) -> Evidence:
    """The case by index into the network; every mistake in it is reported at once."""
    issues: list[Issue] = []
    words = vocabularies(network)
    findings = words["finding"]
    present = _positions(words, case.present, issues)
    absent = _positions(words, case.absent, issues)
    for position in sorted(set(present) & set(absent)):
        name = findings.ids[position]
        issues.append(error(f"finding '{name}'", "is both present and absent", "keep one of them"))
    present, absent, folded = narrowed(network, present, absent, issues)
    risks = _risks(words, case, issues)
    wrong = check_person(case)
    person = None if wrong else person_of(network, case.sex, case.age)
    issues += wrong
    denied, weighed = _weigh_absence(network, absent)
    likelihood, said = _likelihood(network, words, case, person, len(present), weighed, issues)
    raise_errors(issues)
    assert person is not None
    risks_on = [position for position, on in risks.items() if on]
    return Evidence(
        present=_ints(present),
        absent=_ints(denied),
        risks_on=_ints(risks_on),
        risks_off=_ints([position for position, on in risks.items() if not on]),
        likelihood=likelihood,
        in_force=(*said, *folded),
        circumstances=_circumstances(network, person, present, absent, risks_on),
        doubts=doubts(network, person, _in_words(case), present, risks_on),
    )


def _circumstances(
    network: Described,
    person: Person,
    present: Sequence[int],
    absent: Sequence[int],
    risks_on: Sequence[int],
) -> Circumstances:
    """What the patient changes in the network."""
    found = person.circumstances
    if not person.no_risks.isdisjoint(risks_on):  # a doubt, but what is said to be so is so
        kept = tuple(pair for pair in found.risk_factors if pair[0] not in risks_on)
        found = replace(found, risk_factors=kept)
    kinds = kinds_of(network)
    parted = apart(kinds, present, absent) if kinds else ()
    return replace(found, apart=parted) if parted else found


def _in_words(case: Case) -> str:
    """The sex and age of a case as a phrase."""
    age = f"age {case.age:g}" if case.age is not None else ""
    return ", ".join(filter(None, (age, case.sex))) or "everyone"


def _ints(positions: Iterable[int]) -> Ints:
    """Positions as an index array."""
    return np.array(list(positions), dtype=np.int64)


def _positions(words: Words, names: Sequence[str], issues: list[Issue]) -> list[int]:
    """Positions of the findings, each once, in the order first given."""
    found = find_each(words, "finding", names, issues)
    return list(dict.fromkeys(position for position in found if position is not None))


def _risks(words: Words, case: Case, issues: list[Issue]) -> dict[int, bool]:
    """Observed risk factors by position; one given as None is unknown and left out."""
    risks: dict[int, bool] = {}
    positions = find_each(words, "risk factor", case.risks, issues)
    for (name, value), position in zip(case.risks.items(), positions, strict=True):
        if position is None:
            continue
        if value not in (True, False, None):
            where = f"risk factor '{name}'"
            issues.append(error(where, f"is {value!r:.40}", "write true or false"))
        elif value is not None and risks.setdefault(position, bool(value)) != bool(value):
            issues.append(
                error(f"risk factor '{name}'", "is given as true and as false", "keep one")
            )
    return risks


def _weigh_absence(network: Described, absent: list[int]) -> tuple[list[int], list[int]]:
    """The absent findings that count in full, and those whose absence has another weight."""
    weights = absence_weights(network)
    if weights is None:
        return absent, []
    full = [finding for finding in absent if weights[finding] == 1.0]
    return full, [finding for finding in absent if weights[finding] != 1.0]


def _likelihood(
    network: Described,
    words: Words,
    case: Case,
    person: Person | None,
    present: int,
    weighed: list[int],
    issues: list[Issue],
) -> tuple[Floats, list[str]]:
    """[disease] the product of every kind of soft evidence, and what it is made of, in words."""
    factors, said = _own_ratios(network, words, case, issues)
    if (by_number := per_finding_ratios(network, present)) is not None:
        factors.append(by_number)
        said.append(f"breadth of each disease, for {counted(present, 'present finding')}")
    if weighed:
        weights = absence_weights(network)
        assert weights is not None
        some = [finding for finding in weighed if weights[finding] > 0.0]
        if some:
            factors.append(absence_ratios(network, some, weights))
            said.append(f"{counted(len(some), 'absent finding')} counted in part")
        if len(some) < len(weighed):
            said.append(f"{counted(len(weighed) - len(some), 'absent finding')} not counted")
    places = find_each(words, "category", case.categories, issues)
    for value, place in zip(case.categories.values(), places, strict=True):
        if place is None:
            continue
        category = network.categories[place]
        matching = [v for v in category.values if fold(v) == fold(str(value))]
        if not matching:
            fix = did_you_mean(str(value), category.values)
            where = f"{category.name} {str(value)!r:.40}"
            issues.append(error(where, "is not one of its values", fix))
            continue
        factors.append(category_ratios(network, category, matching[0]))
        said.append(f"{category.name.lower()}: {matching[0]}")
    if person is not None:
        if person.ratios is not None:
            factors.append(person.ratios)
        if person.ratios is not None or person.circumstances is not USUAL:
            said.append(f"prevalence for {_in_words(case)}")
    return _product(network, factors, issues), said


def _own_ratios(
    network: Described, words: Words, case: Case, issues: list[Issue]
) -> tuple[list[Floats], list[str]]:
    """The case's own likelihood ratios as [disease] factors, and each in words."""
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
    return [ratios[0], ratios[1]] if said else [], said


def _product(network: Described, factors: Sequence[Floats], issues: list[Issue]) -> Floats:
    """[disease] the product of factors; one that floats cannot hold is an issue."""
    likelihood = np.ones(len(network.diseases))
    if not factors:
        return likelihood
    logs = np.zeros(len(network.diseases))
    with np.errstate(over="ignore", under="ignore"):
        for factor in factors:
            logs += np.log(np.where(factor == 0.0, 1.0, factor))
            likelihood *= factor
    for position in np.flatnonzero(~(np.abs(logs) <= math.log(LARGEST_RATIO) + 1e-9)).tolist():
        what = (
            f"has soft evidence that multiplies to about 10^{logs[position] / math.log(10.0):.0f}"
        )
        fix = (
            f"keep the product of its ratios between {1.0 / LARGEST_RATIO:g} and {LARGEST_RATIO:g}"
        )
        issues.append(error(f"disease '{network.diseases[position]}'", what, fix))
    return likelihood


def check_person(case: Case) -> list[Issue]:
    """What is wrong with the sex and age of a case."""
    issues = []
    if case.sex is not None and case.sex not in SEXES:
        issues.append(error(f"sex {case.sex!r}", "is not known", "write 'female' or 'male'"))
    age = case.age
    if age is not None and (
        isinstance(age, bool) or not isinstance(age, (int, float)) or not 0 <= age <= OLDEST
    ):
        issues.append(error(f"age {age!r}", "is not an age in years", f"write 0 to {OLDEST:g}"))
    return issues
