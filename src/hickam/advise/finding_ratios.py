"""How much each finding alone speaks for a disease: the likelihood beside the counterfactual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hickam.evidence.case import Case
from hickam.evidence.locate import locate
from hickam.infer import posterior_of
from hickam.issues import TooHard
from hickam.model.kinds import Model
from hickam.model.network import Floats


def finding_ratios(
    model: Model, present: Sequence[str], absent: Sequence[str] = (), person: Case | None = None
) -> Mapping[str, Floats]:
    """Finding → [disease] P(as observed | disease) / P(as observed | not this disease), by itself.

    Of the patient only the sex and age of `person` are known. This is what single-disease
    likelihood-ratio methods multiply; it does not know that another disease may already explain the
    finding. By Bayes' rule it is what the finding alone does to the odds; a disease that is certain
    either way has 1. Nothing is found on a general model too large for exact inference.
    """
    alone = Case() if person is None else Case(sex=person.sex, age=person.age)
    nothing = locate(alone, model)
    found: dict[str, Floats] = {}
    try:
        before = _odds(posterior_of(model, nothing))
    except TooHard:
        return found
    for finding in (*present, *absent):
        seen = [finding] if finding in present else []
        told = locate(replace(alone, present=seen, absent=[] if seen else [finding]), model)
        told = replace(told, likelihood=nothing.likelihood)  # the number of findings says nothing
        try:
            after = _odds(posterior_of(model, told))
        except TooHard:
            continue
        possible = (before > 0.0) & np.isfinite(before)
        found[finding] = np.divide(after, before, out=np.ones(len(before)), where=possible)
    return found


def _odds(chance: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(chance / (1.0 - chance))
