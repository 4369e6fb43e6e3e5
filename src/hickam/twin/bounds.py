"""Sharp bounds on a counterfactual over every coupling that a bare table leaves open.

A table says how likely each answer is for each row of parents, not how the answers for different
rows hang together. Its coupling is any distribution over response functions (row → answer) with the
table's rows as marginals. The probability of a counterfactual is linear in the coupling of each
table, so that with one open table its extremes are a linear program.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hickam.model.mechanism import Table
from hickam.twin.exact import Setting
from hickam.twin.extremes import MOST_CORNERS, Demand, extremes, worlds_of
from hickam.twin.factorise import factorise, slot_rows
from hickam.twin.product import Product
from hickam.twin.worlds import Action, Twin

NO_ROOM = 1e-9  # width of bounds that is no more than the rounding of a linear program


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which values a probability lies over all couplings, and what is known of them."""

    lower: float
    upper: float
    status: str  # "identified" | "monotone" | "bounded" | "open"
    tables: tuple[str, ...]  # the bare tables whose coupling matters
    why: str  # one sentence
    computed: bool = True  # whether the bounds are sharp; if not they say nothing


def bound(
    setting: Setting,
    actions: Sequence[Action],
    wanted: Sequence[Sequence[Demand]],
    value: float,
    most_corners: int = MOST_CORNERS,
) -> Bounds:
    """The sharp bounds of the sum of P(demands | evidence) over the wanted events.

    `value` is that sum under the named couplings.
    """
    twins = [worlds_of(setting, actions, demands) for demands in wanted]
    open_tables = dict.fromkeys(
        name for twin in twins for name in twin.places if _is_open(twin, name)
    )
    if not open_tables:
        why = "no bare table is answered in more than one way: the mechanisms settle it"
        return Bounds(value, value, "identified", (), why)
    names = tuple(open_tables)
    found = extremes(setting, actions, wanted, names, most_corners)
    monotone = all(
        _monotone(factorise(twin, setting.weights, demands), name)
        for twin, demands in zip(twins, wanted, strict=True)
        for name in names
        if name in twin.places and _is_open(twin, name)
    )
    listed = ", ".join(dict.fromkeys(f"'{setting.model.shown(name)}'" for name in names))
    if isinstance(found, str):
        why = f"depends on how the noise of {listed} couples; no bounds: {found}"
        status = "monotone" if monotone else "open"
        return Bounds(0.0, float(len(wanted)), status, names, why, False)
    lower, upper = found
    if upper - lower < NO_ROOM:
        why = f"the tables of {listed} leave no room: every coupling gives this value"
        return Bounds(value, value, "identified", names, why)
    if monotone:
        why = (
            f"the table of {listed} is monotone in what changes: identified if no cause acts both "
            "ways; the bounds allow for every coupling"
        )
        return Bounds(lower, upper, "monotone", names, why)
    why = f"depends on how the noise of {listed} couples, which a table does not say"
    return Bounds(lower, upper, "bounded", names, why)


def _slots(twin: Twin, name: str) -> list[int]:
    """The slots of a node that are needed."""
    return [j for j in range(len(twin.places[name].slots)) if (name, j) in twin.needed]


def _is_open(twin: Twin, name: str) -> bool:
    """Whether a bare table must answer in more than one row with the same noise."""
    table = twin.places[name].node.mechanism
    return isinstance(table, Table) and table.bare and len(_slots(twin, name)) > 1


def _direction(table: Table, parent: int, start: int, end: int) -> int:
    """1 or -1 if a move of a parent moves P(on) up or down in every row, 0 in none, 2 if both."""
    moved = np.take(table.rows, end, axis=parent) - np.take(table.rows, start, axis=parent)
    steps = moved[..., 1]
    up, down = bool((steps > 1e-12).any()), bool((steps < -1e-12).any())
    return 2 if up and down else int(up) - int(down)


def _monotone(product: Product, name: str) -> bool:
    """Whether a table of two states, read as monotone, is only asked in rows that are ordered.

    Then each answer in the lower row is kept in the upper one, whatever else the noise does.
    """
    place = product.twin.places[name]
    table = place.node.mechanism
    assert isinstance(table, Table)
    if table.coupling != "monotone" or table.rows.shape[-1] != 2:
        return False
    _, rows = slot_rows(product, place)
    for first, second in itertools.combinations(rows, 2):
        for pair in {*zip(first.ravel().tolist(), second.ravel().tolist(), strict=True)}:
            one, other = (np.unravel_index(row, table.rows.shape[:-1]) for row in pair)
            moves = enumerate(zip(map(int, one), map(int, other), strict=True))
            signs = {_direction(table, parent, *ends) for parent, ends in moves} - {0}
            if 2 in signs or len(signs) > 1:
                return False
    return True
