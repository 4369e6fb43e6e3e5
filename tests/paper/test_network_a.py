"""The authors' network, its coupling risk factors marginalised, against reference answers."""

import os
from pathlib import Path

import numpy as np
import pytest

import hickam
from hickam.advise.position_weights import DEFAULT_WEIGHTS
from hickam.evidence.locate import locate
from hickam.inference.reduce import reduce
from hickam.io.authors import NetworkPolicy, read_authors_network
from hickam.io.cards import CardPolicy, read_authors_cards

AUTHORS = os.environ.get("HICKAM_AUTHORS")
pytestmark = pytest.mark.skipif(not AUTHORS, reason="HICKAM_AUTHORS names no folder")


@pytest.fixture(scope="module")
def answers():
    """Beliefs, whether the evidence reaches each disease, and the reference, per vignette."""
    folder = Path(AUTHORS)
    policy = NetworkPolicy(impossible="clip", duplicates="first")
    network, _ = read_authors_network(folder / "example_networks.json", "A", policy)
    vignettes, _ = read_authors_cards(
        folder / "vignettes.json", "A", CardPolicy(unsure_risks="absent")
    )
    with np.load(folder / "reference_A_sample.npz") as file:
        reference = {name: file[name] for name in file.files}
    cases = [vignette.case for vignette in vignettes][::3]
    order = [network.index[disease] for disease in reference["disease_ids"]]
    found = []
    for full in cases:
        case = hickam.Case(present=full.present, absent=full.absent, risks=full.risks)
        beliefs = hickam.infer(network, case)
        problem = reduce(network, locate(case, network))
        reached = np.zeros(len(network.diseases), dtype=bool)
        reached[problem.rows[problem.reached]] = True
        scores = {
            "post": beliefs.posterior[order],
            "suff": beliefs.sustained.sum(axis=1)[order],
            "dis": beliefs.disabled.sum(axis=1)[order],
        }
        found.append((beliefs, scores, reached[order]))
    return found, reference


def errors(found, reference, reached_rows):
    """[vignette] the largest error of a score among diseases that the evidence reaches, or not."""
    worst = []
    for number, (_, scores, reached) in enumerate(found):
        rows = reached if reached_rows else ~reached
        gaps = []
        for name, score in scores.items():
            right = reference[name][number]
            gap = np.abs(score - right) / np.maximum(np.abs(right), 1e-3)
            gaps.append(gap[rows].max(initial=0.0))
        worst.append(max(gaps))
    return np.array(worst)


def test_scores_of_reached_diseases_agree_with_the_reference(answers):
    found, reference = answers
    worst = errors(found, reference, reached_rows=True)
    assert worst.max() <= 1e-3
    assert np.mean(worst <= 1e-5) >= 0.9


def test_posteriors_of_other_diseases_agree_to_the_digits_the_reference_has(answers):
    found, reference = answers
    assert errors(found, reference, reached_rows=False).max() <= 3e-4


def test_the_probability_of_the_findings_agrees_with_the_reference(answers):
    found, reference = answers
    logs = [beliefs.log_evidence for beliefs, _, _ in found]
    np.testing.assert_allclose(logs, reference["logZ"], atol=1e-6)


def test_every_stated_error_is_small_and_holds(answers):
    found, reference = answers
    worst = errors(found, reference, reached_rows=True)
    stated = np.array([beliefs.accuracy.error for beliefs, _, _ in found])
    assert stated.max() < 1e-4
    doubt = 2e-5  # of the reference itself where it is not exact
    assert np.mean(worst <= stated + doubt) >= 0.99


def test_the_default_weights_of_opinions_are_of_this_network():
    policy = NetworkPolicy(impossible="clip", duplicates="first")
    network, _ = read_authors_network(Path(AUTHORS) / "example_networks.json", "A", policy)
    assert DEFAULT_WEIGHTS.on(network) is DEFAULT_WEIGHTS
