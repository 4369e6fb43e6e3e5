"""The wording of the general word list, kept ready-made: the same as made anew, and made once."""

import os

import pytest

from hickam.evidence import wording
from hickam.evidence.thesaurus import word_list
from hickam.evidence.wording import Wording, general
from hickam.keep import cache_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
TEXTS = ("chucking up", "no fever", "PMH COPD", "worse with exercise", "SOB & n/v", "tickly cough")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    general.cache_clear()
    yield
    general.cache_clear()


def test_what_is_kept_reads_texts_as_what_was_made():
    made = Wording(word_list())
    general()
    assert len(list(cache_folder().iterdir())) == 1
    general.cache_clear()
    kept = general()
    assert kept.known == made.known
    for text in TEXTS:
        words = made.stems(wording.words_of(text))
        assert kept.readings(text) == made.readings(text)
        assert kept.meaning(words) == made.meaning(words)
        assert kept.denied(text) == made.denied(text)
        assert kept.past(text) == made.past(text)
        assert kept.circumstance(text) == made.circumstance(text)
        assert kept.broader(text) == made.broader(text)


def test_the_word_list_is_read_once(monkeypatch):
    general()
    general.cache_clear()

    def never():
        raise AssertionError("it was made again")

    monkeypatch.setattr(wording, "word_list", never)
    assert general().denied("no fever") == "fever"


def test_another_word_list_makes_it_anew(monkeypatch):
    general()
    general.cache_clear()
    monkeypatch.setattr(wording, "code_of", lambda *rooms: "a longer list")
    asked = []
    monkeypatch.setattr(wording, "word_list", lambda: asked.append(1) or word_list())
    general()
    assert asked
