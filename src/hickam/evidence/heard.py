"""The words of a case that are no names, each read for what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hickam.evidence.case import Case
from hickam.issues import Issue, error
from hickam.language.vocabulary import Vocabulary, places_of
from hickam.model.described import Described

Words = Mapping[str, Vocabulary]


def heard(
    network: Described, words: Words, case: Case, issues: list[Issue]
) -> tuple[Case, list[str]]:
    """The case with what its words say in place of them, and sentences that tell how it was read.

    A text that cannot be read stays, and is an issue of whoever looks for it.
    """
    findings, risks = words["finding"], words["risk factor"]
    spoken = [name for name in (*case.present, *case.absent) if isinstance(name, str)]
    if (findings.places.keys() >= set(spoken) or all(map(findings.knows, spoken))) and (
        places_of(risks, tuple(case.risks)) is not None
        or all(risks.knows(name) for name in case.risks if isinstance(name, str))
    ):
        return case, []  # nearly always: most cases are written in names
    from hickam.evidence.ear import Ear  # what reads words is imported where there are any

    ear = Ear(network, words)
    present, absent = list[str](), list[str]()
    readings: dict[str, str | float] = dict(case.categories)
    sentences: list[str] = []
    also: list[Mapping[str, bool]] = []
    for name, denied in (*((n, False) for n in case.present), *((n, True) for n in case.absent)):
        said = None
        if isinstance(name, str) and not findings.knows(name):
            said = ear.denied(name) if denied else ear.present(name)
        if said is None:
            (absent if denied else present).append(name)
            continue
        present += said.present
        absent += said.absent
        sentences += said.sentences
        also.append(said.risks)
        for category, entered in said.observed.items():
            if str(readings.setdefault(category, entered)) != entered:
                issues.append(
                    error(f"category '{category}'", "is given twice, differently", "keep one")
                )
    told, of_risks = _risks(network, words, case)
    sentences += of_risks
    for node, there in (pair for risks_said in also for pair in risks_said.items()):
        if told.setdefault(node, there) is not there:
            where = f"risk factor '{node}'"
            issues.append(error(where, "is given as true and as false", "keep one"))
    return replace(case, present=present, absent=absent, categories=readings, risks=told), sentences


def _risks(
    network: Described, words: Words, case: Case
) -> tuple[dict[str, bool | None], list[str]]:
    """The risk factors of a case with those that its words say, and sentences that tell so."""
    risks: dict[str, bool | None] = {}
    sentences: list[str] = []
    for name, value in case.risks.items():
        told: dict[str, bool] = {}
        if value is True and isinstance(name, str) and not words["risk factor"].knows(name):
            from hickam.evidence.risks_said import risks_said

            told, said = risks_said(network, words, name)
            sentences += said
        if not told or any(risks.get(node, there) != there for node, there in told.items()):
            risks[name] = value
        else:
            risks |= told
    return risks, sentences
