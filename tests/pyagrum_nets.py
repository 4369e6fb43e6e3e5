"""A general model as a network of pyAgrum, in double precision, and its posteriors of a case.

pyAgrum's own readers keep single precision, so the tables are ours; that they are the file's is
tested where files are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hickam.model.scm import SCM
from hickam.model.scm_table_of import table_of

MOST_CELLS = 1 << 24  # of one table


def build(model: SCM) -> Any:
    """The network, nodes numbered in their order; None if a gate is too wide to be a table."""
    import pyagrum as gum

    net = gum.BayesNet()
    for number, node in enumerate(model):
        net.add(gum.RangeVariable(f"n{number}", node.id, 0, len(node.states) - 1))
    number_of = {node: number for number, node in enumerate(model.nodes)}
    for number, node in enumerate(model):
        rows = table_of(node, model)
        if rows is None or rows.size > MOST_CELLS:
            return None
        for parent in node.parents:
            net.addArc(number_of[parent], number)
        # pyAgrum lists its own variable first and runs over it fastest, then its parents in order
        count = len(node.parents)
        net.cpt(number).fillWith(np.transpose(rows, (*range(count - 1, -1, -1), count)).ravel())
    return net


def posteriors(
    net: Any, model: SCM, states: Mapping[str, int], targets: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """[state] of each target, given the states of other nodes."""
    import pyagrum as gum

    number_of = {node: number for number, node in enumerate(model.nodes)}
    engine = gum.LazyPropagation(net)
    engine.setEvidence({number_of[node]: state for node, state in states.items()})
    engine.setTargets({number_of[node] for node in targets})
    engine.makeInference()
    return {node: engine.posterior(number_of[node]).toarray() for node in targets}
