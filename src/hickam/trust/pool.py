"""Several people's numbers → one, by linear or logarithmic pooling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hickam.issues import Issue, did_you_mean, error, invalid, raise_errors
from hickam.model.kinds import Model, need_network
from hickam.model.network import Network
from hickam.model.numbers import Chance
from hickam.trust.changed import with_numbers
from hickam.trust.experts import (
    NETWORK,
    Opinions,
    Said,
    present_number,
    read_opinions,
    read_weights,
)
from hickam.words import two_digits

METHODS = {
    "linear": "the weighted mean of the probabilities",
    "log": "the weighted mean of the log odds",
}


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A network with pooled numbers, and what went into each of them."""

    network: Network  # with the pooled numbers
    method: str
    weights: Mapping[str, float]
    opinions: Sequence[Opinions]  # of the numbers that were pooled
    pooled: Mapping[tuple[str, str], Chance]
    proposals: Sequence[Opinions] = field(default=())  # links that the network does not have
    raised: Mapping[tuple[str, str], Chance] = field(default_factory=dict)  # pooled → for its kinds

    @property
    def experts(self) -> tuple[str, ...]:
        """Everyone who said something, the network apart."""
        return tuple(name for name in self.weights if name != NETWORK)

    def number_dict(self, opinions: Opinions) -> dict[str, Any]:
        """One number as plain values, ready for JSON."""
        pooled, raised = self.pooled.get(opinions.key), self.raised.get(opinions.key)
        return {
            "kind": opinions.kind,
            "cause": opinions.cause if opinions.kind == "link" else None,
            "effect": opinions.effect,
            "before": None if opinions.present is None else opinions.present.acts,
            "pooled": None if pooled is None else pooled.acts,
            "raised_for_its_kinds": None if raised is None else raised.acts,
            "experts": {name: chance.acts for name, chance in opinions.chances.items()},
            "spread": opinions.spread,
        }


def pool(
    model: Model,
    rows: Sequence[Said],
    *,
    method: str = "linear",
    weights: Mapping[str, float] | None = None,
    add: bool = False,
    file: str | None = None,
) -> Pool:
    """The network with the numbers of several experts pooled.

    The weights of those who speak of a number are scaled to 1. A link that the network does not
    have is a proposal, and part of the result only with `add`.
    """
    network = need_network(model, "pooling its numbers")
    if method not in METHODS:
        raise invalid(f"method {method!r}", "is not known", did_you_mean(str(method), METHODS))
    experts = list(dict.fromkeys(name for row in rows for name in row.by))
    opinions = read_opinions(network, rows, file)
    scale = read_weights(weights or {}, experts)
    issues: list[Issue] = []
    pooled: dict[tuple[str, str], Chance] = {}
    sources: dict[tuple[str, str], str] = {}
    for one in opinions:
        if one.present is None and not add:
            continue
        spoken = dict(one.chances)
        if one.present is not None and scale[NETWORK] > 0.0:
            spoken[NETWORK] = one.present
        chance = combine(spoken, scale, method)
        if chance is None:
            issues.append(_impossible(one, network, spoken, scale))
            continue
        pooled[one.key] = chance
        sources[one.key] = said_by(spoken, scale, method)
    raise_errors(issues)
    result, raised = _with_pooled(network, pooled, sources)
    return Pool(
        result,
        method,
        scale,
        [one for one in opinions if one.key in pooled],
        pooled,
        [one for one in opinions if one.key not in pooled],
        raised,
    )


def _with_pooled(
    network: Network,
    pooled: Mapping[tuple[str, str], Chance],
    sources: Mapping[tuple[str, str], str],
) -> tuple[Network, dict[tuple[str, str], Chance]]:
    """The network with pooled numbers, and those that had to be raised.

    A finding is at least as likely as its kinds; the source of a number that was raised says so.
    """
    result = with_numbers(network, pooled, sources)
    raised = {
        key: now
        for key, chance in pooled.items()
        if (now := present_number(result, *key)) is not None and now.acts > chance.acts
    }
    if raised:
        told = {key: f"{sources[key]}, raised to what its kinds come to" for key in raised}
        result = with_numbers(network, pooled, {**sources, **told})
    return result, raised


def combine(
    spoken: Mapping[str, Chance], weights: Mapping[str, float], method: str
) -> Chance | None:
    """One chance of several; None if nobody with a weight speaks, or a log pool has no value.

    >>> combine({"a": Chance(0.25, 0.75), "b": Chance(0.75, 0.25)}, {"a": 1, "b": 3}, "linear")
    Chance(acts=0.625, fails=0.375)
    """
    heard = {name: chance for name, chance in spoken.items() if weights[name] > 0.0}
    if not heard:
        return None
    largest = max(weights[name] for name in heard)
    total = math.fsum(weights[name] / largest for name in heard)
    share = {name: weights[name] / largest / total for name in heard}
    if method == "linear":
        acts = math.fsum(share[name] * chance.acts for name, chance in heard.items())
        fails = math.fsum(share[name] * chance.fails for name, chance in heard.items())
        return Chance(acts, fails)
    never = any(chance.acts == 0.0 for chance in heard.values())
    always = any(chance.fails == 0.0 for chance in heard.values())
    if never or always:
        return None if never and always else Chance(float(always), float(never))
    odds = math.exp(
        math.fsum(share[n] * (math.log(c.acts) - math.log(c.fails)) for n, c in heard.items())
    )
    return Chance(odds / (1.0 + odds), 1.0 / (1.0 + odds))


def said_by(spoken: Mapping[str, Chance], weights: Mapping[str, float], method: str) -> str:
    """The source of a pooled number: who and how. It stays an estimate."""
    voices = [
        f"{name} {two_digits(chance.acts)}"
        + (f" (weight {two_digits(weights[name])})" if weights[name] != 1.0 else "")
        for name, chance in spoken.items()
        if weights[name] > 0.0
    ]
    return f"estimate: {method} pool of {', '.join(voices)}"


def _impossible(
    one: Opinions, network: Network, spoken: Mapping[str, Chance], weights: Mapping[str, float]
) -> Issue:
    """Why a number cannot be pooled."""
    if not any(weights[name] > 0.0 for name in spoken):
        what, fix = "is given only by experts of weight 0", "leave out the row, or give weight"
    else:
        what, fix = "is impossible to one expert and certain to another", "use method 'linear'"
    return error(one.in_words(network), what, fix)
