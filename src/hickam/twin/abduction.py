"""The slow, obviously right way: abduction, action, prediction over every setting of the noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from hickam.issues import TooHard, error
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.particles import Particles, evaluate
from hickam.twin.worlds import Action, ancestry

MAX_SETTINGS = 1 << 22
BLOCK = 1 << 16


def abduct(
    model: SCM,
    observed: Mapping[str, int],
    weights: Mapping[str, Floats] | None = None,
    targets: Iterable[str] = (),
) -> Particles:
    """Every setting of the noise that produces the evidence, weighted by its probability.

    Only the noise of the evidence, the weighted and the target nodes and of their ancestors
    is enumerated. Impossible evidence leaves no particles and a log evidence of -inf.
    """
    weights = weights or {}
    relevant = ancestry(model, [*observed, *weights, *targets])
    nodes = [node for node in model if node.id in relevant]
    noises = [(node.id, noise) for node in nodes for noise in node.mechanism.noises]
    sizes = [len(noise) for _, noise in noises]
    total = math.prod(sizes)
    if total > MAX_SETTINGS:
        what = f"would visit {total:.1e} settings of the noise (at most {MAX_SETTINGS:.1e})"
        raise TooHard([error("engine 'abduction'", what, "use engine 'twin' or 'sampling'")])
    kept: list[tuple[Floats, list[Ints]]] = []
    for begin in range(0, total, BLOCK):
        index = np.arange(begin, min(begin + BLOCK, total))
        columns = [np.asarray(c) for c in np.unravel_index(index, sizes)] if sizes else []
        log_weight = np.zeros(len(index))
        with np.errstate(divide="ignore"):
            for (_, noise), column in zip(noises, columns, strict=True):
                log_weight += np.log(noise)[column]
        states = evaluate(model, _by_node(nodes, noises, columns), len(index), Action())
        for name, state in observed.items():
            log_weight[states[name] != state] = -np.inf
        with np.errstate(divide="ignore"):
            for name, ratio in weights.items():
                log_weight += np.log(np.asarray(ratio))[states[name]]
        alive = log_weight > -np.inf
        kept.append((log_weight[alive], [column[alive] for column in columns]))
    log_weight = np.concatenate([part for part, _ in kept])
    peak = float(log_weight.max(initial=-np.inf))
    weight = np.exp(log_weight - peak)
    columns = [np.concatenate([part[i] for _, part in kept]) for i in range(len(noises))]
    noise_of = _by_node(nodes, noises, columns)
    evidence = math.fsum(weight)
    factual = evaluate(model, noise_of, len(weight), Action())
    share = weight / evidence if evidence > 0.0 else weight
    log_evidence = peak + math.log(evidence) if evidence > 0.0 else -math.inf
    return Particles(model, noise_of, factual, share, log_evidence)


def _by_node(
    nodes: list[Node], noises: list[tuple[str, Floats]], columns: list[Ints]
) -> dict[str, list[Ints]]:
    """Node → the columns of its noises."""
    found: dict[str, list[Ints]] = {node.id: [] for node in nodes}
    for (name, _), column in zip(noises, columns, strict=True):
        found[name].append(column)
    return found
