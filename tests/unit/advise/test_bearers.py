"""A quality is asked about once what bears it is there, and a stated cost is the cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam.advise.bearers import too_early
from hickam.advise.costs import USUAL_COST, cost_of
from hickam.evidence.locate import locate
from hickam.io.load import load
from hickam.model.build import build_network

CLINIC = hickam.load("clinic")
QUALITIES = [finding for finding in CLINIC.findings if CLINIC.entries[finding].asked_after]


def small(asked_after: object = ("pain", "smoker"), **more: object):
    """A network in which a pain may spread."""
    return build_network(
        {
            "hickam": 1,
            "name": "small",
            "risk_factors": [{"id": "smoker", "prior": 0.2}],
            "diseases": [
                {"id": "heart", "leak": 0.1, "urgency": "emergency"},
                {"id": "muscle", "leak": 0.3},
            ],
            "findings": [
                {"id": "sweating", "leak": 0.05, "causes": {"heart": 0.6, "muscle": 0.2}},
                {"id": "pain", "leak": 0.01, "causes": {"heart": 0.7, "muscle": 0.7}},
                {"id": "crushing", "is_a": "pain", "leak": 0.001, "causes": {"heart": 0.5}},
                {
                    "id": "spreading",
                    "leak": 0.001,
                    "causes": {"heart": 0.6},
                    "asked_after": asked_after,
                },
            ],
            **more,
        }
    )


def asked(network: hickam.Network, **case: object) -> set[str]:
    advice = hickam.next_question(network, hickam.Case(**case), top=9)
    return {question.id for question in advice.questions}


@pytest.mark.parametrize(
    ("case", "now"),
    [
        ({"present": ["sweating"]}, False),
        ({"present": ["sweating", "pain"]}, True),
        ({"present": ["sweating", "crushing"]}, True),  # a kind brings what it is a kind of
        ({"present": ["sweating"], "risks": {"smoker": True}}, True),
        ({"present": ["sweating"], "risks": {"smoker": False}}, False),
        ({"present": ["sweating"], "absent": ["pain"]}, False),
    ],
)
def test_a_quality_is_asked_after_any_of_its_bearers(case, now):
    network, _ = small(["pain", "smoker"])
    assert ("spreading" in asked(network, **case)) is now


def test_without_bearers_it_is_asked_at_once():
    network, _ = small([])
    assert "spreading" in asked(network, present=["sweating"])


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(CLINIC.findings), min_size=1, max_size=4, unique=True),
    st.sampled_from([3.0, 30.0, 75.0]),
)
def test_no_question_and_no_red_flag_of_clinic_asks_too_early(present, age):
    case = hickam.Case(present=present, age=age)
    early = too_early(CLINIC, locate(case, CLINIC))
    talk = hickam.interview(CLINIC, case, limit=3)
    try:
        shown = {question.id for question in talk.advice.questions}
        shown |= {flag.ask for flag in talk.red_flags.flags}
    except hickam.ImpossibleEvidence:  # a finding of pregnancy in a child
        assume(False)
    assert early.isdisjoint(shown)


@given(
    st.lists(st.sampled_from(CLINIC.findings), max_size=4, unique=True),
    st.sampled_from(QUALITIES),
    st.data(),
)
def test_nothing_is_too_early_beside_its_bearer(present, quality, data):
    bearer = data.draw(st.sampled_from(CLINIC.entries[quality].asked_after))
    risks = {bearer: True} if bearer in CLINIC.risk_factors else {}
    findings = dict.fromkeys([*present, *([] if risks else [bearer])])
    evidence = locate(hickam.Case(present=list(findings), risks=risks), CLINIC)
    assert quality not in too_early(CLINIC, evidence)


@pytest.mark.parametrize("end", ["yaml", "json", ""])
def test_bearers_survive_a_round_trip(tmp_path: Path, end: str):
    path = tmp_path / (f"saved.{end}" if end else "sheets")
    hickam.save(CLINIC, path)
    again = load(str(path))
    assert {f: again.entries[f].asked_after for f in CLINIC.findings} == {
        f: CLINIC.entries[f].asked_after for f in CLINIC.findings
    }


@pytest.mark.parametrize(
    ("asked_after", "said"),
    [(["pan"], "pain"), (["heart"], "heart"), (["spreading"], "spreading"), (3, "list")],
)
def test_mistakes_are_named_with_a_fix(asked_after, said):
    network, issues = small(asked_after)
    assert network is None
    assert any(said in str(issue) and "'spreading'" in str(issue) for issue in issues)


@pytest.mark.parametrize("kind", ["", "symptom", "sign", "test"])
@pytest.mark.parametrize("stated", [None, 0.5, 1.5, 12.0])
def test_a_stated_cost_is_the_cost(kind, stated):
    said = {} if stated is None else {"cost": stated}
    network, _ = small(findings=[{"id": "x", "leak": 0.1, "kind": kind, **said}])
    assert cost_of(network, "x", {}) == (stated or USUAL_COST.get(kind, 1.0))
    assert cost_of(network, "x", {"x": 3.0}) == 3.0
