"""The numbers of a network one by one, and where each of them comes from."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from hickam.model.network import Network
from hickam.model.source import firmness


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a network: the prior or leak of a node, or the strength of a link."""

    kind: str  # "prior" | "leak" | "link"
    cause: str  # id; of a prior or leak the node itself
    effect: str  # id
    value: float
    source: str

    @property
    def estimate(self) -> bool:
        """Whether nobody is cited for it."""
        return is_estimate(self.source)

    def in_words(self, network: Network) -> str:
        """What the number is, by display names."""
        if self.kind == "link":
            return f"{network.label(self.cause)} → {network.label(self.effect)}"
        return f"{network.label(self.effect)}: {self.kind}"

    def to_dict(self) -> dict[str, Any]:
        """The number as plain values, ready for JSON."""
        return {
            "kind": self.kind,
            "cause": self.cause if self.kind == "link" else None,
            "effect": self.effect,
            "value": self.value,
            "source": self.source,
            "estimate": self.estimate,
        }


def is_estimate(source: str) -> bool:
    """Whether a source cites nobody: also of what was learnt."""
    return firmness(source) < inf


def source_of(network: Network, cause: str, effect: str) -> str:
    """Where a number comes from: what it says itself, else its node or the whole network."""
    return network.link_sources.get((cause, effect)) or network.entries[effect].source


def number_of(network: Network, cause: str, effect: str, kind: str, value: float) -> Number:
    """A number with its source."""
    return Number(kind, cause, effect, value, source_of(network, cause, effect))
