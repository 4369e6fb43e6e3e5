"""Importance sampling of the noise given the evidence. [CD twin-network]

Factual states are drawn parents first, each node from its own mechanism tilted by what the evidence
below it says; the noise is then drawn exactly, given the states. One set of particles answers every
counterfactual question, because any action can be evaluated on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hickam.beliefs.options import Limits
from hickam.model.mechanism import Function, Gate, Table
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.abduction import ancestry
from hickam.twin.beliefs import Tables
from hickam.twin.factorise import factorise
from hickam.twin.messages import evidence_below
from hickam.twin.observe import Observations
from hickam.twin.particles import Particles
from hickam.twin.worlds import build_twin

PILOT = 2_000
FIRST = 8_000
MOST = 60_000
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


def sample_until(
    model: SCM,
    seen: Observations,
    count: Callable[[Particles], Tables],
    limits: Limits,
) -> tuple[Particles, Tables]:
    """Particles and tables: a first sample, then one as large as the tolerance asks for.

    The cap and the deadline bound the second; the error of the first says how large it must be.
    """
    generator = np.random.default_rng(int(limits.seed))
    start = time.monotonic()
    proposal = propose(model, seen.states, seen.weights, [*model.diseases, *seen.present])
    tune(proposal, generator)
    tuned = time.monotonic()
    particles = sample(proposal, FIRST, generator)
    tables = count(particles)
    if tables.error <= limits.tolerance or particles.log_evidence == -math.inf:
        return particles, tables
    needed = FIRST * (tables.error / max(limits.tolerance, 1e-9)) ** 2
    size = int(min(needed * 1.1, MOST))
    if limits.deadline is not None:
        pace = (time.monotonic() - tuned) / FIRST
        left = limits.deadline - (time.monotonic() - start)
        size = min(size, int(0.9 * left / pace))
    if size <= FIRST:
        return particles, tables
    particles = sample(proposal, size, generator)
    return particles, count(particles)


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
        share, _ = _normalise(pilot.log_weight)
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
        log_quiet = np.full(size, _log(mechanism.own.fails, mechanism.own.acts))
        for state, link in zip(parents, mechanism.links, strict=True):
            log_quiet += np.where(state == wanted, _log(link.fails, link.acts), 0.0)
        fired = -np.expm1(log_quiet)
        quiet = np.exp(log_quiet)
        return np.stack([quiet, fired] if wanted else [fired, quiet], axis=1)
    if isinstance(mechanism, Function):
        answer = np.broadcast_to(mechanism.evaluate(parents, ()), (size,))
        return np.stack([answer == 0, answer == 1], axis=1).astype(np.float64)
    row = np.broadcast_to(mechanism.row(parents), (size,))
    return mechanism.flat[row]


def _log(fails: float, acts: float) -> float:
    """log P(no firing), precise when firing is rare."""
    if acts < 0.5:
        return math.log1p(-acts)
    return math.log(fails) if fails > 0.0 else -math.inf


def sample(proposal: Proposal, size: int, generator: np.random.Generator) -> Particles:
    """Particles with states, weights and noise that agrees with the states."""
    drawn = draw(proposal, size, generator)
    share, log_mean = _normalise(drawn.log_weight)
    noise = {node.id: noise_given(node, drawn.states, size, generator) for node in proposal.nodes}
    return Particles(proposal.model, noise, drawn.states, share, log_mean)


def _normalise(log_weight: Floats) -> tuple[Floats, float]:
    """(weights that sum to one, log of their mean before that)."""
    peak = float(log_weight.max(initial=-math.inf))
    if peak == -math.inf:
        return np.zeros_like(log_weight), -math.inf
    weight = np.exp(log_weight - peak)
    return weight / weight.sum(), peak + math.log(float(weight.mean()))


def noise_given(
    node: Node, states: Mapping[str, Ints], size: int, generator: np.random.Generator
) -> list[Ints]:
    """The node's noises, drawn from their distribution given its state and its parents'."""
    mechanism = node.mechanism
    own = states[node.id]
    parents = [states[parent] for parent in node.parents]
    if isinstance(mechanism, Gate):
        return _gate_noise(mechanism, own, parents, size, generator)
    if isinstance(mechanism, Function):
        return []
    return _table_noise(mechanism, own, parents, size, generator)


def _gate_noise(
    gate: Gate, own: Ints, parents: list[Ints], size: int, generator: np.random.Generator
) -> list[Ints]:
    """Firings of a gate: none among the open links if it is quiet, else at least one.

    The first open link to fire is drawn by going through them in order: given that none has fired
    yet, one fires with its chance over the chance that it or a later one does.
    """
    wanted = int(gate.kind == "or")
    opened = [np.ones(size, dtype=bool), *(state == wanted for state in parents)]
    chances = (gate.own, *gate.links)
    log_quiet = [
        np.where(o, _log(c.fails, c.acts), 0.0) for o, c in zip(opened, chances, strict=True)
    ]
    later = np.cumsum(np.array(log_quiet)[::-1], axis=0)[::-1]  # [link, particle] from here on
    fires = own == wanted
    pending = fires.copy()
    noises: list[Ints] = []
    for number, (is_open, chance) in enumerate(zip(opened, chances, strict=True)):
        some = -np.expm1(later[number])
        forced = np.divide(chance.acts, some, out=np.ones(size), where=some > 0.0)
        p = np.where(~is_open, chance.acts, np.where(pending, forced, chance.acts))
        p = np.where(is_open & ~fires, 0.0, p)
        hit = generator.random(size) < p
        pending &= ~(hit & is_open)
        noises.append(hit.astype(np.int8))
    return noises


def _table_noise(
    table: Table, own: Ints, parents: list[Ints], size: int, generator: np.random.Generator
) -> list[Ints]:
    """The cell of the quantile, or every row's answer, that agrees with the state."""
    row = np.broadcast_to(table.row(parents), (size,))
    if table.coupling == "independent":
        noises = []
        for number, chances in enumerate(table.flat):
            free = (generator.random(size)[:, None] > np.cumsum(chances)).sum(axis=1)
            free = np.minimum(free, len(chances) - 1)
            noises.append(np.where(row == number, own, free))
        return noises
    upper = table.from_last
    lower = np.concatenate([upper[:, 1:], np.zeros((len(upper), 1))], axis=1)
    low, high = lower[row, own], upper[row, own]
    quantile = low + (high - low) * generator.random(size)
    ends = table.ends
    return [np.clip(np.searchsorted(ends, quantile, side="right") - 1, 0, len(ends) - 2)]
