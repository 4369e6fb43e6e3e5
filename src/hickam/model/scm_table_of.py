"""Any mechanism written out as a conditional table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hickam.issues import invalid
from hickam.model.mechanism import Gate, Table
from hickam.model.network import Floats
from hickam.model.node import Node
from hickam.model.scm import SCM

MOST_CELLS = 1 << 20


def table_of(node: Node, model: SCM) -> Floats | None:
    """[state of parent 1, …, own state] P(own state | parents), or None if it is too large."""
    mechanism = node.mechanism
    if isinstance(mechanism, Table):
        return mechanism.rows
    shape = tuple(len(model.nodes[parent].states) for parent in node.parents)
    if math.prod(shape) * len(node.states) > MOST_CELLS:
        return None
    if isinstance(mechanism, Gate):
        return mechanism.rows
    grid = np.indices(shape).reshape(len(shape), -1)
    state = mechanism.evaluate(list(grid), [])
    return np.eye(len(node.states))[state].reshape(*shape, len(node.states))


def as_tables(model: SCM) -> SCM:
    """The model with every noisy gate as the table that it is, with the noise of the gate."""
    nodes = dict(model.nodes)
    for name, node in nodes.items():
        gate = node.mechanism
        if isinstance(gate, Gate) and gate.parents:
            rows = table_of(node, model)
            if rows is None:
                what = f"has {len(gate.parents)} causes: its table would be too large"
                raise invalid(f"node '{name}'", what, "write it without --as-tables")
            table = Table(gate.parents, rows, "gate", None, gate, (False,) * len(gate.parents))
            nodes[name] = replace(node, mechanism=table)
    return replace(model, nodes=nodes)
