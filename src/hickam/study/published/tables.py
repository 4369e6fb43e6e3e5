"""The tables of a study of published patients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hickam.model.network import Floats
from hickam.study.published.judge import TOPS, Clusters, Share, top_gains, top_shares
from hickam.study.published.rankers import FUSED, LIRICAL, RIVALS, SINGLE
from hickam.study.published.run import Results

FIRST = 10  # both diseases of a blend are to be among so many


@dataclass(frozen=True, slots=True)
class Scenario:
    """One group of patients, and how each ranker does on it."""

    name: str
    patients: int
    papers: int
    shares: Mapping[str, list[Share]]  # ranker → for each of TOPS
    gains: Mapping[tuple[str, str], list[Share]]  # (ours, other) → paired differences


def scenarios(results: Results) -> list[Scenario]:
    """The natural hold-out, all patients with a known diagnosis, and leave-paper-out."""
    held = np.array([patient.held_out for patient in results.patients])
    left = np.isfinite(results.left[LIRICAL]) & ~held
    uncited = {name: places[held] for name, places in results.known.items()} | {**results.measures}
    every = np.ones(len(held), dtype=bool)
    found = [_scenario("papers that the annotations do not cite", results, held, uncited)]
    found.append(_scenario("all patients with a known diagnosis", results, every, results.known))
    if left.any():
        without = {name: places[left] for name, places in results.left.items()}
        found.append(_scenario("the patient's own paper left out", results, left, without))
    return found


def _scenario(
    name: str, results: Results, chosen: np.ndarray, positions: Mapping[str, Floats]
) -> Scenario:
    """The shares of every ranker, and what ours gain on the others."""
    papers = [results.patients[number].paper for number in np.flatnonzero(chosen)]
    clusters = Clusters.of(papers, results.plan.bootstrap, results.plan.seed)
    ours = [ranker for ranker in (SINGLE, FUSED, "disablement") if ranker in positions]
    return Scenario(
        name,
        len(papers),
        len(clusters.size),
        {ranker: top_shares(clusters, places) for ranker, places in positions.items()},
        {
            (ranker, other): top_gains(clusters, positions[ranker], positions[other])
            for ranker in ours
            for other in RIVALS
        },
    )


@dataclass(frozen=True, slots=True)
class Both:
    """How often both diseases, or one, of a blended patient are near the top."""

    both: Share
    either: float
    gain: Share | None  # of both, on single fault


def both_found(results: Results) -> dict[str, Both]:
    """Ranker → how it does on patients with two diseases."""
    if not results.blends:
        return {}
    papers = ["|".join(blend.papers) for blend in results.blends]
    clusters = Clusters.of(papers, results.plan.bootstrap, results.plan.seed)
    hits: dict[str, Floats] = {
        name: np.asarray((places <= FIRST).all(axis=1), dtype=np.float64)
        for name, places in results.blended.items()
    }
    return {
        name: Both(
            clusters.share(hit),
            100.0 * float((results.blended[name] <= FIRST).any(axis=1).mean()),
            None if name == SINGLE else clusters.share(hit - hits[SINGLE]),
        )
        for name, hit in hits.items()
    }


def share_row(name: str, shares: Sequence[Share]) -> list[str]:
    """A ranker's line: per patient with its interval, then per paper."""
    return [
        name,
        *(f"{s.patients:.1f} ({s.low:.0f}–{s.high:.0f})" for s in shares),
        *(f"{s.papers:.1f}" for s in shares),
    ]


def gain_row(names: tuple[str, str], gains: Sequence[Share]) -> list[str]:
    """One paired comparison."""
    cells = (f"{g.patients:+.1f} ({g.low:+.1f} to {g.high:+.1f})" for g in gains)
    return [f"{names[0]} over {names[1]}", *cells]


HEAD = [
    "ranked by",
    *(f"top {top}" for top in TOPS),
    *(f"top {top}, per paper" for top in TOPS),
]
GAIN_HEAD = ["gain, in points", *(f"top {top}" for top in TOPS)]
