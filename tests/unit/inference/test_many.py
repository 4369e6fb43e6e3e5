"""Many cases: the same answers in the same order, however the work is shared out."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import hickam
from hickam.inference.kernels import describe
from hickam.issues import InvalidInput
from hickam.model.share import load_shared, save_shared


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


READ_POSTERIOR = """
import sys, hickam
from hickam.model.share import load_shared
network = load_shared(sys.argv[1])
print(hickam.infer(network, hickam.Case(present=["chest pain"])).posterior.tolist())
"""


def test_a_shared_network_is_the_same_in_another_process(tmp_path):
    network = hickam.load("smoker")
    path = tmp_path / "smoker.shared"
    save_shared(network, path)
    shared = load_shared(path)
    assert shared.hash == network.hash
    assert not shared.effects.acts.flags.owndata  # a view of the file, not a copy
    other = subprocess.run(
        [sys.executable, "-c", READ_POSTERIOR, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    np.testing.assert_array_equal(
        json.loads(other.stdout),
        hickam.infer(network, hickam.Case(present=["chest pain"])).posterior,
    )


def test_another_file_is_not_taken_for_a_shared_network(tmp_path):
    path = tmp_path / "other"
    path.write_bytes(pickle.dumps({"not": "a network"}))
    with pytest.raises(InvalidInput, match="is not a shared network"):
        load_shared(path)


def test_the_kernels_in_use_can_be_told(monkeypatch):
    monkeypatch.setenv("HICKAM_KERNELS", "numpy")
    assert describe().startswith("NumPy")
