"""Observations with values: numbers with units, cut-offs, curves, tests, what a value means."""

import copy
import math

import pytest

import hickam
from hickam import Case
from hickam.evidence.enterable import How, fields_of
from hickam.evidence.locate import locate
from hickam.io.save import save
from hickam.language.reading import read_value
from hickam.model.build import build_network
from strategies import network_of

DOCUMENT = {
    "diseases": [{"id": "sepsis", "leak": 0.01}, {"id": "cold", "leak": 0.2}],
    "findings": [
        {"id": "fever", "leak": 0.02, "causes": {"sepsis": 0.7, "cold": 0.3}},
        {"id": "high_fever", "is_a": "fever", "leak": 0.001, "causes": {"sepsis": 0.4}},
        {"id": "pain", "leak": 0.1, "causes": {"sepsis": 0.2}},
    ],
    "categories": [
        {
            "id": "temperature",
            "name": "Body temperature",
            "synonyms": ["temp"],
            "cost": 2.0,
            "unit": "°C",
            "units": {"°F": {"times": 5 / 9, "plus": -160 / 9}},
            "range": [25, 45],
            "values": ["normal", "raised", "high"],
            "cuts": [38.0, 39.5],
            "means": {
                "normal": {"absent": ["fever"]},
                "raised": {"present": "fever", "absent": "high_fever"},
                "high": "high_fever",
            },
        },
        {"id": "lactate", "unit": "mmol/L", "curves": {"sepsis": {1: 0.5, 2: 1, 4: 8}}},
        {
            "id": "onset",
            "values": ["sudden", "gradual"],
            "of": "pain",
            "otherwise": [0.25, 0.75],
            "given": {"sepsis": [0.5, 0.5]},
        },
        {"id": "culture", "sensitivity": {"sepsis": 0.6}, "specificity": 0.95},
    ],
}
NETWORK = network_of(DOCUMENT)


def located(**categories):
    return locate(Case(categories=categories), NETWORK)


def names(positions):
    return [NETWORK.findings[position] for position in positions]


@pytest.mark.parametrize(
    ("entered", "present", "absent"),
    [
        (37.2, [], ["fever"]),
        ("37.99 C", [], ["fever"]),
        (38, ["fever"], ["high_fever"]),
        ("39.2°C", ["fever"], ["high_fever"]),
        ("102.2 F", ["fever"], ["high_fever"]),
        ("104 °f", ["high_fever"], []),
        ("High", ["high_fever"], []),
    ],
)
def test_a_number_says_which_findings_are_present(entered, present, absent):
    evidence = located(temperature=entered)
    assert (names(evidence.present), names(evidence.absent)) == (present, absent)


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        (102.6, "is not between 25 and 45 °C; did you mean 102.6 °F?"),
        ("102.6 K", "has the unit 'K'; write one of °C, °F"),
        ("39,2", "write a decimal point"),
        ("warm", "is not a number; write a number such as 39.5 °C or one of normal, raised, high"),
        (float("nan"), "is not a finite number"),
        (10**400, "is not a finite number"),
        ("1e999", "is not a finite number"),
        (True, "is not a number"),
        (None, "is not a number"),
        ([39], "is not a number"),
        pytest.param(10**6000, "is not a finite number", id="too long for text"),
        ("9" * 5000, "is not a number"),
    ],
)
def test_what_is_no_reading_is_refused_with_what_would_be(entered, said):
    with pytest.raises(hickam.InvalidInput) as caught:
        located(temperature=entered)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_reading_and_a_finding_that_contradict_it_are_refused():
    with pytest.raises(hickam.InvalidInput, match=r"39.2 °C \(raised\) means that 'fever' is pres"):
        locate(Case(absent=["fever"], categories={"temp": "39.2 C"}), NETWORK)
    with pytest.raises(hickam.InvalidInput, match="'pain' is present, and it is said to be absent"):
        locate(Case(absent=["pain"], categories={"onset": "sudden"}), NETWORK)


def test_one_observation_under_two_names_is_refused():
    with pytest.raises(hickam.InvalidInput, match="is given twice"):
        located(temperature=38, temp=39)


@pytest.mark.parametrize(
    ("number", "ratio"),
    [(0.2, 0.5), (1.0, 0.5), (1.5, math.sqrt(0.5)), (2.0, 1.0), (3.0, math.sqrt(8)), (90, 8.0)],
)
def test_a_curve_is_straight_in_the_logarithm_and_level_beyond_its_ends(number, ratio):
    evidence = located(lactate=f"{number} mmol/l")
    assert evidence.likelihood[0] == pytest.approx(ratio)
    assert evidence.likelihood[1] == 1.0


def test_a_description_of_a_finding_says_that_it_is_there():
    evidence = located(onset="sudden")
    assert names(evidence.present) == ["pain"]
    assert evidence.likelihood[0] == pytest.approx(2.0)


def test_a_test_has_the_likelihood_ratios_of_the_textbook():
    assert located(culture="positive").likelihood[0] == pytest.approx(0.6 / 0.05)
    assert located(culture="negative").likelihood[0] == pytest.approx(0.4 / 0.95)


@pytest.mark.parametrize("form", ["n.yaml", "n.json", "sheets"])
def test_measurements_survive_every_form_of_file(tmp_path, form):
    save(NETWORK, tmp_path / form)
    again = hickam.load(tmp_path / form)
    assert again.categories == NETWORK.categories
    assert again.hash == NETWORK.hash


def test_a_case_with_a_number_survives_a_file(tmp_path):
    from hickam.io.cases import read_cases, write_cases

    case = Case(categories={"temperature": 39.2, "onset": "sudden"})
    for name in ("c.jsonl", "c.parquet"):
        write_cases(tmp_path / name, [case])
        (again,), issues = read_cases(tmp_path / name)
        assert issues == []
        assert locate(again, NETWORK).in_force == locate(case, NETWORK).in_force


@pytest.mark.parametrize(
    ("at", "change", "said"),
    [
        (0, {"cuts": [38.0]}, "list 2 rising numbers"),
        (0, {"cuts": [39.5, 38.0]}, "list 2 rising numbers"),
        (0, {"cuts": None}, "list 2 rising numbers"),
        (0, {"range": [45, 25]}, "write [from, to]"),
        (0, {"units": {"F": {"times": 0}}}, "cannot be converted"),
        (0, {"units": ["F"]}, "units that are not a mapping"),
        (0, {"means": {"raised": "fevr"}}, "did you mean 'fever'"),
        (0, {"means": {"raisd": "fever"}}, "did you mean 'raised'"),
        (0, {"means": {"raised": {"presnt": "fever"}}}, "did you mean 'present'"),
        (0, {"values": ["a", "a", "b"]}, "lists a value twice"),
        (1, {"curves": {"sepsi": {1: 1}}}, "did you mean 'sepsis'"),
        (1, {"curves": {"sepsis": {2: 1, 1: 3}}}, "is not a curve"),
        (1, {"curves": {"sepsis": {1: 0}}}, "is not a curve"),
        (1, {"curves": {"sepsis": {1: float("inf")}}}, "is not a curve"),
        (1, {"curves": {"sepsis": []}}, "is not a curve"),
        (1, {"given": {"sepsis": [1.0]}}, "is given without values"),
        (2, {"of": "pian"}, "did you mean 'pain'"),
        (2, {"cost": -1}, "give a number >= 0"),
        (3, {"specificity": 1.0}, "no test is perfect"),
        (3, {"specificity": "often"}, "write a number in [0, 1]"),
        (3, {"sensitivity": {"sepsi": 0.6}}, "did you mean 'sepsis'"),
        (3, {"sensitivity": 0.9}, "write sensitivity: {disease: 0.9}"),
        (3, {"given": {"sepsis": [0.5, 0.5]}}, "besides a sensitivity"),
        (3, {"unti": "mg"}, "did you mean 'unit'"),
    ],
)
def test_what_is_wrong_with_an_observation_is_named(at, change, said):
    document = copy.deepcopy(DOCUMENT)
    document["categories"][at] |= change
    network, issues = build_network({"hickam": 1, "name": "t", **document})
    assert network is None
    assert any(said in str(issue) and issue.path[:2] == ("categories", at) for issue in issues), [
        str(issue) for issue in issues
    ]


def test_a_form_knows_how_everything_is_entered():
    fields = {field.id: field for field in fields_of(NETWORK)}
    assert list(fields)[:3] == list(NETWORK.findings)
    assert fields["high_fever"].of == "fever"
    heat = fields["temperature"]
    assert (heat.how, heat.units, heat.range) == (How.NUMBER, ("°C", "°F"), (25.0, 45.0))
    assert heat.choices == ("normal", "raised", "high")
    assert (fields["lactate"].how, fields["lactate"].choices) == (How.NUMBER, ())
    assert (fields["onset"].how, fields["onset"].of) == (How.ONE_OF, "pain")


@pytest.mark.parametrize(
    ("entered", "value"),
    [
        ("140/90", "high"),
        ("120/95", "high"),
        ("120/80", "normal"),
        ("85/50", "low"),
        ("150", "high"),
    ],
)
def test_two_numbers_are_one_reading_with_the_value_of_the_farther(entered, value):
    clinic = hickam.load("clinic")
    pressure = next(c for c in clinic.categories if c.id == "systolic_pressure")
    reading = read_value(pressure, entered)
    assert reading.value == value
    assert entered in reading.words
