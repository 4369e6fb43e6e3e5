"""How the answers of a table to several of its rows hang together under its coupling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hickam.model.mechanism import Gate, Table
from hickam.model.network import Floats, Ints


def joint_answers(
    table: Table, rows: Sequence[Ints], own: Ints, silenced: Sequence[bool]
) -> Floats:
    """[..., tuple] P(the table answers own[tuple, slot] in rows[slot], for all slots at once)."""
    if table.gate is not None:
        return _gate_answers(table, table.gate, rows, own, silenced)
    if table.pairs is not None and len(rows) == 2:
        return _paired_answers(table, rows, own)
    if table.coupling == "independent":
        chance = np.ones((*np.shape(rows[0]), len(own)))
        for slot, row in enumerate(rows):
            fresh = np.ones_like(chance, dtype=bool)
            for earlier in range(slot):
                same = np.asarray(rows[earlier] == row)[..., None]
                chance = np.where(same & (own[:, earlier] != own[:, slot]), 0.0, chance)
                fresh &= ~same
            chance *= np.where(fresh, table.flat[np.asarray(row)[..., None], own[:, slot]], 1.0)
        return chance
    upper = table.from_last
    lower = np.concatenate([upper[:, 1:], np.zeros((len(upper), 1))], axis=1)
    high = np.full((*np.shape(rows[0]), len(own)), np.inf)
    low = np.zeros_like(high)
    for slot, row in enumerate(rows):
        picked = np.asarray(row)[..., None]
        high = np.minimum(high, upper[picked, own[:, slot]])
        low = np.maximum(low, lower[picked, own[:, slot]])
    return np.maximum(high - low, 0.0)


def _paired_answers(table: Table, rows: Sequence[Ints], own: Ints) -> Floats:
    """The joint answers of two slots of a two-state table whose pairs of rows are given."""
    assert table.pairs is not None
    on = table.flat[:, 1]
    both = np.diag(on)
    for (first, second), chance in table.pairs.items():
        both[first, second] = chance
    a, b = rows
    t, p, q = both[a, b], on[a], on[b]
    joint = np.stack([1.0 - p - q + t, q - t, p - t, t], axis=-1)
    return np.maximum(joint[..., 2 * own[:, 0] + own[:, 1]], 0.0)


def _gate_answers(
    table: Table, gate: Gate, rows: Sequence[Ints], own: Ints, silenced: Sequence[bool]
) -> Floats:
    """The joint answers of a table with the noise of a gate, one quantile correcting all rows."""
    opened = _opened(table, gate)
    fails = np.array([link.fails for link in gate.links])
    keeps, gains = table.corrections
    count = len(rows)
    all_quiet: list[Floats] = []  # [set of slots] P(the gate is quiet in all of them)
    for chosen in range(1 << count):
        slots = [slot for slot in range(count) if chosen >> slot & 1]
        some = np.zeros((*np.shape(rows[0]), len(fails)), dtype=bool)
        quiet = np.ones(np.shape(rows[0]))
        for slot in slots:
            some |= opened[rows[slot]]
            if silenced[slot] and gate.kind == "and":
                quiet = np.where(opened[rows[slot]].any(axis=-1), 0.0, quiet)
        if any(not silenced[slot] or gate.kind == "and" for slot in slots):
            quiet = quiet * gate.own.fails
        all_quiet.append(quiet * np.where(some, fails, 1.0).prod(axis=-1))
    answers = np.zeros((*np.shape(rows[0]), len(own)))
    for chosen in range(1 << count):
        exactly = np.zeros(np.shape(rows[0]))
        for wider in range(1 << count):
            if wider & chosen == chosen:
                exactly += (-1.0) ** (wider ^ chosen).bit_count() * all_quiet[wider]
        low, high = np.zeros_like(answers), np.ones_like(answers)
        for slot, row in enumerate(rows):
            edge = (keeps if chosen >> slot & 1 else gains)[row][..., None]
            stays = own[:, slot] == table.quiet_state
            low = np.maximum(low, np.where(stays, 0.0, edge))
            high = np.minimum(high, np.where(stays, edge, 1.0))
        answers += np.maximum(exactly, 0.0)[..., None] * np.maximum(high - low, 0.0)
    return answers


def _opened(table: Table, gate: Gate) -> Ints:
    """[row, parent] whether the parent's state opens its link."""
    wanted = int(gate.kind == "or")
    states = np.indices(table.rows.shape[:-1]).reshape(len(table.parents), -1)
    return np.stack([state == wanted for state in table.as_taken(list(states))], axis=-1)
