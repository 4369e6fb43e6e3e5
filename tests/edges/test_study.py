"""A study from its file to its report."""

import json
import re
import subprocess
import sys
import time

import numpy as np
import pytest

import hickam
from hickam.evidence.case import Case
from hickam.evidence.vignette import Vignette
from hickam.io.vignettes import write_vignettes
from hickam.study.simulate import Simulation, simulate

parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("matplotlib")
HICKAM = [sys.executable, "-m", "hickam"]
STUDY = """
study: 1
name: A small study & its report
network: clinic
vignettes: vignettes.jsonl
settings:
  plain: {}
  dialled: {dial: 0.01, case_mix: 0.5}
tune: {case_mix: [0.5, 1], dial: [1, 0.01], folds: 3, repeats: 2}
second_opinion: {folds: 2, positions: 2}
minimum_vignettes: 8
bootstrap: 50
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A folder with a study file and its vignettes, one of them outside the network."""
    folder = tmp_path_factory.mktemp("study")
    patients = Simulation(patients=24, doctors=4, opinions=2, most_findings=3, report_risks=1.0)
    found = simulate(hickam.load("clinic"), patients, np.random.default_rng(2))
    stranger = Vignette("odd", Case(present=["fever"], id="odd"), ("the vapours",))
    extra = Vignette("more", Case(present=["fever", "blue hair"], id="more"), ("influenza",))
    write_vignettes(folder / "vignettes.jsonl", [*found, stranger, extra])
    (folder / "study.yaml").write_text(STUDY)
    return folder / "study.yaml"


def command(study, out):
    return [*HICKAM, "study", "run", str(study), "--out", str(out), "--workers", "1"]


@pytest.fixture(scope="module")
def finished(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("finished")
    done = subprocess.run(command(study, out), check=True, capture_output=True, text=True)
    return out, done.stdout


def rows(out, name):
    return parquet.read_table(out / "results" / f"{name}.parquet").to_pylist()


def test_the_report_needs_nothing_from_outside(finished):
    page = (finished[0] / "report.html").read_text()
    assert "<script" not in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)[^"']""", page)
    assert "@import" not in page
    assert "url(" not in page.replace("url(#", "")
    assert "A small study &amp; its report" in page


def test_the_baseline_is_in_every_table_of_accuracies(finished):
    found = {(row["setting"], row["measure"]) for row in rows(finished[0], "accuracy")}
    settings = {setting for setting, _ in found}
    assert settings == {"plain", "dialled", "tuned"}
    assert all((setting, "single_fault") in found for setting in settings)


def test_what_is_left_out_is_counted_and_said(finished):
    out, said = finished
    assert "25 vignettes, 1 excluded" in said
    text = " ".join(row["where"] + row["what"] for row in rows(out, "issues"))
    assert "the vapours" in text
    assert "blue hair" in text


def test_figures_are_written_as_svg_and_pdf(finished):
    names = {path.stem for path in (finished[0] / "figures").glob("*.svg")}
    assert {"top_k_1", "doctors", "second_opinion", "calibration", "differences"} <= names
    assert names == {path.stem for path in (finished[0] / "figures").glob("*.pdf")}


def test_the_report_tells_versions_hashes_and_the_command(finished):
    page = (finished[0] / "report.html").read_text()
    assert hickam.load("clinic").hash in page
    assert "hickam study run" in page
    summary = json.loads((finished[0] / "summary.json").read_text())
    assert set(summary["files"]) == {"study.yaml", "vignettes.jsonl"}


def test_a_killed_study_resumes_to_the_same_numbers(study, finished, tmp_path):
    driver = subprocess.Popen(command(study, tmp_path), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("parts/*.parquet"))) < 2 and driver.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    before = {p: p.stat().st_mtime_ns for p in tmp_path.glob("parts/*.parquet")}
    assert before
    subprocess.run(command(study, tmp_path), check=True, capture_output=True)
    assert {p: p.stat().st_mtime_ns for p in before} == before
    for path in sorted((finished[0] / "results").glob("*.parquet")):
        assert (tmp_path / "results" / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_mistake_in_the_study_file_is_said_without_a_traceback(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("study: 1\nnetwork: clinic\nvignettes: v.jsonl\nmeasures: [posteriour]\n")
    done = subprocess.run(command(path, tmp_path), capture_output=True, text=True)
    assert done.returncode == 3
    assert "did you mean 'posterior'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistyped_engine_fails_before_any_work(tmp_path):
    path = tmp_path / "s.yaml"
    simulated = "{simulate: {patients: 100000}}"
    path.write_text(f"study: 1\nnetwork: clinic\nvignettes: {simulated}\nengine: covr\n")
    done = subprocess.run(command(path, tmp_path / "out"), capture_output=True, text=True)
    assert done.returncode == 3
    assert "did you mean 'cover'?" in done.stderr
    assert not (tmp_path / "out").exists()


def test_second_opinion_prints_three_positions_and_why():
    arguments = ["second-opinion", "--network", "clinic", "-p", "chest pain", "-d", "stable angina"]
    done = subprocess.run([*HICKAM, *arguments], check=True, capture_output=True, text=True)
    assert "Stable angina" in done.stdout
    done = subprocess.run([*HICKAM, *arguments, "--json"], check=True, capture_output=True)
    assert len(json.loads(done.stdout)["fused"]) == 1
