"""What is measured in a note: one number with its unit is read, anything else is asked about."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.language.note import Status, read_note
from hickam.language.reading import Reading, read_value
from hickam.language.search import search

CLINIC = hickam.load("clinic")
SCALED = [category for category in CLINIC.categories if category.scale is not None]


def readings(text):
    """Category → what was entered, of every reading in a text."""
    note = read_note(CLINIC, text)
    return {one.id: one.entered for span in note.of(Status.READING) for one in span.meant}


@pytest.mark.parametrize(
    ("text", "category", "value"),
    [
        ("Temp 101.8 F", "temperature", "raised"),
        ("temp 101.8°F", "temperature", "raised"),
        ("temp 101.8 degrees Fahrenheit", "temperature", "raised"),
        ("temp 39 C", "temperature", "raised"),
        ("blood sugar 38 mg/dL", "blood_glucose", "low"),
        ("glucose 38 mmol/L", "blood_glucose", "high"),
        ("BP 80 / 50", "systolic_pressure", "low"),
        ("BP 180 over 110", "systolic_pressure", "high"),
        ("BP 80/60 mmHg", "systolic_pressure", "low"),
        ("HR 120 bpm", "pulse_rate", "fast"),
        ("RR 30 breaths per minute", "breathing_rate", "fast"),
        ("Hb 70 g/L", "haemoglobin", "low"),
        ("Hb 9.2 g/dl", "haemoglobin", "low"),
        ("sats 88 percent", "oxygen_saturation", "low"),
        ("WBC 15 x10^9/L", "white_cells", "raised"),
        ("sats 92% RA (usual 93)", "oxygen_saturation", "low"),
        ("CRP 3.2 from 1.0", "c_reactive_protein", "normal"),
        ("HR 120, 3 days of cough", "pulse_rate", "fast"),
    ],
)
def test_a_number_is_read_with_its_unit(text, category, value):
    entered = readings(text)
    assert set(entered) == {category}
    found = next(one for one in SCALED if one.id == category)
    assert read_value(found, entered[category]).value == value
    assert not read_note(CLINIC, text).lost


@pytest.mark.parametrize(
    "text",
    [
        "Temp 39 F",
        "Hb 7 g/L",
        "glucose 38 mg/L",
        "peak flow 200 L/min",
        "temp 38,5",
        "T 36.8 then 39.2",
        "temp 39 last week, 36.8 today",
        "HR 80 (was 130)",
        "HR 80 now 130",
        "sats 91% RA, 88% on exertion",
        "pulse 40-50",
        "HR 9999999999999999999999",
        "CA 125 raised",
    ],
)
def test_what_is_not_one_value_that_can_be_is_not_read_and_may_matter(text):
    note = read_note(CLINIC, text)
    assert note.lost
    assert not any(span.meant for span in note.spans)


@pytest.mark.parametrize("text", ["Temp 101.8 F", "cough. T 37 M", "Temp 39 F", "temp 101.8°F"])
def test_a_measurement_says_no_age_and_no_sex(text):
    note = read_note(CLINIC, text)
    assert (note.age, note.sex) == (None, None)


@settings(deadline=None)
@given(st.sampled_from(SCALED), st.data())
def test_no_reading_is_without_the_unit_that_is_written(category, data):
    units = sorted({unit for c in SCALED for unit in (c.scale.unit, *c.scale.units) if unit})
    unit = data.draw(st.sampled_from(units))
    number = data.draw(st.integers(1, 300))
    name = data.draw(st.sampled_from([category.name, *category.synonyms]))
    asked = read_value(category, f"{number} {unit}")
    entered = readings(f"{name} {number} {unit}").get(category.id)
    if entered is not None:
        assert isinstance(asked, Reading)
        assert read_value(category, entered).number == asked.number


@settings(deadline=None)
@given(st.sampled_from(SCALED), st.integers(1, 300), st.integers(1, 300))
def test_of_two_values_of_one_measure_none_is_read(category, first, second):
    name = (*category.synonyms, category.name)[0]
    values = [read_value(category, str(number)) for number in (first, second)]
    if first != second and all(isinstance(value, Reading) for value in values):
        note = read_note(CLINIC, f"{name} {first} then {second}")
        assert note.lost
        assert not any(span.meant for span in note.spans)


@pytest.mark.parametrize(
    ("text", "finding"),
    [("HR 125", "tachycardia"), ("RR 30", "tachypnoea"), ("BP 80/50", "hypotension")],
)
def test_a_number_with_the_name_of_its_measure_is_taken_without_asking(text, finding):
    first = search(CLINIC, text)[0]
    assert (first.id, first.certain, first.negated) == (finding, True, False)


def test_a_number_that_is_as_it_should_be_is_asked_about():
    assert not any(match.certain for match in search(CLINIC, "HR 70"))
