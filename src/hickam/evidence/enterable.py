"""What can be entered about a patient, and how: for whoever draws a form or asks questions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from hickam.model.described import Described
from hickam.model.network import Category, Entry


class How(StrEnum):
    """How something is entered."""

    YES_OR_NO = "yes or no"
    ONE_OF = "one of"
    NUMBER = "number"  # with a unit; where there are choices, one of them instead


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that can be known about a patient."""

    kind: str  # "finding", "risk factor" or "category": where a case holds it
    id: str
    name: str
    synonyms: tuple[str, ...]
    how: How
    of: str = ""  # the finding that it is a kind of or describes: asked once that is present
    group: str = ""
    cost: float = 1.0
    choices: tuple[str, ...] = ()
    units: tuple[str, ...] = ()  # its own first
    range: tuple[float, float] | None = None


@lru_cache(maxsize=32)
def fields_of(network: Described) -> tuple[Field, ...]:
    """Everything that can be entered besides sex and age, in the order of the network.

    >>> import hickam
    >>> fields_of(hickam.load("smoker"))[0].how
    <How.YES_OR_NO: 'yes or no'>
    """
    return (
        *(_yes_or_no("finding", network.entries[node]) for node in network.findings),
        *(_yes_or_no("risk factor", network.entries[node]) for node in network.risk_factors),
        *map(_with_values, network.categories),
    )


def _yes_or_no(kind: str, entry: Entry) -> Field:
    return Field(
        kind,
        entry.id,
        entry.name,
        entry.synonyms,
        How.YES_OR_NO,
        of=entry.is_a,
        group=entry.group,
        cost=entry.cost,
    )


def _with_values(category: Category) -> Field:
    scale = category.scale
    return Field(
        "category",
        category.id,
        category.name,
        category.synonyms,
        How.ONE_OF if scale is None else How.NUMBER,
        of=category.of,
        cost=category.cost,
        choices=category.values,
        units=() if scale is None else tuple(u for u in (scale.unit, *scale.units) if u),
        range=None if scale is None else scale.range,
    )
