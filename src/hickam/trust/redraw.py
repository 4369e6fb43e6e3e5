"""A network with every number that is not cited drawn anew, within a factor on its odds.

A learnt number is drawn within what its patients leave open, if that is less.

A finding with kinds is the OR of its kinds and of what is its own. Only what is its own is drawn,
and the whole is put together again, so that a kind still always comes with what it is a kind of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hickam.inference.problem import log_fails
from hickam.model.is_a import kinds_of
from hickam.model.network import Floats, Ints, Network
from hickam.model.source import firmness
from hickam.trust.numbers import source_of

ROUNDING = 1e-12  # what a finding has of its own, if it is less than this, is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers of one kind, in parts that are drawn and put together again."""

    own: Floats  # acts, of what is a node's own
    most: Floats  # the factor that is never exceeded: 1 if it is cited, or 0 or 1
    # (position of the whole, position of the part), level by level, the narrowest first
    levels: Sequence[tuple[Ints, Ints]] = ()

    def draw(self, factor: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """(acts, fails) with the odds of every estimate times factor ** uniform(-1, 1)."""
        by = np.minimum(factor, self.most) ** rng.uniform(-1.0, 1.0, len(self.own))
        total = self.own * by + (1.0 - self.own)
        acts, fails = self.own * by / total, (1.0 - self.own) / total
        if not self.levels:
            return acts, fails
        logs = log_fails(acts, fails)
        for wholes, parts in self.levels:
            np.add.at(logs, wholes, logs[parts])
        changed = np.unique(np.concatenate([wholes for wholes, _ in self.levels]))
        acts[changed], fails[changed] = -np.expm1(logs[changed]), np.exp(logs[changed])
        return acts, fails


class Redraw:
    """The estimates of a network, ready to be drawn again and again."""

    def __init__(self, network: Network, factor: float) -> None:
        self._network = network
        self._factor = factor
        nodes = (network.risk_factors, network.diseases, network.findings)
        firm = [
            np.array([firmness(source_of(network, node, node)) for node in layer])
            for layer in nodes
        ]
        self._risks = _plain(network.risk_prior, firm[0])
        self._diseases = _plain(network.disease_leak, firm[1])
        self._causes = _plain(network.causes.acts, self._links(nodes[0], nodes[1], "causes"))
        effects = network.effects
        own = self._links(nodes[1], nodes[2], "effects")
        leaves, links = _levels(network)
        self._findings = _parted(network.finding_leak, network.finding_leak_fails, firm[2], leaves)
        self._effects = _parted(effects.acts, effects.fails, own, links)

    def _links(self, upper: tuple[str, ...], lower: tuple[str, ...], which: str) -> Floats:
        """[link] how firm its strength is."""
        network = self._network
        links = network.causes if which == "causes" else network.effects
        usual = np.array([firmness(network.entries[node].source) for node in lower])
        found = usual[links.effect] if len(links) else np.zeros(0)
        if not network.link_sources:
            return found
        pairs = zip(links.cause.tolist(), links.effect.tolist(), strict=True)
        for link, (cause, effect) in enumerate(pairs):
            said = network.link_sources.get((upper[cause], lower[effect]))
            if said is not None:
                found[link] = firmness(said)
        return found

    @property
    def drawn(self) -> int:
        """How many numbers are drawn."""
        return sum(int((part.most > 1.0).sum()) for part in self._parts)

    @property
    def held(self) -> int:
        """How many numbers are cited, or certain, and stay."""
        return sum(int(((part.most == 1.0) & (part.own > 0.0)).sum()) for part in self._parts)

    @property
    def _parts(self) -> tuple[Numbers, ...]:
        return (self._risks, self._diseases, self._causes, self._findings, self._effects)

    def draw(self, rng: np.random.Generator) -> Network:
        """The network with its estimates drawn."""
        risks, diseases, causes, findings, effects = (
            part.draw(self._factor, rng) for part in self._parts
        )
        network = self._network
        for pair in (risks, diseases, causes, findings, effects):
            for array in pair:
                array.setflags(write=False)
        return replace(
            network,
            risk_prior=risks[0],
            disease_leak=diseases[0],
            disease_leak_fails=diseases[1],
            finding_leak=findings[0],
            finding_leak_fails=findings[1],
            causes=replace(network.causes, acts=causes[0], fails=causes[1]),
            effects=replace(network.effects, acts=effects[0], fails=effects[1]),
        )


def _plain(acts: Floats, firm: Floats) -> Numbers:
    """Numbers that are their own; so many patients leave log odds open by 1 / √(n p (1 - p))."""
    open_ones = (acts > 0.0) & (acts < 1.0)
    told = firm[open_ones] * (acts * (1.0 - acts))[open_ones]
    most = np.ones(len(acts))
    with np.errstate(divide="ignore", over="ignore"):
        most[open_ones] = np.exp(np.sqrt(3.0 / told))  # uniform with that deviation
    return Numbers(acts, most)


def _parted(
    acts: Floats, fails: Floats, firm: Floats, levels: Sequence[tuple[Ints, Ints]]
) -> Numbers:
    """Numbers of which some are made of others besides their own."""
    if not levels:
        return _plain(acts, firm)
    logs = log_fails(acts, fails)
    parts = np.zeros_like(logs)
    for wholes, kinds in levels:
        np.add.at(parts, wholes, logs[kinds])
    own = acts.copy()
    changed = np.unique(np.concatenate([wholes for wholes, _ in levels]))
    with np.errstate(invalid="ignore"):
        rest = -np.expm1(logs[changed] - parts[changed])
    own[changed] = np.where(rest > ROUNDING, rest, 0.0)  # also where both are certain
    return replace(_plain(own, firm), levels=tuple(levels))


def _levels(network: Network) -> tuple[list[tuple[Ints, Ints]], list[tuple[Ints, Ints]]]:
    """(leaks, links): positions of wholes and of the parts of them, the narrowest first."""
    kinds = kinds_of(network)
    depth: dict[int, list[int]] = {}
    for whole in kinds.nearest:
        depth.setdefault(len(kinds.above.get(whole, ())), []).append(whole)
    effects = network.effects
    link_of = {
        (int(effects.cause[link]), finding): int(link)
        for finding in {*kinds.nearest, *kinds.above}
        for link in effects.of_effect(finding).tolist()
    }
    leaks, links = [], []
    for level in sorted(depth, reverse=True):
        pairs = [(whole, kind) for whole in depth[level] for kind in kinds.nearest[whole]]
        leaks.append(_columns(pairs))
        links.append(
            _columns(
                [
                    (link_of[cause, whole], link_of[cause, kind])
                    for whole, kind in pairs
                    for cause in effects.cause[effects.of_effect(kind)].tolist()
                ]
            )
        )
    return leaks, links


def _columns(pairs: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
