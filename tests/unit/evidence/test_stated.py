"""States of nodes in a case: every way to write them, and every way to get them wrong."""

import pytest

import hickam
from hickam.evidence.locate import locate
from hickam.issues import InvalidInput
from hickam.model.kinds import as_scm
from models import model_of

MODEL = model_of(
    [
        {"id": "age", "role": "risk factor", "states": ["young", "middle", "old"],
         "table": [0.3, 0.4, 0.3]},
        {"id": "sex", "role": "risk factor", "states": ["female", "male"], "table": [0.5, 0.5]},
        {"id": "heart", "role": "disease", "states": ["none", "mild", "severe"], "normal": "none",
         "parents": ["age"], "table": [[0.9, 0.08, 0.02], [0.8, 0.1, 0.1], [0.6, 0.2, 0.2]]},
        {"id": "dyspnoea", "role": "finding", "states": ["none", "mild", "severe"],
         "normal": "none", "parents": ["heart"],
         "table": [[0.9, 0.09, 0.01], [0.3, 0.6, 0.1], [0.1, 0.3, 0.6]]},
        {"id": "xray", "role": "finding", "states": ["normal", "abnormal"], "parents": ["heart"],
         "table": [0.05, 0.4, 0.8]},
    ]
)  # fmt: skip


def test_a_state_is_written_as_a_category_a_present_finding_or_a_risk_factor():
    by_category = locate(hickam.Case(categories={"dyspnoea": "Severe", "age": "old"}), MODEL)
    by_list = locate(hickam.Case(present=["dyspnoea = severe"], risks={"age": "old"}), MODEL)
    for found in (by_category, by_list):
        assert found.states == {"dyspnoea": 2, "age": 2}
        assert [MODEL.findings[i] for i in found.present] == ["dyspnoea"]


def test_a_finding_that_is_also_listed_as_present_is_in_the_named_state():
    found = locate(hickam.Case(present=["dyspnoea"], categories={"dyspnoea": "mild"}), MODEL)
    assert found.present.tolist() == [0]
    assert found.states == {"dyspnoea": 1}


def test_a_given_risk_factor_is_no_part_of_the_evidence():
    """log P(findings | risk factors): the age alone says nothing."""
    assert hickam.infer(MODEL, hickam.Case(risks={"age": "old"})).log_evidence == 0.0


def test_severity_tells_diseases_apart():
    known = [
        hickam.query(MODEL, hickam.Case(present=[f"dyspnoea={state}"]), {}, {"heart": "severe"})
        for state in ("mild", "severe")
    ]
    assert known[1].answers[0].probability > known[0].answers[0].probability


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"categories": {"dyspnoea": "sever"}}, "did you mean 'severe'?"),
        ({"categories": {"dyspnoea": "present"}}, "present findings, or name its state"),
        ({"categories": {"dyspxnoe": "severe"}}, "did you mean 'dyspnoea'?"),
        ({"risks": {"age": "ald"}}, "did you mean 'old'?"),
        ({"risks": {"age": True}}, "name one among the categories, as age=old"),
        ({"categories": {"dyspnoea": "mild", "Dyspnoea": "severe"}}, "is given in two states"),
        ({"present": ["dyspnoea"], "categories": {"dyspnoea": "none"}}, "keep one of the two"),
        ({"absent": ["dyspnoea"], "categories": {"dyspnoea": "mild"}}, "keep one of the two"),
        ({"risks": {"sex": True}, "categories": {"sex": "female"}}, "as true and as false"),
    ],
)
def test_a_mistake_is_named_with_the_nearest_choice(case, said):
    with pytest.raises(InvalidInput) as bad:
        hickam.infer(MODEL, hickam.Case(**case))
    assert said in str(bad.value)


def test_a_known_disease_reaches_every_question_on_a_layered_model():
    """The engines of layered networks cannot hold it, so none of them is asked."""
    model = as_scm(hickam.load("smoker"))
    disease = "angina"
    at = model.diseases.index(disease)
    case = hickam.Case(present=["chest pain"], categories={disease: "true"})
    assert hickam.infer(model, case).posterior[at] == 1.0
    (many,) = hickam.infer_many(model, [case])
    assert many.posterior[at] == 1.0
    twin = hickam.cure(model, case, [disease])
    plain = hickam.cure(model, hickam.Case(present=["chest pain"]), [disease])
    assert twin.expected > plain.expected
    assert hickam.next_question(model, case).questions
