import json
from dataclasses import replace

import pytest

import hickam
from hickam.advise.second_opinion import DEFAULT_WEIGHTS, PositionWeights, second_opinion
from hickam.evidence.case import Case
from hickam.issues import InvalidInput
from strategies import network_of

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
    assert tuple(found.outside) == ("the vapours",)
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


INFARCTION = Case(
    present=["chest pain", "sweating", "central crushing chest pain", "raised troponin"],
    age=63,
    sex="male",
)


def by_hand(network, case, listed, ratios, unlisted):
    """Disease → P(it | findings, list, exactly one disease), from the single-fault posterior."""
    alone = hickam.infer(network, case).single_fault
    weight = {
        disease: float(chance) * (ratios[listed.index(disease)] if disease in listed else unlisted)
        for disease, chance in zip(network.diseases, alone, strict=True)
    }
    total = sum(weight.values())
    return {disease: value / total for disease, value in weight.items()}


def test_a_heart_attack_that_is_nearly_certain_survives_a_doctor_who_writes_panic_disorder(clinic):
    alone = hickam.diagnose(clinic, INFARCTION, "single_fault")
    assert alone[0].disease == "myocardial_infarction"
    assert alone[0].score > 0.99
    found = second_opinion(clinic, INFARCTION, ["panic disorder"])
    assert found.fused == ("myocardial_infarction",)
    assert found.dropped == ("panic_disorder",)


def test_weights_fitted_elsewhere_are_tempered_to_the_doctors_own_record(clinic):
    """Doctors left out 0.28 of the truths; 0.014 is that to the power of 1 / 0.3."""
    used = second_opinion(clinic, CASE, ["panic disorder"]).weights
    assert used.unlisted == pytest.approx(0.278, abs=0.005)
    assert used.listed[0] == pytest.approx(220.0**0.3)
    assert "tempered" in used.source
    fitted = replace(DEFAULT_WEIGHTS, network=clinic.hash)
    assert second_opinion(clinic, CASE, ["panic disorder"], weights=fitted).weights == fitted
    given = PositionWeights((220.0,), 0.014)
    assert second_opinion(clinic, CASE, ["panic disorder"], weights=given).weights == given


def test_the_fused_probabilities_are_those_of_the_list_as_evidence(clinic):
    weights = PositionWeights((12.0, 5.0), 0.25)
    found = second_opinion(clinic, CASE, ["panic disorder", "asthma"], weights=weights)
    expected = by_hand(clinic, CASE, ["panic_disorder", "asthma"], (12.0, 5.0), 0.25)
    for candidate in found.differential:
        assert candidate.score == pytest.approx(expected[candidate.disease], rel=1e-9)
    assert "the doctor's list as evidence" in found.differential.in_force


def test_an_urgent_disease_that_the_findings_support_is_never_dropped_in_silence(clinic):
    overruling = PositionWeights((1e6,), 1e-3)
    found = second_opinion(clinic, INFARCTION, ["panic disorder"], weights=overruling)
    assert found.fused == ("panic_disorder",)
    (urgent,) = [o for o in found.overlooked if o.disease == "myocardial_infarction"]
    assert urgent.alone > 0.99
    assert not urgent.kept
    assert any(w.startswith("Heart attack (emergency)") and "miss" in w for w in found.warnings)


def test_what_the_doctor_lists_is_not_called_overlooked(clinic):
    found = second_opinion(clinic, INFARCTION, ["panic disorder", "heart attack"])
    assert "myocardial_infarction" not in [o.disease for o in found.overlooked]


def test_an_urgent_disease_of_the_doctor_that_the_fused_list_drops_is_named(clinic):
    found = second_opinion(clinic, CASE, ["pulmonary embolism", "testicular torsion"])
    for disease in found.dropped:
        if clinic.entries[disease].urgent:
            assert any(clinic.label(disease) in warning for warning in found.warnings)
    assert "testicular_torsion" in found.dropped


def test_a_first_choice_outside_the_network_keeps_its_place_and_is_said(clinic):
    weights = PositionWeights((30.0, 4.0), 0.5)
    found = second_opinion(clinic, CASE, ["takotsubo", "panic disorder"], weights=weights)
    (line,) = [line for line in found.lines if line.disease == "panic_disorder"]
    assert (line.doctor, line.ratio) == (2, 4.0)
    assert found.outside == {"takotsubo": 1}
    assert any("first choice" in warning for warning in found.warnings)
    later = second_opinion(clinic, CASE, ["panic disorder", "takotsubo"], weights=weights)
    assert not any("first choice" in warning for warning in later.warnings)
    assert any("'takotsubo' is not in the network" in warning for warning in later.warnings)


def test_the_plain_form_is_json_and_names_the_warnings(clinic):
    found = second_opinion(clinic, INFARCTION, ["panic disorder"])
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["warnings"] == list(found.warnings)
    assert plain["dropped"] == ["panic_disorder"]


def test_a_finding_that_the_list_leaves_open_is_named_with_the_disease_that_explains_it(clinic):
    case = Case(present=["burning on passing urine", "passing urine often", "sneezing"])
    found = second_opinion(clinic, case, ["cystitis"])
    assert [item.finding for item in found.left_open] == ["sneezing"]
    (item,) = found.left_open
    assert item.disease in {"common_cold", "allergic_rhinitis"}
    assert item.disease_name in item.in_words
    dx = found.differential
    assert item.chance == max(
        c.sustained.get("sneezing", 0.0) for c in dx if c.disease != "cystitis"
    )
    assert item.by_list == dx.of("cystitis").sustained.get("sneezing", 0.0)


def test_a_list_that_explains_everything_leaves_nothing_open(clinic):
    case = Case(present=["burning on passing urine", "passing urine often"])
    assert second_opinion(clinic, case, ["cystitis"]).left_open == ()


def test_a_finding_that_no_disease_is_likely_to_explain_is_said_to_be_so():
    network = network_of(
        {
            "diseases": [{"id": "a", "leak": 0.1}, {"id": "b", "leak": 0.001}],
            "findings": [
                {"id": "x", "leak": 0.01, "causes": {"a": 0.9}},
                {"id": "y", "leak": 0.5, "causes": {"b": 0.1}},
            ],
        }
    )
    (item,) = second_opinion(network, Case(present=["x", "y"]), ["a"]).left_open
    assert (item.finding, item.disease) == ("y", None)
    assert "no other disease" in item.in_words
