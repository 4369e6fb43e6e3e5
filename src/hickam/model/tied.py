"""Networks in which diseases cause diseases or exclude each other, for the fast engines.

A disease that causes others is split in two: a risk factor that is on with the disease's own
probability, and the disease, which that risk factor always causes. What the disease causes is then
caused by the risk factor, and three layers are enough. See docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from hickam.model.is_a import either
from hickam.model.links import sort_links
from hickam.model.mechanism import Gate
from hickam.model.network import Floats, Links, Network
from hickam.model.node import Node
from hickam.model.numbers import Chance
from hickam.model.scm import SCM

COPY = "\0"  # marks the id of a risk factor that stands for a disease; no file has such an id
Tie = tuple[int, int, Chance]  # cause, effect, strength: by position among the diseases


@dataclass(frozen=True, slots=True, eq=False)
class Tied:
    """A general model of three layers in which diseases also cause or exclude diseases."""

    model: SCM
    gates: dict[str, Gate]
    ties: tuple[Tie, ...]
    causes: dict[int, tuple[int, ...]]  # disease that causes others → the risk factors of its own
    effects: dict[int, dict[int, Chance]]  # the same → what it causes, and how strongly
    exclusive: tuple[tuple[int, ...], ...]  # groups of diseases of which at most one is there


@dataclass(frozen=True, slots=True, eq=False)
class StandIns:
    """Three layers with stand-ins for some of the diseases that cause others.

    The network's risk factors are those of the model and then the stand-ins; the prior of one is
    set by whoever knows the causes of its disease. What the other diseases cause is left out.
    """

    network: Network
    stand_in: dict[int, int]  # disease → its risk factor
    own: dict[int, tuple[Chance, dict[int, Chance]]]  # such a disease → leak, causes by position


@lru_cache(maxsize=32)
def as_tied(model: SCM) -> Tied | None:
    """The model as tied layers, or None if it is more than that.

    Diseases may cause diseases and exclude each other; a disease that causes others must not be
    caused by one.
    """
    gates = _gates(model)
    if gates is None or not model.diseases or not model.findings:
        return None
    place = {disease: position for position, disease in enumerate(model.diseases)}
    ties = tuple(
        (place[cause], place[disease], chance)
        for disease in model.diseases
        for cause, chance in _links_of(gates[disease])
        if cause in place
    )
    sources = sorted({cause for cause, _, _ in ties})
    if any(effect in sources for _, effect, _ in ties) or not (ties or model.exclusive):
        return None
    risks = {risk: position for position, risk in enumerate(model.risk_factors)}
    causes = {d: tuple(risks[c] for c in gates[model.diseases[d]].parents) for d in sources}
    groups = tuple(tuple(place[disease] for disease in group) for group in model.exclusive)
    effects: dict[int, dict[int, Chance]] = {disease: {} for disease in sources}
    for cause, effect, chance in ties:
        effects[cause][effect] = chance
    return Tied(model, gates, ties, causes, effects, groups)


@lru_cache(maxsize=64)
def stand_ins(tied: Tied, diseases: tuple[int, ...]) -> StandIns:
    """The three layers with stand-ins for these diseases."""
    model, gates = tied.model, tied.gates
    risks = {risk: position for position, risk in enumerate(model.risk_factors)}
    stand_in = {disease: len(risks) + number for number, disease in enumerate(diseases)}
    own = {
        disease: (
            gates[model.diseases[disease]].own,
            {risks[cause]: chance for cause, chance in _links_of(gates[model.diseases[disease]])},
        )
        for disease in diseases
    }
    ties = [one for one in tied.ties if one[0] in stand_in]
    return StandIns(_network(model, gates, stand_in, ties), stand_in, own)


def _gates(model: SCM) -> dict[str, Gate] | None:
    """The noisy-OR of every node, if each has one and its parents stand where they may."""
    above = {
        "risk factor": (),
        "disease": ("risk factor", "disease"),
        "finding": ("disease", "finding"),
    }
    gates = {}
    for node in model:
        gate = node.mechanism
        if not isinstance(gate, Gate) or not (gate.kind == "or" or not gate.parents):
            return None
        if node.role not in above or not node.binary or node.normal != 0:
            return None
        roles = {model.nodes[parent].role for parent in node.parents}
        if not roles <= set(above[node.role]) or not _kinds_only(model, node, gate):
            return None
        gates[node.id] = gate if gate.kind == "or" else _as_or(gate)
    return gates


def _as_or(gate: Gate) -> Gate:
    """A parentless noisy-AND as a noisy-OR."""
    return Gate("or", (), Chance(gate.own.fails, gate.own.acts), ())


def _kinds_only(model: SCM, node: Node, gate: Gate) -> bool:
    """Whether the findings that cause a finding are kinds of it."""
    return all(
        model.entries[parent].is_a == node.id and chance.fails == 0.0
        for parent, chance in _links_of(gate)
        if model.nodes[parent].role == "finding"
    )


def _links_of(gate: Gate) -> list[tuple[str, Chance]]:
    return list(zip(gate.parents, gate.links, strict=True))


def _network(
    model: SCM, gates: dict[str, Gate], stand_in: dict[int, int], ties: Sequence[Tie]
) -> Network:
    """The three layers with stand-ins."""
    risks = {risk: position for position, risk in enumerate(model.risk_factors)}
    copies = tuple(COPY + model.diseases[disease] for disease in stand_in)
    causes = [(stand_in[c], e, *chance) for c, e, chance in ties]
    causes += [(risk, disease, 1.0, 0.0) for disease, risk in stand_in.items()]
    leaks = []
    for position, disease in enumerate(model.diseases):
        gate = gates[disease]
        leaks.append(Chance(0.0, 1.0) if position in stand_in else gate.own)
        if position not in stand_in:
            causes += [(risks[c], position, *p) for c, p in _links_of(gate) if c in risks]
    backgrounds, effects = _findings(model, gates)
    prior = [gates[risk].own.acts for risk in model.risk_factors]
    prior += [gates[model.diseases[disease]].own.acts for disease in stand_in]
    leak, leak_fails = _columns(leaks)
    background, background_fails = _columns(backgrounds)
    risk_prior = np.array(prior)
    risk_prior.setflags(write=False)
    names = (*model.risk_factors, *copies)
    return Network(
        about=model.about,
        risk_factors=names,
        diseases=model.diseases,
        findings=model.findings,
        risk_prior=risk_prior,
        disease_leak=leak,
        disease_leak_fails=leak_fails,
        finding_leak=background,
        finding_leak_fails=background_fails,
        causes=_links(causes, len(names), len(model.diseases)),
        effects=_links(effects, len(model.diseases), len(model.findings)),
        entries={**model.entries, **{c: model.entries[c.removeprefix(COPY)] for c in copies}},
        categories=model.categories,
        link_sources=model.link_sources,
    )


def _findings(
    model: SCM, gates: dict[str, Gate]
) -> tuple[list[Chance], list[tuple[int, int, float, float]]]:
    """The leaks and links of the findings, with those of their kinds."""
    place = {disease: position for position, disease in enumerate(model.diseases)}
    whole: dict[str, tuple[Chance, dict[str, Chance]]] = {}
    for node in model:  # a kind comes before what it is a kind of
        if node.role != "finding":
            continue
        leak = gates[node.id].own
        links: dict[str, Chance] = {}
        for parent, chance in _links_of(gates[node.id]):
            below = whole[parent][1] if parent in whole else {parent: chance}
            leak = either(leak, whole[parent][0]) if parent in whole else leak
            for cause, strength in below.items():
                links[cause] = either(links[cause], strength) if cause in links else strength
        whole[node.id] = (leak, links)
    found = [
        (place[cause], position, *chance)
        for position, finding in enumerate(model.findings)
        for cause, chance in whole[finding][1].items()
    ]
    return [whole[finding][0] for finding in model.findings], found


def _columns(chances: Sequence[Chance]) -> tuple[Floats, Floats]:
    """acts and fails as read-only arrays."""
    table = np.array(chances, dtype=np.float64).reshape(-1, 2)
    acts, fails = table[:, 0].copy(), table[:, 1].copy()
    acts.setflags(write=False)
    fails.setflags(write=False)
    return acts, fails


def _links(rows: Sequence[tuple[int, int, float, float]], causes: int, effects: int) -> Links:
    """Rows of (cause, effect, acts, fails) as links."""
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    cause, effect = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    return sort_links(cause, effect, table[:, 2], table[:, 3], (causes, effects))


def tie(model: SCM, ties: Sequence[tuple[str, str, Chance]]) -> SCM:
    """The model with further links from disease to disease, as (cause, effect, strength)."""
    nodes = dict(model.nodes)
    for cause, effect, chance in ties:
        gate = nodes[effect].mechanism
        assert isinstance(gate, Gate)
        wider = Gate("or", (*gate.parents, cause), gate.own, (*gate.links, chance))
        nodes[effect] = replace(nodes[effect], mechanism=wider)
    order: dict[str, Node] = {}

    def add(name: str) -> None:
        waiting = [name]
        while waiting:
            at = waiting[-1]
            missing = [parent for parent in nodes[at].parents if parent not in order]
            if missing:
                waiting += missing
            else:
                order[waiting.pop()] = nodes[at]

    for name in nodes:
        add(name)
    return replace(model, nodes=order)
