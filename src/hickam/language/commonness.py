"""About how common the nodes of a layer are, to put the commonest first among equal matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hickam.model.described import Described
from hickam.model.network import Floats, Links


def commonness(network: Described, kind: str) -> Callable[[], Sequence[float]]:
    """What tells how common each node of a layer is, as if its causes came one by one."""

    def ask() -> Sequence[float]:
        risks = network.risk_prior
        if kind == "risk factor":
            return list(map(float, risks))
        diseases = _caused(network.disease_leak, network.causes, risks)
        if kind == "disease":
            return list(map(float, diseases))
        return list(map(float, _caused(network.finding_leak, network.effects, diseases)))

    return ask


def _caused(leak: Floats, links: Links, causes: Floats) -> Floats:
    """[effect] P(on) if the causes were independent."""
    with np.errstate(divide="ignore"):
        stays_off = np.log1p(-np.minimum(leak, 1.0))
        not_caused = np.log1p(-np.minimum(links.acts * causes[links.cause], 1.0))
    np.add.at(stays_off, links.effect, not_caused)
    found: Floats = -np.expm1(stays_off)
    return found
