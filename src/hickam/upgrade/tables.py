"""How each mechanism of a model is read: a noisy gate, nearly one, a function, or a bare table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hickam.model.mechanism import Function, Gate, Table
from hickam.model.network import Floats
from hickam.model.node import PART, Node
from hickam.model.recognise import gate_in_words, nearest_noisy_or
from hickam.model.scm import SCM

NEAR = 0.05  # largest error of P(on) at which a table is nearly a noisy-OR
EXACT = 1e-9
MOST_ROWS = 1 << 12  # of a table for which the nearest gate is sought


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One node's mechanism, and how far it is from independent causes."""

    node: str
    role: str
    states: int
    parents: int
    kind: (
        str  # "prior" | "noisy-OR" | "noisy-AND" | "noisy-MAX" | "function" | "one cause" | "table"
    )
    distance: float | None  # of a table: to the nearest noisy-OR, or to the noisy MAX it suggests
    normal: str | None  # the normal state of a node with more than two states
    nearest: Gate | None = None

    @property
    def near(self) -> bool:
        """Whether a table is nearly a noisy-OR or noisy MAX."""
        return self.kind == "table" and self.distance is not None and self.distance <= NEAR

    @property
    def open(self) -> bool:
        """Whether the mechanism leaves counterfactuals open, beyond what the table says."""
        return self.kind in ("table", "one cause", "noisy-MAX")

    def to_dict(self) -> dict[str, object]:
        """The reading as plain values."""
        keys = ("node", "role", "states", "parents", "kind", "distance", "normal")
        return {key: getattr(self, key) for key in keys}


def readings(model: SCM) -> list[Reading]:
    """The reading of every node, in the order of the model."""
    nodes = [model.nodes[name] for name in model.order]
    return [_reading(node, model) for node in nodes if node.role != PART]


def counts(found: Sequence[Reading]) -> Mapping[str, int]:
    """How many nodes with parents are read in each way, tables near a gate apart."""
    kinds = ["table near a gate" if r.near else r.kind for r in found if r.parents]
    return dict(Counter(kinds).most_common())


def approximated(model: SCM, found: Sequence[Reading]) -> SCM:
    """The model with every table that is nearly a noisy-OR replaced by that noisy-OR."""
    gates = {r.node: r.nearest for r in found if r.near and r.nearest is not None}
    nodes = {
        name: replace(node, mechanism=gates[name]) if name in gates else node
        for name, node in model.nodes.items()
    }
    return replace(model, nodes=nodes)


def _reading(node: Node, model: SCM) -> Reading:
    """The reading of one node."""
    mechanism = node.mechanism
    many = len(node.states) > 2 and node.normal is not None
    normal = node.states[node.off] if many else None
    kind, distance, nearest = "table", None, None
    causes = model.direct_causes(node.id)
    if not node.parents:
        kind = "prior"
    elif any(model.nodes[parent].role == PART for parent in node.parents):
        kind = "noisy-MAX"
    elif isinstance(mechanism, Function):
        kind = "function"
    elif isinstance(mechanism, Gate) or mechanism.gate is not None:
        kind = gate_in_words(mechanism).split()[0]
    elif np.isin(mechanism.rows, (0.0, 1.0)).all():
        kind = "function"
    elif len(node.parents) == 1:
        kind = "one cause"
    elif mechanism.flat.shape[0] <= MOST_ROWS:
        if mechanism.rows.shape == (2,) * mechanism.rows.ndim:
            fit = nearest_noisy_or(mechanism)
            distance, nearest = fit.largest, fit.gate
        else:
            distance = _from_noisy_max(mechanism, node, model)
            kind = "noisy-MAX" if distance <= EXACT else "table"
    return Reading(
        node.id, node.role, len(node.states), len(causes), kind, distance, normal, nearest
    )


def _from_noisy_max(table: Table, node: Node, model: SCM) -> float:
    """How far a table is from the noisy MAX that its rows with one cause suggest.

    P(X <= x | parents) of a noisy MAX is a product over the parents; each factor is read off from
    the row in which only that parent is not normal.
    """
    order = [node.off, *node.abnormal] if node.normal is not None else range(len(node.states))
    below = np.cumsum(table.rows[..., list(order)], axis=-1)
    normal = [model.nodes[parent].normal or 0 for parent in table.parents]
    base = below[tuple(normal)]
    product: Floats = base
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis, _ in enumerate(normal):
            place: list[int | slice] = list(normal)
            place[axis] = slice(None)
            factor = np.where(base > 0.0, below[tuple(place)] / base, 1.0)
            product = product[..., None, :] * factor
    return min(float(np.abs(product - below).max()), 1.0)
