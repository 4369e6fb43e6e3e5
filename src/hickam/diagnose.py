"""The use every entry point shares: network + case → differential."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

import numpy as np

from hickam.beliefs.beliefs import Beliefs
from hickam.beliefs.options import Options
from hickam.evidence.case import Case, Evidence
from hickam.infer import infer_located
from hickam.issues import InvalidInput, Issue, error
from hickam.language.vocabulary import vocabularies
from hickam.measures.differential import Differential, rank
from hickam.measures.scores import find_measure
from hickam.model.described import Described
from hickam.model.kinds import Model
from hickam.model.network import Floats


def diagnose(
    network: Model,
    case: Case,
    measure: str = "disablement",
    *,
    engine: str = "auto",
    top: int | None = None,
    cruelty: bool | Mapping[str, float] = False,
    treatment: bool = False,
    **options: Unpack[Options],
) -> Differential:
    """The differential of a case, ranked by a measure.

    `cruelty` weights the present findings (True: by the network's own weights, or finding →
    weight); `treatment` multiplies the counterfactual scores by the success probability of treating
    each disease and divides them by its cost. The other options are those of `hickam.infer`.

    >>> import hickam
    >>> dx = diagnose(hickam.load("smoker"), Case(present=["chest pain"], risks={"smoker": True}))
    >>> dx[0].disease
    'angina'
    """
    find_measure(measure)
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 1):
        raise InvalidInput([error(f"top {top!r}", "is not a number of diseases", "give 1 or more")])
    evidence, beliefs = infer_located(network, case, engine, options)
    return differential(
        network, evidence, beliefs, measure, top=top, cruelty=cruelty, treatment=treatment
    )


def differential(
    network: Model,
    evidence: Evidence,
    beliefs: Beliefs,
    measure: str,
    *,
    top: int | None = None,
    cruelty: bool | Mapping[str, float] = False,
    treatment: bool = False,
) -> Differential:
    """The differential that given beliefs support; see `diagnose`."""
    weights = finding_weights(network, beliefs.present, cruelty)
    factors = treatment_factors(network, treatment)
    ranked = rank(network, evidence, beliefs, measure, weights=weights, factors=factors, top=top)
    weighted = []
    if cruelty is not False:
        weighted.append("findings weighted by cruelty")
    if treatment:
        weighted.append("scores times treatment success over cost")
    return replace(ranked, in_force=(*ranked.in_force, *weighted)) if weighted else ranked


def treatment_factors(network: Described, treatment: bool) -> Floats:
    """[disease] success over cost of treating it, or 1."""
    if not treatment:
        return np.ones(len(network.diseases))
    entries = [network.entries[disease] for disease in network.diseases]
    return np.array([e.treatment_success / max(e.treatment_cost, 1e-12) for e in entries])


def finding_weights(
    network: Described, present: tuple[str, ...], cruelty: bool | Mapping[str, float]
) -> Floats:
    """[present] the weight of each present finding."""
    if cruelty is False:
        return np.ones(len(present))
    own = {finding: network.entries[finding].cruelty for finding in present}
    if cruelty is True:
        return np.array([own[finding] for finding in present])
    if not isinstance(cruelty, Mapping):
        raise InvalidInput(
            [error(f"cruelty {cruelty!r}", "is neither True nor weights of findings")]
        )
    words = vocabularies(network)["finding"]
    issues: list[Issue] = []
    for name, weight in cruelty.items():
        found = words.find(name)
        if isinstance(found, Issue):
            issues.append(found)
        elif (
            isinstance(weight, bool)
            or not isinstance(weight, (int, float))
            or not (0.0 <= weight < math.inf)
        ):
            issues.append(error(f"cruelty of '{name}'", f"is {weight!r}", "give a number >= 0"))
        else:
            own[network.findings[found]] = float(weight)
    if issues:
        raise InvalidInput(issues)
    return np.array([own[finding] for finding in present])
