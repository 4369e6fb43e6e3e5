"""Names become indices here, once; nothing else knows both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hickam.evidence.case import Case, Evidence
from hickam.evidence.likelihood import category_ratios, prevalence_ratios
from hickam.evidence.vocabulary import UNKNOWN, Vocabulary, fold, vocabularies
from hickam.issues import Issue, did_you_mean, error, raise_errors
from hickam.model.described import Described
from hickam.model.network import SEXES, Floats, Ints

OLDEST = 130.0


def locate(case: Case, network: Described) -> Evidence:
    """The case by index into the network; every mistake in it is reported at once."""
    issues: list[Issue] = []
    words = vocabularies(network)
    findings = words["finding"]
    present = _positions(findings, case.present, issues)
    absent = _positions(findings, case.absent, issues)
    for position in sorted(set(present) & set(absent)):
        name = findings.ids[position]
        issues.append(error(f"finding '{name}'", "is both present and absent", "keep one of them"))
    risks = _risks(words["risk factor"], case, issues)
    likelihood, said = _likelihood(network, words, case, issues)
    raise_errors(_wrong_layers(issues, words))
    return Evidence(
        present=_ints(present),
        absent=_ints(absent),
        risks_on=_ints([position for position, on in risks.items() if on]),
        risks_off=_ints([position for position, on in risks.items() if not on]),
        likelihood=likelihood,
        in_force=tuple(said),
    )


def _wrong_layers(issues: list[Issue], words: dict[str, Vocabulary]) -> list[Issue]:
    """The issues, where an unknown name that another layer knows says so instead of guessing."""
    found = []
    for issue in issues:
        kind, _, quoted = issue.where.partition(" '")
        name = quoted.removesuffix("'")
        other = next(
            (k for k, w in words.items() if k != kind and quoted and fold(name) in w.words), None
        )
        if other and issue.what == UNKNOWN:
            what = f"is a {other} of this network, not a {kind}"
            found.append(replace(issue, what=what, fix=""))
        else:
            found.append(issue)
    return found


def _ints(positions: Iterable[int]) -> Ints:
    """Positions as an index array."""
    return np.array(list(positions), dtype=np.int64)


def _positions(words: Vocabulary, names: Sequence[str], issues: list[Issue]) -> list[int]:
    """Positions of the names, each once, in the order first given."""
    found: dict[int, None] = {}
    for name in names:
        position = words.find(name)
        if isinstance(position, Issue):
            issues.append(position)
        else:
            found[position] = None
    return list(found)


def _risks(words: Vocabulary, case: Case, issues: list[Issue]) -> dict[int, bool]:
    """Observed risk factors by position; one given as None is unknown and left out."""
    risks: dict[int, bool] = {}
    for name, value in case.risks.items():
        position = words.find(name)
        if isinstance(position, Issue):
            issues.append(position)
        elif value not in (True, False, None):
            issues.append(error(f"risk factor '{name}'", f"is {value!r}", "write true or false"))
        elif value is not None and risks.setdefault(position, bool(value)) != bool(value):
            issues.append(
                error(f"risk factor '{name}'", "is given as true and as false", "keep one")
            )
    return risks


def _likelihood(
    network: Described,
    words: dict[str, Vocabulary],
    case: Case,
    issues: list[Issue],
) -> tuple[Floats, list[str]]:
    """[disease] the product of every kind of soft evidence, and what it is made of, in words."""
    likelihood = np.ones(len(network.diseases))
    said = []
    for name, ratio in case.likelihoods.items():
        position = words["disease"].find(name)
        if isinstance(position, Issue):
            issues.append(position)
        elif isinstance(ratio, bool) or not isinstance(ratio, (int, float)):
            issues.append(error(f"likelihood ratio of '{name}'", f"is {ratio!r}", "write a number"))
        elif not (math.isfinite(ratio) and ratio >= 0.0):
            issues.append(
                error(f"likelihood ratio of '{name}'", f"is {ratio}", "give a finite number >= 0")
            )
        else:
            likelihood[position] *= ratio
            said.append(f"likelihood ratio {ratio:g} for {network.diseases[position]}")
    for name, value in case.categories.items():
        found = words["category"].find(name)
        if isinstance(found, Issue):
            issues.append(found)
            continue
        category = network.categories[found]
        matching = [v for v in category.values if fold(v) == fold(str(value))]
        if not matching:
            fix = did_you_mean(str(value), category.values)
            issues.append(error(f"{category.name} '{value}'", "is not one of its values", fix))
            continue
        likelihood *= category_ratios(network, category, matching[0])
        said.append(f"{category.name.lower()}: {matching[0]}")
    issues.extend(check_person(case))
    if not issues:
        ratios = prevalence_ratios(network, case.sex, case.age)
        if np.any(ratios != 1.0):
            likelihood *= ratios
            person = [f"age {case.age:g}" if case.age is not None else "", case.sex or ""]
            said.append("prevalence for " + ", ".join(word for word in person if word))
    return likelihood, said


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
