"""A doctor's own words are found, in one ranking, and what is unsure is said to be."""

import contextlib
import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.evidence.locate import locate
from hickam.evidence.readings import readings
from hickam.issues import Issue
from hickam.language.fold import fold
from hickam.language.lookup import How
from hickam.language.search import search
from hickam.language.thesaurus import word_list
from hickam.language.typos import distance
from hickam.language.vocabulary import vocabularies, vocabulary
from hickam.language.wording import general, spelled, stem, words_of
from strategies import network_of

WORDS = yaml.load(
    (Path(__file__).parents[2] / "golden" / "words.yaml").read_text(), yaml.CSafeLoader
)
CLINIC = hickam.load("clinic")
CASE_KINDS = ("finding", "risk factor")


@pytest.fixture(scope="module")
def clinic():
    return CLINIC


@pytest.mark.parametrize("half", list(WORDS))
def test_of_a_doctors_words_nineteen_in_twenty_are_found_and_the_first_offer_is_right(clinic, half):
    known = {phrase: ids for phrase, ids in WORDS[half].items() if ids}
    offers = {phrase: [match.id for match in search(clinic, phrase)] for phrase in known}
    found = [phrase for phrase, ids in known.items() if set(ids) & set(offers[phrase])]
    first = [phrase for phrase in found if offers[phrase][0] in known[phrase]]
    assert len(found) >= 0.95 * len(known)
    assert len(first) >= 0.95 * len(found)


def test_every_name_of_every_network_finds_its_own_entry_first():
    for source in ("clinic", "car", "smoker"):
        network = hickam.load(source)
        for kind in ("finding", "risk factor", "disease"):
            for node in vocabularies(network)[kind].ids:
                match = search(network, network.label(node), (kind,))[0]
                assert (match.id, match.how) == (node, How.EXACT)


def test_every_synonym_finds_an_entry_that_has_it(clinic):
    for node, entry in clinic.entries.items():
        for synonym in entry.synonyms:
            best = search(clinic, synonym)
            sure = {m.id for m in best if m.how in (How.EXACT, How.SYNONYM)}
            asked = {m.id for m in best if general().asked(synonym)}  # one word: offered only
            assert node in sure | asked, synonym


def test_the_middle_of_a_word_is_no_match(clinic):
    draw = random.Random(5)
    names = [clinic.label(node) for node in clinic.findings]
    begins = {
        word for n in clinic.entries.values() for s in (n.name, *n.synonyms) for word in words_of(s)
    }
    begins |= {spelled(word) for word in begins}
    tried = 0
    for name in names:
        word = max(words_of(name), key=len)
        if len(word) < 8:
            continue
        start = draw.randrange(1, 4)
        part = word[start : start + 4]
        if general().knows(part) or any(
            form.startswith(part) or stem(form) == stem(part) for form in begins
        ):
            continue
        tried += 1
        assert not any(match.certain for match in search(clinic, part)), part
    assert tried > 50


def misspelt(name, draw):
    word = draw.choice([word for word in words_of(name) if len(word) > 4])
    at = draw.randrange(1, len(word) - 1)
    wrong = draw.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + draw.choice("aeiourst") + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )
    return " ".join(words_of(name)).replace(word, wrong)


def test_a_slip_of_typing_offers_what_was_meant_and_says_so(clinic):
    draw = random.Random(11)
    names = [n for n in map(clinic.label, clinic.findings) if any(len(w) > 4 for w in words_of(n))]
    slips = [(name, misspelt(name, draw)) for name in draw.sample(names, 200)]
    found = 0
    for name, wrong in slips:
        matches = search(clinic, wrong, ("finding",))
        found += name in [match.name for match in matches]
        if matches and matches[0].certain:  # the slip gave another form of the same words
            assert fold(matches[0].name) == fold(name) or matches[0].synonym
    assert found >= 190


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("SOB", "breathlessness"),
        ("PR bleeding", "rectal_bleeding"),
        ("TATT", "fatigue"),
        ("LOC", "syncope"),
        ("RUQ pain", "ruq_pain"),
        ("tummy pain", "abdominal_pain"),
        ("vomits", "vomiting"),
        ("Pain chest", "chest_pain"),
        ("been having headaches", "headache"),
        ("ankle edema", "ankle_swelling"),
        ("diarrhea", "diarrhoea"),
    ],
)
def test_what_surely_means_one_finding_can_be_given_to_a_diagnosis(clinic, text, node):
    evidence = locate(hickam.Case(present=[text]), clinic)
    assert [clinic.findings[at] for at in evidence.present] == [node]


@pytest.mark.parametrize(
    ("text", "node", "lost"),
    [
        ("severe chest pain", "chest_pain", ["severe"]),
        ("crackles right base", "crackles", ["right"]),
        ("temporal headache", "headache", ["temporal"]),
        ("sudden left loin pain", "loin_pain", ["sudden", "left"]),
        ("sudden hemiparesis", "one_sided_weakness", ["sudden"]),
    ],
)
def test_a_present_finding_may_say_more_than_the_network_and_that_is_said(clinic, text, node, lost):
    evidence = locate(hickam.Case(present=[text]), clinic)
    assert [clinic.findings[at] for at in evidence.present] == [node]
    assert all(f"“{word}”" in evidence.in_force[0] for word in lost)


@pytest.mark.parametrize("text", ["severe chest pain", "temporal headache"])
def test_who_lacks_a_kind_may_have_another(clinic, text):
    with pytest.raises(hickam.InvalidInput, match="did you mean"):
        locate(hickam.Case(absent=[text]), clinic)


@pytest.mark.parametrize(
    "text", ["numb and heavy down below", "sicking up blood", "lump down below", "heavy arm rest"]
)
def test_no_head_is_an_adverb_and_blood_is_never_left_out(clinic, text):
    found = {match.id for match in search(clinic, text) if match.how is How.BROADER}
    assert not found & {"low_mood", "vomiting"}


def test_an_abbreviation_of_several_things_is_all_of_them(clinic):
    evidence = locate(hickam.Case(present=["D&V"]), clinic)
    assert {clinic.findings[at] for at in evidence.present} == {"diarrhoea", "vomiting"}
    assert "Diarrhoea and Vomiting" in evidence.in_force[0]


def test_a_disease_among_the_risk_factors_is_known_already(clinic):
    evidence = locate(hickam.Case(risks={"gallstones": True}), clinic)
    assert [clinic.risk_factors[at] for at in evidence.risks_on] == ["known_gallstones"]


@pytest.mark.parametrize("text", ["caugh", "chest", "feve", "leg"])
def test_what_may_be_meant_is_offered_and_never_taken(clinic, text):
    with pytest.raises(hickam.InvalidInput, match=r"did you mean|is ambiguous|not there"):
        locate(hickam.Case(present=[text]), clinic)


def test_a_denied_finding_is_found_and_said_to_be_denied(clinic):
    match = search(clinic, "no fever")[0]
    assert (match.id, match.negated) == ("fever", True)
    assert not search(clinic, "no periods")[0].negated  # a name of its own
    assert not search(clinic, "fever")[0].negated


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("severe chest pain", ("severe",)),
        ("fever 3 days", ("3", "days")),
        ("left knee pain", ("left",)),
    ],
)
def test_severity_time_and_side_are_left_out_and_that_is_said(clinic, text, left_out):
    match = search(clinic, text)[0]
    assert match.how is How.QUALIFIED
    assert match.left_out == left_out
    assert not match.certain


def test_qualifiers_that_make_another_finding_are_not_left_out(clinic):
    assert search(clinic, "sudden severe headache")[0].id == "thunderclap_headache"
    assert search(clinic, "left lower abdominal pain")[0].id == "llq_pain"


def test_an_abbreviation_of_several_things_offers_all_that_the_network_has(clinic):
    matches = search(clinic, "N&V")
    assert {match.id for match in matches[:2]} == {"nausea", "vomiting"}
    assert not matches[0].certain
    assert {m.id for m in search(clinic, "HTN", CASE_KINDS)[:2]} == {
        "hypertension",
        "high_blood_pressure",
    }


def test_of_names_that_begin_alike_the_commonest_comes_first():
    def network(flat: float, round_: float) -> hickam.Network:
        return network_of(
            {
                "diseases": [{"id": "a", "leak": 0.5}],
                "findings": [
                    {"id": "flat_nose", "leak": 0.0, "causes": {"a": flat}},
                    {"id": "round_nose", "leak": 0.0, "causes": {"a": round_}},
                ],
            }
        )

    assert [m.id for m in search(network(0.1, 0.2), "nose")] == ["round_nose", "flat_nose"]
    assert [m.id for m in search(network(0.2, 0.1), "nose")] == ["flat_nose", "round_nose"]


def test_words_without_meaning_are_told_apart_letter_by_letter():
    words = vocabulary("node", [("d1", "d1", ()), ("d12", "d12", ()), ("aa", "aa", ())])
    assert words.find("d12") == 1
    assert isinstance(words.find("d2"), Issue)
    assert isinstance(words.find("a"), Issue)
    assert isinstance(words.find("d 1"), Issue) or words.find("d 1") == 0


@pytest.mark.parametrize(
    "text", ["", "  ", "???", "the", "\ud800", "x" * 10_000, "no", "& + /", "०१२"]
)
def test_a_text_that_says_nothing_is_answered(clinic, text):
    assert isinstance(search(clinic, text), list)
    assert isinstance(vocabularies(clinic)["finding"].find(text), Issue)


def test_a_hostile_text_is_looked_up_in_bounded_work(clinic):
    assert search(clinic, "n&v mi pe ms " * 400) is not None
    assert search(clinic, " ".join(f"qwert{i}yuiop" for i in range(400))) == []


def test_every_phrase_of_the_word_list_means_its_own_set_and_no_other():
    wording = general()
    for number, phrases in enumerate(word_list().same):
        for phrase in phrases:
            assert wording.meaning(wording.stems(words_of(phrase))) == (f"={number}",), phrase


@settings(deadline=None)  # the first text builds the index
@given(st.text(max_size=60))
def test_any_text_is_answered_and_what_is_certain_is_one_entry(text):
    matches = search(CLINIC, text)
    assert len({(match.kind, match.id) for match in matches}) == len(matches)
    assert all(match.left_out for match in matches if match.how is How.QUALIFIED)


@settings(deadline=None)
@given(st.lists(st.sampled_from(sorted(general().known)), max_size=8))
def test_known_words_in_any_jumble_are_answered(words):
    assert isinstance(search(CLINIC, " ".join(words)), list)


def test_a_word_that_is_no_name_is_said_to_be_read_as_what_it_means(clinic):
    case = hickam.Case(present=["SOB", "fever", "pyrexia"], risks={"obese": True})
    assert readings(case, clinic) == [
        "'SOB' is read as Shortness of breath",
        "'pyrexia' is read as Fever",
        "'obese' is read as Obesity",
    ]


def test_two_swapped_letters_are_one_slip():
    assert distance("pnuemonia", "pneumonia", 2) == 1
    assert distance("kitten", "sitting", 2) == 3


@pytest.mark.parametrize(
    ("text", "node", "left_out"),
    [
        ("temporal headache", "headache", ("temporal",)),
        ("knee pain worse on stairs", "knee_pain", ("worse", "stairs")),
        ("morning sputum", "productive_cough", ("morning",)),
        ("rash on the trunk", "rash", ("trunk",)),
        ("leg pain on walking better leaning forward", "claudication", None),
    ],
)
def test_what_is_said_about_a_complaint_is_left_out_before_the_complaint_is(
    clinic, text, node, left_out
):
    match = search(clinic, text, ("finding",))[0]
    assert match.id == node
    assert not match.certain
    assert left_out is None or match.left_out == left_out


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("leg swelling", {"ankle_swelling", "one_leg_swelling"}),
        ("severe leg swelling", {"ankle_swelling", "one_leg_swelling"}),
        ("leg swelling since this morning", {"ankle_swelling", "one_leg_swelling"}),
        ("pain in the leg", {"aching_legs", "calf_pain"}),
        ("central chest pain", {"chest_pain", "central_crushing_chest_pain"}),
        ("noisy breathing", {"wheeze", "stridor"}),
        ("cannot walk", {"leg_weakness", "cannot_bear_weight"}),
        ("tremor", {"fine_tremor", "resting_tremor"}),
    ],
)
def test_a_narrower_finding_is_offered_with_its_rivals_and_never_taken(clinic, text, nodes):
    matches = search(clinic, text, ("finding",))
    assert nodes <= {match.id for match in matches[:4]}
    assert not any(match.certain for match in matches)
    with pytest.raises(hickam.InvalidInput, match="did you mean"):
        locate(hickam.Case(present=[text]), clinic)


@pytest.mark.parametrize("text", ["hot flu", "breast", "BO", "pe", "CA", "ID", "MC"])
def test_a_part_of_a_word_and_a_short_abbreviation_are_offered_and_never_certain(clinic, text):
    offers = search(clinic, text, CASE_KINDS)
    assert offers or text in ("ID", "MC")
    assert not any(match.certain for match in offers)


EVERYDAY = (
    "heavy cut not noted tearing done wear life hair poor running down sick change injury "
    "sats temp pill flight tick past type care does tinged mood lactation"
)


@pytest.mark.parametrize("word", EVERYDAY.split())
def test_an_everyday_word_alone_is_no_finding(clinic, word):
    assert not any(match.certain for match in search(clinic, word, (*CASE_KINDS, "disease")))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("breastfeeding", "raised_lactate"),
        ("nausea and vomiting", "green_vomit"),
        ("vertigo lasting hours", "vertigo_under_a_minute"),
        ("RUQ tenderness", "ruq_pain"),
        ("left lower abdominal pain", "rlq_pain"),
        ("gradual loss of vision", "sudden_visual_loss"),
    ],
)
def test_another_meaning_or_the_opposite_is_never_sure(clinic, text, wrong):
    assert wrong not in {m.id for m in search(clinic, text) if m.sure}
    with contextlib.suppress(hickam.InvalidInput):
        evidence = locate(hickam.Case(present=[text]), clinic)
        assert wrong not in {clinic.findings[at] for at in evidence.present}


def test_a_risk_factor_by_its_name_comes_before_a_finding_that_is_near_it(clinic):
    evidence = locate(hickam.Case(present=["breastfeeding"]), clinic)
    assert [clinic.risk_factors[at] for at in evidence.risks_on] == ["breastfeeding"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("foul breathing sounds", "cloudy_urine"),
        ("barrel chest", "heartburn"),
        ("pulling at ear", "muscle_tenderness"),
        ("subcostal recession", "central_crushing_chest_pain"),
        ("shortened rotated leg", "breathlessness"),
    ],
)
def test_a_finding_of_another_part_of_the_body_is_not_offered(clinic, text, wrong):
    assert wrong not in {match.id for match in search(clinic, text, ("finding",))}
    assert clinic.label(wrong) not in vocabularies(clinic)["finding"].suggest(text)


@pytest.mark.parametrize("text", ["trombone", "night shifts", "left handed"])
def test_where_nothing_is_near_nothing_is_offered(clinic, text):
    assert "did you mean" not in vocabularies(clinic)["risk factor"].suggest(text)
    with pytest.raises(hickam.InvalidInput, match="nothing here is near it"):
        locate(hickam.Case(risks={text: True}), clinic)


@pytest.mark.parametrize("text", ["mum had a stroke", "mother has dementia", "fear of headache"])
def test_whose_it_is_and_that_it_is_feared_are_never_left_out(clinic, text):
    for kind in ("finding", "risk factor", "disease"):
        assert not any(match.how is How.BROADER for match in search(clinic, text, (kind,)))


@pytest.mark.parametrize("text", ["worse with exercise", "since yesterday"])
def test_a_text_that_says_only_when_or_how_is_asked_what(clinic, text):
    with pytest.raises(hickam.InvalidInput, match="name the complaint"):
        locate(hickam.Case(present=[text]), clinic)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (hickam.Case(risks={"shingles": True}), '--likelihood "shingles=1000"'),
        (hickam.Case(risks={"previous mumps": True}), '--likelihood "Mumps=1000"'),
        (hickam.Case(risks={"Parkinson's": True}), "is a disease of this network"),
        (hickam.Case(risks={"missed period": True}), "among the findings, as present (-p)"),
    ],
)
def test_what_belongs_to_another_layer_is_said_to_be_given_there(clinic, case, message):
    with pytest.raises(hickam.InvalidInput) as caught:
        locate(case, clinic)
    assert message in str(caught.value)


def test_a_former_smoker_is_not_taken_for_a_smoker(clinic):
    for text in ("ex-smoker", "former smoker"):
        with pytest.raises(hickam.InvalidInput, match="did you mean 'Smoker'"):
            locate(hickam.Case(risks={text: True}), clinic)


@pytest.mark.parametrize(
    ("text", "there", "absent"),
    [
        ("HR 128 reg", "tachycardia", "bradycardia"),
        ("BP 180/110", "high_blood_pressure", "hypotension"),
        ("BP 120/95 mmHg", "high_blood_pressure", "hypotension"),
        ("sats 86% RA", "low_oxygen", None),
        ("temp 102.6", "fever", None),
        ("HbA1c 9.1%", "raised_glucose", None),
        ("Hb 7.2", "low_haemoglobin", None),
    ],
)
def test_a_measurement_in_words_means_the_findings_of_its_value(clinic, text, there, absent):
    found = {match.id: match.negated for match in search(clinic, text)}
    assert found[there] is False
    assert absent is None or found[absent] is True


@pytest.mark.parametrize("text", ["temp 98.6", "sats 98%", "afebrile", "fever -ve", "no f/c"])
def test_a_normal_value_or_a_sign_of_denial_says_that_it_is_not_there(clinic, text):
    assert search(clinic, text)[0].negated


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("↓AE L base", "reduced_breath_sounds"),
        ("SOB++ x3/7", "breathlessness"),
        ("chest pain ?MI", "chest_pain"),
        ("LOW 10kg in 3/12", "weight_loss"),
        ("sudden back pain", "back_pain"),
        ("back from Ghana 2/52", "tropical_travel"),
        ("c/o L calf swelling", "one_leg_swelling"),
    ],
)
def test_notes_as_they_are_jotted_down_are_read(clinic, text, node):
    assert search(clinic, text)[0].id == node


@pytest.mark.parametrize("text", ["worse lying down", "sudden onset", "worse on exercise"])
def test_a_bare_circumstance_names_nothing(clinic, text):
    assert not any(match.certain for match in search(clinic, text, ("finding",)))


def test_low_in_small_letters_is_no_abbreviation(clinic):
    assert "weight_loss" not in {match.id for match in search(clinic, "low")}
    assert search(clinic, "LOW")[0].id == "weight_loss"
