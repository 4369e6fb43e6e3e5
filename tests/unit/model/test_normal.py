"""The normal state of a variable by the names of its states, as people expect it."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest

from hickam.model.normal import normal_state

TABLE = Path(__file__).parents[2] / "golden" / "normal_states.csv"
ROWS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))


def expected(row: dict[str, str]) -> str | None:
    return None if row["normal"] == "?" else row["normal"]


def test_the_table_holds_a_hundred_lists_of_real_networks():
    assert len({row["states"] for row in ROWS}) >= 100
    assert all(row["normal"] in (*row["states"].split("|"), "?") for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['variable']}: {row['states']}"[:60])
def test_the_normal_state_is_the_one_that_a_person_expects(row):
    states = row["states"].split("|")
    assert normal_state(states, row["variable"]) == expected(row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['variable']}: {row['states']}"[:60])
def test_listing_the_states_in_another_order_changes_nothing(row):
    states = row["states"].split("|")
    orders = itertools.islice(itertools.permutations(states), 24)
    for order in (*orders, states[::-1]):
        assert normal_state(order, row["variable"]) == expected(row)


SYNONYMS = [
    ("normal", "healthy", "OK", "Normal", "NORMAL"),
    ("none", "absent", "no", "never", "None", "ABSENT"),
    ("false", "no", "off", "absent", "negative"),
    ("adequate", "correct", "intact", "good"),
]


@pytest.mark.parametrize("words", SYNONYMS, ids=lambda words: words[0])
def test_another_word_for_the_same_changes_nothing(words):
    for word in words:
        assert normal_state(["severe", word, "mild"]) == word
        assert normal_state([word, "faulty"]) == word
