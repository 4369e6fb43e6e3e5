"""Soft evidence on diseases: one likelihood ratio per disease."""

from __future__ import annotations

import numpy as np

from hickam.model.described import Described
from hickam.model.network import Category, Floats


def prevalence_ratios(network: Described, sex: str | None, age: float | None) -> Floats:
    """[disease] factor on the prior odds for a patient of this sex and age, by default 1."""
    ratios = np.ones(len(network.diseases))
    if sex is None and age is None:
        return ratios
    for position, disease in enumerate(network.diseases):
        for entry in network.entries[disease].prevalence:
            if entry.matches(sex, age):
                ratios[position] *= entry.factor
    return ratios


def category_ratios(network: Described, category: Category, value: str) -> Floats:
    """[disease] P(value | disease) / P(value | none of the listed diseases)."""
    column = category.values.index(value)
    ratios = np.ones(len(network.diseases))
    for disease, chances in category.given.items():
        ratios[network.index[disease]] = chances[column] / category.otherwise[column]
    return ratios
