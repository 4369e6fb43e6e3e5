"""Roles of nodes from a small file.

YAML or JSON: `node: role`, `node: {role: …, normal: …}`, or `role: [nodes]`. CSV: columns node,
role and, if wanted, normal; further columns are for the reader.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from hickam.io.csv_sheet import csv_line
from hickam.io.documents import parse
from hickam.io.text import read_file
from hickam.issues import NotClear, error, invalid, raise_errors
from hickam.model.kinds import Model, general_of
from hickam.model.node import PART
from hickam.model.roles import Part
from hickam.model.scm import SCM
from hickam.words import unguarded

MOST = 100_000
SHOWN = 8  # nodes that a message names


def read_roles(path: str | Path) -> dict[str, Part]:
    """Node → what a file says of it."""
    path = Path(path)
    text = read_file(path, "roles file")
    if path.suffix.lower() == ".csv":
        return _from_csv(text, path)
    document, issues = parse(text, str(path), as_json=path.suffix.lower() == ".json")
    raise_errors(issues)
    where = f"roles file '{path}'"
    if not isinstance(document, Mapping) or not document:
        raise invalid(where, "is not a mapping", "write 'NODE: disease' lines")
    found: dict[str, Part] = {}
    for key, value in document.items():
        if isinstance(value, list):
            found |= dict.fromkeys((str(node) for node in value), Part(str(key)))
        elif isinstance(value, Mapping):
            unknown = [str(word) for word in value if word not in ("role", "normal")]
            if unknown:
                fix = "a node has 'role' and 'normal'"
                issues.append(error(f"{where}: '{key}'", f"has '{unknown[0][:40]}'", fix))
            found[str(key)] = Part(str(value.get("role") or ""), str(value.get("normal") or ""))
        else:
            found[str(key)] = Part(str(value))
    raise_errors(issues)
    return found


def _from_csv(text: str, path: Path) -> dict[str, Part]:
    """Node → what a sheet says of it."""
    where = f"roles file '{path}'"
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
    except csv.Error as bad:
        raise invalid(where, f"is not CSV: {bad}") from None
    if len(rows) > MOST:
        raise invalid(where, f"has {len(rows):,} rows (at most {MOST:,})")
    if not rows or not {"node", "role"} <= rows[0].keys():
        first = ", ".join(str(name) for name in rows[0])[:60] if rows else "nothing"
        what = f"has no columns 'node' and 'role', but {first}"
        raise invalid(where, what, "name them in the first line, with commas")
    return {
        unguarded(row["node"].strip()): Part(row["role"] or "", unguarded(row.get("normal") or ""))
        for row in rows
        if row["node"]
    }


def template_of(model: SCM) -> str:
    """A roles file of a model as CSV, filled in, with what is to be checked."""
    lines = ["node,role,normal,states,to check"]
    for name in model.order:
        node = model.nodes[name]
        if node.role == PART:
            continue
        normal = "" if node.normal is None else node.states[node.normal]
        asked = ["normal state"] * (name in model.guessed.normal)
        asked += ["role"] * (name in model.guessed.roles)
        cells = (name, node.role, normal, " | ".join(node.states), " and ".join(asked))
        lines.append(csv_line(cells))
    return "\n".join(lines) + "\n"


def check_clear(model: Model) -> None:
    """Refuse a model some of whose normal states nobody says, with a roles file to fill in."""
    general = general_of(model)
    if general is None or not general.guessed.normal:
        return
    names = general.guessed.normal
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
    what = f"does not say which state of {shown} is normal"
    fix = "fill in the roles file and give it (--roles), or accept the guess (--guess)"
    asked = NotClear([error(f"model '{general.name}'", what, fix)])
    asked.template = template_of(general)
    raise asked
