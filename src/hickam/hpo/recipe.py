"""The numbers that turn annotations into a network, each chosen by paper-wise cross-validation."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a network is made of annotations; docs/rare-diseases.md says why each number."""

    pseudo: float = 4.0  # patients that a guess is worth beside counted ones
    guess: float = 0.3  # frequency of a finding that was counted in few patients
    unstated: float = 0.4  # frequency of a finding without one
    looked_for: float = 0.02  # most, for a finding that was looked for in vain
    sure: float = 0.99  # nothing is always there
    kin: float = 10.0  # annotations at which what kin lend counts half
    smoothing: float = 0.3  # diseases added to every background
    reach: float = 2.0  # power of b_t / b_c: how far a finding speaks for what is above it
    keep: float = 2.0  # links of at least so many backgrounds are kept
    leak: float = 2.0  # leak odds, in backgrounds
    length: float = 0.25  # power of a disease's breadth, for each present finding
    breadth: float = 20.0  # added to the expected findings of a disease, for its breadth
    excluded: float = 0.0  # weight of an excluded finding
    alone: bool = False  # whether Orphanet entries that are no OMIM disease are diseases too

    def in_words(self) -> str:
        """The numbers, one after the other."""
        return ", ".join(f"{name} {value:g}" for name, value in asdict(self).items())
