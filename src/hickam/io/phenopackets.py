"""GA4GH phenopackets as cases: findings, exclusions, sex, age, onset and known diagnoses.

Version 2 is read whole, version 1 as far as it says the same in other words. A family is read as
its proband, a cohort as its members. What a packet says beyond a case (measurements, biosamples,
variants) is not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hickam.evidence.case import Case
from hickam.evidence.known import known_part
from hickam.evidence.vignette import Vignette
from hickam.io.case_document import case_from
from hickam.io.iso_time import age_at, field_of, time_in_words
from hickam.issues import InvalidInput, Issue, Kind, error, raise_errors, warning
from hickam.language.vocabulary import vocabularies
from hickam.model.described import Described

MOST_FEATURES = 10_000
SHOWN = 60  # characters of an id or label
MARKS = ("phenotypicFeatures", "metaData", "interpretations", "proband", "subject")
SEXES = {"FEMALE": "female", "MALE": "male", 1: "female", 2: "male"}
OTHER_SEXES = ("UNKNOWN_SEX", "OTHER_SEX", 0, 3)
PREFIXES = {"ORPHANET": "ORPHA", "MIM": "OMIM"}
CURIE = re.compile(r"(?:https?://purl\.obolibrary\.org/obo/)?([A-Za-z][A-Za-z0-9]*)[:_](\S+)")
# An interpretation that names a diagnosis without standing for it: a candidate, or none was found.
NOT_SETTLED = ("IN_PROGRESS", "UNSOLVED", 1, 4)


@dataclass(frozen=True, slots=True)
class Term:
    """An ontology class with what a packet says about it."""

    id: str
    label: str = ""
    onset: str = ""
    modifiers: tuple[str, ...] = ()

    def __str__(self) -> str:
        """
        >>> str(Term("HP:0001250", "Seizure"))
        "HP:0001250 'Seizure'"
        """
        return f"{self.id} '{self.label}'" if self.label else self.id


@dataclass(frozen=True, slots=True)
class Phenopacket:
    """What a phenopacket says about one patient."""

    id: str
    present: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()
    diagnoses: tuple[Term, ...] = ()  # settled ones: the truth of a study
    sex: str | None = None
    age: float | None = None  # years, at the last encounter
    onset: str = ""  # of the disease
    references: tuple[str, ...] = ()  # such as PMID:12345

    def to_case(self) -> Case:
        """The case by ids, whether or not a network knows them."""
        return Case(
            present=tuple(term.id for term in self.present),
            absent=tuple(term.id for term in self.excluded),
            sex=self.sex,
            age=self.age,
            id=self.id,
        )

    def fitted(self, network: Described) -> tuple[Case, list[Issue]]:
        """The case in a network's own ids, and a warning for each term that it does not know.

        A network that does not know the ids may know the labels.
        """
        labels = {term.id: term.label for term in (*self.present, *self.excluded)}
        return known_part(network, self.to_case(), labels)

    def to_vignette(self, number: int) -> Vignette:
        """The case with its settled diagnoses as the truth and its paper as the group."""
        papers = [name for name in self.references if name.upper().startswith("PMID:")]
        return Vignette(
            id=self.id or str(number),
            case=self.to_case(),
            diseases=tuple(term.id for term in self.diagnoses),
            group=papers[0] if papers else "",
            notes=f"onset: {self.onset}" if self.onset else "",
        )


def is_phenopacket(document: object) -> bool:
    """Whether a document looks like a phenopacket, a family or a cohort and not like a case.

    >>> is_phenopacket({"subject": {"id": "a"}}), is_phenopacket({"present": ["cough"]})
    (True, False)
    """
    if not isinstance(document, Mapping):
        return False
    return is_cohort(document) or any(field_of(document, mark) is not None for mark in MARKS)


def is_cohort(document: object) -> bool:
    """Whether a document is a cohort of phenopackets."""
    return isinstance(document, Mapping) and isinstance(document.get("members"), list)


def packets_in(document: object) -> Iterator[Any]:
    """The documents of single patients in a list, a cohort or a document that is one patient.

    >>> list(packets_in({"members": [{"id": "a"}, {"id": "b"}]}))
    [{'id': 'a'}, {'id': 'b'}]
    """
    if is_cohort(document):
        assert isinstance(document, Mapping)
        yield from document["members"]
    elif isinstance(document, list):
        yield from document
    else:
        yield document


def case_for(
    network: Described, document: object, where: str = "the case"
) -> tuple[Case, list[Issue]]:
    """The case in a plain document, be it a case or a phenopacket, and what to know about it."""
    if not is_phenopacket(document):
        return case_from(document, where), []
    packet, issues = read_packet(document)
    case, left_out = packet.fitted(network)
    return case, [*issues, *left_out]


def details_in(document: object, network: Described) -> dict[str, str]:
    """Finding of the network → onset, severity and modifiers that a phenopacket gives it.

    Nothing for what is no phenopacket. They are shown beside the finding and change no number.
    """
    if not is_phenopacket(document) or is_cohort(document):
        return {}
    words = vocabularies(network)["finding"]
    found = {}
    for term in read_packet(document)[0].present:
        at = words.find(term.id, hint=False)
        said = ", ".join(filter(None, (*term.modifiers, term.onset)))
        if said and not isinstance(at, Issue):
            found[words.ids[at]] = said
    return found


def read_packet(
    document: object, where: str = "the phenopacket"
) -> tuple[Phenopacket, list[Issue]]:
    """What a packet says, and what is worth knowing about how it was read; errors are raised."""
    issues: list[Issue] = []
    if is_cohort(document):
        assert isinstance(document, Mapping)
        fix = "give one member, or the whole cohort to 'hickam batch' or a study"
        what = f"is a cohort of {len(document['members'])} patients"
        raise InvalidInput([error(where, what, fix, ("members",))])
    path: tuple[str | int, ...] = ()
    if isinstance(document, Mapping) and isinstance(document.get("proband"), Mapping):
        relatives = document.get("relatives")
        count = len(relatives) if isinstance(relatives, list) else 0
        issues.append(
            warning(where, "is a family", f"only the proband is read, not {count} others")
        )
        document, path = document["proband"], ("proband",)
    if not isinstance(document, Mapping):
        what = f"is a {type(document).__name__}, not an object"
        raise InvalidInput([error(where, what, 'write {"id": …, "phenotypicFeatures": […]}', path)])
    packet = _Reader(where, path, issues).packet(document)
    raise_errors(issues)
    return packet, issues


class _Reader:
    """The parts of one packet; what is wrong becomes issues with their place."""

    def __init__(self, where: str, path: tuple[str | int, ...], issues: list[Issue]) -> None:
        self.where, self.path, self.issues = where, path, issues

    def packet(self, document: Mapping[str, Any]) -> Phenopacket:
        """The packet in a document."""
        present, excluded = self.features(document)
        subject = field_of(document, "subject")
        if subject is not None and not isinstance(subject, Mapping):
            self.wrong("has a subject that is not an object", "subject")
        subject = subject if isinstance(subject, Mapping) else {}
        time = field_of(subject, "timeAtLastEncounter") or field_of(subject, "ageAtCollection")
        name = document.get("id") or subject.get("id") or ""
        diagnoses, onset = self.diagnoses(document)
        if not present:
            self.issues.append(warning(self.where, "has no phenotypic feature that is present"))
        return Phenopacket(
            id=str(name)[:200] if isinstance(name, (str, int)) else "",
            present=present,
            excluded=excluded,
            diagnoses=diagnoses,
            sex=self.sex(field_of(subject, "sex")),
            age=self.age(time),
            onset=onset,
            references=self.references(document),
        )

    def sex(self, said: object) -> str | None:
        """The sex, if it is female or male; a word that is none of the schema's is reported."""
        known = isinstance(said, (str, int)) and (said in SEXES or said in OTHER_SEXES)
        if said is not None and not known:
            what = f"has the sex {said!r:.{SHOWN}}"
            self.issues.append(warning(self.where, what, "write FEMALE or MALE; it is left out"))
        return SEXES.get(said) if isinstance(said, (str, int)) else None

    def age(self, time: object) -> float | None:
        """The age in years; a time that is given as an age and is none is reported."""
        found = age_at(time)
        named = isinstance(time, Mapping) and not {"age", "ageRange", "age_range"} & set(time)
        if time is not None and found is None and not named:
            what = f"has the age {time!r:.{SHOWN}}"
            self.issues.append(warning(self.where, what, "write such as P6Y3M; it is left out"))
        return found

    def features(self, document: Mapping[str, Any]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """(present, excluded) terms, each once; a term that is both counts as present."""
        found: dict[bool, dict[str, Term]] = {False: {}, True: {}}
        for item, path in self.items(document, "phenotypicFeatures"):
            term = self.term(item, "type", path)
            if term is None:
                continue
            said = field_of(item, "excluded")
            said = item.get("negated") if said is None else said
            if said not in (True, False, None):
                self.wrong(f"{term} is excluded: {said!r:.20}, neither true nor false", *path)
                continue
            found[bool(said)].setdefault(term.id, term)
        present, excluded = found[False], found[True]
        for name in [name for name in excluded if name in present]:
            term = excluded.pop(name)
            what = f"has {term} both as present and as excluded"
            self.issues.append(warning(self.where, what, "it counts as present"))
        return tuple(present.values()), tuple(excluded.values())

    def diagnoses(self, document: Mapping[str, Any]) -> tuple[tuple[Term, ...], str]:
        """The settled diagnoses, of interpretations first, and the onset of the disease."""
        found: dict[str, Term] = {}
        for item, path in self.items(document, "interpretations"):
            if field_of(item, "progressStatus") in NOT_SETTLED:
                continue
            inner = item.get("diagnosis")
            if isinstance(inner, Mapping):
                term = self.term(inner, "disease", (*path, "diagnosis"))
                if term is not None:
                    found.setdefault(term.id, term)
        onset = ""
        for item, path in self.items(document, "diseases"):
            term = self.term(item, "term", path)
            if term is not None and field_of(item, "excluded") is not True:
                found.setdefault(term.id, term)
                onset = onset or term.onset
        return tuple(found.values()), onset

    def references(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        """The ids of the publications that a packet comes from."""
        about = field_of(document, "metaData")
        if not isinstance(about, Mapping):
            return ()
        listed = field_of(about, "externalReferences")
        named = (item.get("id") for item in listed or () if isinstance(item, Mapping))
        return tuple(name[:SHOWN] for name in named if isinstance(name, str))

    def items(
        self, document: Mapping[str, Any], key: str
    ) -> Iterator[tuple[Mapping[str, Any], tuple[str | int, ...]]]:
        """The objects of a list with their places; anything else is an issue."""
        listed = field_of(document, key)
        if listed is None:
            return
        if not isinstance(listed, list):
            self.wrong(f"has '{key}' that are not a list", key)
            return
        if len(listed) > MOST_FEATURES:
            what = f"has {len(listed):,} {key}"
            fix = f"at most {MOST_FEATURES:,} are read"
            place = (*self.path, key)
            self.issues.append(error(self.where, what, fix, place, Kind.TOO_LARGE))
            return
        for position, item in enumerate(listed):
            if isinstance(item, Mapping):
                yield item, (key, position)
            else:
                self.wrong(f"has number {position + 1} of {key} that is no object", key, position)

    def term(self, item: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> Term | None:
        """The ontology class in an item."""
        inner = item.get(key)
        name = inner.get("id") if isinstance(inner, Mapping) else None
        if not isinstance(name, str) or not name.strip():
            place = ".".join(str(step) for step in path)
            fix = f'write "{key}": {{"id": "HP:0001250", "label": "Seizure"}}'
            self.wrong(f"has {place} without an ontology id", *path, key, fix=fix)
            return None
        assert isinstance(inner, Mapping)
        label = inner.get("label")
        onset = field_of(item, "onset") or field_of(item, "classOfOnset")
        onset = onset or field_of(item, "ageOfOnset")
        qualified = [field_of(item, "severity"), *_listed(item.get("modifiers"))]
        return Term(
            curie(name),
            label[:SHOWN] if isinstance(label, str) else "",
            _onset(onset),
            tuple(str(m.get("label") or m.get("id"))[:SHOWN] for m in qualified if _named(m)),
        )

    def wrong(self, what: str, *path: str | int, fix: str = "") -> None:
        """Add an error at a place of the packet."""
        self.issues.append(error(self.where, what, fix, (*self.path, *path)))


def curie(name: str) -> str:
    """An ontology id in its usual spelling; text that is no such id stays as it is.

    >>> curie("http://purl.obolibrary.org/obo/HP_0001250"), curie("Orphanet:558"), curie("fever")
    ('HP:0001250', 'ORPHA:558', 'fever')
    """
    text = name.strip()[:200]
    found = CURIE.fullmatch(text)
    if found is None:
        return text
    prefix = found[1].upper()
    return f"{PREFIXES.get(prefix, prefix)}:{found[2]}"


def _onset(time: object) -> str:
    """When a feature began; version 1 gives the class itself."""
    if isinstance(time, Mapping) and "id" in time:
        return time_in_words({"ontologyClass": time})
    return time_in_words(time)


def _listed(value: object) -> list[Any]:
    return value[:MOST_FEATURES] if isinstance(value, list) else []


def _named(value: object) -> bool:
    return isinstance(value, Mapping) and bool(value.get("label") or value.get("id"))
