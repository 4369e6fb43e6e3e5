"""Soft evidence on diseases: one likelihood ratio per disease."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from hickam.language.reading import Reading, ratio_at
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


def per_finding_ratios(network: Described, present: int) -> Floats | None:
    """[disease] the factor on the odds that so many present findings make, or None if all are 1."""
    logs = _log_per_finding(network)
    return None if logs is None or not present else np.exp(present * logs)


@lru_cache(maxsize=32)
def _log_per_finding(network: Described) -> Floats | None:
    """[disease] log of the factor for every present finding; None where no disease has one."""
    factors = [network.entries[disease].per_finding for disease in network.diseases]
    return np.log(factors) if any(factor != 1.0 for factor in factors) else None


@lru_cache(maxsize=32)
def absence_weights(network: Described) -> Floats | None:
    """[finding] how much its absence counts; None where every absence counts in full."""
    weights = np.array([network.entries[finding].absence for finding in network.findings])
    return weights if np.any(weights != 1.0) else None


def absence_ratios(network: Described, absent: Sequence[int], weights: Floats) -> Floats:
    """[disease] P(finding absent | disease) / P(absent without it), to the power of its weight."""
    effects = network.effects
    ratios = np.ones(len(network.diseases))
    for finding in absent:
        into = effects.of_effect(finding)
        ratios[effects.cause[into]] *= effects.fails[into] ** weights[finding]
    return ratios


def category_ratios(network: Described, category: Category, reading: Reading) -> Floats:
    """[disease] P(value | disease) / P(value | none of the listed diseases), or a curve's ratio.

    A number tells more than the value it falls in, so a disease with a curve goes by that; one
    known only by its value leaves the curves out.
    """
    ratios = np.ones(len(network.diseases))
    if reading.value is not None:
        column = category.values.index(reading.value)
        for disease, chances in category.given.items():
            ratios[network.index[disease]] = chances[column] / category.otherwise[column]
    if reading.number is not None and category.scale is not None:
        for disease, points in category.scale.curves.items():
            ratios[network.index[disease]] = ratio_at(points, reading.number)
    return ratios
