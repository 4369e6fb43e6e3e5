"""Shares of patients whose disease is near the top, with intervals that respect papers.

Patients of one paper resemble each other, so papers are drawn anew and not patients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hickam.model.network import Floats, Ints

TOPS = (1, 3, 10)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of patients and of papers, in per cent, with a 95 % interval of the first."""

    patients: float
    papers: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Patients by paper, and papers drawn anew."""

    paper: Ints  # [patient]
    size: Floats  # [paper]
    drawn: Floats  # [bootstrap, paper]  how often each paper was drawn

    @classmethod
    def of(cls, papers: Sequence[str], bootstrap: int, seed: int) -> Clusters:
        """The clusters of given papers."""
        _, paper = np.unique(np.array(papers), return_inverse=True)
        size = np.bincount(paper).astype(np.float64)
        rng = np.random.default_rng(seed)
        even = np.full(len(size), 1.0 / len(size))
        return cls(paper, size, rng.multinomial(len(size), even, bootstrap).astype(np.float64))

    def share(self, hits: Floats) -> Share:
        """The mean of a [patient] score over patients and over papers."""
        total = np.bincount(self.paper, hits, len(self.size))
        again = 100.0 * (self.drawn @ total) / (self.drawn @ self.size)
        low, high = np.percentile(again, [2.5, 97.5])
        return Share(
            100.0 * float(hits.mean()),
            100.0 * float((total / self.size).mean()),
            float(low),
            float(high),
        )


def top_shares(clusters: Clusters, positions: Floats) -> list[Share]:
    """The share within the first 1, 3 and 10."""
    return [clusters.share((positions <= top).astype(np.float64)) for top in TOPS]


def top_gains(clusters: Clusters, positions: Floats, others: Floats) -> list[Share]:
    """How much larger the shares are than with other positions of the same patients."""
    return [clusters.share((positions <= top).astype(np.float64) - (others <= top)) for top in TOPS]
