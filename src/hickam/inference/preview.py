"""What every unasked finding would tell: its chance, and the beliefs after either answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hickam.evidence.case import Evidence
from hickam.inference.base import Accuracy
from hickam.inference.options import Limits
from hickam.inference.reduce import reduce
from hickam.inference.solve import solve
from hickam.model.network import Floats, Ints, Network


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The three measures of every disease, one row per situation."""

    posterior: Floats  # [situation, disease]
    disablement: Floats  # [situation, disease]  expected disablement
    sufficiency: Floats  # [situation, disease]  expected sufficiency


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """The answers to every finding that is neither present nor absent, before asking.

    Where an answer is impossible (chance 0 or 1), its row repeats the beliefs of now.
    """

    findings: Ints  # [asked]  positions of the unasked findings
    chance: Floats  # [asked]  P(finding present | evidence)
    now: Scores  # one row: the beliefs before asking
    if_present: Scores  # [asked, disease]
    if_absent: Scores  # [asked, disease]
    accuracy: Accuracy  # of the worst of all these answers


def preview(network: Network, evidence: Evidence, limits: Limits | None = None) -> Preview:
    """The chance of every unasked finding and every disease's scores after either answer."""
    limits = limits or Limits()
    asked = np.ones(len(network.findings), dtype=bool)
    asked[evidence.present] = False
    asked[evidence.absent] = False
    findings = np.flatnonzero(asked)
    _, now, accuracy = _scores(network, evidence, limits)
    chance = np.zeros(len(findings))
    rows: dict[str, list[Floats]] = {"present": [], "absent": []}
    for position, finding in enumerate(findings):
        logs = {}
        for answer in ("present", "absent"):
            asking = _answered(evidence, int(finding), answer == "present")
            logs[answer], scores, how = _scores(network, asking, limits)
            rows[answer].append(scores if logs[answer] > -np.inf else now)
            accuracy = max(accuracy, how, key=lambda one: (not one.exact, one.error))
        chance[position] = _share(logs["present"], logs["absent"])
    empty = np.zeros((0, *now.shape))
    return Preview(
        findings=findings,
        chance=chance,
        now=_table(now[None]),
        if_present=_table(np.array(rows["present"]) if rows["present"] else empty),
        if_absent=_table(np.array(rows["absent"]) if rows["absent"] else empty),
        accuracy=accuracy,
    )


def _answered(evidence: Evidence, finding: int, present: bool) -> Evidence:
    """The evidence with one more answer."""
    if present:
        return replace(evidence, present=np.append(evidence.present, finding))
    return replace(evidence, absent=np.append(evidence.absent, finding))


def _scores(network: Network, evidence: Evidence, limits: Limits) -> tuple[float, Floats, Accuracy]:
    """log P(evidence), [measure, disease] the three measures, and their accuracy."""
    problem = reduce(network, evidence)
    tables, _, accuracy = solve(problem, limits)
    scores = np.zeros((3, problem.size))
    scores[0] = problem.elsewhere
    scores[0, problem.rows] = tables.posterior
    scores[1, problem.rows] = tables.disabled.sum(axis=1)
    scores[2, problem.rows] = tables.sustained.sum(axis=1)
    return tables.log_evidence + problem.log_scale, scores, accuracy


def _share(log_one: float, log_other: float) -> float:
    """The first of two probabilities over their sum."""
    if log_one == -np.inf:
        return 0.0
    return float(1.0 / (1.0 + np.exp(min(log_other - log_one, 700.0))))


def _table(scores: Floats) -> Scores:
    """[situation, measure, disease] as scores."""
    return Scores(scores[:, 0], scores[:, 1], scores[:, 2])
