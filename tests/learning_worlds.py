"""Learning by the definition: every state of every mechanism, one by one."""

from __future__ import annotations

import numpy as np

from hickam.learn.numbers import Numbers
from hickam.learn.records import Records


def by_worlds(numbers: Numbers, values, records: Records) -> tuple[np.ndarray, np.ndarray]:
    """([record] log P, [number] expected acted - number * could) over all worlds."""
    own = numbers.network
    size = numbers.size
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
    logs, score = [], np.zeros(size)
    for at in range(len(records)):
        agrees = np.ones(len(index), dtype=bool)
        for states, seen in (
            (risks, records.risks[at]),
            (diseases, records.diseases[at]),
            (findings, records.findings[at]),
        ):
            agrees &= ((seen < 0) | (states == (seen == 1))).all(axis=1)
        chance = np.where(agrees, weight, 0.0)
        total = chance.sum()
        logs.append(np.log(total))
        tries = (chance[:, None] * could).sum(axis=0) / total
        score += records.counts[at] * (
            (chance[:, None] * (could & fires)).sum(axis=0) / total - values * tries
        )
    return np.array(logs), score
