"""Paired comparisons of two algorithms on the same vignettes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hickam.study.chance import clopper_pearson, two_sided_coin


@dataclass(frozen=True, slots=True)
class Counts:
    """How often the first of two did better, worse and equally well, with the exact p-value."""

    wins: int
    losses: int
    draws: int
    p_value: float  # two-sided, that wins and losses are equally likely


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no difference."""
        return self.low > 0.0 or self.high < 0.0


def mcnemar(first_hits: npt.ArrayLike, second_hits: npt.ArrayLike) -> Counts:
    """Exact McNemar test: vignettes that only the first, or only the second, got right.

    >>> mcnemar([True, True, True, False], [False, False, True, False])
    Counts(wins=2, losses=0, draws=2, p_value=0.5)
    """
    first, second = np.asarray(first_hits, dtype=bool), np.asarray(second_hits, dtype=bool)
    wins, losses = int((first & ~second).sum()), int((second & ~first).sum())
    return Counts(wins, losses, len(first) - wins - losses, two_sided_coin(wins, losses))


def sign_test(
    first_positions: npt.ArrayLike, second_positions: npt.ArrayLike, last: int | None = None
) -> Counts:
    """Exact sign test on positions: a win is a vignette whose truth the first ranks higher.

    With `last`, positions beyond it count as equal.
    """
    first, second = np.asarray(first_positions), np.asarray(second_positions)
    if last is not None:
        first, second = np.minimum(first, last + 1), np.minimum(second, last + 1)
    wins, losses = int((first < second).sum()), int((second < first).sum())
    return Counts(wins, losses, len(first) - wins - losses, two_sided_coin(wins, losses))


def paired_bootstrap(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    clusters: npt.ArrayLike | None = None,
    rounds: int = 2000,
) -> Difference:
    """Mean of first - second with its 95 % interval by resampling.

    `clusters` names what belongs together (such as all opinions on one vignette): whole clusters
    are drawn, because their members are not independent.
    """
    gap = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    if len(gap) == 0:
        return Difference(0.0, 0.0, 0.0)
    labels = np.arange(len(gap)) if clusters is None else np.asarray(clusters)
    _, member = np.unique(labels, return_inverse=True)
    sums = np.bincount(member, gap)
    sizes = np.bincount(member).astype(float)
    # how often each cluster is drawn, for a chunk of rounds at a time to bound memory
    means = []
    chunk = max(1, 2_000_000 // len(sums))
    for start in range(0, rounds, chunk):
        size = min(chunk, rounds - start)
        drawn = rng.multinomial(len(sums), np.full(len(sums), 1.0 / len(sums)), size=size)
        means.append((drawn @ sums) / (drawn @ sizes))
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
    return Difference(float(gap.mean()), float(low), float(high))


def paired_hits(
    first_hits: npt.ArrayLike,
    second_hits: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    rounds: int = 2000,
) -> Difference:
    """Difference of two shares of hits with a 95 % interval that agrees with McNemar's test.

    Where few vignettes tell the two apart a bootstrap is too sure: four against none never
    resample to a difference of the other sign, though chance does that one time in eight. The
    interval is the wider, on each side, of the bootstrap's and the exact one given how many
    vignettes tell them apart; the latter excludes zero exactly if McNemar's p is below 0.05.
    """
    counts = mcnemar(first_hits, second_hits)
    span = paired_bootstrap(first_hits, second_hits, rng, rounds=rounds)
    apart = counts.wins + counts.losses
    if apart == 0:  # how often they may differ though they never did here
        reach = clopper_pearson(0, counts.draws)[1]
        return Difference(span.mean, -reach, reach)
    low, high = clopper_pearson(counts.wins, apart)
    share = apart / (apart + counts.draws)
    return Difference(
        span.mean,
        min(span.low, (2.0 * low - 1.0) * share),
        max(span.high, (2.0 * high - 1.0) * share),
    )


def crossed_bootstrap(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    rows: npt.ArrayLike,
    columns: npt.ArrayLike,
    rounds: int = 2000,
) -> Difference:
    """Mean of first - second with its 95 % interval when two things vary, doctors and vignettes.

    Both are resampled independently and an opinion weighs as often as its doctor times its
    vignette were drawn (the pigeonhole bootstrap, slightly conservative).
    """
    gap = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    if len(gap) == 0:
        return Difference(0.0, 0.0, 0.0)
    _, row = np.unique(np.asarray(rows), return_inverse=True)
    _, column = np.unique(np.asarray(columns), return_inverse=True)
    means: list[float] = []
    while len(means) < rounds:
        by_row = np.bincount(rng.integers(0, row.max() + 1, row.max() + 1), minlength=row.max() + 1)
        by_column = np.bincount(
            rng.integers(0, column.max() + 1, column.max() + 1), minlength=column.max() + 1
        )
        weight = by_row[row] * by_column[column]
        if weight.sum() > 0:
            means.append(float((weight * gap).sum() / weight.sum()))
    low, high = np.quantile(means, [0.025, 0.975])
    return Difference(float(gap.mean()), float(low), float(high))
