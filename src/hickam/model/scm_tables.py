"""A conditional table as a document gives it, and what all nodes are before their mechanism."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hickam.issues import Hints, Issue, Kind, did_you_mean, error
from hickam.model.mechanism import COUPLINGS, Gate, Table
from hickam.model.network import Floats
from hickam.model.recognise import recognise

Path = tuple[str | int, ...]

SUM_TOLERANCE = 1e-6
MOST_CELLS = 1 << 20
MOST_PARENTS = 30  # an array has no more axes
NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Draft:
    """A node before its mechanism is read."""

    id: str
    role: str
    states: tuple[str, ...]  # two states: "off" first
    flipped: bool  # the document lists "on" first
    normal: int | None  # position of the normal state among the states
    where: str
    path: Path


class Drafts(dict[str, Draft]):
    """The nodes of a document by id, before their mechanisms are read."""

    @cached_property
    def hints(self) -> Hints:
        """Fixes for names that no node has."""
        return Hints(self)


def is_known(node: str, where: str, path: Path, drafts: Drafts, issues: list[Issue]) -> bool:
    """Whether a parent is a node of the model; if not, an issue."""
    if node in drafts:
        return True
    fix = drafts.hints.fix(node) or "add it to 'nodes'"
    issues.append(error(where, "is not in the model", fix, path))
    return False


def read_table(
    draft: Draft, item: Mapping[str, Any], drafts: Drafts, issues: list[Issue]
) -> Table | Gate | None:
    """A conditional table over listed parents, or the gate that it is: stated, or by its shape."""
    place: Path = (*draft.path, "table")
    coupling = str(item.get("coupling", COUPLINGS[0]))
    if coupling not in COUPLINGS:
        fix = did_you_mean(coupling, COUPLINGS)
        path: Path = (*draft.path, "coupling")
        issues.append(error(draft.where, f"has the coupling {coupling!r}", fix, path))
    listed = item.get("parents") or []
    if not isinstance(listed, list):
        issues.append(
            error(draft.where, "has parents that are not a list", "", (*draft.path, "parents"))
        )
        return None
    parents = tuple(str(parent) for parent in listed)
    known = [
        is_known(
            parent, f"{draft.where}: parent '{parent}'", (*draft.path, "parents"), drafts, issues
        )
        for parent in parents
    ]
    if len(set(parents)) < len(parents):
        issues.append(error(draft.where, "lists a parent twice", "", (*draft.path, "parents")))
        return None
    if not all(known):
        return None
    if "table" not in item:
        issues.append(error(draft.where, "has parents but no table", "give 'table'", draft.path))
        return None
    above = [drafts[parent] for parent in parents]
    shape = tuple(len(parent.states) for parent in above)
    cells = math.prod(shape) * len(draft.states)
    if cells > MOST_CELLS or len(shape) > MOST_PARENTS:
        what = f"has {len(shape)} parents and so {cells:,} cells (at most {MOST_CELLS:,})"
        fix = "write it with 'causes' and 'leak', or put 'other' nodes between"
        issues.append(error(f"{draft.where}: table", what, fix, place, Kind.TOO_LARGE))
        return None
    rows = _rows(draft, item["table"], above, shape, place, issues)
    if rows is None:
        return None
    table = rows.reshape(*shape, len(draft.states))
    for axis, node in enumerate((*above, draft)):
        if node.flipped:
            table = np.flip(table, axis=axis)
    table = np.ascontiguousarray(table)
    table.setflags(write=False)
    found = Table(parents, table, coupling)
    if coupling == "gate":
        gate = recognise(found, parents=0)
        if gate is None:
            what = "has the coupling 'gate', and its table is no noisy-OR or noisy-AND"
            fix = f"take {' or '.join(repr(name) for name in COUPLINGS[:2])}"
            issues.append(error(draft.where, what, fix, (*draft.path, "coupling")))
        return gate
    return found if "coupling" in item else (recognise(found) or found)


def _rows(
    draft: Draft,
    value: object,
    above: list[Draft],
    shape: tuple[int, ...],
    path: Path,
    issues: list[Issue],
) -> Floats | None:
    """[row, own state] in the document's order, or None after an issue."""
    count = math.prod(shape)
    where = f"{draft.where}: table"
    if isinstance(value, Mapping):
        value = _named_rows(value, where, above, path, issues)
        if value is None:
            return None
    if not above:
        value = [value] if not (isinstance(value, list) and value and _nested(value)) else value
    flat = _flatten(value, len(draft.states))
    if len(flat) != count:
        names = ", ".join(parent.id for parent in above) or "no parents"
        fix = f"give one row for each combination of {names}, the last one fastest"
        issues.append(error(where, f"has {len(flat)} rows instead of {count}", fix, path))
        return None
    rows = np.zeros((count, len(draft.states)))
    good = True
    for position, row in enumerate(flat):
        numbers = _row(row, len(draft.states), draft.flipped)
        if numbers is None:
            label = f"{where}: row {position + 1}{_row_name(position, above, shape)}"
            states = ", ".join(draft.states[:NAMES_SHOWN])
            fix = f"give {len(draft.states)} probabilities, for {states}"
            issues.append(error(label, f"is {row!r:.60}", fix, path))
            good = False
            continue
        total = math.fsum(numbers)
        if abs(total - 1.0) > SUM_TOLERANCE:
            label = f"{where}: row {position + 1}{_row_name(position, above, shape)}"
            fix = "make the probabilities sum to 1"
            issues.append(error(label, f"sums to {total:g}", fix, path))
            good = False
            continue
        rows[position] = np.array(numbers) / (1.0 if abs(total - 1.0) < 1e-12 else total)
    return rows if good else None


def _nested(value: list[Any]) -> bool:
    """Whether a list holds lists."""
    return isinstance(value[0], list)


def _flatten(value: object, width: int) -> list[Any]:
    """The rows of a list, however deeply nested; a row is a list of numbers or one number."""
    if not isinstance(value, list):
        return [value]
    rows: list[Any] = []
    for part in value:
        if isinstance(part, list) and part and isinstance(part[0], list):
            rows += _flatten(part, width)
        else:
            rows.append(part)
    return rows


def _row(row: object, width: int, flipped: bool) -> list[float] | None:
    """A row as probabilities in the document's order of states; one number is P(on)."""

    def chance(value: object) -> bool:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and 0.0 <= value <= 1.0  # type: ignore[operator]

    if chance(row) and width == 2:
        on = float(row)  # type: ignore[arg-type]
        return [on, 1.0 - on] if flipped else [1.0 - on, on]
    if isinstance(row, list) and len(row) == width and all(chance(value) for value in row):
        return [float(value) for value in row]
    return None


def _named_rows(
    value: Mapping[Any, Any], where: str, above: list[Draft], path: Path, issues: list[Issue]
) -> list[Any] | None:
    """Rows keyed "state, state" in the order of the parents, as a list in row order."""
    declared = [parent.states[::-1] if parent.flipped else parent.states for parent in above]
    shape = tuple(len(states) for states in declared)
    hints = [Hints(states) for states in declared]
    rows: dict[int, Any] = {}
    good = True
    for key, row in value.items():
        names = [
            part.strip()
            for part in (str(key).lower() if isinstance(key, bool) else str(key)).split(",")
        ]
        unknown = [
            (name, hint)
            for name, states, hint in zip(names, declared, hints, strict=False)
            if name not in states
        ]
        if len(names) != len(declared):
            listed = ", ".join(parent.id for parent in above)
            fix = f"write a state for each of {listed}, with commas"
            issues.append(error(f"{where}: row '{key}'", f"names {len(names)} states", fix, path))
            good = False
            continue
        for name, hint in unknown:
            fix = hint.fix(name)
            issues.append(error(f"{where}: row '{key}'", f"has no state '{name}'", fix, path))
            good = False
        if not unknown:
            position = tuple(s.index(n) for n, s in zip(names, declared, strict=True))
            rows[int(np.ravel_multi_index(position, shape))] = row
    missing = [position for position in range(math.prod(shape)) if position not in rows]
    if good and missing:
        first = _row_name(missing[0], above, shape)
        what = f"lacks {len(missing)} rows, the first{first}"
        issues.append(error(where, what, "give every combination of parents", path))
    return [rows[i] for i in range(len(rows))] if good and not missing else None


def _row_name(position: int, above: list[Draft], shape: tuple[int, ...]) -> str:
    """(parent = state, …) of a row, for messages."""
    if not above:
        return ""
    where = np.unravel_index(position, shape)
    declared = [parent.states[::-1] if parent.flipped else parent.states for parent in above]
    parts = [f"{p.id} = {s[int(i)]}" for p, s, i in zip(above, declared, where, strict=True)]
    return f" ({', '.join(parts)})"
