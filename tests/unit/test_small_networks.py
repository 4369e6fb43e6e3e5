"""The smoker, confounding and car networks make the points they were written for."""

from pathlib import Path

import pytest
import yaml

import hickam
from hickam.language.vocabulary import vocabularies

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
FAULTS = yaml.safe_load((GOLDEN / "car_presentations.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def car() -> hickam.Network:
    return hickam.load("car")


def test_emphysema_is_likeliest_in_the_elderly_smoker_but_explains_nothing():
    risks = {"smoker": True, "elderly": True}
    case = hickam.Case(present=["chest pain", "nausea", "fatigue"], risks=risks)
    differential = hickam.diagnose(hickam.load("smoker"), case)
    candidates = {candidate.disease: candidate for candidate in differential}
    emphysema, angina = candidates["emphysema"], candidates["angina"]
    assert emphysema.ranks["posterior"] == 1
    assert emphysema.disablement == emphysema.sufficiency == 0.0
    assert angina.ranks["disablement"] == angina.ranks["sufficiency"] == 1


@pytest.mark.parametrize("figure", ["a", "b", "c"])
def test_the_posterior_does_not_tell_the_three_figures_apart(figure):
    case = hickam.Case(present=[f"symptom_{figure}"])
    differential = hickam.diagnose(hickam.load("confounding"), case)
    [disease] = [c for c in differential if c.disease == f"disease_{figure}"]
    assert disease.posterior == pytest.approx(0.64, abs=0.01)


def test_disablement_tells_the_three_figures_apart():
    network = hickam.load("confounding")
    scores = {}
    for figure in "abc":
        for candidate in hickam.diagnose(network, hickam.Case(present=[f"symptom_{figure}"])):
            if candidate.disease == f"disease_{figure}":
                scores[figure] = candidate.disablement
    assert scores["b"] == 0.0
    assert scores["a"] > scores["c"] > 0.05


@pytest.mark.parametrize("story", FAULTS, ids=[story["title"] for story in FAULTS])
def test_the_fault_of_a_classic_complaint_is_first_or_second(car, story):
    case = hickam.Case(
        present=story["present"],
        absent=story["absent"],
        risks=dict.fromkeys(story["risks"], True),
    )
    [fault] = [c for c in hickam.diagnose(car, case) if c.disease == story["disease"]]
    assert max(fault.ranks["disablement"], fault.ranks["sufficiency"]) <= 2


@pytest.mark.parametrize("name", ["clinic", "smoker", "confounding", "car"])
def test_every_embedded_network_says_what_it_must_not_be_used_for(name):
    disclaimer = hickam.load(name).about.disclaimer
    assert "demonstration" in disclaimer
    assert "not for" in disclaimer


@pytest.mark.parametrize("name", ["clinic", "smoker", "confounding", "car"])
def test_the_documented_sizes_are_the_sizes(name):
    network = hickam.load(name)
    layers = (network.risk_factors, network.diseases, network.findings)
    sizes = " | ".join(str(len(layer)) for layer in layers)
    page = (ROOT / "docs" / "networks.md").read_text("utf-8")
    [row] = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
    assert row.endswith(f"| {sizes} |")


@pytest.mark.parametrize("name", ["clinic", "smoker", "confounding", "car"])
def test_no_word_means_two_things(name):
    shared = {
        (kind, word)
        for kind, known in vocabularies(hickam.load(name)).items()
        for word, positions in known.words.items()
        if len(positions) > 1
    }
    assert shared == set()
