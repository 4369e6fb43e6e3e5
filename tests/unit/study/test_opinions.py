"""Rules on doctors' lists: each is applied, counted and reported."""

import pytest

import hickam
from hickam.evidence.case import Case
from hickam.evidence.vignette import Opinion, Vignette, ranked
from hickam.issues import errors
from hickam.study.admit import admit
from hickam.study.doctors import shadow

CASE = Case(present=["fever"], id="1")


@pytest.fixture(scope="module")
def clinic():
    return hickam.load("clinic")


def admitted(clinic, *opinions, outside="keep", truth="influenza"):
    vignette = Vignette("1", CASE, (truth,), opinions=opinions)
    found = admit(clinic, [vignette], outside)
    return found, "\n".join(map(str, found.issues))


def lists(found):
    return {opinion.doctor: opinion.differential for opinion in found.vignettes[0].opinions}


def test_a_misspelt_disease_is_reported_with_the_nearest_name_and_counted(clinic):
    found, said = admitted(clinic, Opinion("d", ranked(["influensa", "pneumonia"])))
    assert "did you mean 'Influenza'" in said
    assert "doctor 'd'" in said
    assert found.opinions["unknown"] == 1


def test_a_kept_unknown_disease_takes_its_place_and_cannot_be_right(clinic):
    found, _ = admitted(clinic, Opinion("d", ranked(["influensa", "pneumonia"])))
    assert lists(found) == {"d": (("influensa",), ("pneumonia",))}
    (trial,) = shadow(found.vignettes, {"a": [2]}, minimum=1)
    assert trial.hits == {"doctor": 0, "a": 1}


def test_a_dropped_unknown_disease_shortens_the_list(clinic):
    found, said = admitted(
        clinic, Opinion("d", ranked(["influensa", ["pneumonia", "vapours"]])), outside="drop"
    )
    assert lists(found) == {"d": (("pneumonia",),)}
    assert found.vignettes[0].opinions[0].outside == 2
    assert "dropped from the list" in said


def test_an_opinion_with_nothing_left_is_left_out_and_counted(clinic):
    found, said = admitted(clinic, Opinion("d", ranked(["vapours"])), outside="drop")
    assert lists(found) == {}
    assert found.opinions["empty"] == 1
    assert "the opinion is left out" in said


def test_unknown_diseases_can_be_refused(clinic):
    found, _ = admitted(clinic, Opinion("d", ranked(["vapours"])), outside="refuse")
    assert len(errors(found.issues)) == 1


def test_of_two_opinions_of_a_doctor_the_last_counts_and_that_is_said(clinic):
    first, last = Opinion("d", ranked(["influenza"])), Opinion("d", ranked(["pneumonia"]))
    found, said = admitted(clinic, first, Opinion("e", ranked(["influenza"])), last)
    assert lists(found) == {"e": (("influenza",),), "d": (("pneumonia",),)}
    assert "answered twice" in said
    (d,) = [t for t in shadow(found.vignettes, {}, minimum=1) if t.doctor == "d"]
    assert (d.vignettes, d.hits["doctor"]) == (1, 0)


def test_a_disease_listed_again_by_another_name_counts_once_at_its_first_place(clinic):
    name = clinic.entries["influenza"].synonyms[0]
    found, said = admitted(clinic, Opinion("d", ranked([name, "pneumonia", "influenza"])))
    assert lists(found) == {"d": (("influenza",), ("pneumonia",))}
    assert found.opinions["twice"] == 1
    assert "its first place counts" in said
