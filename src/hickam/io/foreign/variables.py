"""The variables of a network in a foreign format → a checked general model.

A reader gives a list of `Variable`s; what they have in common is done here: roles, rows that the
file rounded, and the checks of `build_scm`, whose issues are placed by the line of the variable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from hickam.io.foreign.roles import guess_roles
from hickam.io.form import Reading
from hickam.issues import InvalidInput, Issue, Kind, error, errors, warning
from hickam.model.network import Floats
from hickam.model.scm_build import NO_NORMAL, build_scm
from hickam.words import counted

ROUNDED = 5e-3  # how far a row may be from 1 to be taken as rounded, and be made to sum to 1
EXACT = 1e-12  # how far it may be from 1 to be left as it is
MOST_CELLS = 1 << 22  # of one table, before anything of its size is made
MOST_VARIABLES = 100_000
SHOWN = 8  # variables that a message names


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """One variable as a file has it.

    `rows` is the table [state of parent 1, …, own state] or, for a noisy gate, `gate` holds the
    keys of the mechanism instead. `facts` are further keys of the entry, such as its name.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...] = ()
    rows: Floats | None = None
    gate: Mapping[str, Any] | None = None
    role: str = ""  # as the file says it; empty: to be guessed
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


def bad(
    file: str, line: int | None, where: str, what: str, fix: str = "", kind: Kind = Kind.OTHER
) -> InvalidInput:
    """The error that a reader raises, with its place."""
    return InvalidInput([replace(error(where, what, fix, kind=kind), file=file, line=line)])


def reading(parse: Callable[[], tuple[str, Sequence[Variable]]], file: str) -> Reading:
    """The model of a file's name and variables, or None, and every issue, those of parsing too."""
    try:
        name, variables = parse()
    except InvalidInput as wrong:
        return None, wrong.issues
    return model_of(variables, name, file)


def model_of(variables: Sequence[Variable], name: str, file: str) -> Reading:
    """The model of a file's variables, or None, and every issue."""
    if not variables:
        return None, bad(file, None, "the file", "has no variables").issues
    empty = next((variable for variable in variables if not variable.states), None)
    if empty is not None:
        return None, bad(file, empty.line, f"variable '{empty.name}'", "has no states").issues
    issues: list[Issue] = []
    guessed = guess_roles(
        {v.name: v.parents for v in variables}, {v.name for v in variables if _settled(v)}
    )
    nodes = []
    for variable in variables:
        node: dict[str, Any] = {
            "id": variable.name,
            "role": variable.role or guessed[variable.name],
            "states": list(variable.states),
            **variable.facts,
        }
        if variable.gate is not None:
            node |= variable.gate
        else:
            rows, rounded = _summing_to_one(variable)
            if rounded is not None:
                what = f"has rows that sum to as little or as much as {rounded:.6g}"
                found = warning(f"variable '{variable.name}'", what, "they were scaled to sum to 1")
                issues.append(replace(found, file=file, line=variable.line))
            node |= {"parents": list(variable.parents), "table": rows}
        nodes.append(node)
    named = name or PurePath(file).name.split(".")[0]
    model, found_issues = build_scm({"hickam": 1, "name": named, "nodes": nodes})
    for issue in _gathered(found_issues, nodes):
        position = issue.path[1] if len(issue.path) > 1 else None
        line = variables[position].line if isinstance(position, int) else None
        issues.append(replace(issue, file=file, line=line))
    if model is not None and not any(v.role for v in variables):
        counts = ", ".join(
            counted(sum(role == kind for role in guessed.values()), kind)
            for kind in ("risk factor", "disease", "finding", "other")
        )
        fix = (
            "check them with 'hickam show', and set them with a roles file or --disease, --finding"
        )
        issues.append(warning("the roles", f"were guessed from the structure ({counts})", fix))
    return (None if errors(issues) else model), issues


def _gathered(issues: Sequence[Issue], nodes: Sequence[Mapping[str, Any]]) -> list[Issue]:
    """The issues, with all normal states that had to be taken for granted said at once."""
    taken = [issue for issue in issues if issue.what.startswith(NO_NORMAL)]
    if len(taken) < 2:
        return list(issues)
    names = [str(nodes[int(issue.path[1])]["id"]) for issue in taken]
    shown = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
    what = f"do not say which of their states is normal ({shown}); the likeliest is taken"
    fix = "set it with a roles file, or on the page"
    whole = warning(f"{len(names)} variables", what, fix)
    return [*(issue for issue in issues if issue not in taken), whole]


def _settled(variable: Variable) -> bool:
    """Whether the variable is a function of its parents."""
    rows = variable.rows
    return bool(variable.parents) and rows is not None and bool(np.isin(rows, (0.0, 1.0)).all())


def _summing_to_one(variable: Variable) -> tuple[list[Any], float | None]:
    """The rows as lists, and the worst sum if some had to be scaled."""
    assert variable.rows is not None
    flat = np.asarray(variable.rows, dtype=np.float64).reshape(-1, len(variable.states))
    total = flat.sum(axis=1)
    off = np.abs(total - 1.0)
    scaled = (off > EXACT) & (off <= ROUNDED)
    if scaled.any():
        flat = np.where(scaled[:, None], flat / np.where(scaled, total, 1.0)[:, None], flat)
    worst = (
        float(total[np.argmax(np.where(scaled, off, 0.0))]) if (off[scaled] > 1e-6).any() else None
    )
    return flat.tolist(), worst
