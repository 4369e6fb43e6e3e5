"""Interviews on networks full of certainties and gaps: finite numbers, and an end."""

from __future__ import annotations

import math

import pytest

import hickam
from hickam.advise.next_question import next_question
from hickam.advise.worth import OBJECTIVES
from hickam.model.build import build_network

DOCUMENTS = {
    "certain": {
        "risk_factors": [{"id": "r", "prior": 1.0}, {"id": "never", "prior": 0.0}],
        "diseases": [
            {"id": "a", "leak": 0.0, "causes": {"r": 1.0}, "urgency": "emergency"},
            {"id": "b", "leak": 0.1, "causes": {"never": 0.5}},
        ],
        "findings": [
            {"id": "f", "leak": 0.0, "causes": {"a": 1.0, "b": 0.5}},
            {"id": "g", "leak": 0.0, "causes": {"a": 1.0}},
            {"id": "h", "leak": 1.0, "causes": {"b": 0.2}},
        ],
    },
    "without leaks": {
        "diseases": [{"id": "a", "leak": 0.01}, {"id": "b", "leak": 0.01}],
        "findings": [
            {"id": "f", "leak": 0.0, "causes": {"a": 0.9}},
            {"id": "g", "leak": 0.0, "causes": {"b": 0.9}},
        ],
        "categories": [
            {"id": "c", "values": ["u", "v"], "otherwise": [0.5, 0.5], "given": {"a": [1.0, 0.0]}}
        ],
    },
    "one sure disease": {
        "diseases": [{"id": "a", "leak": 1.0}],
        "findings": [{"id": "f", "leak": 0.1, "causes": {"a": 0.9}}],
    },
}


def network_of(name: str) -> hickam.Network:
    network, issues = build_network({"hickam": 1, "name": name, **DOCUMENTS[name]})
    assert network is not None, issues
    return network


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{}, {"dial": 0.001}, {"case_mix": 0.0}])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("present", [[], ["f"]])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_interview_has_finite_values_and_an_end(name, present, objective, options):
    talk = hickam.interview(
        network_of(name), hickam.Case(present=present), objective=objective, **options
    )
    while talk.question is not None:
        question = talk.question
        assert math.isfinite(question.value)
        assert sum(question.chances) == pytest.approx(1.0)
        likeliest = max(zip(question.chances, question.answers, strict=True))[1]
        talk = talk.answer(likeliest)
        assert len(talk.turns) <= 5
    assert talk.why
    assert talk.red_flags.in_words


def test_impossible_evidence_is_refused_before_the_first_question():
    talk = hickam.interview(network_of("certain"), hickam.Case(absent=["f"]))
    with pytest.raises(hickam.ImpossibleEvidence, match="'f' absent"):
        _ = talk.question


def test_every_disease_counts_only_where_that_is_the_objective():
    network, issues = build_network(
        {
            "hickam": 1,
            "name": "apart",
            "diseases": [{"id": "flu", "leak": 0.1}, {"id": "gout", "leak": 0.3}],
            "findings": [
                {"id": "fever", "leak": 0.01, "causes": {"flu": 0.9}},
                {"id": "toe", "leak": 0.1, "causes": {"gout": 0.8}},
            ],
        }
    )
    assert network is not None, issues
    case = hickam.Case(present=["fever"])
    assert not next_question(network, case).questions
    [question] = next_question(network, case, objective="every_disease").questions
    # I(gout; toe), by hand: the finding is independent of everything that is known
    there, on, off = 0.3, 1 - 0.9 * 0.2, 0.1
    chance = there * on + (1 - there) * off

    def entropy(p: float) -> float:
        return -p * math.log2(p) - (1 - p) * math.log2(1 - p)

    expected = entropy(chance) - there * entropy(on) - (1 - there) * entropy(off)
    assert question.id == "toe"
    assert question.value == pytest.approx(expected, rel=1e-6)
