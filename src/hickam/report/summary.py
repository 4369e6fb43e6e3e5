"""A network in a few numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from hickam.model.kinds import Model, as_network, as_scm
from hickam.model.network import URGENCY_CLASSES
from hickam.model.numbers import RARENESS_CLASSES
from hickam.words import counted


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
        "rareness": _classes((e.rareness for e in diseases), RARENESS_CLASSES),
        "urgency": _classes((e.urgency for e in diseases), URGENCY_CLASSES),
    }


def _classes(words: Iterable[str], order: Iterable[str]) -> dict[str, int]:
    """How often each class occurs, in the order of the classes."""
    counts = Counter(words)
    return {word: counts[word] for word in order if counts[word]}


def _links(model: Model) -> int:
    """The number of direct causal links."""
    network = as_network(model)
    if network is None:
        return as_scm(model).links
    return len(network.causes) + len(network.effects)


def summary_lines(summary: dict[str, Any]) -> list[str]:
    """The summary as lines of text."""
    lines = [
        f"{summary['name']}" + (f", version {summary['version']}" if summary["version"] else ""),
        f"  {counted(summary['risk_factors'], 'risk factor')}, "
        f"{counted(summary['diseases'], 'disease')}, {counted(summary['findings'], 'finding')}, "
        f"{summary['categories']} {'category' if summary['categories'] == 1 else 'categories'}, "
        f"{counted(summary['links'], 'link')}",
    ]
    for kind in ("rareness", "urgency"):
        if summary[kind]:
            counts = ", ".join(f"{count} {word}" for word, count in summary[kind].items())
            lines.append(f"  {kind}: {counts}")
    lines.append(f"  hash {summary['hash'][:16]}")
    if summary["disclaimer"]:
        lines.append(f"  {summary['disclaimer']}")
    return lines
