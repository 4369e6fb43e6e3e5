import numpy as np

from hickam.study.design import Setting, Tuning
from hickam.study.tune import choose, costs, folds_of, tune

GOOD, BAD = Setting("good", dial=0.1), Setting("bad", dial=0.5)


def test_a_fold_never_influences_its_own_choice():
    rng = np.random.default_rng(1)
    fold_of = folds_of(30, 3, rng)
    grid = {GOOD: rng.integers(1, 30, 30), BAD: rng.integers(1, 30, 30)}
    before = choose(grid, fold_of, "position")[0]
    for setting in (GOOD, BAD):
        for extreme in (1, 30):
            changed = {
                s: np.where((fold_of == 0) & (s == setting), extreme, p) for s, p in grid.items()
            }
            assert choose(changed, fold_of, "position")[0] == before


def test_a_setting_that_is_always_better_is_always_chosen():
    grid = {BAD: np.full(20, 9), GOOD: np.full(20, 2)}
    tuned = tune(grid, Tuning(folds=5, repeats=3), seed=1)
    assert tuned.counts == {GOOD: 15}
    assert tuned.positions.tolist() == [2] * 20


def test_the_same_seed_gives_the_same_folds():
    grid = {BAD: np.arange(1, 21), GOOD: np.arange(20, 0, -1)}
    first, second = (tune(grid, Tuning(folds=4, repeats=2), seed=3) for _ in range(2))
    assert first.positions.tolist() == second.positions.tolist()


def test_costs_follow_the_criterion():
    places = np.array([1, 5, 40])
    assert costs(places, "position").tolist() == [1, 5, 21]
    assert costs(places, "top-3").tolist() == [0, 1, 1]
