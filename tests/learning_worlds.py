"""Learning by the definition: every state of every mechanism, one by one."""

from __future__ import annotations

import numpy as np

from hickam.learn.numbers import Numbers
from hickam.learn.records import Records


def by_worlds(
    numbers: Numbers, values, records: Records, columns=()
) -> tuple[np.ndarray, np.ndarray]:
    """([record] log P, [number] expected acted - number * could) over all worlds.

    Of each column a state is written down with a chance where it is present, another where not.
    """
    own = numbers.network
    size = numbers.size
    values, rates = values[:size], values[size:].reshape(-1, 2)
    index = np.arange(1 << size)
    fires = ((index[:, None] >> np.arange(size)) & 1).astype(bool)
    weight = np.where(fires, values, 1.0 - values).prod(axis=1)
    risks = fires[:, numbers.of_kind("prior")]
    diseases = fires[:, numbers.of_kind("disease leak")].copy()
    could = np.ones_like(fires)
    begin = numbers.of_kind("cause").start
    for link, (cause, effect) in enumerate(zip(own.causes.cause, own.causes.effect, strict=True)):
        could[:, begin + link] = risks[:, cause]
        diseases[:, effect] |= risks[:, cause] & fires[:, begin + link]
    findings = fires[:, numbers.of_kind("finding leak")].copy()
    begin = numbers.of_kind("effect").start
    for link, (cause, effect) in enumerate(zip(own.effects.cause, own.effects.effect, strict=True)):
        could[:, begin + link] = diseases[:, cause]
        findings[:, effect] |= diseases[:, cause] & fires[:, begin + link]
    states = np.hstack([risks, diseases, findings])
    table = np.hstack([records.risks, records.diseases, records.findings])
    logs, score, of_rates = [], np.zeros(size), np.zeros(rates.shape)
    for at in range(len(records)):
        agrees = ((table[at] < 0) | (states == (table[at] == 1))).all(axis=1)
        chance = np.where(agrees, weight, 0.0)
        written = [table[at, column.node] >= 0 for column in columns]
        for (yes, no), column, seen in zip(rates, columns, written, strict=True):
            share = np.where(states[:, column.node], yes, no)
            chance = chance * (share if seen else 1.0 - share)
        total = chance.sum()
        for row, ((yes, no), column) in enumerate(zip(rates, columns, strict=True)):
            there = (chance * states[:, column.node]).sum() / total
            seen = written[row]
            step = np.array([there * (seen - yes), (1.0 - there) * (seen - no)])
            of_rates[row] += records.counts[at] * step
        logs.append(np.log(total))
        tries = (chance[:, None] * could).sum(axis=0) / total
        score += records.counts[at] * (
            (chance[:, None] * (could & fires)).sum(axis=0) / total - values * tries
        )
    return np.array(logs), np.concatenate([score, of_rates.ravel()])
