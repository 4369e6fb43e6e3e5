"""A general model as BIF text: every mechanism written out as a table."""

from __future__ import annotations

from itertools import product

from hickam.io.foreign.spelled import spelled
from hickam.issues import invalid
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of


def bif_text(model: SCM) -> str:
    """The model as BIF text; characters that other readers refuse become underscores."""
    ids = spelled(model.nodes)
    states = {node.id: spelled(node.states, digit_first=True) for node in model}
    name = spelled([model.name])[model.name]
    parts = [f"network {name} {{\n}}\n"]
    for node in model:
        listed = ", ".join(states[node.id].values())
        parts.append(
            f"variable {ids[node.id]} {{\n"
            f"  type discrete [ {len(node.states)} ] {{ {listed} }};\n}}\n"
        )
    for node in model:
        rows = table_of(node, model)
        if rows is None:
            what = f"has {len(node.parents)} parents: its table is too large for this format"
            raise invalid(f"node '{node.id}'", what, "keep it as YAML, or write XDSL")
        if not node.parents:
            numbers = ", ".join(map(repr, rows.tolist()))
            parts.append(f"probability ( {ids[node.id]} ) {{\n  table {numbers};\n}}\n")
            continue
        above = ", ".join(ids[parent] for parent in node.parents)
        lines = [f"probability ( {ids[node.id]} | {above} ) {{"]
        names = [states[parent].values() for parent in node.parents]
        flat = rows.reshape(-1, rows.shape[-1]).tolist()
        for key, row in zip(product(*names), flat, strict=True):
            lines.append(f"  ({', '.join(key)}) {', '.join(map(repr, row))};")
        parts.append("\n".join([*lines, "}\n"]))
    return "".join(parts)
