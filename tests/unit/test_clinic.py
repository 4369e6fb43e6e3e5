"""The clinic network, read as a clinician would: classic stories, everyday stories, plain sense."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import hickam
from hickam.model.network import URGENCY_CLASSES

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str) -> Any:
    return yaml.load((GOLDEN / name).read_text("utf-8"), yaml.CSafeLoader)


PRESENTATIONS = golden("clinic_presentations.yaml")
CLASSIC = [story for story in PRESENTATIONS if not story.get("held_out")]
HELD_OUT = [story for story in PRESENTATIONS if story.get("held_out")]
EVERYDAY = golden("clinic_common_sense.yaml")
MUST_NOT_MISS = [story for story in EVERYDAY if "within" in story]
EXPECTED = [story for story in EVERYDAY if "first" in story]
TOGETHER = golden("clinic_two_diseases.yaml")
IN_WORDS = golden("clinic_vignettes.yaml")
HELD_WORDS = golden("clinic_vignettes_held.yaml")
THIRD_WORDS = golden("clinic_vignettes_third.yaml")
FIFTH_WORDS = golden("clinic_vignettes_fifth.yaml")
SIXTH_WORDS = golden("clinic_vignettes_sixth.yaml")
URGENT_FIRST = [story for story in EVERYDAY if "seen" in story]
COUNTERFACTUAL = ("disablement", "sufficiency")

# The least prior of each rareness class, as docs/networks.md states them.
RARENESS = {
    "very common": 0.02,
    "common": 0.005,
    "uncommon": 0.001,
    "rare": 0.0001,
    "very rare": 0.0,
}
EMERGENCIES = {
    *("myocardial_infarction", "pulmonary_embolism", "aortic_dissection", "stroke", "sepsis"),
    *("subarachnoid_haemorrhage", "meningitis", "ectopic_pregnancy", "appendicitis"),
    *("diabetic_ketoacidosis", "testicular_torsion", "anaphylaxis", "cauda_equina"),
    *("ruptured_aortic_aneurysm", "acute_glaucoma", "septic_arthritis", "pre_eclampsia"),
}


@pytest.fixture(scope="module")
def clinic() -> hickam.Network:
    return hickam.load("clinic")


def case_of(story: dict[str, Any]) -> hickam.Case:
    """The case of a story; a risk factor it does not mention is unknown."""
    return hickam.Case(
        present=story["present"],
        absent=story.get("absent", ()),
        risks=dict.fromkeys(story.get("risks", ()), True),
        categories={"duration": story["duration"]} if "duration" in story else {},
        sex=story["sex"],
        age=story["age"],
    )


def ranks(network: hickam.Network, story: dict[str, Any]) -> dict[str, int]:
    """Measure → rank of the story's disease."""
    differential = hickam.diagnose(network, case_of(story))
    [found] = [candidate for candidate in differential if candidate.disease == story["disease"]]
    return dict(found.ranks)


def by_title(story: dict[str, Any]) -> str:
    return str(story["title"])


@pytest.mark.parametrize("story", CLASSIC, ids=by_title)
def test_the_disease_of_a_classic_presentation_is_first_or_second(clinic, story):
    found = ranks(clinic, story)
    assert max(found[measure] for measure in COUNTERFACTUAL) <= 2


@pytest.mark.parametrize("story", HELD_OUT, ids=by_title)
def test_the_disease_of_a_presentation_never_tuned_on_is_in_the_first_five(clinic, story):
    found = ranks(clinic, story)
    assert max(found[measure] for measure in COUNTERFACTUAL) <= 5


@pytest.mark.parametrize("story", MUST_NOT_MISS, ids=by_title)
def test_an_emergency_that_hides_behind_vague_findings_is_not_missed(clinic, story):
    found = ranks(clinic, story)
    assert max(found[measure] for measure in COUNTERFACTUAL) <= story["within"]


@pytest.mark.parametrize("story", EXPECTED, ids=by_title)
def test_common_things_are_common(clinic, story):
    differential = hickam.diagnose(clinic, case_of(story))
    for measure in COUNTERFACTUAL:
        scores = {c.disease: getattr(c, measure) for c in differential}
        first = max(scores, key=lambda disease: scores[disease])
        assert first in story["first"]
        for disease in story.get("unlikely", ()):
            assert scores[disease] < 0.1 * scores[first], (measure, disease)


@pytest.mark.parametrize("story", URGENT_FIRST, ids=by_title)
def test_a_dangerous_story_without_its_cardinal_finding_is_seen_soon_enough(clinic, story):
    verdict = hickam.interview(clinic, case_of(story)).triage
    assert verdict is not None
    assert URGENCY_CLASSES.index(verdict.level) <= URGENCY_CLASSES.index(story["seen"])


@pytest.mark.parametrize(
    ("finding", "age"),
    [("poor_feeding", 24), ("inconsolable_crying", 19), ("bulging_fontanelle", 40), ("guilt", 2)],
)
def test_a_finding_of_another_age_has_hardly_a_leak(clinic, finding, age):
    rows = clinic.entries[finding].prevalence
    factor = np.prod([row.factor for row in rows if row.matches(None, age)])
    assert factor <= 0.05


def test_the_presentations_cover_every_group_and_rareness(clinic):
    entries = [clinic.entries[story["disease"]] for story in CLASSIC]
    conditions = [clinic.entries[disease] for disease in clinic.diseases]
    assert {e.rareness for e in entries} == {e.rareness for e in conditions} == RARENESS.keys()
    assert {e.group for e in entries} == {e.group for e in conditions}


@pytest.mark.parametrize("story", PRESENTATIONS, ids=by_title)
def test_a_presentation_has_three_to_eight_present_findings(story):
    assert 3 <= len(story["present"]) <= 8


def test_the_stated_rareness_follows_from_the_prior(clinic):
    stated = {disease: clinic.entries[disease].rareness for disease in clinic.diseases}
    implied = {
        disease: next(word for word, least in RARENESS.items() if prior >= least)
        for disease, prior in zip(clinic.diseases, clinic.prior, strict=True)
    }
    assert stated == implied


def test_the_emergencies_are_marked_as_emergencies(clinic):
    marked = {d for d in clinic.diseases if clinic.entries[d].urgency == "emergency"}
    assert marked >= EMERGENCIES


def test_the_clinic_is_large_enough_to_be_a_clinic(clinic):
    assert len(clinic.diseases) >= 60
    assert len(clinic.findings) >= 150
    assert len(clinic.risk_factors) >= 25
    assert len(clinic.categories[0].given) >= 60


def test_every_finding_has_a_leak_and_a_cause(clinic):
    assert np.all(clinic.finding_leak > 0.0)
    assert set(clinic.effects.effect.tolist()) == set(range(len(clinic.findings)))
    assert set(clinic.effects.cause.tolist()) == set(range(len(clinic.diseases)))


@pytest.mark.parametrize(
    ("sex", "impossible"),
    [
        ("male", ["ectopic_pregnancy", "early_pregnancy", "endometriosis", "ovarian_cancer"]),
        ("female", ["testicular_torsion", "prostate_enlargement", "prostate_cancer"]),
    ],
)
def test_what_a_sex_cannot_have_has_posterior_zero(clinic, sex, impossible):
    case = hickam.Case(present=["abdominal_pain", "vomiting"], sex=sex, age=30)
    posterior = {c.disease: c.posterior for c in hickam.diagnose(clinic, case)}
    assert [posterior[disease] for disease in impossible] == [0.0] * len(impossible)


def test_the_clinic_names_the_source_of_every_looked_up_number(clinic):
    assert len(clinic.link_sources) >= 5
    assert all(len(source) > 20 for source in clinic.link_sources.values())


@pytest.mark.parametrize("story", TOGETHER, ids=by_title)
def test_two_diseases_at_once_are_both_among_the_first_three(clinic, story):
    differential = hickam.diagnose(clinic, case_of(story))
    found = {c.disease: c.ranks for c in differential if c.disease in story["diseases"]}
    assert max(ranks[measure] for ranks in found.values() for measure in COUNTERFACTUAL) <= 3


def worst_rank(network: hickam.Network, vignette: dict[str, Any], measure: str) -> int:
    """The rank of the last of a patient's diseases, less one for each other that it has."""
    mapped = vignette["mapped"]
    case = case_of({**mapped, "sex": vignette["sex"], "age": vignette["age"]})
    found = {c.disease: c.ranks[measure] for c in hickam.diagnose(network, case)}
    worst = max(min(found[disease] for disease in choices) for choices in mapped["diseases"])
    return worst - len(mapped["diseases"]) + 1


@pytest.mark.parametrize(
    ("vignettes", "first", "in_three"),
    [
        ([v for v in IN_WORDS if len(v["truth"]) == 1], 0.93, 0.97),
        ([v for v in IN_WORDS if len(v["truth"]) > 1], 0.7, 0.93),
        (HELD_WORDS, 0.9, 0.97),
        (THIRD_WORDS, 0.7, 0.9),
        ([v for v in FIFTH_WORDS if len(v["truth"]) == 1], 0.93, 0.97),
        ([v for v in SIXTH_WORDS if len(v["truth"]) == 1], 0.93, 0.97),
    ],
    ids=[
        *("one disease", "several diseases", "held apart", "cardinal finding missing"),
        *("fifth", "sixth"),
    ],
)
def test_patients_in_a_doctors_words_have_their_diseases_at_the_top(
    clinic, vignettes, first, in_three
):
    found = np.array([worst_rank(clinic, vignette, "disablement") for vignette in vignettes])
    assert np.mean(found <= 1) >= first
    assert np.mean(found <= 3) >= in_three


def test_half_the_patients_lack_a_cardinal_finding_and_a_third_have_several_diseases():
    assert len(IN_WORDS) >= 120
    assert sum(bool(v.get("missing")) for v in IN_WORDS) >= 0.45 * len(IN_WORDS)
    assert sum(len(v["truth"]) > 1 for v in IN_WORDS) >= len(IN_WORDS) / 3


def looked_up(item: Any) -> int:
    """How many numbers within an item of the file name a source of their own."""
    if isinstance(item, dict) and "probability" in item:
        return int(item.get("source", "estimate") != "estimate")
    parts = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return sum(looked_up(part) for part in parts)


def test_the_page_says_how_many_numbers_were_looked_up():
    root = Path(__file__).parents[2]
    text = (root / "src" / "hickam" / "model" / "embedded" / "clinic.yaml").read_text("utf-8")
    page = (root / "docs" / "networks.md").read_text("utf-8")
    document = yaml.load(text, yaml.CSafeLoader)
    assert f"{looked_up(document)} numbers were looked up" in page
    assert document["source"] == "estimate"
