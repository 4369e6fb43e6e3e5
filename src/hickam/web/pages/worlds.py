"""Two worlds drawn one beside the other: as it is, and as it would be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.advise.smallest_cure import Cure
from hickam.beliefs.beliefs import Beliefs
from hickam.model.kinds import Model

DISEASES = 4
WIDTH = 560  # drawing units of one world
TOP, FOOT = 46, 190


@dataclass(frozen=True, slots=True)
class Dot:
    """A disease or finding of one world."""

    x: float
    y: float
    name: str
    state: str  # "on", "cured", "off" or "faded"
    level: float  # probability that it is there


@dataclass(frozen=True, slots=True)
class Line:
    """A causal link of one world."""

    path: str
    weight: float
    state: str


@dataclass(frozen=True, slots=True)
class World:
    """One of the two worlds."""

    title: str
    dots: list[Dot]
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Worlds:
    """Both worlds, which share everything that the intervention does not touch."""

    factual: World
    imagined: World
    width: int
    height: int


def worlds(network: Model, beliefs: Beliefs, cure: Cure, *, switched_off: bool) -> Worlds:
    """The likeliest causes of the present findings, before and after the intervention."""
    strength = beliefs.at_work.sum(axis=1)
    likely = [int(k) for k in np.argsort(-strength, kind="stable")[:DISEASES] if strength[k] > 0.0]
    touched = [network.index[d] for d in cure.diseases]
    shown = list(dict.fromkeys((*touched, *likely)))[: max(DISEASES, len(touched))]
    across = _spread(len(shown))
    below = _spread(len(beliefs.present))

    def world(title: str, imagined: bool) -> World:
        dots, lines = [], []
        for disease, x in zip(shown, across, strict=True):
            named = disease in touched
            hit = imagined and (named != switched_off)
            state = "cured" if hit else "on"
            label = network.label(network.diseases[disease])
            dots.append(Dot(x, TOP, label, state, float(beliefs.posterior[disease])))
            for column, x2 in enumerate(below):
                weight = float(beliefs.at_work[disease, column])
                if weight > 0.005:
                    path = f"M{x:.0f} {TOP + 12}C{x:.0f} 120 {x2:.0f} 120 {x2:.0f} {FOOT - 12}"
                    lines.append(Line(path, weight, "cut" if hit else "acts"))
        for s, x2 in zip(beliefs.present, below, strict=True):
            stays = 1.0 - cure.removed.get(s, 0.0) if imagined else 1.0
            dots.append(Dot(x2, FOOT, network.label(s), "finding", stays))
        return World(title, dots, lines)

    return Worlds(
        world("As it is", imagined=False),
        world("As it would be", imagined=True),
        WIDTH,
        FOOT + 60,
    )


def _spread(count: int) -> list[float]:
    """Evenly spread positions across a world."""
    return [WIDTH * (at + 0.5) / max(count, 1) for at in range(count)]
