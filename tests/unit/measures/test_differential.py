import json

import numpy as np
import pytest

import hickam
from hickam.beliefs.beliefs import Accuracy
from strategies import network_of

NETWORK = network_of(
    {
        "risk_factors": [{"id": "smoker", "prior": 0.25}],
        "diseases": [
            {"id": "a", "leak": 0.0625, "causes": {"smoker": 0.25}, "urgency": "emergency"},
            {"id": "b", "leak": 0.125, "treatment": {"cost": 4.0, "success": 0.5}},
            {"id": "twin_1", "leak": 0.03125},
            {"id": "twin_2", "leak": 0.03125},
            {"id": "bystander", "leak": 0.5},
        ],
        "findings": [
            {
                "id": "pain",
                "leak": 0.0078125,
                "cruelty": 5.0,
                "causes": {"a": 0.5, "twin_1": 0.25, "twin_2": 0.25},
            },
            {"id": "rash", "leak": 0.015625, "causes": {"b": 0.75, "a": 0.25}},
            {"id": "fever", "leak": 0.015625, "causes": {"a": 0.75}},
        ],
    }
)
CASE = hickam.Case(present=["pain", "rash"], absent=["fever"], risks={"smoker": True})


def test_candidates_are_in_order_of_score_and_then_posterior():
    dx = hickam.diagnose(NETWORK, CASE)
    keys = [(c.score, c.posterior) for c in dx]
    assert keys == sorted(keys, reverse=True)
    assert {c.disease for c in dx} == set(NETWORK.diseases)


def test_equal_scores_share_a_rank_and_say_so():
    dx = hickam.diagnose(NETWORK, CASE)
    one, two = dx.of("twin_1"), dx.of("twin_2")
    assert one.rank == two.rank
    assert one.tied
    assert two.tied
    assert not dx.of("b").tied


def test_a_likely_disease_that_explains_nothing_is_named_as_a_bystander():
    dx = hickam.diagnose(NETWORK, CASE, top=1)
    assert dx.bystanders == {"bystander": pytest.approx(0.5)}
    assert hickam.diagnose(NETWORK, hickam.Case()).bystanders == {}


def test_the_highest_posterior_need_not_explain_anything():
    dx = hickam.diagnose(NETWORK, CASE)
    bystander = dx.of("bystander")
    assert bystander.posterior == pytest.approx(0.5)
    assert bystander.score == 0.0
    assert bystander.explains == {}


@pytest.mark.parametrize(
    ("measure", "table"), [("disablement", "disabled"), ("sufficiency", "sustained")]
)
def test_what_a_candidate_explains_sums_to_its_score(measure, table):
    for candidate in hickam.diagnose(NETWORK, CASE, measure=measure):
        assert sum(candidate.explains.values()) == pytest.approx(candidate.score, abs=1e-12)
        assert candidate.explains == getattr(candidate, table)


def test_absent_findings_speak_against_by_exactly_lambda():
    assert hickam.diagnose(NETWORK, CASE).of("a").against == {"fever": 0.25}


def test_the_factor_of_an_absent_finding_is_the_change_of_the_odds():
    def odds(**evidence):
        p = hickam.infer(NETWORK, hickam.Case(**evidence)).posterior[0]
        return p / (1 - p)

    assert odds(absent=["fever"]) / odds() == pytest.approx(0.25, rel=1e-12)


def test_the_factor_of_a_risk_factor_is_the_change_of_the_odds():
    def odds(on):
        p = hickam.infer(NETWORK, hickam.Case(risks={"smoker": on})).posterior[0]
        return p / (1 - p)

    raised = hickam.diagnose(NETWORK, CASE).of("a").raised_by
    assert raised == {"smoker": pytest.approx(odds(True) / odds(False), rel=1e-12)}


def test_cruelty_weights_the_findings():
    plain = hickam.infer(NETWORK, CASE)
    dx = hickam.diagnose(NETWORK, CASE, cruelty=True)
    expected = plain.disabled @ np.array([5.0, 1.0])
    for candidate in dx:
        assert candidate.score == pytest.approx(expected[NETWORK.index[candidate.disease]])
    by_name = hickam.diagnose(NETWORK, CASE, cruelty={"Pain": 0.0})
    assert by_name.of("a").score == pytest.approx(plain.disabled[0, 1])
    assert "findings weighted by cruelty" in dx.in_force


def test_treatment_multiplies_by_success_over_cost():
    plain, treated = hickam.diagnose(NETWORK, CASE), hickam.diagnose(NETWORK, CASE, treatment=True)
    assert treated.of("b").score == pytest.approx(plain.of("b").score * 0.5 / 4.0)
    assert treated.of("a").score == pytest.approx(plain.of("a").score)


def test_top_keeps_the_first_and_says_how_many_were_ranked():
    dx = hickam.diagnose(NETWORK, CASE, top=2)
    assert (len(dx), dx.total) == (2, 5)


def test_the_json_form_holds_everything_and_is_plain():
    dx = hickam.diagnose(NETWORK, CASE)
    plain = json.loads(json.dumps(dx.to_dict(), allow_nan=False))
    assert plain["network_hash"] == NETWORK.hash
    assert plain["candidates"][0]["disease"] == dx[0].disease
    assert plain["accuracy"]["kind"] == "exact"
    assert set(plain["unexplained"]) == {"pain", "rash"}


def test_the_pandas_form_has_a_row_per_candidate():
    frame = hickam.diagnose(NETWORK, CASE).to_pandas()
    assert frame["disease"].tolist() == [c.disease for c in hickam.diagnose(NETWORK, CASE)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "disablment"}, "did you mean 'disablement'"),
        ({"engine": "cove"}, "did you mean 'cover'"),
        ({"top": 0}, "top 0 is not a number of diseases"),
        ({"cruelty": {"pane": 1.0}}, "finding 'pane' is not in the network"),
    ],
)
def test_a_bad_choice_is_named_with_the_nearest_valid_one(options, message):
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.diagnose(NETWORK, CASE, **options)
    assert message in str(caught.value)


def test_no_evidence_gives_the_priors_and_zero_scores():
    dx = hickam.diagnose(NETWORK, hickam.Case())
    assert all(c.score == 0.0 for c in dx)
    assert [c.posterior for c in dx] == pytest.approx(sorted(NETWORK.prior, reverse=True))


def test_the_table_has_a_line_per_candidate_in_order():
    dx = hickam.diagnose(NETWORK, CASE)
    lines = str(dx).splitlines()[1:]
    assert [line.split()[-1] for line in lines] == [c.disease for c in dx]
    assert lines[0].split()[0] == "1"


def test_what_a_prompt_shows_of_a_large_differential_fits_a_screen():
    dx = hickam.diagnose(hickam.load("clinic"), hickam.Case(present=["cough"]))
    lines = repr(dx).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert f"{len(dx)} candidates" in lines[0]
    assert dx[0].name in lines[2]
    assert f"{len(dx) - 10} more" in lines[-1]


def test_the_error_of_the_leading_diseases_is_stated_apart_from_that_of_the_least():
    errors = np.zeros((12, 3))
    errors[0] = [0.006, 0.006, 0.018]  # leads
    errors[11] = 0.5  # is hardly believed in at all
    posterior = np.full(12, 1e-4)
    posterior[0] = 0.9
    disabled = posterior[:, None] * 0.5
    sustained = posterior[:, None] * 0.8
    stated = Accuracy("sampled", 3000.0, stated_errors=errors)
    found = stated.of_leading(posterior, disabled, sustained)
    assert found.leading == pytest.approx(0.018 / (0.72 - 0.1 * 0.018))
    assert "leading scores are off by 2.5 %" in str(found)
    assert found.error == 3000.0
    assert Accuracy("exact", 1e-13).of_leading(posterior, disabled, sustained).leading is None
