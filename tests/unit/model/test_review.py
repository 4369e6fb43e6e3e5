"""What a reader of a network would question, on networks made to raise one question each."""

import json
from typing import Any

import pytest

import hickam
from hickam.io.network_text import read_text
from hickam.model.review import review


def network(**sections: Any) -> hickam.Network:
    document = {"hickam": 1, "name": "questioned", **sections}
    built, issues = read_text(json.dumps(document), "questioned.json")
    assert isinstance(built, hickam.Network), issues
    return built


def disease(name: str, leak: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "leak": leak, **more}


def finding(name: str, leak: float, causes: dict[str, float], **more: Any) -> dict[str, Any]:
    return {"id": name, "leak": leak, "causes": causes, **more}


def asked_of(built: hickam.Network) -> dict[str, str]:
    """Node → what is said of it."""
    return {issue.where: issue.what for issue in review(built)}


def test_nothing_is_asked_of_a_disease_with_a_cardinal_finding_and_a_fair_leak():
    built = network(
        diseases=[disease("cold", 0.05)],
        findings=[finding("runny_nose", 0.02, {"cold": 0.8})],
    )
    assert review(built) == []


def test_a_disease_without_a_cardinal_finding_is_asked_what_brings_its_patients():
    built = network(
        diseases=[disease("cold", 0.05), disease("tired_blood", 0.02)],
        findings=[finding("runny_nose", 0.02, {"cold": 0.8, "tired_blood": 0.1})],
    )
    assert "10 %" in asked_of(built)["disease 'tired_blood'"]


def test_a_finding_put_down_to_a_disease_that_mostly_does_without_it_lacks_its_commonest_cause():
    ovaries = disease("ovaries", 0.02, prevalence=[{"sex": "female", "factor": 3.0}])
    spots = [
        finding("late_period", 0.05, {"ovaries": 0.8}),
        finding("spots", 0.015, {"ovaries": 0.4}),
    ]
    asked = asked_of(network(diseases=[ovaries], findings=spots))
    # 3 * 0.02 / 0.98 odds, so 0.0577 * 0.4 against a leak of 0.015
    assert "by 61 % (female" in asked["finding 'spots'"]
    with_acne = [*spots[:1], finding("spots", 0.015, {"ovaries": 0.4, "acne": 0.97})]
    built = network(diseases=[ovaries, disease("acne", 0.04)], findings=with_acne)
    assert "finding 'spots'" not in asked_of(built)


def test_a_symptom_that_alone_makes_a_rare_disease_likely_is_questioned_and_a_sign_is_not():
    rare = [disease("rare", 0.0005)]
    lone = finding("hiccup", 0.0001, {"rare": 0.9})
    assert "82 % probable" in asked_of(network(diseases=rare, findings=[lone]))["finding 'hiccup'"]
    assert review(network(diseases=rare, findings=[{**lone, "kind": "sign"}])) == []


@pytest.mark.parametrize(("factor", "questioned"), [(10.0, False), (1.0, True)])
def test_a_prior_that_its_factors_undo_in_an_average_patient_is_questioned(factor, questioned):
    rows = [{"age": [0, 8], "factor": factor}, {"age": [8, 120], "factor": 0.0}]
    croup = disease("croup", 0.01, prevalence=rows)
    built = network(diseases=[croup], findings=[finding("bark", 0.01, {"croup": 0.9})])
    assert ("disease 'croup'" in asked_of(built)) == questioned


def test_a_finding_of_one_sex_with_a_leak_for_both_is_questioned():
    womb = disease("womb", 0.01, prevalence=[{"sex": "male", "factor": 0.0}])
    late = finding("late_period", 0.01, {"womb": 0.9})
    assert "male" in asked_of(network(diseases=[womb], findings=[late]))["finding 'late_period'"]
    late["prevalence"] = [{"sex": "male", "factor": 0.0}]
    assert "finding 'late_period'" not in asked_of(network(diseases=[womb], findings=[late]))


def test_a_strong_link_to_a_finding_of_quite_other_diseases_is_questioned():
    names = ("cough", "wheeze", "phlegm", "mole", "itch", "scab")
    lungs = {"bronchitis": 0.8, "asthma": 0.6}
    causes = {name: dict(lungs) for name in names[:3]} | {
        name: {"melanoma": 0.7} for name in names[3:]
    }
    diseases = [disease(name, 0.01) for name in (*lungs, "melanoma")]
    findings = [finding(name, 0.05, causes[name]) for name in names]
    assert "disease 'melanoma'" not in asked_of(network(diseases=diseases, findings=findings))
    causes["cough"]["melanoma"] = 0.6
    assert (
        "'cough'" in asked_of(network(diseases=diseases, findings=findings))["disease 'melanoma'"]
    )


def test_the_review_of_the_clinic_is_short_enough_to_be_read():
    assert len(review(hickam.load("clinic"))) <= 45
