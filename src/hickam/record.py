"""One finished case with all that an export of it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hickam.advise.pairs import Pairs
from hickam.evidence.case import Case
from hickam.issues import Issue
from hickam.measures.differential import Differential
from hickam.model.kinds import Model


@dataclass(frozen=True, slots=True)
class Record:
    """A case, its differential, and where both come from."""

    network: Model
    case: Case  # with the ids of the network
    differential: Differential
    made: str  # when, as ISO 8601
    version: str  # of Hickam
    pairs: Pairs | None = None
    warnings: tuple[Issue, ...] = ()  # what was left out of the case
    details: Mapping[str, str] = field(default_factory=dict)  # finding → onset, severity, …
    document: object = None  # the phenopacket that the case was read from

    def label(self, node: str) -> str:
        """The display name of a node."""
        return self.network.label(node) if node in self.network.entries else node

    def versions(self) -> list[tuple[str, str]]:
        """What the numbers rest on, as (what, which)."""
        dx, about = self.differential, self.network.about
        listed = [
            ("Hickam", self.version),
            ("Network", about.name),
            ("Version", about.version),
            ("Content", dx.network_hash),
            ("Licence", about.licence),
            ("Notice", about.notice),
            ("Engine", f"{dx.engine}, {dx.accuracy}"),
            ("In force", "; ".join(dx.in_force) or "the network as it is"),
            ("Made", self.made),
        ]
        return [(what, which) for what, which in listed if which]
