"""Where each ranker puts each patient's true disease."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hickam.evidence.case import Case
from hickam.hpo.build import Hpo
from hickam.hpo.likelihood import Fused
from hickam.infer import infer
from hickam.model.network import Floats
from hickam.study.published.left_out import Unread
from hickam.study.published.patients import Patient
from hickam.study.published.rankers import Ranker

MEASURES = ("posterior", "disablement", "sufficiency")
EXACT = 16  # findings up to which an answer is always exact
Tell = Callable[[int, int], None]  # (done, of)


def position(scores: Floats, truth: int) -> float:
    """The rank of the truth; among equals, the middle.

    >>> position(np.array([0.5, 0.9, 0.5]), 0)
    2.5
    """
    mine = scores[truth]
    return float(1 + (scores > mine).sum() + ((scores == mine).sum() - 1) / 2)


def all_scores(rankers: Sequence[Ranker], terms: Sequence[int]) -> dict[str, Floats]:
    """Ranker → [disease] scores; a fusion takes those of its parts."""
    found: dict[str, Floats] = {}
    for ranker in rankers:
        if not isinstance(ranker, Fused):
            found[ranker.name] = ranker.scores(terms)
    for ranker in rankers:
        if isinstance(ranker, Fused):
            parts = found[ranker.likelihood.name], found[ranker.similarity.name]
            found[ranker.name] = ranker.fuse(*parts)
    return found


def by_rankers(
    patients: Sequence[Patient], rankers: Sequence[Ranker], unread: Unread, tell: Tell
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Ranker → [patient] position with all annotations, and without the patient's own paper.

    The second is NaN where the paper is not cited, and where nothing is left of the disease.
    """
    known = {ranker.name: np.zeros(len(patients)) for ranker in rankers}
    left = {ranker.name: np.full(len(patients), np.nan) for ranker in rankers}
    for number, patient in enumerate(patients):
        instead = {} if patient.held_out else unread.without(patient.paper)
        every = all_scores(rankers, patient.terms)
        for ranker in rankers:
            scores = every[ranker.name]
            known[ranker.name][number] = position(scores, patient.disease)
            if not instead:
                continue
            for disease, rows in instead.items():
                scores[disease] = ranker.score(patient.terms, rows[0 if ranker.own else 1])
            if instead.get(patient.disease, ({1: 1.0},))[0]:
                left[ranker.name][number] = position(scores, patient.disease)
        tell(number + 1, len(patients))
    return known, left


def by_measures(
    cases: Sequence[tuple[int, ...]],
    truths: Sequence[tuple[int, ...]],
    hpo: Hpo,
    deadline: float,
    tell: Tell,
) -> tuple[dict[str, Floats], Mapping[str, int]]:
    """Measure → [case, truth] positions by inference over any number of diseases.

    Also how many cases each engine answered.
    """
    network = hpo.network
    found = {name: np.zeros((len(cases), len(truths[0]))) for name in MEASURES}
    engines: dict[str, int] = {}
    for number, (terms, true) in enumerate(zip(cases, truths, strict=True)):
        case = Case(present=[network.findings[term] for term in terms])
        if len(terms) <= EXACT:
            beliefs = infer(network, case)
        else:
            beliefs = infer(network, case, "sampling", deadline=deadline)
        engines[beliefs.accuracy.kind] = engines.get(beliefs.accuracy.kind, 0) + 1
        tables = (beliefs.posterior, beliefs.disabled.sum(axis=1), beliefs.sustained.sum(axis=1))
        for name, scores in zip(MEASURES, tables, strict=True):
            found[name][number] = [position(scores, truth) for truth in true]
        tell(number + 1, len(cases))
    return found, engines
