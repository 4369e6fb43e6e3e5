import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hickam.study.chance import binomial_tail, clopper_pearson, two_sided_coin, wilson
from hickam.study.compare import (
    crossed_bootstrap,
    mcnemar,
    paired_bootstrap,
    paired_hits,
    sign_test,
)
from hickam.study.figures import colour_of

scipy_stats = pytest.importorskip("scipy.stats")


@given(st.integers(0, 80), st.integers(0, 80), st.floats(0.001, 0.999))
def test_the_binomial_tail_agrees_with_scipy(successes, trials, chance):
    expected = scipy_stats.binom.sf(successes - 1, trials, chance)
    assert binomial_tail(successes, trials, chance) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_two_sided_coin_agrees_with_scipy(heads, tails):
    expected = scipy_stats.binomtest(heads, heads + tails, 0.5).pvalue if heads + tails else 1.0
    assert two_sided_coin(heads, tails) == pytest.approx(expected, rel=1e-9)


@given(st.integers(1, 200), st.data())
def test_wilson_agrees_with_scipy(trials, data):
    successes = data.draw(st.integers(0, trials))
    interval = scipy_stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson(successes, trials) == pytest.approx((interval.low, interval.high), abs=1e-9)


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=50))
def test_swapping_the_algorithms_swaps_wins_and_losses(places):
    first, second = zip(*places, strict=True)
    there, back = sign_test(first, second), sign_test(second, first)
    assert (there.wins, there.losses, there.draws) == (back.losses, back.wins, back.draws)
    assert there.p_value == back.p_value


def test_positions_beyond_the_cap_are_draws():
    assert sign_test([25], [40], last=20).draws == 1


def test_mcnemar_counts_only_disagreements():
    found = mcnemar([1, 1, 0, 0], [1, 0, 1, 0])
    assert (found.wins, found.losses, found.draws) == (1, 1, 2)


def test_the_same_seed_gives_the_same_interval():
    first, second = np.arange(30) % 2, np.arange(30) % 3 == 0
    spans = [paired_bootstrap(first, second, np.random.default_rng(7)) for _ in range(2)]
    assert spans[0] == spans[1]


def test_clustered_intervals_are_wider_when_clusters_agree():
    gap = np.repeat(np.random.default_rng(3).integers(0, 2, 20), 10)
    zero = np.zeros_like(gap)
    clusters = np.repeat(np.arange(20), 10)
    alone = paired_bootstrap(gap, zero, np.random.default_rng(1))
    together = paired_bootstrap(gap, zero, np.random.default_rng(1), clusters=clusters)
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_the_crossed_interval_contains_the_mean():
    rng = np.random.default_rng(5)
    hits = rng.integers(0, 2, 60)
    found = crossed_bootstrap(
        hits, np.zeros(60), rng, rows=np.arange(60) % 6, columns=np.arange(60) // 6, rounds=200
    )
    assert found.low <= found.mean <= found.high


@given(st.integers(0, 30), st.integers(1, 30))
def test_the_exact_interval_agrees_with_scipy(successes, more):
    trials = successes + more
    interval = scipy_stats.binomtest(successes, trials).proportion_ci(method="exact")
    assert clopper_pearson(successes, trials) == pytest.approx(
        (interval.low, interval.high), abs=1e-9
    )


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 60))
def test_an_interval_excludes_no_difference_only_if_mcnemar_is_below_one_in_twenty(
    wins, losses, draws
):
    first = np.array([1] * wins + [0] * losses + [1] * draws)
    second = np.array([0] * wins + [1] * losses + [1] * draws)
    span = paired_hits(first, second, np.random.default_rng(1), rounds=100)
    assert not (span.clear and mcnemar(first, second).p_value >= 0.05)
    assert span.low <= span.mean <= span.high


def test_four_wins_against_none_are_not_drawn_as_a_difference():
    first = np.arange(50) < 4
    found = paired_hits(first, np.zeros(50), np.random.default_rng(1))
    assert mcnemar(first, np.zeros(50)).p_value == 0.125
    assert colour_of(found.low, found.high) == colour_of(-1.0, 1.0)


def test_twenty_wins_against_none_are():
    first = np.arange(50) < 20
    found = paired_hits(first, np.zeros(50), np.random.default_rng(1))
    assert colour_of(found.low, found.high) == colour_of(0.5, 1.0)
