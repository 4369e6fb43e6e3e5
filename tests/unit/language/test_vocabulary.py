"""One lookup for every name, and bounded help for those that are not there."""

import difflib
import random

import pytest

import hickam
from hickam.evidence.locate import locate
from hickam.issues import Kind, did_you_mean
from hickam.language import vocabulary as module
from hickam.language.search import EVERYTHING, search
from hickam.language.vocabulary import HINTED, find_all, vocabularies, vocabulary
from hickam.model.scm_build import build_scm
from hickam.nearest import Nearest
from hickam.twin.observe import find_node

MODEL, _ = build_scm(
    {
        "hickam": 1,
        "name": "m",
        "nodes": [
            {"id": "inflammation", "name": "Airway inflammation", "prior": 0.1},
            {
                "id": "copd",
                "name": "Chronic obstructive pulmonary disease",
                "role": "disease",
                "leak": 0.01,
                "causes": {"inflammation": 0.5},
            },
            {
                "id": "chest_pain",
                "synonyms": ["thoracic pain"],
                "role": "finding",
                "leak": 0.01,
                "causes": {"copd": 0.5},
            },
        ],
    }
)


@pytest.mark.parametrize(
    ("word", "node"),
    [
        ("chest-pain", "chest_pain"),
        ("  Chest   PAIN ", "chest_pain"),
        ("Thoracic-Pain", "chest_pain"),
        ("chronic obstructive pulmonary disease", "copd"),
        ("airway_inflammation", "inflammation"),
    ],
)
def test_a_query_understands_the_names_that_a_diagnosis_understands(word, node):
    assert find_node(MODEL, word).id == node
    answers = hickam.query(MODEL, {}, {}, [word])
    assert next(iter(answers)).target == {node: MODEL.nodes[node].states[0]}


def test_an_id_as_it_is_spelled_is_never_ambiguous():
    words = vocabulary("node", [("Flu", "Influenza", ()), ("flu", "Feeling bad", ())])
    assert words.find("flu") == 1
    assert words.find("Flu") == 0
    assert words.find("FLU").kind is Kind.AMBIGUOUS_NAME


def test_a_name_of_no_layer_is_not_called_unknown():
    with pytest.raises(hickam.InvalidInput) as caught:
        locate(hickam.Case(present=["Airway inflammation"]), MODEL)
    assert caught.value.issues[0].kind is Kind.WRONG_LAYER
    assert "is a node outside the layers of this network, not a finding" in str(caught.value)


def test_a_search_finds_nodes_of_no_layer_and_says_which_synonym_matched():
    found = search(MODEL, "inflam", EVERYTHING)
    assert [(match.kind, match.id) for match in found] == [("other", "inflammation")]
    assert search(MODEL, "thoracic")[0].synonym == "thoracic pain"
    assert search(MODEL, "inflam") == []  # by default only what a case can name


def test_every_unknown_name_is_listed_and_only_the_first_get_hints():
    words = vocabularies(hickam.load("clinic"))["finding"]
    names = [f"couggh{i}" for i in range(500)]
    with pytest.raises(hickam.InvalidInput) as caught:
        find_all(words, names)
    issues = caught.value.issues
    assert len(issues) == 500
    assert all(issue.kind is Kind.UNKNOWN_NAME for issue in issues)
    assert [bool(issue.fix) for issue in issues] == [True] * HINTED + [False] * (500 - HINTED)


def test_the_number_of_comparisons_does_not_grow_with_the_number_of_unknown_names(monkeypatch):
    asked = []

    def counted(word, choices):
        asked.append(word)
        return did_you_mean(word, choices)

    monkeypatch.setattr(module, "did_you_mean", counted)
    network = hickam.load("clinic")
    case = hickam.Case(
        present=[f"x{i}" for i in range(300)],
        absent=[f"y{i}" for i in range(300)],
        risks={f"z{i}": True for i in range(300)},
        likelihoods={f"w{i}": 2.0 for i in range(300)},
    )
    with pytest.raises(hickam.InvalidInput) as caught:
        locate(case, network)
    assert len(caught.value.issues) == 1200
    assert len(asked) <= HINTED


def test_a_very_long_name_is_compared_and_shown_only_by_its_beginning():
    words = vocabularies(hickam.load("clinic"))["finding"]
    issue = words.find("cough" * 100_000)
    assert len(str(issue)) < 500


def misspelt(word, draw):
    place = draw.randrange(len(word))
    letter = draw.choice("abcdefghijklmnopqrstuvwxyz")
    left, right = word[:place], word[place:]
    return draw.choice([left + right[1:], left + letter + right, left + letter + right[1:]])


def test_names_near_a_misspelt_one_are_found_as_well_as_by_comparing_with_every_name():
    draw = random.Random(3)
    names = sorted(
        {
            word.casefold()
            for entry in hickam.load("clinic").entries.values()
            for word in (entry.id, entry.name, *entry.synonyms)
        }
    )
    index = Nearest(names)
    ours = theirs = 0
    for _ in range(150):
        name = draw.choice(names)
        word = misspelt(misspelt(name, draw), draw)
        ours += name in index.close(word)
        theirs += name in difflib.get_close_matches(word, names, 3, 0.6)
    assert theirs > 130
    assert ours >= theirs - 1


def test_one_word_of_a_long_list_of_longer_names_is_enough():
    names = [f"disorder number {i} of the organ" for i in range(400)] + ["chest pain"]
    assert did_you_mean("chst", names) == "did you mean 'chest pain'?"


def test_a_message_carries_no_control_characters():
    words = vocabularies(hickam.load("clinic"))["finding"]
    said = str(words.find("co\x1b[2Jugh\ud800"))
    assert "\x1b" not in said
    said.encode("utf-8")
