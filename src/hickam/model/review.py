"""What a reader of a network would question: gaps and numbers that do not fit one another.

Nothing here is wrong by itself, so these are remarks and not warnings. All of them are first-order
sums over links: a network of thousands of diseases is read in well under a second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from hickam.issues import Issue, warning
from hickam.model.network import SEXES, Entry, Floats, Ints, Network
from hickam.words import percent, two_digits

AGES = (5.0, 17.0, 30.0, 45.0, 60.0, 75.0)
LIFETIME = np.arange(0.5, 80.0)  # an average patient is as likely of any of these ages
CARDINAL = 0.5  # a finding of half the patients with a disease
MOST_OF_IT = 0.45  # of a finding, by one disease that mostly does without it
RARE = 0.001
LIKELY = 0.6  # how probable a rare disease may become by one symptom
STRANGE = 0.02  # likeness of two diseases, from 0 to 1
NEXT_TO_NEVER = 0.01  # a factor; 0 would refuse what may be a slip in the sex
FAR_OFF = 3.0  # times, between a prior and what its factors make of it in an average patient


def review(network: Network) -> list[Issue]:
    """The remarks on a network, by what they question."""
    return [
        *no_cardinal_finding(network),
        *commonest_cause_missing(network),
        *rare_disease_by_one_symptom(network),
        *factors_against_prior(network),
        *impossible_for_a_sex(network),
        *unexpected_links(network),
    ]


def no_cardinal_finding(network: Network) -> Iterator[Issue]:
    """Diseases none of whose findings is there in half of the patients: what brings them?"""
    strongest = np.zeros(len(network.diseases))
    np.maximum.at(strongest, network.effects.cause, network.effects.acts)
    for position in np.flatnonzero((strongest > 0.0) & (strongest < CARDINAL)):
        disease = network.diseases[position]
        most = percent(float(strongest[position]))
        what = f"shows no finding in half of its patients; the most frequent in {most}"
        yield _remark("disease", disease, what, "which finding brings them? add it or raise it")


def commonest_cause_missing(network: Network) -> Iterator[Issue]:
    """Findings that are typical of no disease here, and yet mostly put down to one.

    Then the disease of which the finding is typical is not there, or the leak is too low. Looked at
    in patients of both sexes and several ages; the worst is told. Signs and tests are left out: a
    sign of few patients may well be a sign of one disease.
    """
    effects = network.effects
    typical = np.zeros(len(network.findings))
    np.maximum.at(typical, effects.effect, effects.acts)
    told = np.array([_told(network.entries[name]) for name in network.findings], dtype=bool)
    worst: dict[int, tuple[float, int, str]] = {}
    for sex, age in _patients(network):
        share, link = _explained(network, sex, age)
        for finding in np.flatnonzero((share > MOST_OF_IT) & (typical < CARDINAL) & told).tolist():
            if _factor(network.entries[network.findings[finding]], sex, age) > NEXT_TO_NEVER:
                found = (float(share[finding]), int(link[finding]), _who(sex, age))
                worst[finding] = max(worst.get(finding, found), found)
    for finding, (much, by, who) in sorted(worst.items()):
        what = (
            f"is put down to '{network.diseases[effects.cause[by]]}' by {percent(much)}"
            f"{who}, which shows it in only {percent(float(effects.acts[by]))}"
        )
        fix = "is a commoner cause missing, or the leak too low?"
        yield _remark("finding", network.findings[finding], what, fix)


def rare_disease_by_one_symptom(network: Network) -> Iterator[Issue]:
    """Symptoms that alone make a rare disease likely; signs and tests may do that."""
    share, link = _explained(network, None, None)
    for finding in np.flatnonzero(share > LIKELY).tolist():
        name = network.findings[finding]
        disease = int(network.effects.cause[link[finding]])
        prior = float(network.prior[disease])
        if _told(network.entries[name]) and prior < RARE:
            what = (
                f"alone makes '{network.diseases[disease]}' {percent(float(share[finding]))} "
                f"probable, which one in {two_digits(1.0 / prior)} has"
            )
            fix = "does it never occur without? raise the leak if it does"
            yield _remark("finding", name, what, fix)


def factors_against_prior(network: Network) -> Iterator[Issue]:
    """Priors that the factors by sex and age turn into something else in an average patient."""
    for disease, prior in zip(network.diseases, network.prior.tolist(), strict=True):
        entry = network.entries[disease]
        if not entry.prevalence or not 0.0 < prior < 1.0:
            continue
        mean = np.mean([_factor(entry, sex, age) for sex in SEXES for age in LIFETIME])
        odds = float(mean) * prior / (1.0 - prior)
        times = odds / (1.0 + odds) / prior
        if not 1.0 / FAR_OFF <= times <= FAR_OFF:
            what = (
                f"is by its factors for sex and age {two_digits(times)} times its prior on average"
            )
            yield _remark("disease", disease, what, "is the prior that of the group at risk?")


def impossible_for_a_sex(network: Network) -> Iterator[Issue]:
    """Findings that only diseases of the other sex cause, but whose leak is for everyone."""
    effects = network.effects
    for sex in SEXES:
        possible = np.array(
            [_factor(network.entries[d], sex, None) > 0.0 for d in network.diseases], dtype=bool
        )
        able = np.zeros(len(network.findings), dtype=bool)
        able[effects.effect[possible[effects.cause]]] = True
        caused = np.zeros(len(network.findings), dtype=bool)
        caused[effects.effect] = True
        for finding in np.flatnonzero(caused & ~able & (network.finding_leak > 0.0)):
            name = network.findings[finding]
            if _factor(network.entries[name], sex, None) > NEXT_TO_NEVER:
                what = f"has no cause that a {sex} patient can have, but a leak"
                fix = f"give it the prevalence {{sex: {sex}, factor: 0.001}}, or a cause"
                yield _remark("finding", name, what, fix)


def unexpected_links(network: Network) -> Iterator[Issue]:
    """Strong links to a finding of quite other diseases.

    How alike two diseases look is the cosine of what they show besides that finding.
    """
    effects = network.effects
    shows = [
        dict(zip(effects.effect[links].tolist(), effects.acts[links].tolist(), strict=True))
        for links in map(effects.of_cause, range(len(network.diseases)))
    ]
    for link in np.flatnonzero(effects.acts >= CARDINAL).tolist():
        disease, finding = int(effects.cause[link]), int(effects.effect[link])
        others = [k for k in effects.cause[effects.of_effect(finding)].tolist() if k != disease]
        if len(shows[disease]) < 3 or not any(shows[k][finding] >= CARDINAL for k in others):
            continue
        if all(_alike(shows[disease], shows[k], finding) < STRANGE for k in others):
            what = f"shows '{network.findings[finding]}' and resembles no other disease that does"
            yield _remark("disease", network.diseases[disease], what, "is that link meant?")


def _alike(one: dict[int, float], other: dict[int, float], but: int) -> float:
    """The cosine of what two diseases show, one finding left out."""
    shared = sum(acts * other[f] for f, acts in one.items() if f in other and f != but)
    sizes = [sum(acts * acts for f, acts in d.items() if f != but) for d in (one, other)]
    return shared / math.sqrt(sizes[0] * sizes[1]) if shared else 0.0


def _patients(network: Network) -> list[tuple[str | None, float | None]]:
    """Sexes and ages to look at; no one in particular if they make no difference."""
    if any(entry.prevalence for entry in network.entries.values()):
        return list(product(SEXES, AGES))
    return [(None, None)]


def _who(sex: str | None, age: float | None) -> str:
    return "" if age is None else f" ({sex}, {age:.0f})"


def _told(entry: Entry) -> bool:
    """Whether a finding is what a patient tells, as far as the network says of what kind it is."""
    return entry.kind in ("", "symptom")


def _explained(network: Network, sex: str | None, age: float | None) -> tuple[Floats, Ints]:
    """Per finding: the largest share of it that one disease explains, and the link by which."""
    prior = _adjusted(network, network.diseases, network.prior, sex, age)
    leak = _adjusted(network, network.findings, network.finding_leak, sex, age)
    flow = network.effects.acts * prior[network.effects.cause]
    total = leak.copy()
    np.add.at(total, network.effects.effect, flow)
    share, link = np.zeros(len(network.findings)), np.zeros(len(network.findings), dtype=np.int64)
    order = np.argsort(flow, kind="stable")
    link[network.effects.effect[order]] = order
    top = np.zeros(len(network.findings))
    np.maximum.at(top, network.effects.effect, flow)
    np.divide(top, total, out=share, where=total > 0.0)
    return share, link


def _adjusted(
    network: Network, nodes: tuple[str, ...], chance: Floats, sex: str | None, age: float | None
) -> Floats:
    """Chances with the factors on their odds for a sex and an age."""
    factor = np.array([_factor(network.entries[node], sex, age) for node in nodes])
    odds = factor * chance
    return odds / (odds + (1.0 - chance))


def _factor(entry: Entry, sex: str | None, age: float | None) -> float:
    """The product of the factors that match."""
    factor = 1.0
    for row in entry.prevalence:
        if row.matches(sex, age):
            factor *= row.factor
    return factor


def _remark(kind: str, node: str, what: str, fix: str) -> Issue:
    return warning(f"{kind} '{node}'", what, fix)
