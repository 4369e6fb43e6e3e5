"""Cases drawn from a model: what could be seen of a patient that it describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hickam.evidence.case import Case
from hickam.model.scm import SCM

SEEN = 12  # findings that are looked at, present or not
MOST_PRESENT = 6
TRIES = 200  # patients drawn for one with a present finding


@dataclass(frozen=True, slots=True)
class Patient:
    """A drawn patient: the case as a doctor would see it, and the diseases behind it."""

    case: Case
    diseases: tuple[str, ...]


def patients(model: SCM, count: int, rng: np.random.Generator) -> list[Patient]:
    """So many patients with at least one present finding; fewer where hardly anyone has one."""
    found: list[Patient] = []
    for states in _draws(model, count * TRIES, rng):
        patient = _seen(model, states, rng)
        if patient.case.present:
            found.append(patient)
        if len(found) == count:
            break
    return found


def _draws(model: SCM, most: int, rng: np.random.Generator) -> Iterator[dict[str, int]]:
    """States of all nodes, drawn parents first, in batches."""
    batch = 256
    for _ in range(0, most, batch):
        drawn: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = {}
        for node in model:
            above = [drawn[parent] for parent in node.parents]
            noises = [
                rng.choice(len(chances), size=batch, p=chances / chances.sum())
                for chances in node.mechanism.noises
            ]
            states = node.mechanism.evaluate(above, noises)
            drawn[node.id] = np.broadcast_to(np.asarray(states, dtype=np.int64), (batch,))
        for position in range(batch):
            yield {node: int(states[position]) for node, states in drawn.items()}


def _seen(model: SCM, states: dict[str, int], rng: np.random.Generator) -> Patient:
    """What is looked at: some findings, each in its own state, and every risk factor."""
    looked = rng.permutation(len(model.findings))[:SEEN]
    names = [model.findings[int(position)] for position in looked]
    present = [name for name in names if states[name] != model.nodes[name].off][:MOST_PRESENT]
    absent = [name for name in names if states[name] == model.nodes[name].off]
    known = (*present, *model.risk_factors)
    named = {n: model.nodes[n].states[states[n]] for n in known if not model.nodes[n].binary}
    risks = {name: bool(states[name]) for name in model.risk_factors if model.nodes[name].binary}
    ill = tuple(name for name in model.diseases if states[name] != model.nodes[name].off)
    return Patient(Case(present, absent, risks, categories=named), ill)
