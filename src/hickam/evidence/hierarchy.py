"""Findings above and below one another: what is more general, and what more specific."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from hickam.model.described import Described


def broader(network: Described, finding: str) -> tuple[str, ...]:
    """The findings right above one: of an ontology's terms, or the one that it is a kind of."""
    entry = network.entries[finding]
    above = dict.fromkeys((*entry.broader, *filter(None, (entry.is_a,))))
    return tuple(term for term in above if term in network.entries)


def narrower(network: Described, finding: str) -> tuple[str, ...]:
    """The findings right below one, in order of their names."""
    return _below(network).get(finding, ())


@lru_cache(maxsize=65_536)
def above(network: Described, finding: str) -> frozenset[str]:
    """Every finding above one, however far."""
    found: set[str] = set()
    waiting = [finding]
    while waiting:
        for term in broader(network, waiting.pop()):
            if term not in found:
                found.add(term)
                waiting.append(term)
    return frozenset(found)


def has_context(network: Described, finding: str) -> bool:
    """Whether there is anything above or below a finding."""
    return finding in network.entries and bool(
        broader(network, finding) or narrower(network, finding)
    )


@lru_cache(maxsize=16)
def _below(network: Described) -> Mapping[str, tuple[str, ...]]:
    """Finding → the findings right below it, for those that have any."""
    found: dict[str, list[str]] = {}
    for finding in network.findings:
        for above in broader(network, finding):
            found.setdefault(above, []).append(finding)
    return {
        above: tuple(sorted(below, key=lambda term: network.label(term).casefold()))
        for above, below in found.items()
    }
