"""A network with some of its numbers replaced, as if its file had been edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hickam.model.is_a import either, kinds_of
from hickam.model.links import sort_links
from hickam.model.network import Floats, Links, Network
from hickam.model.numbers import Chance

Numbers = Mapping[tuple[str, str], Chance]  # (cause, effect), of a prior or leak the node twice


def with_numbers(
    network: Network, numbers: Numbers, sources: Mapping[tuple[str, str], str] | None = None
) -> Network:
    """The network with these numbers, and links that it did not have.

    A finding that would be left with less than its kinds come to is raised to that, as it is when
    a file is read.
    """
    index = network.index
    priors = network.risk_prior.copy()
    leaks = {
        "disease": (network.disease_leak.copy(), network.disease_leak_fails.copy()),
        "finding": (network.finding_leak.copy(), network.finding_leak_fails.copy()),
    }
    risks, diseases, findings = map(set, (network.risk_factors, network.diseases, network.findings))
    new: dict[str, dict[tuple[int, int], Chance]] = {"causes": {}, "effects": {}}
    for (cause, effect), chance in numbers.items():
        if cause != effect:
            which = "effects" if effect in findings else "causes"
            new[which][index[cause], index[effect]] = chance
        elif effect in risks:
            priors[index[effect]] = chance.acts
        else:
            layer = leaks["disease" if effect in diseases else "finding"]
            layer[0][index[effect]], layer[1][index[effect]] = chance
    effects = _linked(network.effects, new["effects"])
    raised = _raised(network, effects, *leaks["finding"], new["effects"])
    return replace(
        network,
        risk_prior=_frozen(priors),
        disease_leak=_frozen(leaks["disease"][0]),
        disease_leak_fails=_frozen(leaks["disease"][1]),
        finding_leak=_frozen(leaks["finding"][0]),
        finding_leak_fails=_frozen(leaks["finding"][1]),
        causes=_linked(network.causes, new["causes"]),
        effects=_linked(effects, raised) if raised else effects,
        link_sources={**network.link_sources, **(sources or {})},
    )


def _linked(links: Links, new: Mapping[tuple[int, int], Chance]) -> Links:
    """The links with some of them replaced or added."""
    if not new:
        return links
    ends = zip(links.cause.tolist(), links.effect.tolist(), strict=True)
    place = {pair: link for link, pair in enumerate(ends)}
    acts, fails = links.acts.copy(), links.fails.copy()
    added = [(*pair, *chance) for pair, chance in new.items() if pair not in place]
    for pair, chance in new.items():
        if pair in place:
            acts[place[pair]], fails[place[pair]] = chance
    table = np.array(added, dtype=np.float64).reshape(-1, 4)
    return sort_links(
        np.concatenate([links.cause, table[:, 0].astype(np.int64)]),
        np.concatenate([links.effect, table[:, 1].astype(np.int64)]),
        np.concatenate([acts, table[:, 2]]),
        np.concatenate([fails, table[:, 3]]),
        (len(links.start) - 1, len(links.effect_start) - 1),
    )


def _raised(
    network: Network,
    effects: Links,
    leak: Floats,
    fails: Floats,
    new: Mapping[tuple[int, int], Chance],
) -> dict[tuple[int, int], Chance]:
    """Raise the leaks of findings to those of their kinds; the links that have to be, likewise."""
    kinds = kinds_of(network)
    touched = {finding for _, finding in new}
    raised: dict[tuple[int, int], Chance] = {}
    for whole in sorted(kinds.nearest, key=lambda f: -len(kinds.above.get(f, ()))):
        own = Chance(0.0, 1.0)
        for kind in kinds.nearest[whole]:
            own = either(own, Chance(float(leak[kind]), float(fails[kind])))
        if leak[whole] < own.acts:
            leak[whole], fails[whole] = own
        if touched.isdisjoint((whole, *kinds.below[whole])):
            continue
        strength = _into(effects, raised, whole)
        least: dict[int, Chance] = {}
        for kind in kinds.nearest[whole]:
            for cause, chance in _into(effects, raised, kind).items():
                least[cause] = either(least.get(cause, Chance(0.0, 1.0)), chance)
        for cause, chance in least.items():
            if cause not in strength or strength[cause].acts < chance.acts:
                raised[cause, whole] = chance
    return raised


def _into(links: Links, raised: Mapping[tuple[int, int], Chance], effect: int) -> dict[int, Chance]:
    """Cause → strength of the links into a finding."""
    found = {
        int(links.cause[link]): Chance(float(links.acts[link]), float(links.fails[link]))
        for link in links.of_effect(effect).tolist()
    }
    return found | {cause: chance for (cause, to), chance in raised.items() if to == effect}


def _frozen(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
