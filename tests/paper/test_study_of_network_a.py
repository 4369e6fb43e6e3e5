"""Top-k accuracies on the authors' network A with their 199 vignettes."""

import os
from pathlib import Path

import numpy as np
import pytest

from hickam.study.design import Setting
from hickam.study.results import Algorithm
from hickam.study.run import run_study
from hickam.study.sources import read_study

AUTHORS = os.environ.get("HICKAM_AUTHORS")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not AUTHORS, reason="HICKAM_AUTHORS names no folder"),
]
STUDY = Path(__file__).parents[2] / "studies" / "authors.yaml"

# top 1, 3, 5, 10, 20
EXPECTED = {
    ("plain", "posterior"): [0.427, 0.588, 0.653, 0.754, 0.804],
    ("plain", "sufficiency"): [0.447, 0.633, 0.744, 0.834, 0.910],
    ("conventions of the authors", "posterior"): [0.472, 0.698, 0.794, 0.859, 0.925],
    ("conventions of the authors", "sufficiency"): [0.472, 0.724, 0.824, 0.915, 0.945],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    from dataclasses import replace

    study = read_study(STUDY, {"HICKAM_AUTHORS": AUTHORS})
    settings = tuple(s for s in study.settings if s.name != "duration")
    study = replace(study, settings=settings, tune=None, second_opinion=None)
    return run_study(study, tmp_path_factory.mktemp("authors"))


@pytest.mark.parametrize("algorithm", EXPECTED)
def test_the_accuracies_of_exact_inference_are_reproduced(results, algorithm):
    places = results.positions[Algorithm(*algorithm)]
    found = [round(float((places <= k).mean()), 3) for k in (1, 3, 5, 10, 20)]
    assert found == EXPECTED[algorithm]


def test_expected_sufficiency_is_never_behind_the_posterior_without_conventions(results):
    ours = results.positions[Algorithm("plain", "sufficiency")]
    theirs = results.positions[Algorithm("plain", "posterior")]
    assert np.count_nonzero(ours < theirs) == 84
    assert np.count_nonzero(ours > theirs) == 0


def test_the_conventions_are_a_named_setting():
    study = read_study(STUDY, {"HICKAM_AUTHORS": "somewhere"})
    assert Setting("conventions of the authors", leak_shift=0.002, categories="score") in (
        study.settings
    )
