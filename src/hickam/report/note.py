"""A short note for the patient's record: plain text that can be pasted anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hickam.advise.red_flags import RedFlags
from hickam.advise.triage import Triage
from hickam.evidence.case import Case
from hickam.measures.differential import Candidate, Differential
from hickam.model.kinds import Model
from hickam.report.interview import of_red_flags, of_triage
from hickam.words import number, percent

LISTED = 5
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
    def patient(self) -> str:
        """Age and sex, in words."""
        age = "" if self.case.age is None else f"{self.case.age:.3g} years"
        return ", ".join(filter(None, (self.case.sex or "", age)))

    @property
    def known(self) -> list[tuple[str, str]]:
        """What is known of the patient, as (heading, in words)."""
        case = self.case
        risks = [f"{self._name(risk)} ({'yes' if on else 'no'})" for risk, on in case.risks.items()]
        readings = [f"{self._name(name)} {value}" for name, value in case.categories.items()]
        listed = [
            ("Present", self._names(case.present)),
            ("Absent", self._names(case.absent)),
            ("Risk factors", "; ".join(risks)),
            ("Course and readings", "; ".join(readings)),
            ("Asked, not known", self._names(self.unknown)),
        ]
        return [(heading, words) for heading, words in listed if words]

    @property
    def causes(self) -> list[tuple[Candidate, str]]:
        """The diseases that explain most, each with the findings it explains, in words."""
        found = []
        for candidate in [c for c in self.dx if c.score > 0.0][:LISTED]:
            told = sorted(candidate.sustained.items(), key=lambda pair: -pair[1])
            words = [f"{self._name(f)} {percent(p)}" for f, p in told if p > EXPLAINED]
            found.append((candidate, ", ".join(words)))
        return found

    @property
    def unexplained(self) -> str:
        """The findings that probably no disease of the network causes."""
        return self._names(f for f, chance in self.dx.unexplained.items() if chance > 0.5)

    @property
    def source(self) -> str:
        """What the numbers rest on."""
        about = self.network.about
        version = f" {about.version}" if about.version else ""
        return f"{self.network.name}{version} ({self.dx.network_hash[:12]}), {self.made}"

    def _names(self, nodes: Iterable[str]) -> str:
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
    yield f"Differential, computed by Hickam. {DISCLAIMER}"
    if summary.patient:
        yield f"Patient: {summary.patient}"
    for heading, words in summary.known:
        yield f"{heading}: {words}"
    yield ""
    total = len(summary.dx.present)
    for candidate, words in summary.causes:
        explains = f": {words}" if words else ""
        yield (
            f"{candidate.rank}. {candidate.name} ({percent(candidate.posterior)}), explains "
            f"{number(candidate.score)} of {total}{explains}"
        )
    if not summary.causes:
        yield "No disease of the network explains a finding."
    if summary.unexplained:
        yield f"Not explained: {summary.unexplained}"
    yield ""
    if summary.triage is not None:
        yield from of_red_flags(summary.red_flags)
        yield of_triage(summary.triage)
    yield f"Source: {summary.source}"
