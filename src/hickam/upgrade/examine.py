"""A model → what the counterfactual measures change about it, by sampled cases."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from hickam.beliefs.beliefs import Beliefs
from hickam.infer import infer
from hickam.issues import ImpossibleEvidence, InvalidInput, TooHard, invalid
from hickam.measures.scores import MEASURES
from hickam.model.kinds import Model, as_network, as_scm
from hickam.model.scm import SCM
from hickam.twin.identify import identify, quick_to_bound
from hickam.upgrade.patients import Patient, patients
from hickam.upgrade.tables import Reading, approximated, counts, readings
from hickam.words import counted

COMPARED = ("posterior", "disablement", "sufficiency")
CASES = 20
SECONDS = 60.0  # for all cases together
MEMORY = 400_000_000
ROUGH = 0.1  # stated error above which an answer is shown but not counted
SHOWN = 5  # candidates of a case that are listed
IDENTIFIED = 2  # cases whose measures are examined for what the tables leave open


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One sampled case under three measures."""

    present: tuple[str, ...]
    absent: tuple[str, ...]
    truth: tuple[str, ...]
    ranked: Mapping[str, tuple[tuple[str, float], ...]]  # measure → its first diseases with scores
    engine: str
    exact: bool
    error: float
    seconds: float
    states: Mapping[str, str] = field(default_factory=dict)  # of present findings with several

    @property
    def seen(self) -> tuple[str, ...]:
        """The present findings, each with the state that it was seen in, if it has several."""
        return tuple(f"{name} {self.states.get(name, '')}".strip() for name in self.present)

    @property
    def sure(self) -> bool:
        """Whether the answer is accurate enough to be compared."""
        return self.exact or self.error <= ROUGH

    def first(self, measure: str) -> str:
        """The disease that a measure ranks first; "" if all scores are zero."""
        best = self.ranked[measure]
        return best[0][0] if best and best[0][1] > 0.0 else ""


@dataclass(frozen=True, slots=True, eq=False)
class Upgrade:
    """What counterfactual diagnosis means on one model."""

    model: SCM
    layered: bool  # it is a three-layer noisy-OR network, and the fast engines answer
    readings: Sequence[Reading]
    cases: Sequence[Compared]
    refused: Mapping[str, int]  # reason → cases without an answer
    statuses: Mapping[str, int]  # how far measures are determined, over the examined cases
    approximate: Mapping[str, float] = field(default_factory=dict)  # measure → share unchanged
    asked: int = 0

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many nodes are read in each way."""
        return counts(self.readings)

    @property
    def differ(self) -> Mapping[str, float]:
        """Counterfactual measure → share of cases whose first disease is not the posterior's."""
        sure = [case for case in self.cases if case.sure]
        if not sure:
            return {}
        return {
            measure: sum(c.first(measure) != c.first("posterior") for c in sure) / len(sure)
            for measure in COMPARED[1:]
        }

    @property
    def headline(self) -> str:
        """How often the first disease is another one, with what that rests on; may be empty."""
        if not self.differ:
            return ""
        shares = [f"{100 * share:.0f} % by {measure}" for measure, share in self.differ.items()]
        basis = f"Resting on {self.model.guessed}, the" if self.model.guessed else "The"
        cases = counted(sum(case.sure for case in self.cases), "case")
        what = "first disease is another than by posterior in"
        return f"{basis} {what} {' and '.join(shares)} of {cases}."

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        return {
            "model": self.model.name,
            "headline": self.headline,
            "guessed": asdict(self.model.guessed),
            "layered": self.layered,
            "roles": {
                role: len(self.model.of_role(role))
                for role in ("risk factor", "disease", "finding", "other")
            },
            "mechanisms": dict(self.kinds),
            "nodes": [reading.to_dict() for reading in self.readings],
            "asked": self.asked,
            "refused": dict(self.refused),
            "identification": dict(self.statuses),
            "differs_from_posterior": dict(self.differ),
            "first_unchanged_by_approximation": dict(self.approximate),
            "cases": [
                {
                    "present": list(case.present),
                    "states": dict(case.states),
                    "absent": list(case.absent),
                    "truth": list(case.truth),
                    "ranked": {m: [list(pair) for pair in r] for m, r in case.ranked.items()},
                    "engine": case.engine,
                    "exact": case.exact,
                    "error": case.error,
                    "seconds": case.seconds,
                }
                for case in self.cases
            ],
        }


def upgrade(
    model: Model, *, cases: int = CASES, seed: int = 0, seconds: float = SECONDS
) -> Upgrade:
    """What counterfactual diagnosis means on a model, by cases drawn from it.

    `seconds` bounds all cases together: those that are not reached are counted as refused.
    """
    scm = as_scm(model)
    for role, layer in (("disease", scm.diseases), ("finding", scm.findings)):
        if not layer:
            fix = "set roles with 'hickam convert --roles' or --disease and --finding"
            raise invalid(f"model '{scm.name}'", f"has no {role}", fix)
    found = readings(scm)
    drawn = patients(scm, cases, np.random.default_rng(seed))
    network = as_network(model)
    asked: Model = scm if network is None else network
    compared, refused = _compare(asked, drawn, seconds)
    close = approximated(scm, found)
    changed = any(reading.near and reading.nearest is not None for reading in found)
    return Upgrade(
        scm,
        network is not None,
        found,
        [one for one in compared if one is not None],
        refused,
        _identification(scm, drawn),
        _unchanged(close, drawn, compared, seconds / 2.0) if changed else {},
        len(drawn),
    )


def _compare(
    model: Model, drawn: Sequence[Patient], seconds: float
) -> tuple[list[Compared | None], dict[str, int]]:
    """Each patient under three measures, None where there is no answer; and the reasons."""
    began = time.perf_counter()
    found: list[Compared | None] = []
    refused: Counter[str] = Counter()
    for patient in drawn:
        left = seconds - (time.perf_counter() - began)
        if left <= 0.0:
            refused["not reached in the time given"] += 1
            found.append(None)
            continue
        try:
            found.append(_one(model, patient, left))
        except (TooHard, ImpossibleEvidence, InvalidInput) as bad:
            refused[bad.issues[0].what] += 1
            found.append(None)
    return found, dict(refused)


def _one(model: Model, patient: Patient, seconds: float) -> Compared:
    """One patient under three measures."""
    began = time.perf_counter()
    beliefs: Beliefs = infer(model, patient.case, deadline=max(seconds, 0.1), memory=MEMORY)
    spent = time.perf_counter() - began
    ranked = {}
    for measure in COMPARED:
        scores = MEASURES[measure](beliefs, np.ones(len(beliefs.present)))
        order = np.argsort(-scores, kind="stable")[:SHOWN]
        ranked[measure] = tuple((model.diseases[int(i)], float(scores[int(i)])) for i in order)
    how = beliefs.accuracy
    return Compared(
        tuple(patient.case.present),
        tuple(patient.case.absent),
        patient.diseases,
        ranked,
        beliefs.engine,
        how.kind == "exact",
        how.error,
        spent,
        {str(n): str(s) for n, s in patient.case.categories.items() if n in patient.case.present},
    )


def _unchanged(
    close: SCM, drawn: Sequence[Patient], compared: Sequence[Compared | None], seconds: float
) -> dict[str, float]:
    """Measure → share of cases whose first disease stays with near tables made noisy-OR."""
    again, _ = _compare(close, drawn, seconds)
    both = zip(compared, again, strict=True)
    pairs = [(a, b) for a, b in both if a and b and a.sure and b.sure]
    if not pairs:
        return {}
    return {
        measure: sum(a.first(measure) == b.first(measure) for a, b in pairs) / len(pairs)
        for measure in COMPARED
    }


def _identification(model: SCM, drawn: Sequence[Patient]) -> dict[str, int]:
    """Status → measures of diseases with that status, over a few small cases."""
    statuses: Counter[str] = Counter()
    examined = 0
    for patient in drawn:
        if examined == IDENTIFIED:
            break
        if not quick_to_bound(model, patient.case.present):
            continue
        try:
            found = identify(model, patient.case, MEMORY)
        except (TooHard, ImpossibleEvidence):
            continue
        examined += 1
        statuses.update(one.status for one in found)
    return dict(statuses)
