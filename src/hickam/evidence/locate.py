"""Names become indices here, once; nothing else knows both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from hickam.evidence.case import Case, Evidence
from hickam.evidence.fold import fold
from hickam.evidence.likelihood import category_ratios, prevalence_ratios
from hickam.evidence.vocabulary import Vocabulary, find_each, vocabularies
from hickam.issues import Issue, did_you_mean, error, raise_errors
from hickam.model.described import Described
from hickam.model.network import SEXES, Floats, Ints

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
    risks = _risks(words, case, issues)
    likelihood, said = _likelihood(network, words, case, issues)
    raise_errors(issues)
    return Evidence(
        present=_ints(present),
        absent=_ints(absent),
        risks_on=_ints([position for position, on in risks.items() if on]),
        risks_off=_ints([position for position, on in risks.items() if not on]),
        likelihood=likelihood,
        in_force=tuple(said),
    )


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


def _likelihood(
    network: Described, words: Words, case: Case, issues: list[Issue]
) -> tuple[Floats, list[str]]:
    """[disease] the product of every kind of soft evidence, and what it is made of, in words."""
    factors, said = _own_ratios(network, words, case, issues)
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
    issues.extend(check_person(case))
    if not issues:
        ratios = prevalence_ratios(network, case.sex, case.age)
        if np.any(ratios != 1.0):
            factors.append(ratios)
            person = [f"age {case.age:g}" if case.age is not None else "", case.sex or ""]
            said.append("prevalence for " + (", ".join(filter(None, person)) or "everyone"))
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
