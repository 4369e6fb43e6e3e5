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


def all_scores(rankers: Sequence[Ranker], fused: Fused, terms: Sequence[int]) -> dict[str, Floats]:
    """Ranker → [disease] scores, those of the fusion among them."""
    found = {ranker.name: ranker.scores(terms) for ranker in rankers}
    return found | {fused.name: _fused(fused, found)}


def _fused(fused: Fused, found: Mapping[str, Floats]) -> Floats:
    """[disease] the scores of a fusion from those of its parts."""
    return fused.fuse(found[fused.likelihood.name], found[fused.similarity.name])


def by_rankers(
    patients: Sequence[Patient],
    rankers: Sequence[Ranker],
    fused: Fused,
    unread: Unread,
    tell: Tell,
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Ranker → [patient] position with all annotations, and without the patient's own paper.

    The second is NaN where the paper is not cited, and where nothing is left of the disease.
    """
    names = [*(ranker.name for ranker in rankers), fused.name]
    known = {name: np.zeros(len(patients)) for name in names}
    left = {name: np.full(len(patients), np.nan) for name in names}
    for number, patient in enumerate(patients):
        scores = all_scores(rankers, fused, patient.terms)
        for name in names:
            known[name][number] = position(scores[name], patient.disease)
        instead = {} if patient.held_out else unread.without(patient.paper)
        for ranker in rankers:
            for disease, rows in instead.items():
                scores[ranker.name][disease] = ranker.score(patient.terms, rows[ranker.rows])
        if instead and (patient.disease not in instead or instead[patient.disease]["own"]):
            scores[fused.name] = _fused(fused, scores)
            for name in names:
                left[name][number] = position(scores[name], patient.disease)
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
