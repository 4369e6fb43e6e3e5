"""What several people say about the same numbers of a network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hickam.issues import Issue, did_you_mean, error, raise_errors
from hickam.language.vocabulary import find_each, vocabularies
from hickam.model.network import Network
from hickam.model.numbers import FREQUENCY_WORDS, RARENESS_WORDS, Chance, checked_chance

NETWORK = "network"  # the name under which the number that is there already can be given a weight


@dataclass(frozen=True, slots=True)
class Said:
    """One row of a table of experts, in its own words."""

    cause: str  # empty for the prior or leak of the effect
    effect: str
    by: Mapping[str, object]  # expert → what they say; who says nothing is left out
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Opinions:
    """What experts say about one number."""

    kind: str  # "prior" | "leak" | "link"
    cause: str  # id; of a prior or leak the node itself
    effect: str  # id
    present: Chance | None  # what the network says; None where it has no such link
    chances: Mapping[str, Chance]  # expert → what they say

    @property
    def key(self) -> tuple[str, str]:
        """(cause, effect)."""
        return self.cause, self.effect

    def in_words(self, network: Network) -> str:
        """What the number is, by display names."""
        if self.kind == "link":
            return f"{network.label(self.cause)} → {network.label(self.effect)}"
        return f"{network.label(self.effect)}: {self.kind}"

    @property
    def spread(self) -> float:
        """The largest odds over the smallest; infinite if someone is certain and another not."""
        odds = [p.acts / p.fails if p.fails else math.inf for p in self.chances.values()]
        low, high = min(odds), max(odds)
        return high / low if low > 0.0 and high < math.inf else (1.0 if low == high else math.inf)


def read_opinions(
    network: Network, rows: Iterable[Said], file: str | None = None
) -> list[Opinions]:
    """What the rows say about numbers of a network; every mistake is reported at once."""
    issues: list[Issue] = []
    if any(NETWORK in row.by for row in rows):
        what, fix = "stands for the numbers of the network itself", "rename the column"
        issues.append(replace(error(f"expert '{NETWORK}'", what, fix), file=file))
    found: dict[tuple[str, str], Opinions] = {}
    for row in rows:
        mistakes: list[Issue] = []
        opinions = _read(network, row, mistakes)
        if opinions is not None and opinions.key in found:
            what, fix = "is in the table twice", "keep one row, with a column for each expert"
            mistakes.append(error(opinions.in_words(network), what, fix))
        elif opinions is not None and opinions.chances:
            found[opinions.key] = opinions
        issues += [replace(issue, file=file, line=row.line) for issue in mistakes]
    raise_errors(issues)
    if not found:
        raise_errors([replace(error("the table", "says nothing about any number"), file=file)])
    return list(found.values())


def read_weights(given: Mapping[str, float], experts: Sequence[str]) -> dict[str, float]:
    """Expert → weight, 1 unless given; the network itself has none unless given."""
    issues = []
    known = (*experts, NETWORK)
    weights = {**dict.fromkeys(experts, 1.0), NETWORK: 0.0}
    for name, weight in given.items():
        if name not in known:
            fix = did_you_mean(name, known)
            issues.append(error(f"weight of '{name}'", "is for no expert of the table", fix))
        elif isinstance(weight, bool) or not 0.0 <= weight < math.inf:
            issues.append(error(f"weight of '{name}'", f"is {weight!r}", "give a number >= 0"))
        else:
            weights[name] = float(weight)
    if not issues and not any(weights.values()):
        issues.append(error("the weights", "are all 0", "give one expert more"))
    raise_errors(issues)
    return weights


def _read(network: Network, row: Said, issues: list[Issue]) -> Opinions | None:
    """One row by ids and numbers."""
    ends = _ends(network, row, issues)
    if ends is None:
        return None
    kind, cause, effect = ends
    words = FREQUENCY_WORDS if kind == "link" else RARENESS_WORDS
    label = f"{cause} → {effect}" if kind == "link" else f"{effect}: {kind}"
    chances = {
        expert: checked_chance(value, words, f"{label}, by {expert},", (), issues)
        for expert, value in row.by.items()
    }
    return Opinions(kind, cause, effect, present_number(network, cause, effect), chances)


def _ends(network: Network, row: Said, issues: list[Issue]) -> tuple[str, str, str] | None:
    """(kind, cause, effect) of the number that a row is about, by ids."""
    words = vocabularies(network)
    if not row.effect:
        fix = "fill the column 'effect' (a finding, or a disease)"
        issues.append(error("a row", "does not say what its numbers are about", fix))
        return None
    layers = (
        (("disease", network.diseases), ("finding", network.findings)),
        (("risk factor", network.risk_factors), ("disease", network.diseases)),
    )
    if row.cause:
        for upper, lower in layers:
            if words[upper[0]].knows(row.cause) and words[lower[0]].knows(row.effect):
                (at,) = find_each(words, upper[0], [row.cause], issues)
                (to,) = find_each(words, lower[0], [row.effect], issues)
                if at is None or to is None:
                    return None
                return "link", upper[1][at], lower[1][to]
        upper, lower = layers[1] if words["disease"].knows(row.effect) else layers[0]
        found = len(issues)
        find_each(words, upper[0], [row.cause], issues)
        find_each(words, lower[0], [row.effect], issues)
        if len(issues) == found:  # both read in other words: names are wanted where numbers change
            what, fix = "is not an exact name of the network", "write ids or names"
            issues.append(error(f"'{row.cause}' → '{row.effect}'", what, fix))
        return None
    for kind, name, layer in (
        ("leak", "disease", network.diseases),
        ("leak", "finding", network.findings),
        ("prior", "risk factor", network.risk_factors),
    ):
        if words[name].knows(row.effect):
            (to,) = find_each(words, name, [row.effect], issues)
            return None if to is None else (kind, layer[to], layer[to])
    find_each(words, "disease", [row.effect], issues)
    return None


def present_number(network: Network, cause: str, effect: str) -> Chance | None:
    """What a network says about a number; None where it has no such link."""
    index = network.index
    at, to = index[cause], index[effect]
    if cause == effect:
        if cause in network.entries and effect in network.risk_factors:
            prior = float(network.risk_prior[to])
            return Chance(prior, 1.0 - prior)
        if effect in network.diseases:
            return Chance(float(network.disease_leak[to]), float(network.disease_leak_fails[to]))
        return Chance(float(network.finding_leak[to]), float(network.finding_leak_fails[to]))
    links = network.effects if effect in network.findings else network.causes
    for link in links.of_effect(to).tolist():
        if int(links.cause[link]) == at:
            return Chance(float(links.acts[link]), float(links.fails[link]))
    return None
