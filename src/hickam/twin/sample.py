"""Importance sampling of the noise given the evidence. [CD twin-network]

Factual states are drawn parents first, each node from its own mechanism tilted by what the evidence
below it says; the noise is then drawn exactly, given the states. One set of particles answers every
counterfactual question, because any action can be evaluated on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

import numpy as np

from hickam.beliefs.options import Limits
from hickam.model.mechanism import Function, Gate, Table
from hickam.model.network import Floats, Ints
from hickam.model.node import Node
from hickam.model.scm import SCM
from hickam.twin.beliefs import Tables
from hickam.twin.observe import Observations
from hickam.twin.particles import Particles
from hickam.twin.proposal import Proposal, conditional, draw, log_quiet, normalise, propose, tune
from hickam.twin.unseen import missed_share

FIRST = 8_000
MOST = 60_000


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


def sample(proposal: Proposal, size: int, generator: np.random.Generator) -> Particles:
    """Particles with states, weights and noise that agrees with the states."""
    drawn = draw(proposal, size, generator)
    share, log_mean = normalise(drawn.log_weight)
    noise = {node.id: noise_given(node, drawn.states, size, generator) for node in proposal.nodes}
    missed = missed_share(proposal, drawn, share, log_mean)
    return Particles(proposal.model, noise, drawn.states, share, log_mean, missed)


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
    silence = [
        np.where(o, log_quiet(c.fails, c.acts), 0.0) for o, c in zip(opened, chances, strict=True)
    ]
    later = np.cumsum(np.array(silence)[::-1], axis=0)[::-1]  # [link, particle] from here on
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
    if table.gate is not None:
        return _corrected_noise(table, table.gate, own, parents, generator)
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
    return [_cell(table, low, high, generator)]


def _cell(table: Table, low: Floats, high: Floats, generator: np.random.Generator) -> Ints:
    """The cell of a quantile that is drawn between two ends."""
    quantile = low + (high - low) * generator.random(len(low))
    ends = table.ends
    return np.clip(np.searchsorted(ends, quantile, side="right") - 1, 0, len(ends) - 2)


def _corrected_noise(
    table: Table, gate: Gate, own: Ints, parents: list[Ints], generator: np.random.Generator
) -> list[Ints]:
    """The noises of a table with a gate: the gate's answer, its noises, and the correction."""
    size = len(own)
    row = np.broadcast_to(table.row(parents), (size,))
    keeps, gains = (edge[row] for edge in table.corrections)
    quiet = table.quiet_state
    taken = [np.broadcast_to(parent, (size,)) for parent in table.as_taken(parents)]
    before = conditional(Node("", "other", ("", ""), gate), taken, size)[:, quiet]
    stays, becomes = (np.where(own == quiet, edge, 1.0 - edge) for edge in (keeps, gains))
    both = before * stays
    total = both + (1.0 - before) * becomes
    share = np.divide(both, total, out=np.zeros(size), where=total > 0.0)
    is_quiet = generator.random(size) < share
    answer = np.where(is_quiet, quiet, 1 - quiet)
    edge = np.where(is_quiet, keeps, gains)
    low, high = np.where(own == quiet, 0.0, edge), np.where(own == quiet, edge, 1.0)
    noises = _gate_noise(gate, answer, taken, size, generator)
    return [*noises, _cell(table, low, high, generator)]
