"""Whether a patient has any disease, as a node of a general model: what the dial weighs.

The Occam–Hickam dial γ gives a world with n diseases the weight γ ** |n - 1|. Each disease counts
γ as soft evidence; times γ for nobody ill and 1 / γ for somebody, the product is that weight.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hickam.model.expression import Expression
from hickam.model.mechanism import Function
from hickam.model.network import Entry, Floats
from hickam.model.node import Node
from hickam.model.scm import SCM


def with_anyone_ill(model: SCM, dial: float) -> tuple[SCM, dict[str, Floats]]:
    """The model with a node for "anyone ill", and that node → [state] weight under the dial.

    The node ends a chain with one disease a step, so that every table stays small.
    """
    nodes, entries = dict(model.nodes), dict(model.entries)
    name = ""
    for disease in model.diseases:
        well = Expression("is", (), disease, "", model.nodes[disease].off)
        either = [Expression("not", (well,)), *([Expression("is", (), name)] if name else [])]
        parents = (disease, name) if name else (disease,)
        name = f"ill: {disease}{' or earlier' if name else ''}"  # a file is unlikely to have it
        rule = Function(parents, Expression("or", tuple(either)), name)
        nodes[name] = Node(name, "other", ("false", "true"), rule)
        entries[name] = Entry(name, name)
    order = (*model.order, *(added for added in nodes if added not in model.nodes))
    weight = {name: np.array([dial, 1.0 / dial])}
    return replace(model, nodes=nodes, entries=entries, order=order), weight
