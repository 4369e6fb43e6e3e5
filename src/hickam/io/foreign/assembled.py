"""The variables of a network in a foreign format → a checked general model.

Roles are guessed on the graph of the file. Noisy MAX and MIN become nodes, rows that the file
rounded are scaled, and the issues of `build_scm` are placed by the line of the variable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from hickam.io.foreign.ici import variables_of
from hickam.io.foreign.roles import guess_roles
from hickam.io.foreign.scales import along_scales
from hickam.io.foreign.variables import Variable, bad
from hickam.io.form import Reading
from hickam.issues import InvalidInput, Issue, errors, warning
from hickam.model.normal import normal_state, yes_of
from hickam.model.scm_build import NO_NORMAL, build_scm
from hickam.words import counted

ROUNDED = 5e-3  # how far a row may be from 1 to be taken as rounded, and be made to sum to 1
EXACT = 1e-12  # how far it may be from 1 to be left as it is
SHOWN = 8  # variables that a message names
LOOK = "set them with a roles file, with --disease and --finding, or on the page"


def reading(
    parse: Callable[[], tuple[str, Sequence[Variable]]], file: str, notes: Sequence[Issue] = ()
) -> Reading:
    """The model of a file's name and variables, or None, and every issue, those of parsing too."""
    try:
        name, variables = parse()
    except InvalidInput as wrong:
        return None, wrong.issues
    if not variables:
        return None, bad(file, None, "the file", "has no variables").issues
    empty = next((variable for variable in variables if not variable.states), None)
    if empty is not None:
        return None, bad(file, empty.line, f"variable '{empty.name}'", "has no states").issues
    model, issues = _model_of(variables, name or PurePath(file).name.split(".")[0], file)
    return model, [*notes, *issues]


def _model_of(variables: Sequence[Variable], name: str, file: str) -> Reading:
    """The model of a file's variables, or None, and every issue."""
    issues: list[Issue] = []
    named = [replace(v, normal=v.normal or _by_name(v)) for v in along_scales(variables)]
    roles = _roles(named)
    built = [
        part
        for v in named
        for part in (
            [v] if v.causes is None else variables_of(v, {n.name: n.normal for n in named})
        )
    ]
    # what a bare yes and no mean is weighed against the numbers, unless a gate rests on them
    gated = {name for v in built if v.gate is not None for name in (v.name, *v.parents)}
    weighed = {v.name for v in variables if not v.normal and v.name not in gated}
    nodes = []
    for variable in built:
        role = roles.get(variable.name, variable.role)
        normal = variable.normal or None
        if variable.name in weighed and yes_of(variable.states):
            normal = None
        node: dict[str, Any] = {
            **{"id": variable.name, "role": role, "states": list(variable.states)},
            **variable.facts,
            "normal": normal,
        }
        nodes.append(node | dict(variable.gate or _table(variable, file, issues)))
    guessed = [v.name for v in variables if not v.role]
    document = {"hickam": 1, "name": name, "nodes": nodes, "guessed": {"roles": guessed}}
    model, found = build_scm(document)
    for issue in _gathered(found, nodes):
        position = issue.path[1] if len(issue.path) > 1 else None
        line = built[position].line if isinstance(position, int) else None
        issues.append(replace(issue, file=file, line=line))
    if model is not None and guessed:
        counts = ", ".join(
            counted(sum(roles[v] == kind for v in guessed), kind)
            for kind in ("risk factor", "disease", "finding", "other")
        )
        which = "" if len(guessed) == len(variables) else f" of {len(guessed)} variables"
        what = f"were guessed from the structure ({counts})"
        issues.append(warning(f"the roles{which}", what, LOOK))
    return (None if errors(issues) else model), issues


def _by_name(variable: Variable) -> str:
    """The normal state by the names of the states; empty if they do not say."""
    return normal_state(variable.states, str(variable.facts.get("name") or variable.name)) or ""


def _roles(variables: Sequence[Variable]) -> dict[str, str]:
    """Variable → its role: as the file says, else guessed."""
    settled = {
        v.name
        for v in variables
        if v.parents and v.rows is not None and np.isin(v.rows, (0.0, 1.0)).all()
    }
    guessed = guess_roles({v.name: v.parents for v in variables}, settled)
    return {v.name: v.role or guessed[v.name] for v in variables}


def _gathered(issues: Sequence[Issue], nodes: Sequence[Mapping[str, Any]]) -> list[Issue]:
    """The issues, with all normal states that had to be taken for granted said at once."""
    taken = [issue for issue in issues if issue.what.startswith(NO_NORMAL)]
    if not taken:
        return list(issues)
    names = [str(nodes[int(issue.path[1])]["id"]) for issue in taken]
    shown = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
    verb = "do not say which of their states is normal" if len(names) > 1 else NO_NORMAL
    what = f"{verb} ({shown}); the likeliest is taken"
    whole = warning(counted(len(names), "variable"), what, LOOK)
    return [*(issue for issue in issues if issue not in taken), whole]


def _table(variable: Variable, file: str, issues: list[Issue]) -> dict[str, Any]:
    """The keys of a table; rows that the file rounded are made to sum to 1, and that is said."""
    assert variable.rows is not None
    flat = np.asarray(variable.rows, dtype=np.float64).reshape(-1, len(variable.states))
    total = flat.sum(axis=1)
    off = np.abs(total - 1.0)
    scaled = (off > EXACT) & (off <= ROUNDED)
    if scaled.any():
        flat = np.where(scaled[:, None], flat / np.where(scaled, total, 1.0)[:, None], flat)
    if (off[scaled] > 1e-6).any():
        worst = float(total[np.argmax(np.where(scaled, off, 0.0))])
        what = f"has rows that sum to as little or as much as {worst:.6g}"
        found = warning(f"variable '{variable.name}'", what, "they were scaled to sum to 1")
        issues.append(replace(found, file=file, line=variable.line))
    return {"parents": list(variable.parents), "table": flat.tolist()}
