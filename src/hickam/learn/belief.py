"""What is believed of each number before the records: the network's own, with a weight.

The weight is a number of patients: an estimate that counts as ten patients yields to a hundred
records, a number with a source to fewer. The prior of a number m with weight w is
Beta(1 + w m, 1 + w (1 - m)), whose mode is m. What is certain stays certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hickam.issues import did_you_mean, error, raise_errors
from hickam.learn.numbers import Numbers
from hickam.learn.recording import Column
from hickam.model.network import Floats
from hickam.model.source import firmness, learnt

ESTIMATE, LEARNT, CITED = "estimate", "learnt", "cited"
USUAL = {ESTIMATE: 10.0, CITED: 100.0}


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """[number] the centre and the weight of what is believed before the records."""

    centre: Floats
    weight: Floats
    given: Sequence[int] = ()  # numbers that are not learnt
    free: npt.NDArray[np.bool_] = field(init=False)  # neither impossible, certain nor given

    def __post_init__(self) -> None:
        free = (self.centre > 0.0) & (self.centre < 1.0)
        free[list(self.given)] = False
        object.__setattr__(self, "free", free)

    def log_density(self, values: Floats) -> float:
        """The log density of numbers, up to a constant."""
        free = self.free
        m, w, x = self.centre[free], self.weight[free], values[free]
        return float((w * (m * np.log(x) + (1.0 - m) * np.log1p(-x))).sum())


def belief_of(numbers: Numbers, trust: Mapping[str, float] | None = None) -> Belief:
    """The belief in a network's numbers; `trust` gives weights by source.

    A source is 'estimate' (also where none is given), 'learnt', 'cited' or its own text. What was
    learnt counts for the patients that its source says, unless a weight is given.
    """
    trust = {**USUAL, **(trust or {})}
    known = list(dict.fromkeys((*USUAL, LEARNT, *numbers.sources)))
    issues = [
        error(f"source '{name}'", "is not one of the network", did_you_mean(name, known))
        for name in trust
        if name not in known
    ]
    issues += [
        error(f"weight {weight!r} of '{name}'", "is no number of patients", "give 0 or more")
        for name, weight in trust.items()
        if not 0.0 <= weight < np.inf
    ]
    raise_errors(issues)
    weight = [_weight(source, trust) for source in numbers.sources]
    return Belief(numbers.values, np.array(weight, dtype=np.float64))


def with_rates(belief: Belief, columns: Sequence[Column]) -> Belief:
    """The belief with the shares that are written down after it: given, or anything alike."""
    rates = [rate for column in columns for rate in column.rates]
    size = len(belief.centre)
    given = [size + at for at, rate in enumerate(rates) if rate is not None]
    centre = np.array([0.5 if rate is None else rate for rate in rates])
    weight = np.concatenate([belief.weight, np.zeros(len(rates))])
    return Belief(np.concatenate([belief.centre, centre]), weight, given)


def _weight(source: str, trust: Mapping[str, float]) -> float:
    """The weight of a number by its source."""
    said = learnt(source)
    if source in trust:
        return trust[source]
    if said is not None and said.weight:
        return trust.get(LEARNT, said.weight)
    return trust[CITED if firmness(source) == np.inf else ESTIMATE]
