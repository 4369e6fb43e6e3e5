"""Factors by sex and age: the same as the network written for such patients."""

import copy

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hickam
from hickam import Case
from hickam.evidence.conflict import is_possible
from hickam.evidence.locate import locate
from hickam.model.adapted import adapted
from hickam.model.kinds import as_scm
from strategies import documents_by_person, network_of

LAW = settings(deadline=None, max_examples=150, derandomize=True)
persons = st.tuples(
    st.sampled_from(["female", "male", None]), st.sampled_from([5.0, 10.0, 40.0, 90.0, None])
)


def rewritten(document, sex, age):
    """The document with priors and leaks as they are for one person; only for no kinds."""
    written = copy.deepcopy(document)
    for layer, key in (("risk_factors", "prior"), ("findings", "leak")):
        for node in written[layer]:
            factor = 1.0
            for row in node.pop("prevalence", []):
                fits_sex = "sex" not in row or row["sex"] == sex
                fits_age = "age" not in row or (
                    age is not None and row["age"][0] <= age < row["age"][1]
                )
                if fits_sex and fits_age:
                    factor *= row["factor"]
            odds_on = node[key] * factor
            node[key] = odds_on / (odds_on + 1.0 - node[key]) if factor else 0.0
    return written


@given(documents_by_person(), persons, st.data())
@LAW
def test_the_answer_is_that_of_the_network_written_for_such_patients(document, person, data):
    for finding in document["findings"]:
        finding.pop("is_a", None)
    sex, age = person
    written = rewritten(document, sex, age)
    assume(all(finding["leak"] > 0.0 or finding["causes"] for finding in written["findings"]))
    network, other = network_of(document), network_of(written)
    told = data.draw(st.lists(st.sampled_from(network.findings), unique=True))
    cut = data.draw(st.integers(0, len(told)))
    case = Case(present=told[:cut], absent=told[cut:], sex=sex, age=age)
    evidence = locate(case, network)
    assume(is_possible(adapted(network, evidence.circumstances), evidence))
    one, two = hickam.infer(network, case), hickam.infer(other, case)
    assert one.posterior == pytest.approx(two.posterior, abs=1e-9)
    assert one.disabled == pytest.approx(two.disabled, abs=1e-9)
    assert one.log_evidence == pytest.approx(two.log_evidence, abs=1e-9)


@given(documents_by_person(risks=2, diseases=3), persons, st.data())
@LAW
def test_the_general_model_agrees_also_about_kinds(document, person, data):
    network = network_of(document)
    told = data.draw(st.lists(st.sampled_from(network.findings), unique=True))
    cut = data.draw(st.integers(0, len(told)))
    case = Case(present=told[:cut], absent=told[cut:], sex=person[0], age=person[1])
    try:
        fast = hickam.infer(network, case)
    except hickam.InvalidInput:
        assume(False)
    general = hickam.infer(as_scm(network), case, "twin")
    for name in ("posterior", "disabled", "sustained", "unexplained"):
        assert getattr(fast, name) == pytest.approx(getattr(general, name), abs=1e-8), name


def test_a_man_with_a_positive_pregnancy_test_is_questioned_and_answered():
    network = network_of(
        {
            "risk_factors": [
                {"id": "pregnant", "prior": 0.05, "prevalence": [{"sex": "male", "factor": 0}]}
            ],
            "diseases": [
                {"id": "ectopic", "leak": 0, "causes": {"pregnant": 0.02}},
                {"id": "flu", "leak": 0.1},
            ],
            "findings": [
                {"id": "test", "leak": 0.001, "causes": {"ectopic": 0.9}},
                {"id": "fever", "leak": 0.01, "causes": {"flu": 0.5}},
            ],
        }
    )
    dx = hickam.diagnose(network, Case(present=["test", "fever"], sex="male"))
    assert len(dx.doubts) == 1
    assert "finding 'test' is not expected for male" in dx.doubts[0]
    assert dx.of("ectopic").posterior == 0.0
    assert dx.to_dict()["doubts"] == list(dx.doubts)
    risky = hickam.diagnose(network, Case(present=["fever"], risks=["pregnant"], sex="male"))
    assert "risk factor 'pregnant'" in risky.doubts[0]
    for case in (Case(present=["test"], sex="female"), Case(present=["test"])):
        assert hickam.diagnose(network, case).doubts == ()


def test_evidence_that_sex_makes_impossible_says_so():
    network = network_of(
        {
            "diseases": [
                {"id": "d", "leak": 0.1, "prevalence": [{"sex": "male", "factor": 0}]},
            ],
            "findings": [{"id": "f", "leak": 0, "causes": {"d": 0.5}}],
        }
    )
    with pytest.raises(hickam.InvalidInput, match="not expected for male"):
        hickam.infer(network, Case(present=["f"], sex="male"))
