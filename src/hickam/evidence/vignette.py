"""A case with a known diagnosis, and what doctors said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hickam.evidence.case import Case

RARENESS = (
    *("very common", "common", "uncommon", "rare", "very rare"),
    "almost impossible",
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """One doctor's differential of one vignette: groups of equally ranked diseases, best first.

    >>> Opinion("dr. a", (("angina",), ("asthma", "copd"))).diseases
    ('angina', 'asthma', 'copd')
    """

    doctor: str
    differential: tuple[tuple[str, ...], ...]
    triage: str = ""
    outside: int = 0  # listed diseases that are not in the model and were left out
    notes: str = ""

    @property
    def diseases(self) -> tuple[str, ...]:
        """Every listed disease in order; tied ones in the order they were written."""
        return tuple(disease for group in self.differential for disease in group)

    @property
    def size(self) -> int:
        """How many diseases the doctor listed."""
        return sum(len(group) for group in self.differential)

    @property
    def positions(self) -> Mapping[str, int]:
        """Disease → position from 1; tied diseases share the position of the first among them.

        >>> Opinion("dr. a", (("angina",), ("asthma", "copd"), ("flu",))).positions
        {'angina': 1, 'asthma': 2, 'copd': 2, 'flu': 4}
        """
        found: dict[str, int] = {}
        ahead = 0
        for group in self.differential:
            for disease in group:
                found.setdefault(disease, ahead + 1)
            ahead += len(group)
        return found


def ranked(diseases: Iterable[str | Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """A differential from diseases in order, where a list among them is a group of ties.

    >>> ranked(["angina", ["asthma", "copd"]])
    (('angina',), ('asthma', 'copd'))
    """
    return tuple((item,) if isinstance(item, str) else tuple(item) for item in diseases)


@dataclass(frozen=True, slots=True)
class Vignette:
    """One simulated or recorded patient with the truth and the opinions of doctors."""

    id: str
    case: Case
    diseases: tuple[str, ...]  # the true diagnosis; several when all of them are present
    rareness: str = ""
    author: str = ""
    reviewers: tuple[str, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    notes: str = ""
    group: str = ""  # such as the network or the study arm it belongs to
    causes: Mapping[str, str] = field(default_factory=dict)  # finding → disease that caused it
