"""A network in a few numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hickam.model.kinds import Model, as_network, as_scm


def summarise(network: Model) -> dict[str, Any]:
    """Counts, classes, metadata and the content hash of a network."""
    diseases = [network.entries[disease] for disease in network.diseases]
    return {
        "name": network.name,
        "version": network.about.version,
        "licence": network.about.licence,
        "disclaimer": network.about.disclaimer,
        "hash": network.hash,
        "risk_factors": len(network.risk_factors),
        "diseases": len(network.diseases),
        "findings": len(network.findings),
        "categories": len(network.categories),
        "links": _links(network),
        "rareness": dict(Counter(e.rareness for e in diseases if e.rareness)),
        "urgency": dict(Counter(e.urgency for e in diseases if e.urgency)),
    }


def _links(model: Model) -> int:
    """The number of direct causal links."""
    network = as_network(model)
    if network is None:
        return sum(len(node.parents) for node in as_scm(model))
    return len(network.causes) + len(network.effects)


def summary_lines(summary: dict[str, Any]) -> list[str]:
    """The summary as lines of text."""
    lines = [
        f"{summary['name']}" + (f", version {summary['version']}" if summary["version"] else ""),
        f"  {summary['risk_factors']} risk factors, {summary['diseases']} diseases, "
        f"{summary['findings']} findings, {summary['categories']} categories, "
        f"{summary['links']} links",
    ]
    for kind in ("rareness", "urgency"):
        if summary[kind]:
            counts = ", ".join(f"{count} {word}" for word, count in summary[kind].items())
            lines.append(f"  {kind}: {counts}")
    lines.append(f"  hash {summary['hash'][:16]}")
    if summary["disclaimer"]:
        lines.append(f"  {summary['disclaimer']}")
    return lines
