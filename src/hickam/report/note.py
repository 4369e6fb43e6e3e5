"""A short note for the patient's record: plain text that can be pasted anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hickam.advise.red_flags import RedFlags
from hickam.advise.triage import Triage
from hickam.evidence.case import Case
from hickam.measures.differential import Candidate, Differential
from hickam.model.kinds import Model
from hickam.report.interview import of_triage
from hickam.words import percent, sentence

LISTED = 5
ADULT = 18
EXPLAINED = 0.1  # a finding that a disease would keep up less often is not worth a word
DISCLAIMER = "A demonstration, not for clinical use."


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """One patient on one page: what is known, what may be causing it, what not to miss."""

    network: Model
    case: Case  # with the ids of the network
    dx: Differential  # by the number of findings that a cure would remove
    red_flags: RedFlags
    triage: Triage | None
    unknown: Sequence[str]  # what was asked and not known
    made: str

    @property
    def who(self) -> str:
        """The patient as a note begins: '63-year-old man'."""
        age, sex = self.case.age, self.case.sex or ""
        grown = age is None or age >= ADULT
        words = {"female": ("girl", "woman"), "male": ("boy", "man")}
        person = words.get(sex, ("child", "patient"))[grown]
        if age is None:
            return f"{sex} patient".strip()
        if age < 1.0:
            return f"{round(12 * age)}-month-old {person}"
        return f"{age:.3g}-year-old {person}"

    @property
    def known(self) -> list[tuple[str, str]]:
        """What is known of the patient, as (heading, in words)."""
        case = self.case
        risks = [self._name(risk) + ("" if on else " (no)") for risk, on in case.risks.items()]
        readings = [f"{self._name(name)} {value}" for name, value in case.categories.items()]
        listed = [
            ("Present", self.names(case.present)),
            ("Absent", self.names(case.absent)),
            ("Risk factors", "; ".join(risks)),
            ("Course and readings", "; ".join(readings)),
            ("Asked, not known", self.names(self.unknown)),
        ]
        return [(heading, words) for heading, words in listed if words]

    @property
    def causes(self) -> list[tuple[Candidate, str]]:
        """The diseases that explain most, each with the findings it explains, in words."""
        found = []
        for candidate in [c for c in self.dx if c.score > 0.0][:LISTED]:
            chances = candidate.sustained
            words = [f"{self._name(f)} {percent(chances[f])}" for f in self._explained(candidate)]
            found.append((candidate, ", ".join(words)))
        return found

    def explained(self, candidate: Candidate) -> list[str]:
        """The findings that a disease explains, by name, what it explains best first."""
        return [self._name(finding) for finding in self._explained(candidate)]

    def _explained(self, candidate: Candidate) -> list[str]:
        told = sorted(candidate.sustained.items(), key=lambda pair: -pair[1])
        return [finding for finding, chance in told if chance > EXPLAINED]

    @property
    def unexplained(self) -> str:
        """The findings that probably no disease of the network causes."""
        return self.names(f for f, chance in self.dx.unexplained.items() if chance > 0.5)

    @property
    def source(self) -> str:
        """What the numbers rest on."""
        about = self.network.about
        version = f" {about.version}" if about.version else ""
        return f"{self.network.name}{version} ({self.dx.network_hash[:12]}), {self.made}"

    def names(self, nodes: Iterable[str]) -> str:
        """Findings, risk factors or categories by name."""
        return "; ".join(self._name(node) for node in nodes)

    def _name(self, node: str) -> str:
        if node in self.network.entries:
            return self.network.label(node).lower()
        named = (c.name for c in self.network.categories if c.id == node)
        return next(named, node).lower()


def note(summary: Summary) -> str:
    """The summary as plain text."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: Summary) -> Iterator[str]:
    """The lines of a note."""
    yield f"Suggested differential, computed by Hickam. {DISCLAIMER}"
    yield ""
    yield sentence(summary.who)
    for heading, words in summary.known:
        yield f"{heading}: {words}."
    if summary.triage is not None:
        yield of_triage(summary.triage)
    yield ""
    yield "Possible causes, by how much of this each explains:"
    for candidate, _ in summary.causes:
        found = summary.explained(candidate)
        explains = f": {', '.join(found)}" if found else ""
        yield f"{candidate.rank}. {candidate.name} ({percent(candidate.posterior)}){explains}"
    if not summary.causes:
        yield "none in this network."
    if summary.unexplained:
        yield f"Not explained: {summary.unexplained}."
    if summary.triage is not None:
        yield ""
        yield from _not_missed(summary)
    if summary.dx.doubts:
        yield f"To check: {'; '.join(summary.dx.doubts)}."
    yield ""
    yield f"Source: {summary.source}."


def _not_missed(summary: Summary) -> Iterator[str]:
    """The dangerous causes that are still open, and what would exclude them."""
    flags = summary.red_flags.flags
    if not flags:
        yield f"Not to be missed: {summary.red_flags.in_words}"
        return
    listed = (f"{flag.name} ({flag.urgency}, {percent(flag.chance)})" for flag in flags)
    yield f"Not to be missed: {'; '.join(listed)}."
    asked = dict.fromkeys(flag.ask for flag in flags if flag.ask)
    if asked:
        yield f"Still to ask: {summary.names(asked)}."
