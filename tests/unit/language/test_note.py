"""A note as spans: nothing said is lost, nothing unsaid is added."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.language.context import AND, rules
from hickam.language.demographics import person_said, spoken_of
from hickam.language.note import Status, read_note
from hickam.language.thesaurus import word_list
from hickam.language.wording import general

CLINIC = hickam.load("clinic")
CLAUSES = (
    "no fever",
    "headache ?tension",
    "denies cough or wheeze",
    "mum had breast cancer",
    "chest pain radiating to the left arm",
    "BP 180/110",
    "vomiting x3",
    "previous MI",
    "worried about meningitis",
    "fever resolved yesterday",
    "neck not stiff",
    "saddle numbness",
    "puce zork",
    "smoker",
    "lives with wife",
    "rash & sore throat",
    "cough 3/52",
    "pain worse with coughing",
    "non-blanching rash",
)
ENDS = (". ", ".\n", "\n", "; ", "! ")


def said(text):
    """What a text says: (kind, id, whether it is there, value) of every reading."""
    note = read_note(CLINIC, text)
    return {(one.kind, one.id, one.there, one.entered) for span in note.spans for one in span.meant}


def found(text):
    """(present, absent) by id."""
    read = said(text)
    return {node for _, node, there, _ in read if there}, {
        n for _, n, there, _ in read if not there
    }


def check_tiles(text):
    note = read_note(CLINIC, text)
    assert "".join(note.said(span) for span in note.spans) == text
    assert all(span.start < span.end for span in note.spans)
    listed = general().fillers | general().light | general().clauses | set(word_list().manner)
    page = {word for section in rules().values() for phrase in section for word in phrase.split()}
    asides = {word for phrase in general().qualifiers for word in phrase}
    for span in note.of(Status.NOTHING):
        for word in note.said(span).split():
            bare = "".join(c for c in word.casefold() if c.isalnum())
            known = listed | page | asides | AND | {"w", "x"}
            parts = set(word.casefold().strip(".,;:!?()[]\"'-/&+").replace("'", "").split("-"))
            assert not bare or bare in known or parts <= known | {""} or not bare.isalpha(), word


@settings(deadline=None)
@given(st.lists(st.sampled_from(CLAUSES), max_size=5), st.sampled_from(ENDS))
def test_the_spans_tile_the_text_and_what_says_nothing_is_listed(clauses, end):
    check_tiles(end.join(clauses))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_the_spans_tile_any_text(text):
    note = read_note(CLINIC, text)
    assert "".join(note.said(span) for span in note.spans) == text


@settings(deadline=None)
@given(st.lists(st.sampled_from(sorted(general().known)), max_size=12))
def test_the_spans_tile_any_jumble_of_known_words(words):
    check_tiles(" ".join(words))


@settings(deadline=None)
@given(st.lists(st.sampled_from(CLAUSES), max_size=6), st.data())
def test_clauses_in_any_order_say_together_what_each_says_alone(clauses, data):
    """But what one says to be there and another denies is not taken as denied."""
    text = "".join(clause + data.draw(st.sampled_from(ENDS)) for clause in clauses)
    together = set().union(*map(said, clauses))
    there = {node for _, node, is_there, _ in together if is_there}
    assert said(text) == {one for one in together if one[2] or one[1] not in there}


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("No cough, no wheeze.", set(), {"cough", "wheeze"}),
        ("Denies cough, wheeze.", set(), {"cough", "wheeze"}),
        ("No cough, wheeze or fever", set(), {"cough", "wheeze", "fever"}),
        ("No cough but wheeze", {"wheeze"}, {"cough"}),
        ("no nausea and vomiting", set(), {"nausea", "vomiting"}),
        ("no vaginal or urethral discharge", set(), {"vaginal_discharge", "urethral_discharge"}),
        ("neck not stiff", set(), {"neck_stiffness"}),
        ("haemoptysis nil", set(), {"haemoptysis"}),
        ("Afebrile. HS normal", set(), {"fever", "heart_murmur"}),
        ("no appetite", {"loss_of_appetite"}, set()),
        ("no urinary symptoms", set(), {"dysuria", "urinary_frequency"}),
        ("no severe cough", set(), set()),
        ("no chest pain at night", set(), set()),
        ("mum had a fever", set(), set()),
        ("wife says he has a fever", {"fever"}, set()),
        ("brought by mum, fever", {"fever"}, set()),
        ("fever resolved yesterday", set(), set()),
        ("2/52 hx headache", {"headache"}, set()),
        ("PMH asthma, T2DM", {"known_asthma", "known_diabetes"}, set()),
        ("FH: migraine", {"family_migraine"}, set()),
        ("mum T2DM", {"family_diabetes"}, set()),
        ("ex-smoker", set(), set()),
        ("?PE. Fever", {"fever"}, set()),
        ("rule out meningitis", set(), set()),
        ("worried about meningitis", set(), set()),
        ("allergic to codeine", set(), set()),
        ("back pain worse with coughing, sneezing", {"back_pain"}, set()),
        ("chest pain or tightness", {"chest_pain", "chest_tightness"}, set()),
        ("seeing spots and my face is numb", {"floaters_and_flashes"}, set()),
        ("Hearing aids. Typing. Fell asleep", set(), set()),
    ],
)
def test_what_is_there_and_what_is_not(text, present, absent):
    assert found(text) == (present, absent)


@pytest.mark.parametrize("text", ["no fever, cough", "no fever with cough", "blown pupil", "zork"])
def test_what_may_be_a_finding_and_is_not_understood_is_named(text):
    lost = {read_note(CLINIC, text).said(span) for span in read_note(CLINIC, text).lost}
    assert lost & {"cough", "blown pupil", "blown", "zork"}


@pytest.mark.parametrize("text", ["lives with wife", "Works in an office since May", "GP review"])
def test_everyday_words_cannot_be_a_finding(text):
    assert not read_note(CLINIC, text).lost


@pytest.mark.parametrize(
    ("text", "age", "sex"),
    [
        ("67f", 67, "female"),
        ("58M. cough", 58, "male"),
        ("3/52 old baby girl", 3 * 7 / 365.25, "female"),
        ("18/12 boy", 1.5, "male"),
        ("I'm 34 and my periods are late", 34, "female"),
        ("70 year old Female", 70, "female"),
        ("Man of 61.", 61, "male"),
        ("temp 36.8", None, None),
        ("BP 120/80, 3 days", None, None),
    ],
)
def test_the_age_and_sex_that_are_said(text, age, sex):
    note = read_note(CLINIC, text)
    assert note.sex == sex
    assert note.age == (None if age is None else pytest.approx(age))


def test_a_sex_is_that_of_the_patient():
    assert person_said("67f, husband well")[0].sex == "female"
    assert spoken_of("he has a cough, she does not") is None
