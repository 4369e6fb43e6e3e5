"""What notes say is read or named: two halves of 200 annotated notes, one never tuned on."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def scored():
    """Counts over the notes of a golden file."""
    spec = importlib.util.spec_from_file_location("notes", ROOT / "benchmarks" / "notes.py")
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    return {name: measure.counted(ROOT / "tests" / "golden" / name) for name in measure.GOLDEN}


@pytest.mark.parametrize("half", ["notes.yaml", "notes_held.yaml"])
def test_no_red_flag_in_a_note_is_lost_and_little_is_read_that_is_not_said(half, scored):
    count, notes = scored[half]
    assert notes == 100
    assert count["flag gold"] > 150
    assert count["flag lost"] == 0
    assert count["present right"] > 0.92 * count["present said"]
    assert count["present hit"] > 0.70 * count["present gold"]
    assert count["absent right"] > 0.85 * count["absent said"]
    assert min(count["age"], count["sex"]) >= 95
