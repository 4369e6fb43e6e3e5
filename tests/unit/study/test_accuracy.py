import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hickam.study.accuracy import by_class, error_reduction, mean_position, position, top_k

# The paper's top-k accuracies of the posterior for k = 1..20.
POSTERIOR = (
    *(0.509, 0.652, 0.735, 0.785, 0.823, 0.849, 0.868, 0.882, 0.893, 0.899),
    *(0.908, 0.916, 0.923, 0.926, 0.928, 0.932, 0.935, 0.937, 0.941, 0.944),
)


def test_the_cap_on_positions_reproduces_the_papers_mean_from_its_own_accuracies():
    counts = np.diff([0, *np.round(np.array(POSTERIOR) * 1671)]).astype(int)
    positions = np.repeat(np.arange(1, 21), counts).tolist()
    positions += [300] * (1671 - len(positions))
    assert abs(mean_position(positions, last=20)[0] - 3.81) < 0.01
    assert abs(mean_position(positions, last=19)[0] - 3.81) > 0.04


def test_a_tie_does_not_flatter_the_truth():
    assert position(np.zeros(5), np.zeros(5), [2]) == 5


def test_a_tie_is_broken_by_the_posterior():
    assert position(np.zeros(3), np.array([0.1, 0.3, 0.2]), [2]) == 2


def test_the_best_placed_of_several_true_diseases_counts():
    assert position(np.array([0.1, 0.9, 0.5]), np.zeros(3), [0, 2]) == 2


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9, unique=True), st.data())
def test_positions_of_distinct_scores_are_a_permutation(scores, data):
    values = np.array(scores) + np.arange(len(scores)) * 1e-3
    places = [position(values, values, [k]) for k in range(len(values))]
    gaps = np.abs(np.subtract.outer(values, values)) + np.eye(len(values))
    if gaps.min() > 1e-8:
        assert sorted(places) == list(range(1, len(values) + 1))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_accuracy_never_falls_with_k_and_lies_in_its_interval(positions):
    found = top_k(positions, 20)
    assert np.all(np.diff(found.accuracy) >= 0)
    assert np.all((found.low <= found.accuracy + 1e-12) & (found.accuracy <= found.high + 1e-12))


def test_error_reduction_of_a_perfect_baseline_is_zero():
    perfect = top_k([1, 1])
    assert error_reduction(perfect, perfect).tolist() == [0.0] * 20


def test_classes_come_in_the_given_order_and_unknown_ones_last():
    found = by_class(["rare", "common", "odd", ""], ["common", "rare"])
    assert list(found) == ["common", "rare", "not stated", "odd"]


def test_the_accuracy_of_several_rankings_is_their_mean():
    first, second = [1, 2, 9], [1, 1, 9]
    both = top_k([first, second], largest=3).accuracy
    alone = [top_k(places, largest=3).accuracy for places in (first, second)]
    np.testing.assert_allclose(both, np.mean(alone, axis=0))
    assert mean_position([first, second], last=3)[0] == pytest.approx(13 / 6)
