"""The variables of a network in a foreign format, as a reader gives them, and their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hickam.issues import InvalidInput, Issue, Kind, error, warning
from hickam.model.network import Floats

MOST_CELLS = 1 << 22  # of one table, before anything of its size is made
MOST_VARIABLES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Causes:
    """A noisy MAX or MIN as a file has it; the states of the variable are ordered upwards."""

    parents: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    given: tuple[Floats, ...]  # per parent: [parent state, own state]
    leak: Floats  # [own state]
    largest: bool = True  # MAX, not MIN


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """One variable as a file has it.

    Its mechanism is `rows`, the table [state of parent 1, …, own state], or `causes`, or for a
    noisy gate the keys of the document in `gate`. `facts` are further keys, such as its name.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...] = ()
    rows: Floats | None = None
    gate: Mapping[str, Any] | None = None
    causes: Causes | None = None
    role: str = ""  # as the file says it; empty: to be guessed
    normal: str = ""  # as the file says it; empty: by the names of the states
    facts: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


def check_cells(where: str, sizes: Sequence[int], file: str, line: int | None) -> None:
    """Refuse a table whose sizes multiply to more than any model has."""
    cells = math.prod(sizes)
    if cells > MOST_CELLS:
        what = f"would have {cells:,} cells (at most {MOST_CELLS:,})"
        raise bad(file, line, where, what, kind=Kind.TOO_LARGE)


def check_parents(
    where: str, node: str, parents: Sequence[str], file: str, line: int | None
) -> None:
    """Refuse a variable that is its own parent, or has one twice."""
    if node in parents or len(set(parents)) < len(parents):
        raise bad(file, line, where, "has a parent twice, or itself as parent")


def by_agrum(file: str) -> Issue:
    """That a file is read as aGrUM means it, which is not as its format does."""
    what = "was written by aGrUM, which lists parents in another order than its format"
    return replace(warning("the file", what, "it is read as aGrUM does"), file=file)


def turned_round(flat: Floats, shape: Sequence[int]) -> Floats:
    """[parent 1, …, own state] of numbers that run over the own states, then parent 1, fastest."""
    rows = flat.reshape((*shape[-2::-1], shape[-1]))
    count = len(shape) - 1
    return np.transpose(rows, (*range(count - 1, -1, -1), count))


def bad(
    file: str, line: int | None, where: str, what: str, fix: str = "", kind: Kind = Kind.OTHER
) -> InvalidInput:
    """The error that a reader raises, with its place."""
    return InvalidInput([replace(error(where, what, fix, kind=kind), file=file, line=line)])
