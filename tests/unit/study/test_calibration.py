import numpy as np

from hickam.evidence.case import Case
from hickam.evidence.vignette import Vignette
from hickam.study.calibration import disagreements, errors_by, reliability


def test_a_calibrated_forecast_lies_on_the_diagonal():
    rng = np.random.default_rng(1)
    chances = rng.random((400, 50))
    truths = (rng.random((400, 50)) < chances).astype(float)
    for found in reliability(chances, truths).bins:
        if found.count > 500:
            assert abs(found.mean - found.share) < 0.06


def test_certain_and_right_costs_nothing():
    found = reliability(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]]))
    assert found.brier == 0.0
    assert found.log_loss == 0.0


def test_errors_are_counted_by_disease_and_by_finding():
    some = [
        Vignette("1", Case(present=["x", "y"]), ("a",)),
        Vignette("2", Case(present=["x"]), ("b",)),
    ]
    places = np.array([9, 1])
    assert errors_by(some, places, 5, "disease")[0] == ("a", 1, 1)
    assert {n: (t, m) for n, t, m in errors_by(some, places, 5, "finding")}["x"] == (2, 1)


def test_agreement_is_not_a_disagreement():
    assert disagreements(np.array([1, 8, 2]), np.array([1, 2, 3]), 5) == [1, 2]
