"""Names become indices here, once; nothing else knows both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hickam.evidence.case import Case, Evidence
from hickam.evidence.heard import heard
from hickam.evidence.implied import apart, narrowed
from hickam.evidence.observations import add_meant, readings_of
from hickam.evidence.person import Person, doubts, person_of
from hickam.evidence.soft import own_ratios, weigh_absence
from hickam.evidence.stated import Stated, add_findings, in_words, take_states
from hickam.issues import Issue, error, invalid, raise_errors
from hickam.language.vocabulary import Vocabulary, find_each, places_of, vocabularies
from hickam.model.adapted import Circumstances
from hickam.model.described import Described
from hickam.model.is_a import kinds_of
from hickam.model.network import SEXES, Ints

OLDEST = 130.0
Words = Mapping[str, Vocabulary]
Flags = npt.NDArray[np.bool_]


def locate(case: Case, network: Described) -> Evidence:
    """The case by index into the network; every mistake in it is reported at once."""
    if not isinstance(case, Case):
        what = "is not a case"
        raise invalid(f"a {type(case).__name__}", what, "give a hickam.Case, with present=[...]")
    issues: list[Issue] = []
    words = vocabularies(network)
    case, stated = take_states(network, words, case, issues)
    findings = words["finding"]
    case, heard_as = heard(network, words, case, issues)
    present = _positions(words, case.present, issues)
    absent = _positions(words, case.absent, issues)
    add_findings(network, stated, present, absent, issues)
    for position in sorted(set(present) & set(absent)):
        name = findings.ids[position]
        issues.append(error(f"finding '{name}'", "is both present and absent", "keep one of them"))
    readings = readings_of(network, words, case, issues) if case.categories else []
    add_meant(network, readings, present, absent, issues)
    present, absent, folded = narrowed(network, present, absent, issues)
    known, on = _risks(network, words, case, stated, issues)
    wrong = check_person(case)
    person = None if wrong else person_of(network, case.sex, case.age)
    issues += wrong
    counted, weighed = weigh_absence(network, absent)
    soft = own_ratios(network, words, case, issues)
    soft.add_counts(network, len(present), weighed)
    soft.add_readings(network, readings)
    if person is not None:
        soft.add_person(person, _in_words(case))
    likelihood = soft.product(network, issues)
    raise_errors(issues)
    assert person is not None
    risks_on = known[on].tolist()
    return Evidence(
        present=_ints(present),
        absent=_ints(counted),
        risks_on=known[on],
        risks_off=known[~on],
        likelihood=likelihood,
        in_force=(*heard_as, *soft.said, *in_words(network, stated), *folded),
        circumstances=_circumstances(network, person, present, counted, risks_on),
        doubts=doubts(network, person, _in_words(case), present, risks_on),
        age=case.age,
        weighed=_ints(weighed),
        states=stated.states,
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
        found = found._replace(risk_factors=kept)
    kinds = kinds_of(network)
    parted = apart(kinds, present, absent) if kinds else ()
    return found._replace(apart=parted) if parted else found


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


def _risks(
    network: Described, words: Words, case: Case, stated: Stated, issues: list[Issue]
) -> tuple[Ints, Flags]:
    """([observed] risk factor, [observed] whether it is on)."""
    places, on = places_of(words["risk factor"], tuple(case.risks)), _flags(case.risks.values())
    if places is not None and on is not None and not stated.risks:
        return places, on  # nearly always: given by their ids, as truth values
    risks = _read_risks(words, case, issues)
    _add_risks(network, stated, risks, issues)
    size = len(risks)
    return np.fromiter(risks, np.int64, size), np.fromiter(risks.values(), np.bool_, size)


def _flags(values: Iterable[object]) -> Flags | None:
    """[value] the truth values, if they are nothing else."""
    try:
        said = bytes(values)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return None if said.strip(b"\0\1") else np.frombuffer(said, np.bool_)


def _read_risks(words: Words, case: Case, issues: list[Issue]) -> dict[int, bool]:
    """Observed risk factors by position; one given as None is unknown and left out."""
    risks: dict[int, bool] = {}
    positions = find_each(words, "risk factor", case.risks, issues)
    for (name, value), position in zip(case.risks.items(), positions, strict=True):
        if position is None or value is None:
            continue
        if (value is True or value is False) and position not in risks:
            risks[position] = value
        elif value not in (True, False):
            where = f"risk factor '{name}'"
            issues.append(error(where, f"is {value!r:.40}", "write true or false"))
        elif risks.setdefault(position, bool(value)) != bool(value):
            issues.append(
                error(f"risk factor '{name}'", "is given as true and as false", "keep one")
            )
    return risks


def _add_risks(
    network: Described, stated: Stated, risks: dict[int, bool], issues: list[Issue]
) -> None:
    """Add the risk factors whose state is named among the categories."""
    for position, on in stated.risks.items():
        if risks.setdefault(position, on) != on:
            where = f"risk factor '{network.risk_factors[position]}'"
            issues.append(error(where, "is given as true and as false", "keep one"))


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
