"""Soft evidence on diseases: one likelihood ratio per disease from six kinds of knowledge."""

from __future__ import annotations

import numpy as np

from hickam.evidence.case import Assumptions
from hickam.model.network import Category, Floats, Network


def prevalence_ratios(network: Network, sex: str | None, age: float | None) -> Floats:
    """[disease] factor on the prior odds for a patient of this sex and age, by default 1."""
    ratios = np.ones(len(network.diseases))
    if sex is None and age is None:
        return ratios
    for position, disease in enumerate(network.diseases):
        for entry in network.entries[disease].prevalence:
            if entry.matches(sex, age):
                ratios[position] *= entry.factor
    return ratios


def category_ratios(network: Network, category: Category, value: str) -> Floats:
    """[disease] P(value | disease) / P(value | none of the listed diseases)."""
    column = category.values.index(value)
    ratios = np.ones(len(network.diseases))
    for disease, chances in category.given.items():
        ratios[network.index[disease]] = chances[column] / category.otherwise[column]
    return ratios


def assumption_ratios(network: Network, assumptions: Assumptions) -> Floats:
    """[disease] the case mix, the Occam–Hickam dial and the prior shift as likelihood ratios.

    Case mix: prior ** (β - 1). Dial: γ. Shift δ: the odds of prior + δ over the odds of the prior.
    A disease of prior 0 stays impossible, one of prior 1 certain.
    """
    ratios = np.full(len(network.diseases), assumptions.dial)
    if assumptions.case_mix == 1.0 and not assumptions.prior_shift:
        return ratios
    prior = network.prior
    possible = (prior > 0.0) & (prior < 1.0)
    some = prior[possible]
    ratios[possible] *= some ** (assumptions.case_mix - 1.0)
    if assumptions.prior_shift:
        shifted = np.clip(some + assumptions.prior_shift, 1e-15, 1.0 - 1e-15)
        ratios[possible] *= shifted / (1.0 - shifted) * (1.0 - some) / some
    return ratios
