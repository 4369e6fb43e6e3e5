"""Red flags and triage."""

from __future__ import annotations

import pytest

import hickam
from hickam.advise.joint_sufficiency import joint_sufficiency
from hickam.advise.red_flags import FITTING, red_flags
from hickam.advise.triage import triage
from hickam.infer import infer_located
from hickam.model.build import build_network
from hickam.words import percent

CLINIC = hickam.load("clinic")
SMOKER = hickam.load("smoker")


def flags_of(case: hickam.Case, network: hickam.Network = CLINIC):
    return red_flags(network, *infer_located(network, case, "auto", {}))


def test_a_dangerous_disease_that_explains_nothing_is_not_shown():
    network, issues = build_network(
        {
            "hickam": 1,
            "name": "two",
            "diseases": [
                {"id": "silent", "leak": 0.5, "urgency": "emergency"},
                {"id": "cold", "leak": 0.1, "urgency": "self-care"},
            ],
            "findings": [
                {"id": "cough", "leak": 0.01, "causes": {"cold": 0.5}},
                {"id": "numbness", "leak": 0.01, "causes": {"silent": 0.5}},
            ],
        }
    )
    assert network is not None, issues
    found = flags_of(hickam.Case(present=["cough"]), network)
    assert found.flags == ()
    assert "No emergency or urgent disease" in found.in_words


def test_a_dangerous_cause_is_shown_with_the_question_that_would_exclude_it():
    found = flags_of(hickam.Case(present=["fever", "headache"], age=19.0, sex="female"))
    meningitis = next(flag for flag in found.flags if flag.disease == "meningitis")
    assert meningitis.urgency == "emergency"
    assert meningitis.ask == "neck_stiffness"
    assert "stiff neck" in meningitis.reason
    links, at = CLINIC.effects, CLINIC.index["meningitis"]
    row = links.of_cause(at)
    stated = dict(zip(links.effect[row].tolist(), links.fails[row], strict=True))
    assert meningitis.against == stated[CLINIC.index["neck_stiffness"]]


def test_the_answer_to_its_question_takes_a_red_flag_away():
    case = hickam.Case(present=["fever", "headache"], age=19.0, sex="female")
    before = {flag.disease: flag for flag in flags_of(case).flags}
    flag = before["meningitis"]
    told = hickam.Case(present=case.present, absent=[flag.ask], age=19.0, sex="female")
    after = {flag.disease: flag.chance for flag in flags_of(told).flags}
    assert after.get("meningitis", 0.0) < flag.chance


def test_what_cannot_be_asked_is_not_the_question_of_a_red_flag():
    evidence, beliefs = infer_located(
        CLINIC, hickam.Case(present=["fever", "headache"]), "auto", {}
    )
    found = red_flags(CLINIC, evidence, beliefs, skip=["neck_stiffness"], top=99)
    assert "neck_stiffness" not in {flag.ask for flag in found.flags}


def test_a_red_flag_is_at_least_as_likely_as_its_urgency_asks_for():
    found = flags_of(hickam.Case(present=["chest pain", "sweating"], age=60.0, sex="male"))
    assert found.flags
    for flag in found.flags:
        assert flag.chance >= FITTING[flag.urgency]
        assert flag.explains in {"Chest pain", "Excessive sweating"}


def test_a_likely_disease_is_not_asked_away():
    found = flags_of(
        hickam.Case(present=["rlq pain", "migrating abdominal pain", "guarding", "fever"])
    )
    appendicitis = next(flag for flag in found.flags if flag.disease == "appendicitis")
    assert appendicitis.chance > 0.5
    assert appendicitis.ask is None


def test_triage_bounds_the_chance_that_something_of_its_level_causes_a_finding():
    case = hickam.Case(present=["chest pain", "sweating"], age=60.0, sex="male")
    evidence, beliefs = infer_located(CLINIC, case, "auto", {})
    verdict = triage(CLINIC, evidence, beliefs)
    assert verdict is not None
    assert verdict.level == "emergency"
    dangerous = [d for d in CLINIC.diseases if CLINIC.entries[d].urgency == "emergency"]
    keeps = joint_sufficiency(CLINIC, case, dangerous).keeps
    least, most = verdict.chances["emergency"]
    assert least - 1e-6 <= max(keeps.values()) <= most + 1e-6
    assert f"({percent(least)} to {percent(most)})" in verdict.reason


@pytest.mark.parametrize(
    ("present", "age", "level"),
    [
        (["runny nose", "sneezing", "sore throat"], 30.0, "self-care"),
        (["central crushing chest pain", "sweating", "radiation to arm or jaw"], 62.0, "emergency"),
    ],
)
def test_plain_stories_get_the_level_that_anyone_would_give(present, age, level):
    evidence, beliefs = infer_located(CLINIC, hickam.Case(present=present, age=age), "auto", {})
    verdict = triage(CLINIC, evidence, beliefs)
    assert verdict is not None
    assert verdict.level == level
    assert verdict.reason


def test_there_is_no_verdict_without_a_finding_or_without_urgencies():
    assert triage(CLINIC, *infer_located(CLINIC, hickam.Case(), "auto", {})) is None
    chest = infer_located(SMOKER, hickam.Case(present=["chest pain"]), "auto", {})
    if not any(SMOKER.entries[disease].urgency for disease in SMOKER.diseases):
        assert triage(SMOKER, *chest) is None
