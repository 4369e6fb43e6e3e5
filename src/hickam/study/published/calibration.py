"""How far a single-fault posterior must be tempered to mean what it says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.hpo.likelihood import Likelihood
from hickam.study.published.patients import Patient

POWERS = np.round(np.arange(0.1, 1.01, 0.05), 2)


def temper(patients: Sequence[Patient], likelihood: Likelihood) -> tuple[float, dict[float, float]]:
    """The power of the likelihood ratio that fits best, and power → mean log posterior of truths.

    Findings of one patient come together more than the network says, so that the product of their
    ratios is too sure of itself; each paper counts once.
    """
    size: dict[str, int] = {}
    for patient in patients:
        size[patient.paper] = size.get(patient.paper, 0) + 1
    total = np.zeros(len(POWERS))
    for patient in patients:
        scores = likelihood.scores(patient.terms)
        for number, power in enumerate(POWERS):
            raised = power * scores
            peak = raised.max()
            log_all = peak + np.log(np.exp(raised - peak).sum())
            total[number] += (raised[patient.disease] - log_all) / size[patient.paper]
    total /= len(size)
    return float(POWERS[int(total.argmax())]), dict(
        zip(POWERS.tolist(), total.tolist(), strict=True)
    )
