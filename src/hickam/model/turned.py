"""A node of two states with its normal state exchanged: the same model, read the other way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.model.mechanism import MATCHED, Function, Gate, Table
from hickam.model.node import Node
from hickam.model.recognise import gate_in_words, recognise
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of


def turned(model: SCM, name: str) -> SCM | None:
    """The model with the two states of a node exchanged; None if a table would be too large.

    The node and what it causes directly become tables, or gates where they are ones; a gate that
    was stated keeps its noise. Every probability stays; what counts as off and on does not.
    """
    nodes = dict(model.nodes)
    own = _turned(nodes[name], model, -1)
    if own is None:
        return None
    nodes[name] = replace(own, states=own.states[::-1])
    for child in model.children[name]:
        effect = _turned(nodes[child], model, nodes[child].parents.index(name))
        if effect is None:
            return None
        nodes[child] = effect
    recognised = {node: gate_in_words(nodes[node].mechanism) for node in model.recognised}
    return replace(model, nodes=nodes, recognised=recognised)


def _turned(node: Node, model: SCM, axis: int) -> Node | None:
    """The node with the states of a parent, or its own (-1), exchanged; its noise stays."""
    rows = table_of(node, model)
    if rows is None:
        return None
    before = node.mechanism
    rows = np.ascontiguousarray(np.flip(rows, axis=axis))
    if isinstance(before, Gate):
        before = Table(before.parents, rows, "gate", None, before, (False,) * len(before.parents))
    if isinstance(before, Function) or before.gate is None:
        table = Table(before.parents, rows, getattr(before, "coupling", "monotone"))
        gate = recognise(table) if isinstance(before, Function) else None
        return replace(node, mechanism=gate or table)
    gate, flips = before.gate, list(before.flips)
    if axis == -1:
        gate = replace(gate, kind="and" if gate.kind == "or" else "or")
        flips = [not flip for flip in flips]
    else:
        flips[axis] = not flips[axis]
    table = replace(before, rows=rows, gate=gate, flips=tuple(flips))
    exact = np.abs(gate.rows - rows).max() <= MATCHED
    return replace(node, mechanism=gate if exact and not any(flips) else table)
