"""The general discrete structural causal model: any acyclic graph, any of four mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hickam.issues import printable
from hickam.model.guessed import NOTHING, Guessed
from hickam.model.mechanism import Gate, Table
from hickam.model.network import About, Category, Entry, Floats, Links
from hickam.model.node import PART, ROLES, Node
from hickam.model.scm_view import background, direct_links


@dataclass(frozen=True, eq=False)
class SCM:
    """Variables set by mechanisms from their parents and from independent noise. [CD scm]

    `nodes` is in topological order. The layers answer to the same names as those of a `Network`,
    so that cases are located and differentials ranked in the same way. Built and checked only by
    `hickam.model.scm_build`.
    """

    about: About
    nodes: Mapping[str, Node]  # id → node, parents before children
    entries: Mapping[str, Entry]
    order: tuple[str, ...] = ()  # ids as the document lists them
    categories: tuple[Category, ...] = ()
    link_sources: Mapping[tuple[str, str], str] = field(default_factory=dict)
    recognised: Mapping[str, str] = field(default_factory=dict)  # table node → the gate it is
    # groups of diseases of which a patient has at most one; see `model/exclusive.py`
    exclusive: tuple[tuple[str, ...], ...] = ()
    guessed: Guessed = NOTHING

    @property
    def name(self) -> str:
        """The model's display name."""
        return printable(self.about.name)

    @property
    def notes(self) -> tuple[str, ...]:
        """What answers rest on: guesses, and tables that were recognised as a gate."""
        guesses = (f"this rests on {self.guessed}",) if self.guessed else ()
        return guesses + tuple(
            f"the table of '{node}' is a {gate} and is read as one"
            for node, gate in self.recognised.items()
        )

    def label(self, node: str) -> str:
        """The display name of a node, on one line."""
        return printable(self.entries[node].name)

    def of_role(self, role: str) -> tuple[str, ...]:
        """The ids of a role, in the order of the document."""
        return tuple(node for node in self.order if self.nodes[node].role == role)

    @cached_property
    def risk_factors(self) -> tuple[str, ...]:
        """The nodes with the role of a risk factor."""
        return self.of_role("risk factor")

    @cached_property
    def diseases(self) -> tuple[str, ...]:
        """The nodes with the role of a disease: the first axis of beliefs."""
        return self.of_role("disease")

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The nodes with the role of a finding."""
        return self.of_role("finding")

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Position of every id within its own role."""
        return {node: i for role in ROLES for i, node in enumerate(self.of_role(role))}

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """Node → its direct effects."""
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for node in self.nodes.values():
            for parent in node.parents:
                found[parent].append(node.id)
        return {node: tuple(effects) for node, effects in found.items()}

    @cached_property
    def causes(self) -> Links:
        """The direct links from risk factors to diseases, to describe and not to compute with."""
        return direct_links(self.nodes, self.risk_factors, self.diseases)

    @cached_property
    def effects(self) -> Links:
        """The direct links from diseases to findings, to describe and not to compute with."""
        return direct_links(self.nodes, self.diseases, self.findings)

    @cached_property
    def risk_prior(self) -> Floats:
        """[risk factor] P(on) with every parent off."""
        return background(self.nodes, self.risk_factors)

    @cached_property
    def disease_leak(self) -> Floats:
        """[disease] P(on) with every parent off."""
        return background(self.nodes, self.diseases)

    @cached_property
    def finding_leak(self) -> Floats:
        """[finding] P(on) with every parent off."""
        return background(self.nodes, self.findings)

    @cached_property
    def links(self) -> int:
        """How many direct causal links there are."""
        return sum(self.nodes[p].role != PART for node in self for p in node.parents)

    def shown(self, node: str) -> str:
        """The node itself, or the one whose mechanism it is a part of."""
        while self.nodes[node].role == PART:
            node = self.children[node][0]
        return node

    def direct_causes(self, node: str) -> tuple[str, ...]:
        """The parents of a node; of one with parts, those that its parts have."""
        found: dict[str, None] = {}
        waiting = list(self.nodes[node].parents)
        while waiting:
            parent = waiting.pop(0)
            if self.nodes[parent].role == PART:
                waiting[:0] = self.nodes[parent].parents
            else:
                found[parent] = None
        return tuple(found)

    def descendants(self, node: str) -> set[str]:
        """Every node that the given one can affect, without itself."""
        found: set[str] = set()
        waiting = list(self.children[node])
        while waiting:
            effect = waiting.pop()
            if effect not in found:
                found.add(effect)
                waiting.extend(self.children[effect])
        return found

    @cached_property
    def hash(self) -> str:
        """A digest of the whole content: equal hashes mean equal models."""
        content = [
            asdict(self.about),
            [asdict(self.entries[node]) for node in self.order],
            [_plain(self.nodes[node]) for node in self.order],
            sorted((*pair, source) for pair, source in self.link_sources.items()),
            [asdict(category) for category in self.categories],
            self.exclusive,
            asdict(self.guessed),
        ]
        import hashlib
        import json

        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{len(self.of_role(role))} {plural}"
            for role, plural in zip(
                ROLES, ("risk factors", "diseases", "findings", "others"), strict=True
            )
        )
        return f"<SCM {self.name!r}: {counts}, {self.links} links>"


def _plain(node: Node) -> list[Any]:
    """A node as plain values; float.hex keeps every digit."""
    mechanism: list[Any] = [type(node.mechanism).__name__, list(node.parents)]
    if isinstance(node.mechanism, Gate):
        gate = node.mechanism
        mechanism += [gate.kind, [[p.acts.hex(), p.fails.hex()] for p in (gate.own, *gate.links)]]
    elif isinstance(node.mechanism, Table):
        table = node.mechanism
        rows = np.asarray(table.rows).ravel().tolist()
        mechanism += [table.coupling, [float(value).hex() for value in rows]]
        mechanism += [] if table.gate is None else [table.gate.kind, list(table.flips)]
    else:
        mechanism.append(node.mechanism.text)
    return [node.id, node.role, list(node.states), node.normal, mechanism]
