"""States that the file lists in any order → along the scale that their names say, low to high.

A table of several states is read as one quantile that runs along its states, so that their order
matters. Where the names are grades of one scale, theirs is taken, whatever the order of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hickam.io.foreign.variables import Causes, Variable
from hickam.model.normal import words_of

GRADES = {
    0: "zero none absent ausente no never nil negative nothing ninguno ninguna",
    2: "low small reduced decreased red mild mld slight light minor leve few some weak rare poor",
    3: "normal mid medium moderate mod moderada average neutral fair middle",
    4: "high large increased incr raised severe sev severa marked strong many good grave",
    6: "total complete extreme excellent striking extensive",
}
RANKS = {word: rank for rank, words in GRADES.items() for word in words.split()}
ILLNESS = {"mild", "mld", "slight", "leve", "severe", "sev", "severa", "marked", "grave"}
MORE = {"v", "very"}


def along_scales(variables: Sequence[Variable]) -> list[Variable]:
    """The variables with their states, and the tables over them, along the scales of the names."""
    orders = {}
    for variable in variables:
        order = _order(variable.states) if variable.causes is None else None
        if order is not None:
            orders[variable.name] = order
    return [_ordered(variable, orders) for variable in variables]


def _order(states: Sequence[str]) -> list[int] | None:
    """The places of the states from low to high; None if their names are no scale of their own."""
    words = [words_of(state) for state in states]
    ill = any(ILLNESS & set(each) for each in words)
    ranks = [_rank(each, ill) for each in words]
    if len(states) < 3 or None in ranks or len(set(ranks)) < len(ranks):
        return None
    return sorted(range(len(states)), key=lambda place: ranks[place] or 0)


def _rank(words: list[str], ill: bool) -> int | None:
    """How high a state is; beside grades of an illness "normal" is as low as "none"."""
    more = len(words) == 2 and words[0] in MORE
    if len(words) != 1 + more or words[-1] not in RANKS:
        return None
    if ill and words == ["normal"]:
        return 0
    rank = RANKS[words[-1]]
    return rank + (1 if rank > 3 else -1) * more


def _ordered(variable: Variable, orders: dict[str, list[int]]) -> Variable:
    """One variable with its own states and those of its parents in these orders."""
    own = orders.get(variable.name)
    states = variable.states if own is None else tuple(variable.states[place] for place in own)
    rows, causes = variable.rows, variable.causes
    if rows is not None:
        for axis, name in enumerate((*variable.parents, variable.name)):
            rows = np.take(rows, orders[name], axis=axis) if name in orders else rows
    if causes is not None:
        each = list(zip(causes.parents, causes.parent_states, causes.given, strict=True))
        causes = Causes(
            causes.parents,
            tuple(tuple(s[i] for i in orders[p]) if p in orders else s for p, s, _ in each),
            tuple(rows[orders[p]] if p in orders else rows for p, _, rows in each),
            *(causes.leak, causes.largest),
        )
    return replace(variable, states=states, rows=rows, causes=causes)
