"""Diagnostic measures: each turns beliefs into one score per disease."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hickam.beliefs.beliefs import Beliefs
from hickam.model.network import Floats

Measure = Callable[[Beliefs, Floats], Floats]


def posterior(beliefs: Beliefs, _weights: Floats) -> Floats:
    """Probability that the patient has each disease. [CD posterior]"""
    return beliefs.posterior


def expected_disablement(beliefs: Beliefs, weights: Floats) -> Floats:
    """Expected (weighted) number of present findings that curing each disease would remove.

    [CD expected-disablement]; the weights are the paper's "cruelty" of findings, by default 1.
    """
    return beliefs.disabled @ weights


def expected_sufficiency(beliefs: Beliefs, weights: Floats) -> Floats:
    """Expected (weighted) number of present findings that stay with every other cause off.

    [CD expected-sufficiency]
    """
    return beliefs.sustained @ weights


def single_fault(beliefs: Beliefs, _weights: Floats) -> Floats:
    """Probability of each disease if there is exactly one: the baseline for vignettes."""
    return beliefs.single_fault


MEASURES: Mapping[str, Measure] = {
    "posterior": posterior,
    "disablement": expected_disablement,
    "sufficiency": expected_sufficiency,
    "single_fault": single_fault,
}
