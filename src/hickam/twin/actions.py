"""The counterfactual worlds behind the measures, on any graph. [CD twin-network]"""

from __future__ import annotations

from hickam.model.scm import SCM
from hickam.twin.worlds import Action


def cure(model: SCM, disease: str) -> Action:
    """do(disease = its normal state), all noise as it was. [CD expected-disablement]"""
    return Action(do={disease: model.nodes[disease].off})


def only(model: SCM, disease: str, *, on: bool = True) -> Action:
    """Every cause off but one disease, which keeps its factual state. [CD expected-sufficiency]

    Set to its normal state ("off"): every other disease, and every other node that the disease
    cannot affect and that has a normal state; those without one keep their factual state. The rest
    of what the disease affects responds, with its leaks and waivers silenced. With `on=False` the
    disease is set off as well: the background against which it must make the difference.
    """
    affected = model.descendants(disease)
    do: dict[str, int] = {}
    held = set()
    for node in model:
        if node.id == disease:
            continue
        if node.role == "disease" or (node.id not in affected and node.normal is not None):
            do[node.id] = node.off
        elif node.id not in affected:
            held.add(node.id)
    if on:
        held.add(disease)
    else:
        do[disease] = model.nodes[disease].off
    silenced = frozenset(node for node in affected if node not in do)
    return Action(do, frozenset(held), silenced)


def no_background(model: SCM) -> Action:
    """Diseases as they are, all else off: what then goes away, no disease explains."""
    affected: set[str] = set()
    for disease in model.diseases:
        affected |= model.descendants(disease)
    diseases = frozenset(model.diseases)
    outside = [node for node in model if node.id not in affected and node.id not in diseases]
    do = {node.id: node.normal for node in outside if node.normal is not None}
    held = frozenset(node.id for node in outside if node.normal is None)
    return Action(do, held | diseases, frozenset(affected - diseases))


def healthy(model: SCM) -> dict[str, int]:
    """Every disease → its normal state."""
    return {disease: model.nodes[disease].off for disease in model.diseases}


def no_disease(model: SCM) -> Action:
    """Every disease set off, everything else as it responds."""
    return Action(do=healthy(model))
