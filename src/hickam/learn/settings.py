"""The risk factors that a record leaves open, as settings of them that are each easy to answer.

A few open risk factors are taken in every setting. Of many, settings are drawn once, near what the
diseases of the record suggest, and weighed by what they were drawn with: the likelihood is then an
average over a fixed sample, which EM raises with every step as it would the exact one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hickam.learn.numbers import Numbers
from hickam.learn.records import UNKNOWN, Records, States
from hickam.model.network import Floats, Ints

PRIOR_SHARE = 0.25  # of the proposal: no setting is forgotten however wrong the rest is
ROUNDS = 2  # of the proposal's search: the draws are weighed, so it need not be exact


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """The settings of each record's risk factors; UNKNOWN where one says nothing."""

    states: States  # [setting, risk factor]
    start: Ints  # [record + 1]
    log_weight: Floats  # [setting]  0, or what a draw counts, without its prior
    sampled: int  # records whose settings are drawn


def settings_of(
    numbers: Numbers, records: Records, factors: Floats, most: int, rng: np.random.Generator
) -> Settings:
    """At most so many settings of every record; `factors` [record, risk factor] turn its odds."""
    open_ones = (records.risks == UNKNOWN) & _matters(numbers, records)
    count = open_ones.sum(axis=1)
    drawn = 2.0**count > most
    sizes = np.where(drawn, most, 2 ** np.minimum(count, 62)).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)])
    states = np.repeat(records.risks, sizes, axis=0)
    log_weight = np.zeros(len(states))
    for width in np.unique(count[~drawn]).tolist():
        chosen = np.flatnonzero(~drawn & (count == width))
        if width:
            places = np.nonzero(open_ones[chosen])[1].reshape(-1, width)
            bits = (np.arange(2**width)[:, None] >> np.arange(width)) & 1
            rows = start[chosen][:, None] + np.arange(2**width)
            states[rows[:, :, None], places[:, None, :]] = bits
    chances = _proposal(numbers, records, factors, drawn)
    for record, chance in zip(np.flatnonzero(drawn).tolist(), chances, strict=True):
        free = np.flatnonzero(open_ones[record])
        likely = chance[free]
        picks = rng.random((most, len(free))) < likely
        own = slice(start[record], start[record + 1])
        states[own, free] = picks
        picked = np.where(picks, np.log(likely), np.log1p(-likely)).sum(axis=1)
        log_weight[own] = -picked - np.log(most)
    return Settings(states, start, log_weight, int(drawn.sum()))


def as_recorded(records: Records) -> Settings:
    """One setting of every record: what it says."""
    size = len(records)
    return Settings(records.risks, np.arange(size + 1), np.zeros(size), 0)


def _matters(numbers: Numbers, records: Records) -> States:
    """[record, risk factor] whether it causes a disease of which the record says anything."""
    own = numbers.network
    shape = (len(own.findings), len(own.diseases))
    links = np.zeros(shape, dtype=np.float32)
    links[own.effects.effect, own.effects.cause] = 1.0
    seen = (records.findings != UNKNOWN).astype(np.float32)
    reached = (seen @ links > 0.0) | (records.diseases != UNKNOWN)
    links = np.zeros((len(own.diseases), len(own.risk_factors)), dtype=np.float32)
    links[own.causes.effect, own.causes.cause] = 1.0
    return (reached.astype(np.float32) @ links > 0.0).astype(np.int8)


def _proposal(numbers: Numbers, records: Records, factors: Floats, drawn: States) -> Floats:
    """[drawn record, risk factor] a chance near P(it is on | the diseases that are known)."""
    own = numbers.network
    some = records.take(np.flatnonzero(drawn))
    odds = own.risk_prior / (1.0 - own.risk_prior) * factors[np.flatnonzero(drawn)]
    prior = np.clip(odds / (1.0 + odds), 1e-6, 1.0 - 1e-6)
    guess = np.where(some.risks == UNKNOWN, prior, some.risks)
    cause, effect, acts = own.causes.cause, own.causes.effect, own.causes.acts
    log_leak = np.log1p(-own.disease_leak)
    known = some.diseases[:, effect]
    for _ in range(ROUNDS):
        log_off = np.tile(log_leak, (len(some), 1))
        spared = np.log1p(-guess[:, cause] * acts)
        np.add.at(log_off.T, effect, spared.T)
        others = np.exp(log_off[:, effect] - spared)
        with np.errstate(divide="ignore", invalid="ignore"):
            on = np.log((1.0 - others * (1.0 - acts)) / (1.0 - others))
        said = np.where(known == 1, np.nan_to_num(on, posinf=50.0), 0.0)
        said += np.where(known == 0, np.log1p(-acts), 0.0)
        log_odds = np.log(prior / (1.0 - prior))
        np.add.at(log_odds.T, cause, said.T)
        likely = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -50.0, 50.0)))
        likely = PRIOR_SHARE * prior + (1.0 - PRIOR_SHARE) * likely
        guess = np.where(some.risks == UNKNOWN, likely, some.risks)
    return likely
