"""The general model as it is for one patient; `adapted` does the same to a network."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from hickam.model.adapted import USUAL, Circumstances, turned
from hickam.model.exclusive import with_rules
from hickam.model.mechanism import Gate
from hickam.model.scm import SCM


def adapted_scm(model: SCM, circumstances: Circumstances) -> SCM:
    """The general model under circumstances, with its rules of exclusion as nodes.

    It holds the kinds of a finding as causes of it, so that only sex and age change it.
    """
    ruled = with_rules(model)
    return ruled if circumstances == USUAL else _adapted_scm(ruled, circumstances)


@lru_cache(maxsize=64)
def _adapted_scm(model: SCM, circumstances: Circumstances) -> SCM:
    nodes = dict(model.nodes)
    for layer, factors in (
        (model.risk_factors, circumstances.risk_factors),
        (model.findings, circumstances.leaks),
    ):
        for position, factor in factors:
            node = nodes[layer[position]]
            assert isinstance(node.mechanism, Gate)  # `scm_build` refuses other prevalence
            gate = replace(node.mechanism, own=turned(node.mechanism.own, factor))
            nodes[node.id] = replace(node, mechanism=gate)
    return replace(model, nodes=nodes)
