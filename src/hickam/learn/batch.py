"""Records cut into batches, with all that the E step needs and that does not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hickam.evidence.person import person_of
from hickam.learn.numbers import Numbers
from hickam.learn.recording import Column
from hickam.learn.records import Atoms, Records, atoms_of
from hickam.learn.settings import Settings, as_recorded, settings_of
from hickam.model.network import Floats, Network

AT_ONCE = 1000  # records of one batch
MOST_SETTINGS = 64  # of the open risk factors of one record


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some records as the E step takes them."""

    records: Records
    atoms: Atoms
    settings: Settings
    risk_factor: Floats  # [person, risk factor]  factors on the odds
    disease_factor: Floats  # [person, disease]
    leak_factor: Floats  # [person, finding]
    columns: Sequence[Column] = ()  # of which a model says what is written down


def batches(
    numbers: Numbers,
    records: Records,
    most_settings: int = MOST_SETTINGS,
    seed: int = 0,
    size: int = AT_ONCE,
    columns: Sequence[Column] = (),
) -> list[Batch]:
    """The records in batches, each with settings that are drawn once.

    By a model of what is written down, every setting is gone through, and none is listed here.
    """
    tables = person_tables(numbers.network, records.people)
    found = []
    for number, begin in enumerate(range(0, len(records), size)):
        some = records.take(slice(begin, begin + size))
        rng = np.random.default_rng([seed, number])
        settings = (
            as_recorded(some)
            if columns
            else settings_of(numbers, some, tables[0][some.person], most_settings, rng)
        )
        atoms = atoms_of(numbers.network, some.findings)
        found.append(Batch(some, atoms, settings, *tables, columns))
    return found


def person_tables(
    network: Network, people: Sequence[tuple[str | None, float | None]]
) -> tuple[Floats, Floats, Floats]:
    """[person, node] what sex and age multiply the odds of risk factors, diseases, leaks by."""
    layers = (network.risk_factors, network.diseases, network.findings)
    tables = tuple(np.ones((len(people), len(layer))) for layer in layers)
    for row, (sex, age) in enumerate(people):
        person = person_of(network, sex, age)
        if person.ratios is not None:
            tables[1][row] = person.ratios
        for table, factors in (
            (tables[0], person.circumstances.risk_factors),
            (tables[2], person.circumstances.leaks),
        ):
            for position, factor in factors:
                table[row, position] = factor
    return tables[0], tables[1], tables[2]
