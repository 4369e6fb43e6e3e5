"""What the words of a case say: readings, denials, several things at once, risks with more said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.evidence.locate import locate
from hickam.evidence.understood import understood
from hickam.language.measured import beyond
from hickam.language.vocabulary import vocabularies

CLINIC = hickam.load("clinic")
PLAIN = ("fever", "cough", "vomiting", "headache", "diarrhoea", "palpitations", "heartburn")


def said(**case):
    """(present, absent, risks that are so, risks that are not) by id, and the sentences."""
    evidence = locate(hickam.Case(**case), CLINIC)
    findings, risks = CLINIC.findings, CLINIC.risk_factors
    return (
        {findings[at] for at in evidence.present},
        {findings[at] for at in (*evidence.absent, *evidence.weighed)},
        {risks[at] for at in evidence.risks_on},
        {risks[at] for at in evidence.risks_off},
        evidence.in_force,
    )


@pytest.mark.parametrize("text", ["BP 180/110", "sats 88%", "temp 39.2", "Hb 72", "WCC normal"])
def test_a_number_among_the_findings_is_read_as_a_reading_is(text):
    name, _, value = text.partition(" ")
    present, absent, *_ = said(present=[text])
    assert (present, absent) == said(categories={name: value})[:2]


def test_the_onset_may_be_said_among_the_findings():
    spoken = locate(hickam.Case(present=["sudden onset"]), CLINIC)
    entered = locate(hickam.Case(categories={"onset": "sudden"}), CLINIC)
    assert (spoken.likelihood == entered.likelihood).all()
    assert any("sudden" in sentence for sentence in spoken.in_force)


def test_a_number_given_twice_differently_is_refused():
    with pytest.raises(hickam.InvalidInput, match="given twice"):
        said(present=["HR 118", "pulse 60"])
    with pytest.raises(hickam.InvalidInput, match="given twice"):
        said(present=["HR 118"], categories={"pulse": "60"})


def test_an_abnormal_number_among_the_absent_findings_is_refused():
    assert "fever" in said(absent=["temp 36.8"])[1]
    with pytest.raises(hickam.InvalidInput):
        said(absent=["temp 39.2"])


@settings(deadline=None)
@given(st.sampled_from(PLAIN), st.sampled_from(["no {}", "denies {}", "{} absent", "no {} seen"]))
def test_what_is_denied_is_absent_wherever_it_is_given(finding, form):
    text = form.format(finding)
    for case in ({"present": [text]}, {"absent": [text]}):
        present, absent, _, _, sentences = said(**case)
        assert (present, absent) == (set(), {finding})
        assert any(text in sentence and "absent" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("neck not stiff", "neck_stiffness"),
        ("eye not red", "red_eye"),
        ("mood not low", "low_mood"),
    ],
)
def test_a_word_in_the_middle_denies_too(text, finding):
    assert said(absent=[text])[1] == {finding}


@settings(deadline=None)  # the first text builds the index
@given(st.lists(st.sampled_from(PLAIN), min_size=2, max_size=4, unique=True))
def test_each_of_several_things_is_taken(findings):
    assert said(present=[", ".join(findings)])[0] == set(findings)
    assert said(present=[" and ".join(findings)])[0] == set(findings)
    assert said(absent=["no " + " or ".join(findings)])[1] == set(findings)


def test_what_may_be_either_present_or_denied_is_not_taken():
    with pytest.raises(hickam.InvalidInput):
        said(present=["no fever, cough"])


def test_a_complaint_of_some_place_does_not_stand_without_it():
    with pytest.raises(hickam.InvalidInput):
        said(present=["itchy and sore eye"])
    assert said(present=["dry skin and thinning hair"])[0] == {"dry_skin", "hair_loss"}


def test_what_is_not_understood_of_several_things_is_named_and_refused():
    with pytest.raises(hickam.InvalidInput, match="in part only, without “puce”"):
        said(present=["puce and clammy"])


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("naproxen for knee", "nsaids"),
        ("long haul flight last week", "long_journey"),
        ("T2DM 20 years", "known_diabetes"),
        ("breast cancer", "active_cancer"),
        ("hay fever", "atopy"),
        ("gallstones", "known_gallstones"),
        ("PMH HTN", "hypertension"),
    ],
)
def test_a_risk_factor_may_say_more(text, risk):
    assert said(risks=[text])[2] == {risk}


@pytest.mark.parametrize(
    "text",
    ["ex-smoker", "smoker until 2010", "parents drink", "mother on prednisolone", "used to smoke"],
)
def test_what_is_over_or_of_someone_else_is_no_risk_factor_of_the_patient(text):
    with pytest.raises(hickam.InvalidInput):
        said(risks=[text])


def test_several_risk_factors_in_one_text():
    assert said(risks=["HTN, T2DM"])[2] == {"hypertension", "known_diabetes"}
    assert said(risks=["non-smoker"])[3] == {"smoker"}


@given(st.floats(10.0, 80.0).map(lambda number: round(number, 1)))
def test_a_name_that_sets_a_limit_is_so_beyond_it(bmi):
    risks = vocabularies(CLINIC)["risk factor"]
    position, there = beyond(risks, f"BMI {bmi}")
    assert risks.ids[position] == "obesity"
    assert there is (bmi > 30.0)


def test_a_risk_factor_among_the_findings_is_one():
    assert said(present=["trauma"])[2] == {"recent_injury"}
    assert said(absent=["smoker"])[3] == {"smoker"}
    with pytest.raises(hickam.InvalidInput, match="true and as false"):
        said(present=["smoker"], risks={"smoker": False})


def test_no_kind_of_what_is_denied_is_there():
    assert said(absent=["leg swelling"])[1] == {"ankle_swelling", "one_leg_swelling"}
    with pytest.raises(hickam.InvalidInput, match="did you mean"):
        said(present=["leg swelling"])


@pytest.mark.parametrize(
    "text",
    ["electric shocks in teeth", "sunken soft spot", "water broke", "boggy swelling of ear"],
)
def test_a_thing_of_its_own_is_not_taken_for_a_part_of_it(text):
    with pytest.raises(hickam.InvalidInput):
        said(present=[text])


def test_what_is_said_about_a_finding_is_no_finding():
    present, *_ = said(present=["lump in the groin with coughing, goes back lying down"])
    assert present == {"groin_lump"}


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("back pain ?muscular. Saddle numbness", {"back_pain", "saddle_numbness"}),
        ("headache ?tension. Neck stiff. Fever.", {"headache", "neck_stiffness", "fever"}),
        ("cough ?viral. Coughing blood", {"cough", "haemoptysis"}),
        ("fever ?viral. Non-blanching rash", {"fever", "non_blanching_rash"}),
        ("headache & vomiting. Red eye", {"headache", "vomiting", "red_eye"}),
    ],
)
def test_what_follows_a_suspicion_or_a_full_stop_is_read(text, findings):
    assert said(present=[text])[0] == findings


@pytest.mark.parametrize(
    "text", ["rule out PE", "worried about meningitis", "fever resolved yesterday"]
)
def test_what_is_feared_or_over_is_not_there(text):
    with pytest.raises(hickam.InvalidInput):
        said(present=[text])


def test_what_is_not_understood_can_be_left_out_and_is_named():
    case = hickam.Case(["cough", "blue sky"], ["no fever", "zork"], ["smoker", "quux"])
    kept, left_out = understood(case, CLINIC)
    assert (kept.present, kept.absent, set(kept.risks)) == (("cough",), ("no fever",), {"smoker"})
    assert [issue.where for issue in left_out] == [
        "finding 'blue sky'",
        "finding 'zork'",
        "risk factor 'quux'",
    ]
    assert not any(issue.level == "error" for issue in left_out)


def test_other_mistakes_are_not_left_out():
    case = hickam.Case(present=["cough"], risks={"smoker": "perhaps"})
    kept, left_out = understood(case, CLINIC)
    assert "smoker" in kept.risks
    assert not left_out
