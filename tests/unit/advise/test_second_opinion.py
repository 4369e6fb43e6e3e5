import pytest

import hickam
from hickam.advise.second_opinion import PositionWeights, second_opinion
from hickam.evidence.case import Case
from hickam.issues import InvalidInput

CASE = Case(present=["chest pain", "sweating"])
NEUTRAL = PositionWeights((1.0,), 1.0)
STRONG = PositionWeights((1e6, 1e4), 1e-2)


@pytest.fixture(scope="module")
def clinic():
    return hickam.load("clinic")


@pytest.mark.parametrize("measure", ["single_fault", "sufficiency", "posterior"])
def test_the_fused_list_has_the_doctors_own_size(clinic, measure):
    listed = ["stable angina", "panic disorder", "asthma"]
    found = second_opinion(clinic, CASE, listed, measure)
    assert len(found.fused) == len(found.algorithm) == len(found.doctor) == 3


def test_neutral_weights_leave_the_algorithm_as_it_is(clinic):
    found = second_opinion(clinic, CASE, ["asthma", "influenza"], weights=NEUTRAL)
    assert found.fused == found.algorithm


def test_overwhelming_weights_follow_the_doctor(clinic):
    found = second_opinion(clinic, CASE, ["stable angina", "pneumonia"], weights=STRONG)
    assert found.fused[0] == found.doctor[0]


def test_added_and_dropped_mirror_each_other(clinic):
    found = second_opinion(clinic, CASE, ["asthma", "gout"])
    assert len(found.added) == len(found.dropped)


def test_ties_share_a_weight(clinic):
    found = second_opinion(clinic, CASE, [["stable angina", "asthma"]], weights=STRONG)
    ratios = {line.disease: line.ratio for line in found.lines if line.doctor}
    assert set(ratios.values()) == {1e6}


def test_a_disease_outside_the_network_is_said_and_keeps_its_place_in_the_size(clinic):
    found = second_opinion(clinic, CASE, ["stable angina", "the vapours"])
    assert found.outside == ("the vapours",)
    assert len(found.fused) == 2


def test_a_list_of_unknown_diseases_is_refused_with_the_near_miss(clinic):
    with pytest.raises(InvalidInput, match="did you mean"):
        second_opinion(clinic, CASE, ["stable anginna"])


def test_a_disease_listed_twice_and_bad_weights_are_refused(clinic):
    with pytest.raises(InvalidInput) as bad:
        second_opinion(clinic, CASE, ["asthma", "asthma"], weights=PositionWeights((0.0,), 1.0))
    assert "twice" in str(bad.value)
    assert "weights" in str(bad.value)


def test_an_empty_list_is_refused(clinic):
    with pytest.raises(InvalidInput, match="is empty"):
        second_opinion(clinic, CASE, [])
