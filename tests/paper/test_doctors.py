"""The paper's doctor table, from the authors' released vignettes."""

import os
from collections import Counter
from pathlib import Path

import pytest

from hickam.io.cards import read_authors_cards
from hickam.study.doctors import shadow, standings

AUTHORS = os.environ.get("HICKAM_AUTHORS")
pytestmark = pytest.mark.skipif(not AUTHORS, reason="HICKAM_AUTHORS names no folder")

# Accuracy and standard error of each of the 44 doctors.
# fmt: off
PUBLISHED = [
    (0.725, 0.019), (0.823, 0.022), (0.89, 0.018), (0.805, 0.023), (0.776, 0.034), (0.612, 0.028),
    (0.799, 0.02), (0.778, 0.026), (0.69, 0.025), (0.698, 0.058), (0.905, 0.037), (0.783, 0.034),
    (0.684, 0.053), (0.627, 0.063), (0.788, 0.033), (0.891, 0.018), (0.791, 0.043), (0.651, 0.051),
    (0.722, 0.043), (0.75, 0.056), (0.566, 0.068), (0.797, 0.026), (0.671, 0.03), (0.695, 0.032),
    (0.735, 0.035), (0.648, 0.047), (0.7, 0.065), (0.854, 0.035), (0.787, 0.039), (0.636, 0.048),
    (0.604, 0.046), (0.758, 0.053), (0.825, 0.039), (0.5, 0.065), (0.607, 0.063), (0.574, 0.063),
    (0.55, 0.064), (0.61, 0.063), (0.592, 0.04), (0.708, 0.044), (0.702, 0.045), (0.765, 0.059),
    (0.639, 0.053), (0.704, 0.054),
]
# fmt: on


@pytest.fixture(scope="module")
def vignettes():
    found, issues = read_authors_cards(Path(AUTHORS) / "vignettes.json")
    assert not [issue for issue in issues if issue.level == "error"]
    return found


def test_every_published_doctor_accuracy_and_error_follows_from_the_vignettes(vignettes):
    trials = shadow(vignettes, {}, minimum=50)
    found = [(round(t.accuracy("doctor"), 3), round(t.error("doctor"), 3)) for t in trials]
    assert sorted(found) == sorted(PUBLISHED)


def test_the_group_mean_of_the_doctors_is_the_published_one(vignettes):
    (doctors,) = standings(shadow(vignettes, {}, minimum=50))
    assert round(100 * doctors.accuracy, 2) == 71.40


def test_the_rareness_classes_have_the_published_sizes(vignettes):
    counts = Counter(vignette.rareness for vignette in vignettes)
    classes = ("very common", "common", "uncommon", "rare", "very rare", "almost impossible")
    assert [counts[name] for name in classes] == [131, 413, 546, 353, 210, 18]


def test_network_a_has_199_vignettes_and_903_opinions():
    found, _ = read_authors_cards(Path(AUTHORS) / "vignettes.json", "A")
    assert len(found) == 199
    assert sum(len(vignette.opinions) for vignette in found) == 903
