"""A node of two states with its normal state exchanged: the same model, read the other way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.model.mechanism import Mechanism, Table
from hickam.model.network import Floats
from hickam.model.node import Node
from hickam.model.recognise import recognise
from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of


def turned(model: SCM, name: str) -> SCM | None:
    """The model with the two states of a node exchanged; None if a table would be too large.

    The node and what it causes directly become tables, and gates again where they are ones. Every
    probability stays; what counts as off and on does not.
    """
    nodes = dict(model.nodes)
    own = nodes[name]
    rows = table_of(own, model)
    if rows is None:
        return None
    mechanism = _mechanism(own, np.flip(rows, axis=-1))
    nodes[name] = replace(own, states=own.states[::-1], mechanism=mechanism)
    for child in model.children[name]:
        rows = table_of(nodes[child], model)
        if rows is None:
            return None
        axis = nodes[child].parents.index(name)
        flipped = _mechanism(nodes[child], np.flip(rows, axis=axis))
        nodes[child] = replace(nodes[child], mechanism=flipped)
    changed = {name, *model.children[name]}
    kept = {node: gate for node, gate in model.recognised.items() if node not in changed}
    return replace(model, nodes=nodes, recognised=kept)


def _mechanism(node: Node, rows: Floats) -> Mechanism:
    """The table of a node, or the gate that it is; a named coupling stays."""
    before = node.mechanism
    rows = np.ascontiguousarray(rows)
    if isinstance(before, Table):
        return Table(before.parents, rows, before.coupling)
    table = Table(before.parents, rows)
    return recognise(table) or table
