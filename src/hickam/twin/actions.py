"""The counterfactual worlds behind the measures, on any graph. [CD twin-network]"""

from __future__ import annotations

from hickam.model.scm import SCM
from hickam.twin.worlds import Action


def cure(disease: str) -> Action:
    """do(disease = off), all noise as it was. [CD expected-disablement]"""
    return Action(do={disease: 0})


def only(model: SCM, disease: str, *, on: bool = True) -> Action:
    """Every cause off but one disease, which keeps its factual state. [CD expected-sufficiency]

    Set off: every other disease, and every other two-state node that the disease cannot affect.
    The rest of what the disease affects responds, with its leaks and waivers silenced; nodes of
    more states that it cannot affect keep their factual state. With `on=False` the disease is set
    off as well: the background against which it must make the difference.
    """
    affected = model.descendants(disease)
    do: dict[str, int] = {}
    held = set()
    for node in model:
        if node.id == disease:
            continue
        if node.role == "disease" or (node.id not in affected and node.binary):
            do[node.id] = 0
        elif node.id not in affected:
            held.add(node.id)
    if on:
        held.add(disease)
    else:
        do[disease] = 0
    silenced = frozenset(node for node in affected if node not in do)
    return Action(do, frozenset(held), silenced)


def no_background(model: SCM) -> Action:
    """Diseases as they are, all else off: what then goes away, no disease explains."""
    affected: set[str] = set()
    for disease in model.diseases:
        affected |= model.descendants(disease)
    diseases = frozenset(model.diseases)
    outside = [node for node in model if node.id not in affected and node.id not in diseases]
    do = {node.id: 0 for node in outside if node.binary}
    held = frozenset(node.id for node in outside if not node.binary)
    return Action(do, held | diseases, frozenset(affected - diseases))


def no_disease(model: SCM) -> Action:
    """Every disease set off, everything else as it responds."""
    return Action(do=dict.fromkeys(model.diseases, 0))
