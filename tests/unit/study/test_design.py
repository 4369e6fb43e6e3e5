import pytest

from hickam.issues import InvalidInput
from hickam.study.design import Setting, Tuning, build_study
from hickam.study.sources import read_study

PLAIN = {"study": 1, "name": "s", "network": "smoker", "vignettes": "v.jsonl"}


def test_the_baseline_is_always_among_the_measures():
    study, issues = build_study({**PLAIN, "measures": ["posterior"]})
    assert issues == []
    assert study.all_measures == ("posterior", "single_fault")


def test_every_mistake_of_a_study_is_reported_at_once():
    study, issues = build_study(
        {
            "study": 2,
            "nam": "x",
            "network": "smoker",
            "vignettes": "v.jsonl",
            "measures": ["postrior"],
            "settings": {"a": {"dial": 2}, "b": {"conventions": "nobody"}},
            "tune": {"criterion": "best"},
            "second_opinion": {"folds": 1},
            "top": "many",
        }
    )
    assert study is None
    text = "\n".join(map(str, issues))
    for word in (
        "'study'",
        "'nam'",
        "'postrior'",
        "dial 2",
        "'nobody'",
        "'best'",
        "folds",
        "'many'",
    ):
        assert word in text


def test_the_authors_conventions_have_a_name():
    study, _ = build_study({**PLAIN, "settings": {"theirs": {"conventions": "authors"}}})
    (setting,) = study.settings
    assert setting == Setting("theirs", leak_shift=0.002, categories="score")


def test_the_grid_leaves_out_flattened_priors_without_a_dial():
    grid = Tuning((0.5, 1.0), (1.0, 0.1)).settings()
    assert [(s.case_mix, s.dial) for s in grid] == [(0.5, 0.1), (1.0, 1.0), (1.0, 0.1)]


def test_a_placeholder_without_a_value_says_how_to_give_one(tmp_path, monkeypatch):
    monkeypatch.delenv("HICKAM_NOWHERE", raising=False)
    path = tmp_path / "s.yaml"
    path.write_text("study: 1\nnetwork: smoker\nvignettes: ${HICKAM_NOWHERE}/v.jsonl\n")
    with pytest.raises(InvalidInput, match="--set HICKAM_NOWHERE=FOLDER"):
        read_study(path)
    found = read_study(path, {"HICKAM_NOWHERE": "/data"})
    assert found.vignettes == "/data/v.jsonl"
    assert found.network == "smoker"


def test_paths_are_relative_to_the_study_file(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("study: 1\nnetwork: own.yaml\nvignettes: v.jsonl\n")
    assert read_study(path).network == str(tmp_path.resolve() / "own.yaml")
