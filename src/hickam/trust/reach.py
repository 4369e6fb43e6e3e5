"""How far a number can possibly move any score, before anything is inferred again.

Moving a number reweighs the worlds that agree with the evidence, and by how much depends only on
what the tables already say: whether its mechanism fired, whether its disease is there. The distance
between the two posteriors at the ends of a range, times the largest value that a score can take,
bounds the change of that score. Numbers whose bound is small need no inference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hickam.inference.problem import Problem, Tables
from hickam.model.network import Floats
from hickam.trust.curves import with_odds
from hickam.trust.knobs import Turner

# Where worlds of one kind are reweighed by factors between two ends, the worst is a mixture of the
# ends; of so many mixtures the worst is taken, with a margin for those between.
MIXTURES = np.linspace(0.0, 1.0, 41)
MARGIN = 1.02

Part = tuple[float, float, float]  # mass, factor at the lower end, factor at the upper end


@dataclass(frozen=True, slots=True, eq=False)
class RiskSeen:
    """What is known of an open risk factor once it has been inferred with."""

    chance: float  # P(on | evidence)
    posterior: Floats  # [row]  P(D = 1 | on, evidence)


def reach(
    turner: Turner,
    factor: float,
    problem: Problem,
    tables: Tables,
    risks: Mapping[int, RiskSeen],
) -> float:
    """The distance between the posteriors with the odds of a number divided and multiplied."""
    value, at = turner.number.value, turner.at
    low, high = (at + turner.rate * (with_odds(value, by) - value) for by in (1.0 / factor, factor))
    knob = turner.knob
    if knob.kind == "edge":
        row, seen = int(problem.edge_row[knob.row]), risks[int(problem.edge_risk[knob.row])]
        both = seen.chance * float(seen.posterior[row])
        on, off = float(problem.on[row]), float(problem.off[row])
        ends = [(on + off * x) / (on + off * at) for x in (low, high)]
        spared = ((1.0 - low) / (1.0 - at), (1.0 - high) / (1.0 - at))
        rest: list[Part] = [(1.0 - seen.chance, 1.0, 1.0), (seen.chance - both, *spared)]
        return _mixed(both, ends[0], ends[1], rest)
    if knob.kind == "on":
        there = float(tables.posterior[knob.row])
        rest = [(1.0 - there, (1.0 - low) / (1.0 - at), (1.0 - high) / (1.0 - at))]
        if knob.row in problem.edge_row:
            return _mixed(there, low / at, high / at, rest)
        return distance([(there, low / at, high / at), *rest])
    if knob.kind == "weight":
        there = float(tables.posterior[knob.row])
        return distance([(there, low / at, high / at), (1.0 - there, 1.0, 1.0)])
    if knob.kind == "acts":
        there = float(tables.posterior[knob.row])
        fired, still = float(tables.sustained[knob.row, knob.column]), there
    elif knob.kind == "leak":
        alone = float(tables.unexplained[knob.row])
        fired, still = alone + at * (1.0 - alone), 1.0
    else:
        fired, still = risks[knob.row].chance, 1.0
    parts = [
        (fired, low / at, high / at),
        (still - fired, (1.0 - low) / (1.0 - at), (1.0 - high) / (1.0 - at)),
        (1.0 - still, 1.0, 1.0),
    ]
    return distance(parts)


def promise(turner: Turner, factor: float, problem: Problem, tables: Tables) -> float:
    """About how far a number of an open risk factor moves its diseases; no bound.

    As if the risk factor were averaged out of each disease by itself.
    """
    knob, value = turner.knob, turner.number.value
    edges = [knob.row] if knob.kind == "edge" else np.flatnonzero(problem.edge_risk == knob.row)
    total = 0.0
    for edge in edges:
        row = int(problem.edge_row[edge])
        on, off = float(problem.on[row]), float(problem.off[row])
        held = (
            float(problem.risk_prior[problem.edge_risk[edge]])
            if knob.kind == "edge"
            else float(problem.edge_acts[edge])
        )
        at, low, high = (
            on + off * held * with_odds(value, by) for by in (1.0, 1.0 / factor, factor)
        )
        if 0.0 < at < 1.0:
            there = float(tables.posterior[row])
            rest = (1.0 - there, (1.0 - low) / (1.0 - at), (1.0 - high) / (1.0 - at))
            total += distance([(there, low / at, high / at), rest])
    return min(total, 1.0)


def distance(parts: Sequence[Part]) -> float:
    """The total variation distance between the two ways to weigh parts of a whole.

    >>> distance([(0.5, 1.0, 3.0), (0.5, 1.0, 1.0)])
    0.25
    """
    mass, lower, upper = (np.array(column) for column in zip(*parts, strict=True))
    first, second = np.maximum(mass, 0.0) * lower, np.maximum(mass, 0.0) * upper
    return float(0.5 * np.abs(first / first.sum() - second / second.sum()).sum())


def _mixed(mass: float, low: float, high: float, rest: Sequence[Part]) -> float:
    """The same where the worlds of one part have factors anywhere between 1 and its own."""
    rows = np.array([(mass, low, high), (mass, 1.0, 1.0), *rest])
    share = np.ones((len(MIXTURES), len(rows)))  # [mixture, part]
    share[:, 0], share[:, 1] = MIXTURES, 1.0 - MIXTURES
    masses = share * np.maximum(rows[:, 0], 0.0)
    first, second = masses * rows[:, 1], masses * rows[:, 2]
    first /= first.sum(axis=1, keepdims=True)
    second /= second.sum(axis=1, keepdims=True)
    worst = float(0.5 * np.abs(first - second).sum(axis=1).max())
    return min(MARGIN * worst, 1.0)
