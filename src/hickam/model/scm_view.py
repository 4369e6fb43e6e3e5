"""A general model seen as layers, for those who describe networks: links, leaks and priors.

These numbers describe; they are not enough to compute with, and the engines for three-layer
networks refuse a general model.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hickam.model.links import sort_links
from hickam.model.mechanism import Function, Gate
from hickam.model.network import Floats, Links
from hickam.model.node import Node


def direct_links(
    nodes: Mapping[str, Node], above: tuple[str, ...], below: tuple[str, ...]
) -> Links:
    """The direct links between two roles, each with its strength."""
    place = {node: position for position, node in enumerate(above)}
    rows = [
        (place[parent], position, strength)
        for position, name in enumerate(below)
        for number, parent in enumerate(nodes[name].parents)
        if parent in place and (strength := link_strength(nodes, nodes[name], number)) >= 0.0
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    cause, effect = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    return sort_links(cause, effect, table[:, 2], 1.0 - table[:, 2], (len(above), len(below)))


def link_strength(nodes: Mapping[str, Node], node: Node, parent: int) -> float:
    """P(the link fires) of a gate; otherwise the largest change of P(last state) it can make."""
    mechanism = node.mechanism
    if isinstance(mechanism, Gate):
        return mechanism.links[parent].acts
    if isinstance(mechanism, Function):
        sizes = [len(nodes[name].states) for name in mechanism.parents]
        grid = np.meshgrid(*(np.arange(size) for size in sizes), indexing="ij")
        last = np.broadcast_to(mechanism.evaluate(grid, ()), sizes).astype(np.float64)
    else:
        last = mechanism.rows[..., -1]
    last = np.moveaxis(last, parent, 0)
    return float((last.max(axis=0) - last.min(axis=0)).max())


def background(nodes: Mapping[str, Node], layer: tuple[str, ...]) -> Floats:
    """[node] P(on) with every parent off, nothing else being known."""
    found = np.zeros(len(layer))
    for position, name in enumerate(layer):
        mechanism = nodes[name].mechanism
        if isinstance(mechanism, Gate):
            if mechanism.kind == "or":
                found[position] = mechanism.own.acts
            else:
                waived = [link.fails for link in mechanism.links]
                found[position] = mechanism.own.fails * float(np.prod(waived))
        elif isinstance(mechanism, Function):
            off = [np.zeros((), dtype=np.int64) for _ in mechanism.parents]
            found[position] = float(mechanism.evaluate(off, ()))
        else:
            found[position] = 1.0 - float(mechanism.flat[0, 0])
    return found
