"""Each kind of model as the other, where that loses nothing."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hickam.model.is_a import beyond, kinds_of
from hickam.model.links import sort_links
from hickam.model.mechanism import Gate, Table
from hickam.model.network import Floats, Links, Network
from hickam.model.node import Node
from hickam.model.numbers import Chance
from hickam.model.scm import SCM

STATES = {
    "risk factor": ("false", "true"),
    "disease": ("false", "true"),
    "finding": ("absent", "present"),
}
ABOVE = {"risk factor": "", "disease": "risk factor", "finding": "disease"}


@lru_cache(maxsize=32)
def general(network: Network) -> SCM:
    """A network as a general model. [CD noisy-or]"""
    nodes: dict[str, Node] = {}

    def add(role: str, node: str, own: Chance, causes: dict[str, Chance]) -> None:
        gate = Gate("or", tuple(causes), own, tuple(causes.values()))
        nodes[node] = Node(node, role, STATES[role], gate)

    for node, prior in zip(network.risk_factors, network.risk_prior.tolist(), strict=True):
        add("risk factor", node, Chance(prior, 1.0 - prior), {})
    for position, node in enumerate(network.diseases):
        own = Chance(
            float(network.disease_leak[position]), float(network.disease_leak_fails[position])
        )
        add("disease", node, own, _into(network.causes, network.risk_factors, position))
    for finding in _kinds_first(network):
        add("finding", network.findings[finding], *_beyond_kinds(network, finding))
    return SCM(
        network.about,
        nodes,
        network.entries,
        (*network.risk_factors, *network.diseases, *network.findings),
        network.categories,
        network.link_sources,
    )


def _kinds_first(network: Network) -> list[int]:
    """The findings, every kind before what it is a kind of."""
    above = kinds_of(network).above
    return sorted(range(len(network.findings)), key=lambda finding: -len(above.get(finding, ())))


def _beyond_kinds(network: Network, finding: int) -> tuple[Chance, dict[str, Chance]]:
    """The leak and the causes of a finding: its kinds, each a certain one, and what is left."""
    own, causes = _finding(network, finding)
    kinds = kinds_of(network).nearest.get(finding, ())
    for kind in kinds:
        leak, links = _finding(network, kind)
        own = beyond(own, leak)
        causes |= {cause: beyond(causes[cause], chance) for cause, chance in links.items()}
    left = {cause: chance for cause, chance in causes.items() if not kinds or chance.acts > 0.0}
    return own, {**left, **{network.findings[kind]: Chance(1.0, 0.0) for kind in kinds}}


def _finding(network: Network, finding: int) -> tuple[Chance, dict[str, Chance]]:
    """The leak and the causes of a finding, those of its kinds included."""
    leak, fails = float(network.finding_leak[finding]), float(network.finding_leak_fails[finding])
    return Chance(leak, fails), _into(network.effects, network.diseases, finding)


def _into(links: Links, causes: tuple[str, ...], effect: int) -> dict[str, Chance]:
    """Cause → chance of the links into one effect."""
    return {
        causes[int(links.cause[link])]: Chance(float(links.acts[link]), float(links.fails[link]))
        for link in links.of_effect(effect)
    }


@lru_cache(maxsize=32)
def layered(model: SCM) -> Network | None:
    """A general model as a network, if it is one."""
    for node in model:
        above = ABOVE.get(node.role)
        if above is None or not node.binary or _gate(node) is None:
            return None
        if any(model.nodes[parent].role != above for parent in node.parents):
            return None
    if not model.diseases or not model.findings or model.exclusive:
        return None
    risk_prior = np.array([_own(model, node).acts for node in model.risk_factors])
    leaks = [_column(model, layer) for layer in (model.diseases, model.findings)]
    for array in (risk_prior, *leaks[0], *leaks[1]):
        array.setflags(write=False)
    return Network(
        about=model.about,
        risk_factors=model.risk_factors,
        diseases=model.diseases,
        findings=model.findings,
        risk_prior=risk_prior,
        disease_leak=leaks[0][0],
        disease_leak_fails=leaks[0][1],
        finding_leak=leaks[1][0],
        finding_leak_fails=leaks[1][1],
        causes=_links(model, model.risk_factors, model.diseases),
        effects=_links(model, model.diseases, model.findings),
        entries=model.entries,
        categories=model.categories,
        link_sources=model.link_sources,
    )


def _gate(node: Node) -> Gate | None:
    """The node's mechanism as a noisy-OR, if it is one; without parents anything is."""
    mechanism = node.mechanism
    if isinstance(mechanism, Gate) and (mechanism.kind == "or" or not mechanism.parents):
        if mechanism.kind == "or":
            return mechanism
        return Gate("or", (), Chance(mechanism.own.fails, mechanism.own.acts), ())
    if isinstance(mechanism, Table) and not mechanism.parents:
        off, on = mechanism.rows.tolist()
        return Gate("or", (), Chance(on, off), ())
    return None


def _own(model: SCM, node: str) -> Chance:
    """The leak of a node that is a noisy-OR."""
    gate = _gate(model.nodes[node])
    assert gate is not None
    return gate.own


def _column(model: SCM, layer: tuple[str, ...]) -> tuple[Floats, Floats]:
    """acts and fails of the leaks of a layer."""
    table = np.array([_own(model, node) for node in layer], dtype=np.float64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def _links(model: SCM, above: tuple[str, ...], below: tuple[str, ...]) -> Links:
    """The links between two layers."""
    place = {node: position for position, node in enumerate(above)}
    rows = [
        (place[parent], position, link.acts, link.fails)
        for position, node in enumerate(below)
        if isinstance(gate := _gate(model.nodes[node]), Gate)
        for parent, link in zip(gate.parents, gate.links, strict=True)
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return sort_links(
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2].copy(),
        table[:, 3].copy(),
        (len(above), len(below)),
    )
