"""A general model as BIF text: every mechanism written out as a table."""

from __future__ import annotations

import re
from itertools import product

from hickam.issues import invalid
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of

PLAIN = re.compile(r"[^\s{}()\[\];,|\"]+\Z")


def bif_text(model: SCM) -> str:
    """The model as BIF text; names with blanks or brackets are quoted."""
    parts = [f"network {_word(model.name)} {{\n}}\n"]
    for node in model:
        states = ", ".join(_word(state) for state in node.states)
        parts.append(
            f"variable {_word(node.id)} {{\n"
            f"  type discrete [ {len(node.states)} ] {{ {states} }};\n}}\n"
        )
    for node in model:
        rows = table_of(node, model)
        if rows is None:
            what = f"has {len(node.parents)} parents: its table is too large for this format"
            raise invalid(f"node '{node.id}'", what, "keep it as YAML, or write XDSL")
        if not node.parents:
            numbers = ", ".join(map(repr, rows.tolist()))
            parts.append(f"probability ( {_word(node.id)} ) {{\n  table {numbers};\n}}\n")
            continue
        above = ", ".join(_word(parent) for parent in node.parents)
        lines = [f"probability ( {_word(node.id)} | {above} ) {{"]
        names = [model.nodes[parent].states for parent in node.parents]
        flat = rows.reshape(-1, rows.shape[-1]).tolist()
        for key, row in zip(product(*names), flat, strict=True):
            named = ", ".join(_word(state) for state in key)
            lines.append(f"  ({named}) {', '.join(map(repr, row))};")
        parts.append("\n".join([*lines, "}\n"]))
    return "".join(parts)


def _word(name: str) -> str:
    """A name as one word."""
    if PLAIN.match(name) and not name.startswith(("//", "/*")):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
