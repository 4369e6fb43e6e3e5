"""The present findings that a list of diseases leaves open, and the disease that explains each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hickam.measures.differential import Differential
from hickam.model.described import Described
from hickam.words import percent

OPEN = 0.5  # a finding is open if the listed diseases cause it with less than this probability
EXPLAINED = 0.1  # a disease that explains less of a finding is not named


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """A present finding that no disease of a list is likely to cause."""

    finding: str
    name: str
    by_list: float  # the most that the listed diseases together can have caused it
    disease: str | None  # what explains it best; None if no disease of the network does
    disease_name: str
    chance: float  # that the disease alone would keep the finding

    @property
    def in_words(self) -> str:
        """The finding and its explanation as a sentence."""
        text = f"{self.name} is left open by the list (explained by it to {percent(self.by_list)}"
        if self.disease is None:
            return f"{text} at most), and no other disease of the network is likely to explain it."
        return f"{text} at most): {self.disease_name} would explain it ({percent(self.chance)})."


def left_open(dx: Differential, listed: Collection[str], network: Described) -> list[LeftOpen]:
    """The present findings that the listed diseases leave open, the most open first.

    That a listed disease is at work on a finding is at most as likely as the sum over the list.
    """
    found = []
    for finding in dx.present:
        by_list = sum(c.at_work(finding) for c in dx if c.disease in listed)
        if by_list >= OPEN:
            continue
        others = (c for c in dx if c.disease not in listed)
        best = max(others, key=lambda c: c.at_work(finding), default=None)
        chance = best.at_work(finding) if best else 0.0
        named = best if best is not None and chance >= EXPLAINED else None
        found.append(
            LeftOpen(
                finding,
                network.label(finding),
                by_list,
                named.disease if named else None,
                named.name if named else "",
                chance,
            )
        )
    return sorted(found, key=lambda item: item.by_list)
