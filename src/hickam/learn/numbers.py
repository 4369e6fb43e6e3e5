"""The numbers of a network that can be learnt, as one vector, and the network with other ones.

A finding that has kinds is taken apart: its leak and links here are those of what is left of it
beside its kinds, so that all findings are independent given the diseases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hickam.issues import Issue, error, raise_errors
from hickam.model.adapted import Circumstances, adapted
from hickam.model.is_a import either, kinds_of
from hickam.model.kinds import Model, need_network
from hickam.model.network import Floats, Network
from hickam.model.numbers import Chance

ROUNDING = 1e-12
KINDS = ("prior", "disease leak", "cause", "finding leak", "effect")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Where each number of a network stands: priors of risk factors, leaks and links in order."""

    network: Network  # as the user gave it
    apart: Network  # with findings without what their kinds have

    @classmethod
    def of(cls, network: Network) -> Numbers:
        """The numbers of a network."""
        parted = tuple(kinds_of(network).nearest.items())
        return cls(network, adapted(network, Circumstances(apart=parted)))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each kind of number begins, and the end."""
        own = self.network
        sizes = (
            len(own.risk_factors),
            len(own.diseases),
            len(own.causes),
            len(own.findings),
            len(own.effects),
        )
        return tuple(int(total) for total in np.cumsum((0, *sizes)))

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.starts[-1]

    def of_kind(self, kind: str) -> slice:
        """The numbers of one kind."""
        at = KINDS.index(kind)
        return slice(self.starts[at], self.starts[at + 1])

    @cached_property
    def values(self) -> Floats:
        """[number] what the network says."""
        own = self.apart
        parts = (own.risk_prior, own.disease_leak, own.causes.acts, own.finding_leak)
        found = np.concatenate([*parts, own.effects.acts])
        return np.where(found < ROUNDING, 0.0, found)  # what rounding left beside its kinds

    @cached_property
    def stated(self) -> Floats:
        """[number] what the network's file says: of a finding with kinds, with what they have."""
        own = self.network
        parts = (own.risk_prior, own.disease_leak, own.causes.acts, own.finding_leak)
        return np.concatenate([*parts, own.effects.acts])

    @cached_property
    def together(self) -> dict[int, list[int]]:
        """A number of a finding with kinds → itself and those of all its kinds: it is their OR."""
        links, kinds = self.network.effects, kinds_of(self.network)
        leaks, effects = self.of_kind("finding leak").start, self.of_kind("effect").start
        found = {}
        for finding, below in kinds.below.items():
            found[leaks + finding] = [leaks + one for one in (finding, *below)]
            into = {int(links.cause[link]): link for link in links.of_effect(finding).tolist()}
            for link in into.values():
                found[effects + link] = [effects + link]
            for kind in below:
                for link in links.of_effect(kind).tolist():
                    found[effects + into[int(links.cause[link])]].append(effects + link)
        return found

    def whole(self, values: Floats) -> Floats:
        """[number] values as a file states them: each finding together with its kinds."""
        found = values.copy()
        for number, parts in self.together.items():
            found[number] = 1.0 - np.prod(1.0 - values[parts])
        return found

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """[number] (cause, effect); a prior or leak is its own cause."""
        own = self.network
        found = [(node, node) for node in (*own.risk_factors, *own.diseases)]
        links = own.causes
        pairs = zip(links.cause.tolist(), links.effect.tolist(), strict=True)
        found += [(own.risk_factors[cause], own.diseases[effect]) for cause, effect in pairs]
        found += [(node, node) for node in own.findings]
        links = own.effects
        pairs = zip(links.cause.tolist(), links.effect.tolist(), strict=True)
        found += [(own.diseases[cause], own.findings[effect]) for cause, effect in pairs]
        return found

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """[node] risk factors, diseases and findings in turn."""
        own = self.network
        return (*own.risk_factors, *own.diseases, *own.findings)

    @property
    def first_finding(self) -> int:
        """The position of the first finding among `ids`."""
        return len(self.network.risk_factors) + len(self.network.diseases)

    def linked(self, node: int) -> bool:
        """Whether a link leads to or from a node."""
        name = self.ids[node]
        return any(name in pair for pair in self.names if pair[0] != pair[1])

    @cached_property
    def families(self) -> list[list[int]]:
        """The numbers that compete to explain the same node: a leak and the links beside it."""
        own = self.network
        found = [[number] for number in range(len(own.risk_factors))]
        for leaks, kind, links in (
            (self.of_kind("disease leak"), "cause", own.causes),
            (self.of_kind("finding leak"), "effect", own.effects),
        ):
            begin = self.of_kind(kind).start
            for position in range(leaks.stop - leaks.start):
                into = (begin + links.of_effect(position)).tolist()
                found.append([leaks.start + position, *into])
        return found

    @cached_property
    def sources(self) -> list[str]:
        """[number] where the network has it from."""
        own = self.network
        return [own.link_sources.get(pair) or own.entries[pair[1]].source for pair in self.names]

    def network_with(
        self, values: Floats, sources: dict[tuple[str, str], str] | None = None
    ) -> Network:
        """The network with other numbers, its findings put together with their kinds again."""
        own = self.network
        parts = [np.array(values[self.of_kind(kind)]) for kind in KINDS]
        prior, leak, causes, finding_leak, effects = parts
        leak_fails, effect_fails = 1.0 - finding_leak, 1.0 - effects
        _join(own, finding_leak, leak_fails, effects, effect_fails)
        leak_off, cause_fails = 1.0 - leak, 1.0 - causes
        for array in (prior, leak, leak_off, finding_leak, leak_fails, causes, cause_fails,
                      effects, effect_fails):  # fmt: skip
            array.setflags(write=False)
        return replace(
            own,
            risk_prior=prior,
            disease_leak=leak,
            disease_leak_fails=leak_off,
            finding_leak=finding_leak,
            finding_leak_fails=leak_fails,
            causes=replace(own.causes, acts=causes, fails=cause_fails),
            effects=replace(own.effects, acts=effects, fails=effect_fails),
            link_sources={**own.link_sources, **(sources or {})},
        )


def numbers_of(model: Model) -> Numbers:
    """The numbers of a model, or every reason why they cannot be learnt."""
    network = need_network(model, "learning from records")
    issues: list[Issue] = []
    fix = "learn a network without it"
    for node, entry in network.entries.items():
        if entry.per_finding != 1.0:
            what = "has a factor for every present finding, which is no probability to learn from"
            issues.append(error(f"disease '{node}'", what, fix))
        if entry.absence != 1.0:
            what = "has an absence that does not count in full, so that its records cannot either"
            issues.append(error(f"finding '{node}'", what, fix))
    raise_errors(issues[:20])
    return Numbers.of(network)


def _join(network: Network, leak: Floats, leak_fails: Floats, acts: Floats, fails: Floats) -> None:
    """Give every finding with kinds what they have, the deepest first."""
    kinds = kinds_of(network)
    links = network.effects
    for finding in sorted(kinds.nearest, key=lambda one: -len(kinds.above.get(one, ()))):
        whole = {int(links.cause[link]): int(link) for link in links.of_effect(finding)}
        for kind in kinds.nearest[finding]:
            joined = either(
                Chance(leak[finding], leak_fails[finding]), Chance(leak[kind], leak_fails[kind])
            )
            leak[finding], leak_fails[finding] = joined
            for link in links.of_effect(kind).tolist():
                own = whole[int(links.cause[link])]
                joined = either(Chance(acts[own], fails[own]), Chance(acts[link], fails[link]))
                acts[own], fails[own] = joined
