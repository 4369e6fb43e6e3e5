"""The words of a case that are no names, each read for what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from hickam.evidence.case import Case
from hickam.issues import Issue, Kind, error, raise_errors
from hickam.language.fold import fold
from hickam.language.measured import measured
from hickam.language.note import LONGEST_NOTE, Meant, Note, Span, Status, read_note
from hickam.language.vocabulary import Vocabulary, places_of
from hickam.language.wider import wider
from hickam.model.described import Described
from hickam.nearest import shortened

Words = Mapping[str, Vocabulary]
LEFT_OUT = 3  # words that a text of one thing may have over what it is read as


@dataclass(slots=True)
class Said:
    """What texts say, in ids, and in sentences how they were read."""

    present: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    risks: dict[str, bool] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)

    def add(self, network: Described, note: Note, name: str, issues: list[Issue]) -> None:
        """Add what a note says; what contradicts the rest is an issue."""
        for span in note.spans:
            for one in span.meant:
                if one.kind == "category":
                    if self.values.setdefault(one.id, one.entered) != one.entered:
                        where = f"category '{one.id}'"
                        issues.append(error(where, "is given twice, differently", "keep one"))
                elif one.kind == "risk factor":
                    if self.risks.setdefault(one.id, one.there) is not one.there:
                        where = f"risk factor '{one.id}'"
                        issues.append(error(where, "is given as true and as false", "keep one"))
                else:
                    (self.present if one.there else self.absent).append(one.id)
        self.sentences += told(network, note, name)


def told(network: Described, note: Note, name: str = "") -> Iterator[str]:
    """Sentences that say what the words of a note were taken for, and what was not.

    Where a note says one thing only, it is told by its `name`, if it has one.
    """
    alone = name and sum(bool(span.meant) or span.status in UNUSED for span in note.spans) == 1
    for span in note.spans:
        said = name if alone else note.said(span)
        labels = [network.label(one.id) for one in span.meant if one.kind != "category"]
        same = [fold(said)] in ([fold(one.id) for one in span.meant], list(map(fold, labels)))
        if labels and (span.left_out or not same):
            how = "the risk factor " if span.meant[0].kind == "risk factor" else ""
            there = span.meant[0].there
            not_so = "" if there else ", which is not so" if how else ", absent"
            without = ", ".join(f"“{word}”" for word in span.left_out)
            left = f", without {without}" if without else ""
            yield f"'{said}' is read as {how}{' and '.join(labels)}{not_so}{left}"
        elif not span.meant and span.status in UNUSED:
            yield f"'{said}' is {UNUSED[span.status]}: it is left out"


UNUSED = {
    Status.PAST: "over or known from before, and no risk factor here",
    Status.SOMEONE: "someone else's, and no risk factor here",
    Status.POSSIBLE: "only possible",
    Status.ABSENT: "denied in part or in general",
    Status.UNREAD: "not understood",
}


def heard(
    network: Described, words: Words, case: Case, issues: list[Issue]
) -> tuple[Case, list[str]]:
    """The case with what its words say in place of them, and sentences that tell how it was read.

    A text that cannot be read as a whole stays, and is an issue of whoever looks for it.
    """
    risks = words["risk factor"]
    spoken = [name for name in (*case.present, *case.absent) if isinstance(name, str)]
    findings = words["finding"]
    if (findings.places.keys() >= set(spoken) or all(map(findings.knows, spoken))) and (
        places_of(risks, tuple(case.risks)) is not None
        or all(risks.knows(name) for name in case.risks if isinstance(name, str))
    ):
        return case, []  # nearly always: most cases are written in names
    said = Said(values={key: str(value) for key, value in case.categories.items()})
    left: dict[str, list[str]] = {"present": [], "absent": []}
    for side, names in (("present", case.present), ("absent", case.absent)):
        for name in names:
            note = read_entry(network, words, name, side)
            if note is not None and note.lost:
                issues.append(partly(note, "finding"))
            elif note is not None:
                said.add(network, note, name, issues)
            else:
                left[side].append(name)
    told_risks: dict[str, bool | None] = {}
    for name, value in case.risks.items():
        note = read_entry(network, words, name, "risks") if value is True else None
        if note is None or note.lost:
            told_risks[name] = value
        else:
            said.add(network, note, name, issues)
    for node, there in said.risks.items():
        if told_risks.setdefault(node, there) is not there:
            where = f"risk factor '{node}'"
            issues.append(error(where, "is given as true and as false", "keep one"))
    return replace(
        case,
        present=[*left["present"], *said.present],
        absent=[*left["absent"], *said.absent],
        categories={
            **case.categories,
            **{k: v for k, v in said.values.items() if k not in case.categories},
        },
        risks=told_risks,
    ), said.sentences


def noted(network: Described, note: Note) -> tuple[Case, list[str]]:
    """What a note says as a case, and sentences that tell how it was read.

    What is said to be there and not to be there is taken to be there.
    """
    said, issues = Said(), list[Issue]()
    said.add(network, note, "", issues)
    raise_errors(issues)
    absent = [node for node in dict.fromkeys(said.absent) if node not in said.present]
    case = Case(
        present=list(dict.fromkeys(said.present)),
        absent=absent,
        risks=said.risks,
        categories=said.values,
        age=note.age,
        sex=note.sex,
    )
    return case, said.sentences


def lost(note: Note) -> list[Issue]:
    """An issue for each part of a note that is not understood and may be a finding."""
    what = "is not understood, and may be a finding"
    fix = "say it in other words, or add --lenient to leave it out"
    return [
        error(f"'{shortened(note.said(span))}'", what, fix, kind=Kind.UNKNOWN_NAME)
        for span in note.lost
    ]


def partly(note: Note, kind: str) -> Issue:
    """The issue that says what of a text is not understood."""
    lost = ", ".join(f"“{shortened(note.said(span))}”" for span in note.lost)
    what = f"is understood in part only, without {lost}"
    fix = "say that in other words, or give what is understood alone"
    return error(f"{kind} '{shortened(note.text)}'", what, fix, kind=Kind.UNKNOWN_NAME)


def read_entry(network: Described, words: Words, name: object, side: str) -> Note | None:
    """What an entry of a case says on its side; None if it is a name, or says nothing there."""
    kind = "risk factor" if side == "risks" else "finding"
    if not isinstance(name, str) or len(name) > LONGEST_NOTE or words[kind].knows(name):
        return None
    if side == "risks":
        return _if_said(read_note(network, f"PMH: {name}"), Status.RISK)
    note = read_note(network, name)
    if side == "absent":
        readings = measured(network, name)
        if readings:
            return None if any(readings.values()) else _if_said(note)
        if note.of(Status.ABSENT) and not note.of(Status.PRESENT, Status.RISK, Status.READING):
            return _if_said(note)
        return _if_said(read_note(network, f"denies {name}"), Status.ABSENT)
    if note.lost and (whole := _wider(network, note)) is not None:
        return whole
    return _if_said(note)


def _if_said(note: Note, *statuses: Status) -> Note | None:
    """A note if it says something, in some statuses only where any are given."""
    meant = [span for span in note.spans if span.meant]
    if not meant or (statuses and any(span.status not in statuses for span in meant)):
        return None
    return note


def _wider(network: Described, note: Note) -> Note | None:
    """A text of one thing as a kind of the one finding that it is, if little of it is left out."""
    aside = (Status.PRESENT, Status.UNREAD, Status.NOTHING, Status.DURATION)
    match = wider(network, note.text) if len(note.of(*aside)) == len(note.spans) else None
    ids = {one.id for span in note.spans for one in span.meant}
    if match is None or not ids <= {match.id} or len(match.left_out) > LEFT_OUT:
        return None
    meant = (Meant("finding", match.id, how=match.how),)
    whole = Span(0, len(note.text), Status.PRESENT, meant, match.left_out)
    return Note(note.text, (whole,), note.age, note.sex)
