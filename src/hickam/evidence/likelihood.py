"""Soft evidence on diseases: one likelihood ratio per disease."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hickam.model.described import Described
from hickam.model.network import Category, Floats, Prevalence


def prevalence_ratios(network: Described, sex: str | None, age: float | None) -> Floats:
    """[disease] factor on the prior odds for a patient of this sex and age, by default 1.

    A row without sex and age is for everyone.
    """
    ratios = np.ones(len(network.diseases))
    for position, row in prevalence_rows(network, "disease"):
        if row.matches(sex, age):
            ratios[position] *= row.factor
    return ratios


@lru_cache(maxsize=96)
def prevalence_rows(network: Described, kind: str) -> tuple[tuple[int, Prevalence], ...]:
    """(position, row) of every prevalence row of the risk factors, diseases or findings."""
    layers = {
        "risk factor": network.risk_factors,
        "disease": network.diseases,
        "finding": network.findings,
    }
    return tuple(
        (position, row)
        for position, node in enumerate(layers[kind])
        for row in network.entries[node].prevalence
    )


def category_ratios(network: Described, category: Category, value: str) -> Floats:
    """[disease] P(value | disease) / P(value | none of the listed diseases)."""
    column = category.values.index(value)
    ratios = np.ones(len(network.diseases))
    for disease, chances in category.given.items():
        ratios[network.index[disease]] = chances[column] / category.otherwise[column]
    return ratios
