"""Links as relative risks: what epidemiology publishes and what a network holds are one thing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hickam.issues import error, raise_errors
from hickam.model.network import Links, Network


def risk_ratio_of_absence(network: Network, causes: Sequence[str], effect: str) -> float:
    """P(effect off | do(causes on)) / P(effect off | do(causes off)). [CD relative-risk]

    In a noisy-OR it is the product of the links' λ, whatever else is going on: that of one cause is
    its λ, and several multiply. Causes and effect are ids of adjoining layers.

    >>> import hickam
    >>> round(risk_ratio_of_absence(hickam.load("smoker"), ["angina"], "chest_pain"), 3)
    0.25
    """
    links = _links(network, causes, effect)
    found = {
        int(cause): float(fails)
        for cause, target, fails in zip(links.cause, links.effect, links.fails, strict=True)
        if int(target) == network.index[effect]
    }
    return math.prod(found.get(network.index[cause], 1.0) for cause in dict.fromkeys(causes))


def acts_of(ratio: float) -> float:
    """The strength 1 - λ of a link whose cause divides the chance of absence by 1 / `ratio`.

    `ratio` is P(effect off | do(cause on)) / P(effect off | do(cause off)); above 1 the cause would
    be protective, which a noisy-OR cannot say.

    >>> acts_of(0.25)
    0.75
    """
    if not 0.0 <= ratio <= 1.0:
        fix = "a cause of a noisy-OR makes absence less likely: give a ratio from 0 to 1"
        raise_errors([error("the ratio", f"is {ratio!r}", fix)])
    return 1.0 - ratio


def _links(network: Network, causes: Sequence[str], effect: str) -> Links:
    """The links into the effect's layer; a cause of another layer is refused."""
    pairs = (
        (network.diseases, network.risk_factors, network.causes),
        (network.findings, network.diseases, network.effects),
    )
    for effects, above, links in pairs:
        if effect in effects:
            raise_errors(
                error(f"'{cause}'", f"is no possible cause of '{effect}'", "name one layer above")
                for cause in causes
                if cause not in above
            )
            return links
    raise_errors([error(f"'{effect}'", "is neither a disease nor a finding")])
    raise AssertionError("unreachable")
