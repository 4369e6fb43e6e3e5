"""What to ask next."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import hickam
from hickam.advise.answers import answers_to
from hickam.advise.by_inference import Outcomes, information
from hickam.advise.explanations import explain, matched
from hickam.advise.next_question import next_question
from hickam.advise.worth import OBJECTIVES, doubt_about, worth
from hickam.evidence.locate import locate
from hickam.model.adapted import adapted
from hickam.model.build import build_network
from hickam.model.kinds import as_scm

SMOKER = hickam.load("smoker")
CLINIC = hickam.load("clinic")
CHEST = hickam.Case(present=["chest pain", "nausea"], risks={"smoker": True, "elderly": True})
EVERYTHING = ("finding", "risk factor", "category")


def headache() -> hickam.Network:
    """Three causes of headache, one of them an emergency with a headache of its own kind."""
    network, issues = build_network(
        {
            "hickam": 1,
            "name": "headache",
            "diseases": [
                {"id": "bleed", "leak": 0.001, "urgency": "emergency"},
                {"id": "migraine", "leak": 0.05, "urgency": "self-care"},
                {"id": "flu", "leak": 0.05, "urgency": "self-care"},
                {"id": "bystander", "leak": 0.4},
            ],
            "findings": [
                {
                    "id": "headache",
                    "leak": 0.05,
                    "causes": {"bleed": 0.95, "migraine": 0.9, "flu": 0.5},
                },
                {"id": "thunderclap", "is_a": "headache", "leak": 0.0005, "causes": {"bleed": 0.8}},
                {"id": "fever", "leak": 0.01, "causes": {"flu": 0.9}},
                {"id": "itch", "leak": 0.05, "causes": {"bystander": 0.9}},
            ],
            "categories": [
                {
                    "id": "onset",
                    "values": ["sudden", "slow"],
                    "otherwise": [0.1, 0.9],
                    "given": {"bleed": [0.9, 0.1]},
                }
            ],
        }
    )
    assert network is not None, issues
    return network


def exact_chance(network: hickam.Network, case: hickam.Case, finding: str) -> float:
    """P(present | evidence) as a ratio of two evidences."""
    now = hickam.infer(network, case).log_evidence
    then = hickam.infer(network, replace(case, present=(*case.present, finding))).log_evidence
    return math.exp(then - now)


@pytest.mark.parametrize("present", [["headache"], ["fever"], ["headache", "fever"]])
def test_the_chance_of_an_answer_is_a_ratio_of_evidences(present: list[str]) -> None:
    network, case = headache(), hickam.Case(present=present)
    questions = next_question(network, case, top=10).questions
    assert questions
    for question in questions:
        expected = exact_chance(network, case, question.id)
        assert question.chance == pytest.approx(expected, rel=1e-6)


def test_the_worth_of_a_question_is_the_doubt_before_less_the_doubt_after() -> None:
    """By inference after each answer, in a network of one disease per finding at most."""
    network, issues = build_network(
        {
            "hickam": 1,
            "name": "one",
            "diseases": [{"id": "flu", "leak": 0.1}],
            "findings": [
                {"id": "fever", "leak": 0.05, "causes": {"flu": 0.9}},
                {"id": "ache", "leak": 0.1, "causes": {"flu": 0.7}},
            ],
        }
    )
    assert network is not None, issues
    case = hickam.Case(present=["fever"])

    def doubt(known: hickam.Case) -> float:
        flu = float(hickam.infer(network, known).posterior[0])
        # given flu, the first of two mechanisms of rates -log λ to fire is the cause
        rates = [-math.log(1 - 0.9), -math.log(1 - 0.05)]
        cause = flu * rates[0] / sum(rates)
        return -cause * math.log2(cause) - (1 - cause) * math.log2(1 - cause)

    ache = exact_chance(network, case, "ache")
    yes, no = replace(case, present=["fever", "ache"]), replace(case, absent=["ache"])
    expected = doubt(case) - ache * doubt(yes) - (1 - ache) * doubt(no)
    [question] = next_question(network, case).questions
    assert question.value == pytest.approx(expected, rel=1e-6)


def test_a_question_never_adds_doubt_on_average() -> None:
    case = hickam.Case(present=["fever", "headache"], age=30.0, sex="female")
    evidence = locate(case, CLINIC)
    found = explain(CLINIC, evidence)
    answers = answers_to(CLINIC, evidence, found, skip=(), categories=())
    doubt = doubt_about(CLINIC, found, OBJECTIVES["differential"], np.ones(2))
    after = found.weight[:, None] * answers.given
    chance = after.sum(axis=0)
    left = np.bincount(answers.question_of, chance * doubt((after / chance).T))
    assert (left <= float(doubt(found.weight)) + 1e-9).all()
    every = np.arange(len(answers.questions))
    assert worth(answers, doubt, found.weight, every) == pytest.approx(
        float(doubt(found.weight)) - left, abs=1e-9
    )


NO_RISKS = dict.fromkeys(CLINIC.risk_factors, False)


def test_explanations_are_near_inference_where_no_risk_factor_is_open() -> None:
    case = hickam.Case(present=["fever", "headache", "cough"], risks=NO_RISKS)
    found = explain(CLINIC, locate(case, CLINIC))
    exact = hickam.infer(CLINIC, case).posterior[found.diseases]
    assert found.posterior == pytest.approx(exact, abs=0.08)


@pytest.mark.parametrize("level", [0.0, 0.5])
@pytest.mark.parametrize("risks", [NO_RISKS, {}], ids=["none", "open"])
def test_matched_explanations_agree_with_inference(risks: dict[str, bool], level: float) -> None:
    case = hickam.Case(present=["fever", "headache", "cough"], risks=risks, age=40.0, sex="female")
    evidence = locate(case, CLINIC)
    network = adapted(CLINIC, evidence.circumstances)
    exact = hickam.infer(CLINIC, case).posterior
    found = explain(network, evidence, level=level)
    close = matched(found, exact)
    before = np.abs(found.posterior - exact[found.diseases]).max()
    after = np.abs(close.posterior - exact[found.diseases]).max()
    assert before > 0.04
    assert after < 0.6 * before
    assert close.weight.sum() == pytest.approx(1.0)
    assert close.levelled.sum() == pytest.approx(1.0)


def test_evening_priors_out_raises_the_rare_disease_and_leaves_equals_alone() -> None:
    network, case = headache(), hickam.Case(present=["headache"])
    found = explain(network, locate(case, network), level=0.5)
    raised = (found.levelled @ found.members) / found.posterior
    factor = dict(zip((network.diseases[d] for d in found.diseases), raised, strict=True))
    assert factor["bleed"] > 2.0
    assert factor["bleed"] > factor["migraine"]
    even = explain(network, locate(case, network))
    assert even.levelled == pytest.approx(even.weight)
    assert found.posterior == pytest.approx(even.posterior, abs=1e-6)


def test_what_is_odd_at_an_age_or_sex_is_not_asked() -> None:
    def asked(age: float) -> set[str]:
        case = hickam.Case(present=["fever", "vomiting"], age=age, sex="male")
        return {question.id for question in next_question(CLINIC, case, top=500).questions}

    assert "poor_feeding" in asked(0.5)
    assert "poor_feeding" not in asked(40.0)
    assert "missed_period" not in asked(40.0)


def test_a_category_is_worth_less_to_a_patient_who_could_not_tell_another() -> None:
    def value(untold: list[str]) -> float:
        case = hickam.Case(present=["headache"], age=30.0, sex="female")
        asked = next_question(CLINIC, case, about=["category"], top=10, untold=untold).questions
        return next(question.value for question in asked if question.id == "onset")

    assert value(["duration"]) < 0.75 * value([])


def test_a_bystander_is_not_worth_a_question() -> None:
    asked = {q.id for q in next_question(headache(), hickam.Case(present=["headache"])).questions}
    assert "fever" in asked
    assert "itch" not in asked


def test_a_kind_of_a_finding_is_asked_only_after_the_finding() -> None:
    network = headache()

    def asked(case: hickam.Case) -> set[str]:
        return {question.id for question in next_question(network, case, top=10).questions}

    assert "thunderclap" not in asked(hickam.Case(present=["fever"]))
    assert "thunderclap" in asked(hickam.Case(present=["headache"]))
    assert "thunderclap" not in asked(hickam.Case(present=["fever"], absent=["headache"]))


def test_what_a_finding_implies_is_not_asked() -> None:
    case = hickam.Case(present=["thunderclap"])
    assert "headache" not in {q.id for q in next_question(headache(), case, top=10).questions}


def test_what_is_skipped_is_not_asked() -> None:
    first = next_question(SMOKER, CHEST).questions[0].id
    assert first not in {q.id for q in next_question(SMOKER, CHEST, skip=[first]).questions}


def test_categories_and_risk_factors_are_asked_when_wanted() -> None:
    case = hickam.Case(present=["headache"])
    only_findings = next_question(headache(), case, top=20).questions
    assert {question.about for question in only_findings} == {"finding"}
    everything = next_question(headache(), case, top=20, about=EVERYTHING).questions
    onset = next(question for question in everything if question.id == "onset")
    assert onset.answers == ("sudden", "slow")
    assert sum(onset.chances) == pytest.approx(1.0)
    risks = next_question(SMOKER, hickam.Case(present=["chest pain"]), top=20, about=EVERYTHING)
    assert "risk factor" in {question.about for question in risks.questions}


def test_a_value_that_is_given_is_not_asked_for() -> None:
    case = hickam.Case(present=["headache"], categories={"onset": "slow"})
    asked = next_question(headache(), case, top=20, about=EVERYTHING).questions
    assert "onset" not in {question.id for question in asked}


def test_the_chance_of_a_risk_factor_is_near_that_of_inference() -> None:
    case = hickam.Case(present=["chest pain"])
    now = hickam.infer(SMOKER, case)
    asked = next_question(SMOKER, case, top=20, about=["risk factor"]).questions
    assert asked
    for question in asked:
        prior = float(SMOKER.risk_prior[SMOKER.index[question.id]])
        told = hickam.infer(SMOKER, replace(case, risks={question.id: True}))
        exact = prior * math.exp(told.log_evidence - now.log_evidence)
        assert question.chance == pytest.approx(exact, abs=0.05)


def test_a_settled_cause_leaves_nothing_to_ask_about_bystanders() -> None:
    case = hickam.Case(
        present=["fever", "headache", "neck stiffness", "non-blanching rash", "photophobia"],
        age=19.0,
        sex="female",
    )
    asked = {q.id for q in next_question(CLINIC, case, about=EVERYTHING).questions}
    assert "sneezing" not in asked


def test_the_harm_objective_asks_about_the_dangerous_cause_first() -> None:
    network, case = headache(), hickam.Case(present=["headache"])
    assert next_question(network, case, objective="harm").questions[0].id == "thunderclap"


def test_an_unknown_objective_names_those_that_there_are() -> None:
    with pytest.raises(hickam.InvalidInput, match="harm"):
        next_question(SMOKER, CHEST, objective="harms")


def test_a_test_comes_after_a_question_that_tells_as_much() -> None:
    document = {
        "hickam": 1,
        "name": "twins",
        "diseases": [{"id": "flu", "leak": 0.1}, {"id": "cold", "leak": 0.1}],
        "findings": [
            {"id": "cough", "leak": 0.01, "causes": {"flu": 0.5, "cold": 0.5}},
            {"id": "swab", "kind": "test", "leak": 0.01, "causes": {"flu": 0.9}},
            {"id": "fever", "kind": "symptom", "leak": 0.01, "causes": {"flu": 0.9}},
        ],
    }
    network, issues = build_network(document)
    assert network is not None, issues
    first, second = next_question(network, hickam.Case(present=["cough"])).questions
    assert (first.id, second.id) == ("fever", "swab")
    assert first.value == pytest.approx(second.value)


def test_a_cost_moves_a_question_down() -> None:
    free = next_question(SMOKER, CHEST).questions
    dear = next_question(SMOKER, CHEST, alpha=1.0, costs={free[0].finding: 50.0}).questions
    assert dear[0].finding != free[0].finding
    assert all(q.net == pytest.approx(q.value - q.cost) for q in dear)


def test_it_says_stop_when_nothing_is_worth_its_price() -> None:
    advice = next_question(SMOKER, CHEST, alpha=1e3)
    assert advice.stop
    assert "cost" in advice.why


def test_it_says_stop_when_everything_was_asked() -> None:
    rest = [f for f in SMOKER.findings if f not in ("chest_pain", "nausea")]
    advice = next_question(SMOKER, hickam.Case(present=["chest_pain", "nausea"], absent=rest))
    assert advice.stop
    assert advice.questions == ()


def test_the_answers_average_to_what_is_known_now() -> None:
    for question in next_question(SMOKER, CHEST, about=EVERYTHING).questions:
        for move in question.moves:
            after = zip(question.chances, question.answers, strict=True)
            mean = sum(chance * move.after[answer] for chance, answer in after)
            assert mean == pytest.approx(move.now, rel=1e-9)


def test_the_reason_names_the_disease_that_the_answer_moves_most() -> None:
    question = next_question(SMOKER, CHEST).questions[0]
    assert question.moves[0].name in question.reason


@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf, True])
def test_a_bad_price_is_refused(alpha: float) -> None:
    with pytest.raises(hickam.InvalidInput, match="alpha"):
        next_question(SMOKER, CHEST, alpha=alpha)


def test_the_information_of_outcomes_is_in_bits() -> None:
    # One disease, one finding: I(D; S) = H(D) - H(D | S), by hand.
    outcomes = Outcomes(
        findings=np.array([0]),
        chance=np.array([0.5]),
        now=np.array([0.5]),
        suspects=np.array([1.0]),
        if_present=np.array([[1.0]]),
        if_absent=np.array([[0.0]]),
    )
    assert information(outcomes) == pytest.approx([1.0])


def test_a_deadline_on_a_general_model_is_for_all_questions_together(monkeypatch):
    """On a clock that moves a second with every look, six seconds are soon over."""
    monkeypatch.setattr("hickam.advise.next_question.layered", lambda *_: None)
    seconds = itertools.count()
    monkeypatch.setattr("hickam.beliefs.deadline.monotonic", lambda: float(next(seconds)))
    case = hickam.Case(present=["chest pain"])
    everything = next_question(as_scm(SMOKER), case)
    hurried = next_question(as_scm(SMOKER), case, deadline=6.0)
    assert everything.unweighed == 0
    assert 0 < hurried.unweighed < len(SMOKER.findings)
    assert f"{hurried.unweighed} other finding" in hurried.why
    assert len(hurried.questions) + hurried.unweighed == len(everything.questions)


def test_no_time_at_all_is_no_reason_to_stop_asking(monkeypatch):
    def refuse(*_args, **_options):
        raise hickam.TooHard([])

    monkeypatch.setattr("hickam.advise.next_question.layered", lambda *_: None)
    monkeypatch.setattr("hickam.advise.by_inference.inferred_from", refuse)
    advice = next_question(SMOKER, hickam.Case(present=["chest pain"]), deadline=1.0)
    assert not advice.questions
    assert not advice.stop
    assert "no time" in advice.why


def test_a_general_model_is_asked_about_by_inference(monkeypatch) -> None:
    """The value is the information about the suspected diseases, answer by answer."""
    monkeypatch.setattr("hickam.advise.next_question.layered", lambda *_: None)
    case = hickam.Case(present=["chest pain"])
    for question in next_question(as_scm(SMOKER), case).questions:
        assert question.chance == pytest.approx(exact_chance(SMOKER, case, question.id), rel=1e-6)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"about": ("zz",)}, "about 'zz' is not what may be asked"),
        ({"about": "finding"}, "about 'finding' is not what may be asked"),
        ({"top": 0}, "top 0 is not a number of questions"),
        ({"top": 2.5}, "top 2.5 is not a number of questions"),
    ],
)
def test_a_kind_or_number_of_questions_that_is_none_is_refused(wrong, said):
    with pytest.raises(hickam.InvalidInput, match=said):
        next_question(SMOKER, CHEST, **wrong)
