"""Assumptions about the patients as a whole, as likelihood ratios on top of a located case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hickam.evidence.case import Assumptions, Evidence
from hickam.issues import Issue, error, invalid
from hickam.model.network import Floats

LARGEST = 1e200  # the engines multiply a few such numbers at most


def assume(evidence: Evidence, assumptions: Assumptions, prior: Callable[[], Floats]) -> Evidence:
    """The evidence with case mix, Occam–Hickam dial and prior shift in force.

    `prior` gives [disease] P(D = 1) with nothing observed; it is asked only where it matters.

    Case mix: prior ** (β - 1), whatever the patient's sex and age: patients are taken to be
    selected by their disease, so that both say of it what they say of all who have it. Dial: γ, and
    what it says about no disease at all is kept apart as `Evidence.dial`. Shift δ: the odds of
    prior + δ over the odds of the prior.
    A disease of prior 0 stays impossible, one of prior 1 certain.
    """
    words = assumptions.in_words()
    if not words:
        return evidence
    ratios = np.full(len(evidence.likelihood), assumptions.dial)
    if assumptions.case_mix != 1.0 or assumptions.prior_shift:
        before = prior()
        possible = (before > 0.0) & (before < 1.0)
        some = before[possible]
        ratios[possible] *= some ** (assumptions.case_mix - 1.0)
        if assumptions.prior_shift:
            shifted = np.clip(some + assumptions.prior_shift, 1e-15, 1.0 - 1e-15)
            ratios[possible] *= shifted / (1.0 - shifted) * (1.0 - some) / some
    with np.errstate(over="ignore"):
        likelihood = evidence.likelihood * ratios
    if not np.all(likelihood <= LARGEST):
        what = f"multiply the odds of a disease by more than {LARGEST:g}"
        raise invalid("the assumptions and soft evidence", what, "weaken one of them")
    return replace(
        evidence,
        likelihood=likelihood,
        in_force=(*words, *evidence.in_force),
        dial=assumptions.dial,
    )


def check_assumptions(assumptions: Assumptions) -> list[Issue]:
    """What is wrong with the assumptions."""
    issues = []
    if not 0.0 <= assumptions.case_mix <= 2.0:
        issues.append(error(f"case mix {assumptions.case_mix!r}", "is outside [0, 2]"))
    if not 0.0 < assumptions.dial <= 1.0:
        issues.append(
            error(
                f"dial {assumptions.dial!r}",
                "is outside (0, 1]",
                "1 is the network itself; towards 0 there is exactly one disease",
            )
        )
    if not 0.0 <= assumptions.prior_shift < 1.0:
        issues.append(error(f"prior shift {assumptions.prior_shift!r}", "is outside [0, 1)"))
    return issues
