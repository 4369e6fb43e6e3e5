"""The network as it is for one patient: sex and age, and kinds of a finding that are known absent.

Engines are given this network and need not know why its numbers are what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from hickam.model.is_a import Kinds, beyond, either, kinds_of
from hickam.model.network import Floats, Links, Network
from hickam.model.numbers import CERTAINLY_NOT, Chance

Factors = tuple[tuple[int, float], ...]  # (position, factor on the odds)
Parted = tuple[tuple[int, tuple[int, ...]], ...]  # (present finding, kinds of it that are absent)


class Circumstances(NamedTuple):
    """What one patient changes in a network; nothing by default.

    Sex and age change the odds of `risk_factors` and of the `leaks` of findings.
    """

    risk_factors: Factors = ()
    leaks: Factors = ()
    apart: Parted = ()


USUAL = Circumstances()


def adapted(network: Network, circumstances: Circumstances) -> Network:
    """The network under circumstances; the network itself if they change nothing."""
    return network if circumstances == USUAL else _adapted(network, circumstances)


def _adapted(network: Network, circumstances: Circumstances) -> Network:
    """First what sex and age change, for few kinds of people, then what one case does."""
    if circumstances.risk_factors or circumstances.leaks:
        network = _of_person(network, circumstances.risk_factors, circumstances.leaks)
    return _apart(network, circumstances.apart) if circumstances.apart else network


@lru_cache(maxsize=128)
def _of_person(network: Network, risk_factors: Factors, leaks: Factors) -> Network:
    risk_prior = network.risk_prior.copy()
    for position, factor in risk_factors:
        chance = Chance(float(risk_prior[position]), 1.0 - float(risk_prior[position]))
        risk_prior[position] = turned(chance, factor).acts
    leak, leak_fails = network.finding_leak.copy(), network.finding_leak_fails.copy()
    _turn_leaks(leak, leak_fails, dict(leaks), kinds_of(network))
    for array in (risk_prior, leak, leak_fails):
        array.setflags(write=False)
    return replace(network, risk_prior=risk_prior, finding_leak=leak, finding_leak_fails=leak_fails)


@lru_cache(maxsize=64)
def _apart(network: Network, parted: Parted) -> Network:
    leak, leak_fails = network.finding_leak.copy(), network.finding_leak_fails.copy()
    acts, fails = network.effects.acts.copy(), network.effects.fails.copy()
    for finding, kinds in _widest_first(network, parted):
        for kind in kinds:
            rest = beyond(_at(leak, leak_fails, finding), _at(leak, leak_fails, kind))
            leak[finding], leak_fails[finding] = rest
            for link, other in _shared(network.effects, finding, kind):
                rest = beyond(_at(acts, fails, link), _at(acts, fails, other))
                acts[link], fails[link] = rest
    for array in (leak, leak_fails, acts, fails):
        array.setflags(write=False)
    return replace(
        network,
        finding_leak=leak,
        finding_leak_fails=leak_fails,
        effects=replace(network.effects, acts=acts, fails=fails),
    )


def _widest_first(network: Network, parted: Parted) -> Parted:
    """What is parted, a finding before its kinds, which must still be whole when taken off it."""
    above = kinds_of(network).above
    return tuple(sorted(parted, key=lambda pair: len(above.get(pair[0], ()))))


def turned(chance: Chance, factor: float) -> Chance:
    """A chance with its odds multiplied; what is certain stays so unless the factor is 0.

    >>> turned(Chance(0.5, 0.5), 3.0)
    Chance(acts=0.75, fails=0.25)
    """
    if factor == 0.0:
        return CERTAINLY_NOT
    total = chance.acts * factor + chance.fails
    return Chance(chance.acts * factor / total, chance.fails / total)


def _turn_leaks(
    leak: Floats, leak_fails: Floats, factors: Mapping[int, float], kinds: Kinds
) -> None:
    """Multiply the odds of leaks; of a finding with kinds, of what is its own besides them."""
    wider = {above for finding in factors for above in kinds.above.get(finding, ())}
    changed = sorted({*factors, *wider}, key=lambda finding: -len(kinds.above.get(finding, ())))
    own = {
        finding: _without_kinds(leak, leak_fails, finding, kinds)
        for finding in changed
        if finding in kinds.nearest
    }
    for finding in changed:
        chance = own.get(finding) or _at(leak, leak_fails, finding)
        if finding in factors:
            chance = turned(chance, factors[finding])
        for kind in kinds.nearest.get(finding, ()):
            chance = either(_at(leak, leak_fails, kind), chance)
        leak[finding], leak_fails[finding] = chance


def _without_kinds(leak: Floats, leak_fails: Floats, finding: int, kinds: Kinds) -> Chance:
    """The leak that a finding has besides those of its kinds."""
    chance = _at(leak, leak_fails, finding)
    for kind in kinds.nearest[finding]:
        chance = beyond(chance, _at(leak, leak_fails, kind))
    return chance


def _at(acts: Floats, fails: Floats, position: int) -> Chance:
    return Chance(float(acts[position]), float(fails[position]))


def _shared(links: Links, finding: int, kind: int) -> list[tuple[int, int]]:
    """(link into a finding, link of the same cause into a kind of it)."""
    whole = {int(links.cause[link]): int(link) for link in links.of_effect(finding)}
    return [(whole[int(links.cause[link])], int(link)) for link in links.of_effect(kind)]
