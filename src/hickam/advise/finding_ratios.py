"""How much each finding alone speaks for a disease: the likelihood beside the counterfactual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hickam.infer import prior_of
from hickam.model.kinds import Model


def finding_ratios(
    model: Model, disease: str, present: Sequence[str], absent: Sequence[str] = ()
) -> Mapping[str, float]:
    """Finding → P(as observed | disease) / P(as observed | not this disease), each by itself.

    All other diseases are at their prior. This is what single-disease likelihood-ratio methods
    multiply; it does not know that another disease may already explain the finding. On a general
    model the direct links are read.
    """
    links, prior = model.effects, prior_of(model)
    row = model.index[disease]
    found = {}
    for finding in (*present, *absent):
        at = model.index[finding]
        into = links.of_effect(at)
        causes = links.cause[into]
        others = causes != row
        with np.errstate(divide="ignore"):
            log_fails = np.log1p(-prior[causes[others]] * links.acts[into][others]).sum()
        fails = float((1.0 - model.finding_leak[at]) * np.exp(log_fails))
        own = into[~others]
        with_it = fails * float(links.fails[own[0]]) if len(own) else fails
        if finding in present:
            found[finding] = (1.0 - with_it) / (1.0 - fails) if fails < 1.0 else np.inf
        else:
            found[finding] = with_it / fails if fails > 0.0 else 1.0
    return {finding: float(ratio) for finding, ratio in found.items()}
