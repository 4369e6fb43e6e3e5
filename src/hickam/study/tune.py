"""β and γ chosen by nested cross-validation, so that no vignette is judged by its own tuning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hickam.model.network import Floats, Ints
from hickam.study.accuracy import mean_position
from hickam.study.design import Setting, Tuning


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """One measure, tuned: held-out positions, what was chosen, and how much the split matters."""

    positions: Ints  # [vignette]  from the setting chosen without that vignette's fold
    chosen: tuple[Setting, ...]  # per fold of the first split
    counts: Mapping[Setting, int]  # setting → times chosen over all splits
    repeats: Floats  # [split, 5]  top-1, 3, 5, 10 accuracy and mean position of each split
    splits: Ints  # [split, vignette]  held-out positions of every split; `positions` is the first


def folds_of(count: int, folds: int, rng: np.random.Generator) -> Ints:
    """[item] a fold for each of `count` items, of sizes that differ by one at most."""
    return np.array(rng.permutation(np.arange(count) % folds), dtype=np.int64)


def costs(positions: Ints, criterion: str, last: int = 20) -> Floats:
    """[vignette] what a position costs: the capped position, or 1 for missing the top k."""
    if criterion == "position":
        return np.minimum(positions, last + 1).astype(float)
    return (positions > int(criterion.removeprefix("top-"))).astype(float)


def choose(
    grid: Mapping[Setting, Ints], fold_of: Ints, criterion: str, last: int = 20
) -> tuple[Setting, ...]:
    """Per fold, the setting with the least mean cost on the vignettes of the other folds.

    The inner loop needs no folds of its own: a setting has nothing else to fit, so its inner
    cross-validated cost is its mean cost on the training vignettes. Ties go to the earlier
    setting of the grid.
    """
    settings = list(grid)
    table = np.array([costs(grid[setting], criterion, last) for setting in settings])
    return tuple(
        settings[int(table[:, fold_of != fold].mean(axis=1).argmin())]
        for fold in range(int(fold_of.max()) + 1)
    )


def tune(grid: Mapping[Setting, Ints], plan: Tuning, seed: int, last: int = 20) -> Tuned:
    """Held-out positions over nested cross-validation, repeated over several random splits."""
    count = len(next(iter(grid.values())))
    counts: Counter[Setting] = Counter()
    summary, splits = [], []
    first: tuple[Setting, ...] = ()
    for turn in range(plan.repeats):
        rng = np.random.default_rng([seed, turn])
        fold_of = folds_of(count, min(plan.folds, count), rng)
        chosen = choose(grid, fold_of, plan.criterion, last)
        counts.update(chosen)
        positions = np.array([grid[chosen[fold]][row] for row, fold in enumerate(fold_of)])
        shares = [float((positions <= k).mean()) for k in (1, 3, 5, 10)]
        summary.append([*shares, mean_position(positions, last)[0]])
        splits.append(positions)
        first = first or chosen
    table = np.array(splits)
    return Tuned(table[0], first, dict(counts.most_common()), np.array(summary), table)
