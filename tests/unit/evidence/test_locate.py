import numpy as np
import pytest

import hickam
from hickam.evidence.locate import locate
from strategies import network_of

NETWORK = network_of(
    {
        "risk_factors": [{"id": "smoker", "name": "Tobacco smoker", "prior": 0.2}],
        "diseases": [
            {
                "id": "copd",
                "name": "Chronic obstructive pulmonary disease",
                "leak": 0.005,
                "causes": {"smoker": 0.12},
                "prevalence": [
                    {"age": [40, 120], "factor": 3.0},
                    {"sex": "male", "factor": 2.0},
                ],
            },
            {"id": "cold", "leak": 0.1},
        ],
        "findings": [
            {"id": "cough", "synonyms": ["coughing"], "leak": 0.02, "causes": {"copd": 0.7}},
            {"id": "chest_pain", "name": "Chest pain", "leak": 0.01, "causes": {"cold": 0.1}},
            {"id": "certain", "leak": 0.0, "causes": {"copd": 1.0}},
        ],
        "categories": [
            {
                "id": "duration",
                "values": ["days", "years"],
                "otherwise": [0.8, 0.2],
                "given": {"copd": [0.1, 0.9]},
            }
        ],
    }
)


@pytest.mark.parametrize("word", ["cough", "COUGHING", " Coughing "])
def test_ids_names_and_synonyms_are_found_in_any_case(word):
    assert locate(hickam.Case(present=[word]), NETWORK).present.tolist() == [0]


def test_a_name_may_be_written_with_spaces_or_underscores():
    assert locate(hickam.Case(present=["chest-pain"]), NETWORK).present.tolist() == [1]


def test_a_finding_named_twice_counts_once():
    assert locate(hickam.Case(present=["cough", "coughing"]), NETWORK).present.tolist() == [0]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            hickam.Case(present=["cugh"]),
            "finding 'cugh' is not in the network; did you mean 'cough'",
        ),
        (hickam.Case(present=["cough"], absent=["coughing"]), "'cough' is both present and absent"),
        (
            hickam.Case(risks={"smokr": True}),
            "risk factor 'smokr' is not in the network; did you mean",
        ),
        (hickam.Case(risks={"smoker": "often"}), "risk factor 'smoker' is 'often'"),
        (hickam.Case(likelihoods={"copd": -1.0}), "likelihood ratio of 'copd' is -1.0"),
        (hickam.Case(likelihoods={"copd": float("nan")}), "likelihood ratio of 'copd' is nan"),
        (hickam.Case(likelihoods={"kopd": 2.0}), "disease 'kopd' is not in the network"),
        (hickam.Case(categories={"duration": "yers"}), "'yers' is not one of its values; did you"),
        (
            hickam.Case(present=["COPD"]),
            "finding 'COPD' is a disease of this network, not a finding",
        ),
        (hickam.Case(age=-3), "age -3 is not an age"),
        (hickam.Case(sex="x"), "sex 'x' is not known"),
    ],
)
def test_a_mistake_in_a_case_is_named(case, message):
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.infer(NETWORK, case)
    assert message in str(caught.value)


def test_all_mistakes_of_a_case_are_reported_at_once():
    case = hickam.Case(present=["x1"], absent=["x2"], risks={"x3": True}, age=999)
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.infer(NETWORK, case)
    assert len(caught.value.issues) == 4


def test_impossible_evidence_names_a_smallest_conflicting_subset():
    case = hickam.Case(
        present=["cough", "certain"], absent=["chest pain"], likelihoods={"copd": 0.0}
    )
    with pytest.raises(hickam.ImpossibleEvidence) as caught:
        hickam.infer(NETWORK, case)
    message = str(caught.value)
    assert "'certain' present, disease 'copd' ruled out cannot happen" in message
    assert "cough" not in message
    assert "chest" not in message


def test_a_category_is_soft_evidence_on_its_diseases():
    ratio = locate(hickam.Case(categories={"duration": "years"}), NETWORK).likelihood
    np.testing.assert_allclose(ratio, [0.9 / 0.2, 1.0])


def test_age_and_sex_multiply_the_prior_odds():
    plain = hickam.infer(NETWORK, hickam.Case()).posterior[0]
    older = hickam.infer(NETWORK, hickam.Case(age=60, sex="male"))
    odds = older.posterior[0] / (1 - older.posterior[0])
    assert odds == pytest.approx(6.0 * plain / (1 - plain), rel=1e-12)
    assert older.in_force == ("prevalence for age 60, male",)


def test_every_assumption_in_force_is_stated():
    beliefs = hickam.infer(NETWORK, hickam.Case(), case_mix=0.5, dial=0.1, prior_shift=0.002)
    assert beliefs.in_force == (
        "case mix β = 0.5",
        "Occam–Hickam dial γ = 0.1",
        "priors shifted by 0.002",
    )
    assert hickam.infer(NETWORK, hickam.Case()).in_force == ()


def test_a_shift_adds_to_the_prior():
    shifted = hickam.infer(NETWORK, hickam.Case(), prior_shift=0.002).posterior
    np.testing.assert_allclose(shifted, NETWORK.prior + 0.002, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dial": 0.0}, "dial 0.0 is outside (0, 1]"),
        ({"case_mix": 3.0}, "case mix 3.0 is outside [0, 2]"),
        ({"gamma": 0.5}, "option 'gamma' is not known"),
        ({"deadline": -1.0}, "option 'deadline' is -1.0"),
        ({"tolerance": "high"}, "option 'tolerance' is 'high', not a number"),
    ],
)
def test_a_bad_option_is_named(options, message):
    with pytest.raises(hickam.InvalidInput) as caught:
        hickam.infer(NETWORK, hickam.Case(), **options)
    assert message in str(caught.value)


def test_a_list_of_risk_factors_says_that_all_are_true():
    assert locate(hickam.Case(risks=["smoker"]), NETWORK).risks_on.tolist() == [0]


def test_sex_may_be_written_as_a_letter():
    assert hickam.Case(sex="F").sex == "female"


def test_a_prevalence_row_without_sex_and_age_is_for_everyone():
    row = {"id": "d", "leak": 0.1, "prevalence": [{"factor": 3.0}]}
    network = network_of({"diseases": [row], "findings": [{"id": "f", "causes": {"d": 0.5}}]})
    beliefs = hickam.infer(network, hickam.Case())
    assert beliefs.posterior[0] == pytest.approx(0.3 / (0.3 + 0.9), rel=1e-12)
    assert beliefs.in_force == ("prevalence for everyone",)


@pytest.mark.parametrize("ratio", [1e80, 1e-80])
def test_soft_evidence_that_multiplies_beyond_all_bounds_is_refused(ratio):
    case = hickam.Case(likelihoods={"copd": ratio, "Chronic obstructive pulmonary disease": ratio})
    with pytest.raises(hickam.InvalidInput, match=r"multiplies to about 10\^-?160"):
        hickam.infer(NETWORK, case)


@pytest.mark.parametrize("ratio", [1e300, 1e-320, 10**400])
def test_a_likelihood_ratio_beyond_all_bounds_is_refused(ratio):
    with pytest.raises(hickam.InvalidInput, match="likelihood ratio of 'copd' is"):
        hickam.infer(NETWORK, hickam.Case(likelihoods={"copd": ratio}))


def test_large_and_small_ratios_of_one_disease_cancel():
    case = hickam.Case(likelihoods={"copd": 1e90, "Chronic obstructive pulmonary disease": 1e-90})
    assert locate(case, NETWORK).likelihood[0] == pytest.approx(1.0)


def test_the_factor_of_an_age_is_that_of_the_rows_it_falls_into():
    network = hickam.load("clinic")
    bounds = {b for e in network.entries.values() for row in e.prevalence for b in row.age or ()}
    ages = {age for b in bounds for age in (b - 0.5, b, b + 0.5) if 0.0 <= age <= 130.0}
    for sex in ("female", "male", None):
        for age in (None, *sorted(ages)):
            expected = np.ones(len(network.diseases))
            for position, disease in enumerate(network.diseases):
                for row in network.entries[disease].prevalence:
                    of_sex = row.sex in (None, sex)
                    of_age = row.age is None or (age is not None and row.age[0] <= age < row.age[1])
                    expected[position] *= row.factor if of_sex and of_age else 1.0
            found = locate(hickam.Case(sex=sex, age=age), network).likelihood
            np.testing.assert_allclose(found, expected, rtol=1e-12)
