"""Any mechanism written out as a conditional table."""

from __future__ import annotations

import math

import numpy as np

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
