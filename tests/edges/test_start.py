"""What a new process reads before its first answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from hickam.cli.main import run, hickam
code = run(lambda: hickam.main(args=["diagnose", *sys.argv[1:]], standalone_mode=False))
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""
HARD = ["nausea", "fatigue", "abdominal pain", "vomiting", "headache", "fever", "cough"]
ENGINES = ("hickam.inference.engines", "hickam.inference.coupled.mixture")
GENERAL = ("hickam.model.scm", "hickam.twin.infer", "hickam.model.converted")
UNUSED = ("numpy.ma", "numpy.random", "yaml", "ryaml", "fastapi", "hickam.learn")


def modules_of(findings: list[str]) -> set[str]:
    """The modules that a diagnosis has imported when it is printed."""
    command = [sys.executable, "-c", SCRIPT, "--network", "clinic", "-p", *findings]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(ran.stderr.split())


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network is in the cache of the user, as it is from the first use on."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    modules_of(["fever"])


def test_an_easy_diagnosis_reads_neither_engines_nor_general_models() -> None:
    found = modules_of(["fever"])
    assert found.isdisjoint((*ENGINES, *GENERAL, *UNUSED))


def test_a_hard_diagnosis_reads_no_part_of_numpy_for_masked_arrays() -> None:
    found = modules_of(HARD)
    assert "hickam.inference.engines" in found
    assert "numpy.ma" not in found
