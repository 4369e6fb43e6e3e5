"""A doctor's own differential beside the network's, and the two fused."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hickam.evidence.case import Case
from hickam.inference.options import Options
from hickam.model.network import Network
from hickam.web.consult import Consultation, consult, find_diseases

# How much likelier a listed disease is made by its position; a plain default, not calibrated.
WEIGHTS = (12.0, 6.0, 4.0, 3.0, 2.5, 2.0)


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """The case read alone and together with the doctor's list."""

    listed: tuple[str, ...]
    weights: tuple[float, ...]
    alone: Consultation
    fused: Consultation


def second_opinion(
    network: Network, case: Case, listed: list[str], options: Options, findings: int
) -> Opinion:
    """The network's view of a case, with and without the doctor's differential as soft evidence."""
    ids = find_diseases(network, listed)
    weights = tuple(WEIGHTS[min(at, len(WEIGHTS) - 1)] for at in range(len(ids)))
    ratios = dict(case.likelihoods)
    for disease, weight in zip(ids, weights, strict=True):
        ratios[disease] = ratios.get(disease, 1.0) * weight
    alone = consult(network, case, options, findings)
    fused = consult(network, replace(case, likelihoods=ratios), options, findings)
    return Opinion(ids, weights, alone, fused)
