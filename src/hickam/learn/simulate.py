"""Records drawn from a network, with values missing by chance: to try learning, and to test it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.learn.batch import person_tables
from hickam.learn.by_engine import turn
from hickam.learn.numbers import KINDS, Numbers
from hickam.learn.records import UNKNOWN, Records, States
from hickam.model.is_a import kinds_of

Person = tuple[str | None, float | None]


def simulate_records(
    numbers: Numbers,
    count: int,
    rng: np.random.Generator,
    *,
    missing: float = 0.0,
    hide_risks: float | None = None,
    hide_diseases: float | None = None,
    people: Sequence[Person] = ((None, None),),
) -> Records:
    """Patients as the network makes them; each value is missing with the same chance.

    What is missing does not depend on what it would have been. Risk factors and diseases may be
    missing more or less often than findings.
    """
    person = rng.integers(0, len(people), count)
    tables = [table[person] for table in person_tables(numbers.network, people)]
    risks, diseases, findings = _draw(numbers, tables, rng)
    shares = (hide_risks, hide_diseases, missing)
    for table, share in zip((risks, diseases, findings), shares, strict=True):
        hidden = rng.random(table.shape, dtype=np.float32) < (missing if share is None else share)
        table[hidden] = UNKNOWN
    return Records(
        risks, diseases, findings, person, tuple(people), np.ones(count), np.arange(2, count + 2)
    )


def _draw(
    numbers: Numbers, tables: Sequence[np.ndarray], rng: np.random.Generator
) -> tuple[States, States, States]:
    """[record, node] the risk factors, diseases and findings of patients."""
    own, kinds = numbers.network, kinds_of(numbers.network)
    prior, leak, cause, finding_leak, effect = (
        numbers.values[numbers.of_kind(kind)] for kind in KINDS
    )
    size = len(tables[0])
    risks = rng.random((size, len(prior))) < turn(prior, tables[0]).chance
    log_off = np.tile(np.log1p(-leak), (size, 1))
    for link in range(len(own.causes)):
        log_off[:, own.causes.effect[link]] += np.where(
            risks[:, own.causes.cause[link]], np.log1p(-cause[link]), 0.0
        )
    diseases = rng.random(log_off.shape) < turn(-np.expm1(log_off), tables[1]).chance
    findings = rng.random((size, len(finding_leak))) < turn(finding_leak, tables[2]).chance
    for link in range(len(own.effects)):
        ill = np.flatnonzero(diseases[:, own.effects.cause[link]])
        fired = ill[rng.random(len(ill)) < effect[link]]
        findings[fired, own.effects.effect[link]] = True
    for kind, above in kinds.above.items():
        for wider in above:
            findings[:, wider] |= findings[:, kind]
    return risks.astype(np.int8), diseases.astype(np.int8), findings.astype(np.int8)
