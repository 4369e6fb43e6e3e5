"""Many cases: the same answers in the same order, however the work is shared out."""

import numpy as np
import pytest

import hickam
from hickam.inference.kernels import describe
from hickam.issues import InvalidInput


def cases(network, count=40):
    draw = np.random.default_rng(0)
    return [
        hickam.Case(present=[str(f) for f in draw.choice(network.findings, 2, replace=False)])
        for _ in range(count)
    ]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_changes_nothing(workers):
    network = hickam.load("car")
    asked = cases(network)
    one_by_one = [hickam.infer(network, case) for case in asked]
    together = list(hickam.infer_many(network, asked, workers=workers))
    for ours, theirs in zip(together, one_by_one, strict=True):
        np.testing.assert_array_equal(ours.posterior, theirs.posterior)
        np.testing.assert_array_equal(ours.disabled, theirs.disabled)
        assert ours.engine == theirs.engine


def test_cases_are_taken_as_they_are_needed():
    network = hickam.load("smoker")
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield hickam.Case(present=["chest pain"])

    many = hickam.infer_many(network, endless(), workers=2)
    for _ in range(3):
        next(many)
    many.close()
    assert len(taken) < 1000


def test_a_mistake_is_reported_where_it_stands():
    network = hickam.load("smoker")
    asked = [hickam.Case(present=["chest pain"])] * 20 + [hickam.Case(present=["chest pane"])]
    many = hickam.infer_many(network, asked, workers=2)
    for _ in range(16):
        next(many)
    with pytest.raises(InvalidInput, match="chest pane"):
        list(many)


@pytest.mark.parametrize("workers", [0, -1, True])
def test_a_senseless_number_of_workers_is_refused(workers):
    with pytest.raises(InvalidInput, match="workers"):
        hickam.infer_many(hickam.load("smoker"), [], workers=workers)


def test_the_kernels_in_use_can_be_told(monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    assert describe().startswith("NumPy")
