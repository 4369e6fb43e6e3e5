"""The part of a case that a network knows, where what it does not know is no reason to stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hickam.evidence.case import Case
from hickam.issues import Issue, Kind, error, raise_errors, warning
from hickam.language.vocabulary import vocabularies
from hickam.model.described import Described

LEFT_OUT = "it is left out"


def known_part(
    network: Described, case: Case, labels: Mapping[str, str] | None = None
) -> tuple[Case, list[Issue]]:
    """The case with findings by the network's ids, and a warning for each that it does not know.

    `labels` holds a second name for a finding, which is tried when the first is not known. A case
    that had present findings and has none left is an error: nothing would be answered.
    """
    issues: list[Issue] = []
    labels = labels or {}
    present = _known(network, case.present, labels, issues)
    absent = [name for name in _known(network, case.absent, labels, issues) if name not in present]
    if case.present and not present:
        what = f"has none of the {len(case.present)} present findings of the case"
        example = network.findings[0] if network.findings else "no finding"
        fix = f"it speaks of findings such as '{example}'; choose the network that the case is for"
        issues = [error(f"network '{network.name}'", what, fix, kind=Kind.UNKNOWN_NAME)]
    raise_errors(issues)
    return replace(case, present=present, absent=absent), issues


def by_id(network: Described, case: Case) -> Case:
    """The case with the network's ids in place of names and synonyms of findings.

    What is not known stays as it is, for `locate` to judge.
    """
    words = vocabularies(network)["finding"]

    def ids(names: Iterable[str]) -> list[str]:
        found = ((words.find(name, hint=False), name) for name in names)
        return list(
            dict.fromkeys(name if isinstance(at, Issue) else words.ids[at] for at, name in found)
        )

    return replace(case, present=ids(case.present), absent=ids(case.absent))


def _known(
    network: Described, names: Iterable[str], labels: Mapping[str, str], issues: list[Issue]
) -> list[str]:
    """The ids of the findings that are known, each once; a warning for each of the others."""
    words = vocabularies(network)["finding"]
    found: dict[str, None] = {}
    for name in names:
        label = labels.get(name, "")
        # an ontology's id or label is meant as it is written: nothing near it will do
        for spelled in (each for each in (name, label) if each and words.knows(each)):
            at = words.find(spelled, hint=False)
            if not isinstance(at, Issue):
                found[words.ids[at]] = None
                break
        else:
            where = f"finding '{name}'" + (f" ({label})" if label else "")
            what = "is not in the network"
            issues.append(warning(where, what, LEFT_OUT, kind=Kind.UNKNOWN_NAME))
    return list(found)
