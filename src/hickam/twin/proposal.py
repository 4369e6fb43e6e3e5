"""How explanations of the evidence are drawn: parents first, tilted by what is seen below.

Each node comes from its own mechanism, tilted by what loopy message passing says of the evidence
below it; pilot samples move the tilts while that helps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hickam.model.mechanism import Function, Gate
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.factorise import factorise
from hickam.twin.messages import evidence_below
from hickam.twin.worlds import ancestry, build_twin

PILOT = 2_000
TUNING_ROUNDS = 4
HONEST = 0.05  # share of the untilted mechanism in every proposal: bounds the weights
ENOUGH = 0.3  # effective share of the pilot above which tuning stops


@dataclass(eq=False)
class Proposal:
    """Tilts by node: [state] factors on the mechanism's own probabilities."""

    model: SCM
    nodes: tuple[Node, ...]
    observed: Mapping[str, int]
    weights: Mapping[str, Floats]
    tilts: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Sampled factual states with their log importance weights."""

    states: Mapping[str, Ints]
    log_weight: Floats  # [particle]
    chosen: Mapping[str, Floats]  # node → [particle, state] the proposal that was used


def propose(
    model: SCM,
    observed: Mapping[str, int],
    weights: Mapping[str, Floats],
    targets: list[str],
) -> Proposal:
    """A proposal tilted by the evidence, from loopy message passing on the factual world."""
    relevant = ancestry(model, [*observed, *weights, *targets])
    nodes = tuple(node for node in model if node.id in relevant)
    twin = build_twin(model, (), observed, (), weighted=tuple(weights))
    product = factorise(twin, weights)
    below = evidence_below(product.factors, product.sizes)
    proposal = Proposal(model, nodes, observed, weights)
    for node in nodes:
        if node.id in below and node.id not in observed:
            tilt = np.zeros(len(node.states))
            tilt[product.column(node.id, 0)] = below[node.id]
            proposal.tilts[node.id] = tilt
    return proposal


def tune(proposal: Proposal, generator: np.random.Generator) -> None:
    """Move the tilts towards the weighted marginals of pilot samples while that helps."""
    best, best_worth = dict(proposal.tilts), -1.0
    for _ in range(TUNING_ROUNDS):
        pilot = draw(proposal, PILOT, generator)
        share, _ = normalise(pilot.log_weight)
        worth = 1.0 / float((share**2).sum()) if share.sum() > 0.0 else 0.0
        if worth > best_worth:
            best, best_worth = dict(proposal.tilts), worth
        if worth > ENOUGH * PILOT or worth == 0.0:
            break
        for name, tilt in proposal.tilts.items():
            states = pilot.states[name]
            size = len(tilt)
            marginal = np.bincount(states, share, size) + 1e-4
            usual = share @ pilot.chosen[name] + 1e-4
            step = np.sqrt(marginal / usual)
            moved = tilt * step
            proposal.tilts[name] = moved / moved.sum()
    proposal.tilts = best


def draw(proposal: Proposal, size: int, generator: np.random.Generator) -> Draw:
    """Factual states of all nodes, parents first, with importance weights."""
    states: dict[str, Ints] = {}
    chosen: dict[str, Floats] = {}
    log_weight = np.zeros(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        for node in proposal.nodes:
            parents = [states[parent] for parent in node.parents]
            chance = conditional(node, parents, size)
            known = proposal.observed.get(node.id)
            if known is not None:
                states[node.id] = np.full(size, known, dtype=np.int8)
                log_weight += np.log(chance[:, known])
            else:
                wanted = _tilted(chance, proposal.tilts.get(node.id))
                chosen[node.id] = wanted
                picked = (generator.random(size)[:, None] > np.cumsum(wanted, axis=1)).sum(axis=1)
                picked = np.minimum(picked, wanted.shape[1] - 1).astype(np.int8)
                states[node.id] = picked
                every = np.arange(size)
                log_weight += np.log(chance[every, picked]) - np.log(wanted[every, picked])
            if node.id in proposal.weights:
                log_weight += np.log(np.asarray(proposal.weights[node.id])[states[node.id]])
    log_weight[np.isnan(log_weight)] = -np.inf
    return Draw(states, log_weight, chosen)


def log_joint(proposal: Proposal, given: Mapping[str, Ints], size: int) -> Floats:
    """[explanation] log P(it, evidence).

    An explanation gives the state of every node that is neither observed nor a function of others.
    """
    states: dict[str, Ints] = {}
    total = np.zeros(size)
    every = np.arange(size)
    with np.errstate(divide="ignore"):
        for node in proposal.nodes:
            chance = conditional(node, [states[parent] for parent in node.parents], size)
            if node.id in proposal.observed:
                states[node.id] = np.full(size, proposal.observed[node.id], dtype=np.int8)
            elif node.id in given:
                states[node.id] = given[node.id]
            else:
                states[node.id] = chance.argmax(axis=1).astype(np.int8)
            total += np.log(chance[every, states[node.id]])
            if node.id in proposal.weights:
                total += np.log(np.asarray(proposal.weights[node.id])[states[node.id]])
    return total


def _tilted(chance: Floats, tilt: Floats | None) -> Floats:
    """[particle, state] the mechanism's probabilities times the tilt, with an honest share."""
    if tilt is None:
        return chance
    wanted = chance * tilt
    total = wanted.sum(axis=1, keepdims=True)
    wanted = np.where(total > 0.0, wanted / np.where(total > 0.0, total, 1.0), chance)
    return (1.0 - HONEST) * wanted + HONEST * chance


def conditional(node: Node, parents: list[Ints], size: int) -> Floats:
    """[particle, state] P(node | its sampled parents)."""
    mechanism = node.mechanism
    if isinstance(mechanism, Gate):
        wanted = int(mechanism.kind == "or")
        silence = np.full(size, log_quiet(mechanism.own.fails, mechanism.own.acts))
        for state, link in zip(parents, mechanism.links, strict=True):
            silence += np.where(state == wanted, log_quiet(link.fails, link.acts), 0.0)
        fired = -np.expm1(silence)
        quiet = np.exp(silence)
        return np.stack([quiet, fired] if wanted else [fired, quiet], axis=1)
    if isinstance(mechanism, Function):
        answer = np.broadcast_to(mechanism.evaluate(parents, ()), (size,))
        return np.stack([answer == 0, answer == 1], axis=1).astype(np.float64)
    row = np.broadcast_to(mechanism.row(parents), (size,))
    return mechanism.flat[row]


def log_quiet(fails: float, acts: float) -> float:
    """log P(no firing), precise when firing is rare."""
    if acts < 0.5:
        return math.log1p(-acts)
    return math.log(fails) if fails > 0.0 else -math.inf


def normalise(log_weight: Floats) -> tuple[Floats, float]:
    """(weights that sum to one, log of their mean before that)."""
    peak = float(log_weight.max(initial=-math.inf))
    if peak == -math.inf:
        return np.zeros_like(log_weight), -math.inf
    weight = np.exp(log_weight - peak)
    return weight / weight.sum(), peak + math.log(float(weight.mean()))
