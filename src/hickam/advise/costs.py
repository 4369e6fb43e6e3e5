"""What it costs to ask about something."""

from __future__ import annotations

from collections.abc import Mapping

from hickam.model.described import Described

# What it costs to examine and to test, unless the network says what it costs. To ask costs 1.
USUAL_COST = {"sign": 1.2, "test": 8.0}


def cost_of(network: Described, node: str, given: Mapping[str, float]) -> float:
    """What asking about something costs."""
    if node in given:
        return float(given[node])
    entry = network.entries.get(node)
    if entry is None or entry.cost != 1.0:
        return 1.0 if entry is None else entry.cost
    return USUAL_COST.get(entry.kind, 1.0)
