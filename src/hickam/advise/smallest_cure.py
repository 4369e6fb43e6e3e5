"""The smallest set of diseases whose cure reaches a goal, on any kind of model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hickam.beliefs.beliefs import Accuracy
from hickam.issues import invalid
from hickam.model.network import Floats

# Every set of up to so many of the likeliest causes is tried; larger ones grow greedily.
CANDIDATES = 12
LARGEST_PROVEN = 3


@dataclass(frozen=True, slots=True)
class Cure:
    """What curing a set of diseases together would do to the present findings.

    `removed[s]` is P(finding s goes away under do(D = 0 for every D in the set) | evidence): every
    active cause of s is in the set. `expected` is their sum, the expected disablement of the set.
    """

    diseases: tuple[str, ...]
    removed: Mapping[str, float]
    accuracy: Accuracy
    smallest: bool = True  # for a search: whether no smaller set can reach the goal

    @property
    def expected(self) -> float:
        """Expected number of present findings that go away."""
        return sum(self.removed.values())

    def to_dict(self) -> dict[str, Any]:
        """The cure as plain values, ready for JSON."""
        return {
            "diseases": list(self.diseases),
            "removed": dict(self.removed),
            "expected": self.expected,
            "smallest": self.smallest,
            "accuracy": self.accuracy.to_dict(),
        }


class Cures(Protocol):
    """A case ready for questions about cures, on either kind of model."""

    @property
    def present(self) -> tuple[str, ...]:
        """The present findings."""

    @property
    def able(self) -> tuple[str, ...]:
        """The diseases that may be causing a present finding, the likeliest causes first."""

    def at_most(self, chosen: Sequence[str], others: Sequence[str]) -> Floats:
        """[other] a bound on what is said to go away when the chosen and one other are cured."""

    def removed(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """Present finding → P(it goes away when these are cured together), and the accuracy."""

    def tried(self, diseases: Sequence[str]) -> tuple[Mapping[str, float], Accuracy]:
        """The same as one of many sets that are compared: less accurate where that is quicker."""


def cure_of(cures: Cures, diseases: Sequence[str]) -> Cure:
    """What curing these diseases together would remove."""
    return Cure(tuple(diseases), *cures.removed(diseases))


def find_smallest(cures: Cures, at_least: float) -> Cure | None:
    """The smallest set whose cure is expected to remove at least this many present findings.

    Among sets of equal size the one that removes most. Every set of up to three of the twelve
    likeliest causes is tried, then the best set grows greedily (`smallest` is then False). None if
    even curing every disease falls short, because the rest comes from outside the network.
    """
    count = len(cures.present)
    number = isinstance(at_least, (int, float)) and not isinstance(at_least, bool)
    if not number or not 0.0 < at_least <= count:
        where = f"the goal of removing {at_least!r} findings"
        raise invalid(where, f"is outside (0, {count}]", f"{count} findings are present")
    able = cures.able
    if not able or cure_of(cures, able).expected < at_least:
        return None
    for size in range(1, LARGEST_PROVEN + 1):
        best = _best(cures, able[:CANDIDATES], size, at_least)
        if best is not None:
            return replace(best, smallest=len(able) <= CANDIDATES or size == 1)
    return next(c for c in _grow(cures, able) if c.expected >= at_least)


def _best(cures: Cures, among: Sequence[str], size: int, at_least: float) -> Cure | None:
    """The set of this size that removes most, if it reaches the goal."""
    bounds: dict[tuple[str, ...], float] = {}
    for some in itertools.combinations(among, size - 1):
        others = among[among.index(some[-1]) + 1 :] if some else among
        for other, bound in zip(others, cures.at_most(some, others).tolist(), strict=True):
            bounds[*some, other] = bound
    return _most(cures, bounds, at_least)


def _most(cures: Cures, bounds: Mapping[tuple[str, ...], float], at_least: float) -> Cure | None:
    """The set that removes most, if that is enough; the most promising are tried first.

    A set whose bound is below the goal, or no more than what another set removes, is not tried.
    """
    best: Cure | None = None
    for some in sorted(bounds, key=lambda one: -bounds[one]):
        if bounds[some] < at_least or (best is not None and bounds[some] <= best.expected):
            break
        found = Cure(some, *cures.tried(some))
        if found.expected >= at_least and (best is None or found.expected > best.expected):
            best = found
    return best


def _grow(cures: Cures, able: Sequence[str]) -> Iterator[Cure]:
    """Ever larger cures, each adding the disease that removes most."""
    chosen: tuple[str, ...] = ()
    while len(chosen) < len(able):
        others = [one for one in able if one not in chosen]
        bounds = cures.at_most(chosen, others).tolist()
        sets = {(*chosen, one): bound for one, bound in zip(others, bounds, strict=True)}
        best = _most(cures, sets, 0.0)
        if best is None:  # every bound is below 0 by rounding
            best = Cure((*chosen, others[0]), *cures.tried((*chosen, others[0])))
        chosen = best.diseases
        yield replace(best, smallest=False)
