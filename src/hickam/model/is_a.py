"""Findings that are kinds of other findings: a thunderclap headache is a headache.

A kind always comes with what it is a kind of, so a finding is the OR of its kinds and of what is
left of it: P(absent | D) of the whole = product over its kinds and the rest. A finding is a kind of
at most one other; so two findings of which neither is a kind of the other share nothing, and all
engines stay exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from hickam.issues import Hints, Issue, Kind, error, warning
from hickam.model.described import Described
from hickam.model.network import Entry
from hickam.model.numbers import CERTAINLY_NOT, Chance

if TYPE_CHECKING:
    from hickam.model.layer import Layer

ROUNDING = 1e-12
DEEPEST = 50  # kinds of kinds
Chances = dict[str, Chance]


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """Which findings are kinds of which, by position; a finding without kinds is in neither."""

    above: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # nearest first
    below: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # all kinds, of any depth
    nearest: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # direct kinds

    def __bool__(self) -> bool:
        return bool(self.above)

    def widest(self, findings: Iterable[int]) -> list[int]:
        """The findings without those that are kinds of another among them."""
        listed = list(findings)
        chosen = set(listed)
        return [f for f in listed if chosen.isdisjoint(self.above.get(f, ()))]

    def narrowest(self, findings: Iterable[int]) -> list[int]:
        """The findings without those of which another among them is a kind."""
        listed = list(findings)
        wider = {above for finding in listed for above in self.above.get(finding, ())}
        return [finding for finding in listed if finding not in wider]


NONE = Kinds()


@lru_cache(maxsize=64)
def kinds_of(network: Described) -> Kinds:
    """The kinds among a network's findings."""
    place = {finding: position for position, finding in enumerate(network.findings)}
    parent = {
        position: place[network.entries[finding].is_a]
        for finding, position in place.items()
        if network.entries[finding].is_a in place
    }
    if not parent:
        return NONE
    above = {finding: tuple(_chain(parent, finding)) for finding in parent}
    below: dict[int, list[int]] = {}
    nearest: dict[int, list[int]] = {}
    for finding, chain in above.items():
        nearest.setdefault(chain[0], []).append(finding)
        for wider in chain:
            below.setdefault(wider, []).append(finding)
    return Kinds(
        above,
        {finding: tuple(kinds) for finding, kinds in below.items()},
        {finding: tuple(kinds) for finding, kinds in nearest.items()},
    )


def either(one: Chance, other: Chance) -> Chance:
    """The chance that at least one of two independent mechanisms fires."""
    acts, fails = one.acts + one.fails * other.acts, one.fails * other.fails
    return Chance(acts, 1.0 - acts) if acts < 0.5 else Chance(1.0 - fails, fails)


def beyond(whole: Chance, part: Chance) -> Chance:
    """What must fire besides a part to make the whole: `either(part, beyond(whole, part))`."""
    if part.fails == 0.0 or whole.acts <= part.acts:
        return CERTAINLY_NOT
    # of two nearly equal numbers the difference of the small ones keeps its digits
    gap = whole.acts - part.acts if whole.acts < 0.5 else part.fails - whole.fails
    return Chance(max(gap, 0.0) / part.fails, min(whole.fails / part.fails, 1.0))


def check_kinds(
    layer: Layer,
    entries: Mapping[str, Entry],
    places: Mapping[str, Mapping[str, int]],
    issues: list[Issue],
) -> bool:
    """Whether every `is_a` names another finding and none leads back to itself; else issues."""
    findings = places["findings"]
    hints = Hints(findings)
    parent: dict[int, int] = {}
    sound = True
    for position, node in enumerate(layer.ids):
        wider = entries[node].is_a
        if not wider:
            continue
        path = (*layer.paths[position], "is_a")
        if wider in findings and wider != node:
            parent[position] = findings[wider]
            continue
        sound = False
        what = f"is a kind of '{wider}', which is not a finding"
        fix = hints.fix(wider)
        if wider == node:
            what, fix = "is a kind of itself", "remove its 'is_a'"
        issues.append(error(f"finding '{node}'", what, fix, path))
    for start in parent:
        chain = list(_chain(parent, start))
        if len(chain) > DEEPEST:
            path = (*layer.paths[start], "is_a")
            what = f"is a kind of more than {DEEPEST} findings in turn"
            issue = error(f"finding '{layer.ids[start]}'", what, "", path, Kind.TOO_LARGE)
            issues.append(issue)
            return False
        if chain and chain[-1] == start:
            shown = " → ".join(layer.ids[finding] for finding in (start, *chain))
            path = (*layer.paths[start], "is_a")
            what = f"is a kind of itself: {shown}"
            issues.append(error(f"finding '{layer.ids[start]}'", what, "remove one 'is_a'", path))
            return False
    return sound


def inherit(layer: Layer, entries: Mapping[str, Entry], issues: list[Issue]) -> None:
    """Give every finding what its kinds have: their causes and leaks are its own as well.

    Where a finding states less than its kinds come to together, it is raised, with a warning.
    """
    place = {node: position for position, node in enumerate(layer.ids)}
    parent = {
        position: place[entries[node].is_a]
        for node, position in place.items()
        if entries[node].is_a
    }
    depth = {finding: len(list(_chain(parent, finding))) for finding in parent}
    causes: dict[int, Chances] = {}
    for effect, cause, chance, _ in layer.links:
        causes.setdefault(effect, {})[cause] = chance
    least: dict[int, tuple[Chance, Chances]] = {}  # what the kinds of a finding come to
    for finding in sorted(place.values(), key=lambda finding: -depth.get(finding, 0)):
        if finding in least:
            _raise(layer, finding, causes.setdefault(finding, {}), *least[finding], issues)
        if finding in parent:
            leak, links = least.setdefault(parent[finding], (CERTAINLY_NOT, {}))
            for cause, chance in causes.get(finding, {}).items():
                links[cause] = either(links[cause], chance) if cause in links else chance
            least[parent[finding]] = (either(leak, layer.own[finding]), links)
    raised = {finding for finding in least if causes[finding]}
    kept = [link for link in layer.links if link[0] not in raised]
    kept += [
        (finding, cause, chance, cause)
        for finding in sorted(raised)
        for cause, chance in causes[finding].items()
    ]
    layer.links[:] = kept


def _raise(
    layer: Layer,
    finding: int,
    links: Chances,
    leak: Chance,
    least: Chances,
    issues: list[Issue],
) -> None:
    """Raise a finding's links and leak to what its kinds come to."""
    where = f"finding '{layer.ids[finding]}'"
    lower = [c for c, chance in least.items() if c in links and _less(links[c], chance)]
    if lower:
        first = lower[0]
        more = f" and {len(lower) - 1} other causes" if len(lower) > 1 else ""
        what = f"has the cause '{first}'{more} at less than its kinds come to"
        fix = f"raised from {links[first].acts:g} to {least[first].acts:g}; write that or more"
        issues.append(warning(where, what, fix, (*layer.paths[finding], "causes")))
    for cause, chance in least.items():
        if cause not in links or _less(links[cause], chance):
            links[cause] = chance
    if _less(layer.own[finding], leak):
        if finding not in layer.leakless:
            what = f"has the leak {layer.own[finding].acts:g}, less than its kinds come to"
            fix = f"raised to {leak.acts:g}; write that or more"
            issues.append(warning(where, what, fix, (*layer.paths[finding], "leak")))
        layer.own[finding] = leak
    if finding in layer.leakless and layer.own[finding].acts > 0.0:
        layer.leakless.remove(finding)


def _less(one: Chance, other: Chance) -> bool:
    """Whether a chance is below another by more than rounding."""
    return one.acts < other.acts * (1.0 - ROUNDING) and one.fails > other.fails * (1.0 + ROUNDING)


def _chain(parent: Mapping[int, int], start: int) -> Iterator[int]:
    """What a finding is a kind of, nearest first; ends where it repeats itself or is too deep."""
    seen: set[int] = set()
    at = start
    while at in parent and parent[at] not in seen and len(seen) <= DEEPEST:
        at = parent[at]
        seen.add(at)
        yield at
