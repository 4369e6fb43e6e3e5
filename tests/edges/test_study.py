"""A study from its file to its report."""

import json
import re
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import hickam
from hickam.cli.main import hickam as program
from hickam.cli.main import run
from hickam.evidence.case import Case
from hickam.evidence.vignette import Vignette
from hickam.io.vignettes import write_vignettes
from hickam.study.provenance import Provenance
from hickam.study.report import write_report
from hickam.study.run import run_study
from hickam.study.simulate import Simulation, simulate
from hickam.study.sources import read_study

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


def arguments(study, out):
    return ["study", "run", str(study), "--out", str(out), "--workers", "1"]


def command(study, out):
    return [*HICKAM, *arguments(study, out)]


@pytest.fixture
def told(capsys):
    """(exit code, output, errors) of a study in this process."""

    def call(study, out):
        code = run(lambda: program.main(args=arguments(study, out), standalone_mode=False))
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


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


def test_a_mistyped_engine_fails_before_any_work(tmp_path, told):
    path = tmp_path / "s.yaml"
    simulated = "{simulate: {patients: 100000}}"
    path.write_text(f"study: 1\nnetwork: clinic\nvignettes: {simulated}\nengine: covr\n")
    code, _, wrong = told(path, tmp_path / "out")
    assert code == 3
    assert "did you mean 'cover'?" in wrong
    assert not (tmp_path / "out").exists()


def write(folder, vignettes, more=""):
    """A study file beside its vignettes, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "v.jsonl").write_text("\n".join(map(json.dumps, vignettes)) + "\n")
    path = folder / "study.yaml"
    path.write_text(f"study: 1\nname: {folder.name}\nnetwork: clinic\nvignettes: v.jsonl\n{more}")
    return path


def patients(count, *doctors):
    """Vignettes of influenza, of which each doctor gets all but the last right."""
    truths = ["influenza"] * (count - 1) + ["migraine"]
    listed = ["influenza", "pneumonia"]
    opinions = [{"doctor": doctor, "differential": listed} for doctor in doctors]
    return [
        {"id": f"p{n}", "present": ["fever", "cough"], "diseases": [truth], "opinions": opinions}
        for n, truth in enumerate(truths)
    ]


FUSED = "second_opinion: {folds: 2}\nbootstrap: 20\nminimum_vignettes: 1\n"


def test_a_study_with_one_doctor_shows_no_second_opinion_instead_of_a_miss(tmp_path, told):
    study = write(tmp_path / "one", patients(6, "d"), FUSED)
    code, _, _ = told(study, tmp_path / "out")
    assert code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "→" not in page
    assert "0.0 %" not in page
    assert "needs opinions of two doctors" in page
    assert not (tmp_path / "out" / "results" / "second_opinion.parquet").exists()


def test_opinions_without_others_to_learn_from_are_left_out_for_all_alike(tmp_path):
    lone = patients(6, "d")
    lone[0]["opinions"] = [{"doctor": "e", "differential": ["influenza"]}]
    study = read_study(write(tmp_path / "two", lone, FUSED))
    fusion = run_study(study, tmp_path / "out").fusion
    # weights for an opinion of d come from e's only one, so d's in the same fold have none
    same_fold = fusion.left_out
    assert 0 < same_fold < 6
    assert {len(hits) for hits in fusion.hits.values()} == {6 - same_fold}


@pytest.mark.parametrize(
    ("vignettes", "said"),
    [
        ([], "no vignette that can be judged"),
        ([{"id": "a", "present": ["fever"], "diseases": ["the vapours"]}], "the vapours"),
        ([{"id": "a", "present": ["fever"]}], "has no true disease"),
        ([{"id": "a", "present": ["blue hair"], "diseases": ["influenza"], "x": 1}], "'x'"),
    ],
)
def test_a_study_of_nothing_says_why_without_a_traceback(tmp_path, vignettes, said, told):
    study = write(tmp_path / "none", vignettes)
    code, _, wrong = told(study, tmp_path / "out")
    assert code == 3
    assert said in wrong
    assert not (tmp_path / "out").exists()


def test_a_single_vignette_can_be_judged(tmp_path, told):
    study = write(tmp_path / "single", patients(1, "d", "e"), FUSED + "tune: {folds: 2}\n")
    code, _, wrong = told(study, tmp_path / "out")
    assert code == 0, wrong
    assert "needs two vignettes" in (tmp_path / "out" / "report.html").read_text()


def test_unreadable_vignettes_are_counted_as_excluded(tmp_path, told):
    study = write(tmp_path / "torn", [*patients(3, "d"), {"id": "x"}, ["y"]])
    with (tmp_path / "torn" / "v.jsonl").open("a") as file:
        file.write("not json\n")
    _, said, _ = told(study, tmp_path / "out")
    assert "3 vignettes, 3 excluded (3 unreadable)" in said
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["excluded"], summary["unreadable"]) == (3, 3)


def test_what_rules_on_lists_changed_is_said_on_the_page_and_on_the_command_line(tmp_path, told):
    some = patients(3, "d")
    some[0]["opinions"] = [{"doctor": "d", "differential": ["influensa", "flu", "influenza"]}]
    study = write(tmp_path / "torn", some, "minimum_vignettes: 1\n")
    _, said, _ = told(study, tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    for rule in ("network does not know: 1, kept on the list", "listed twice under different"):
        assert rule in said
        assert rule in page


def test_the_headline_is_the_mean_over_the_same_splits_as_the_tables(finished):
    page = (finished[0] / "report.html").read_text()
    tuned = [r for r in rows(finished[0], "tuning") if r["rank"] == 1]
    for row in tuned:
        if row["measure"] == "disablement":
            continue
        shares = [f"{100 * row[f'top{k}']:.1f}" for k in (1, 5, 10)]
        assert f"<b>{' / '.join(shares)}</b>" in page
        accuracy = {
            r["k"]: r["accuracy"]
            for r in rows(finished[0], "accuracy")
            if (r["setting"], r["measure"], r["class"]) == ("tuned", row["measure"], "all")
        }
        assert [accuracy[k] for k in (1, 5, 10)] == pytest.approx(
            [row[f"top{k}"] for k in (1, 5, 10)]
        )


def test_the_inference_of_every_stage_is_in_the_report(finished):
    found = rows(finished[0], "inference")
    assert {row["stage"] for row in found} == {"setting", "tuning grid", "second opinion"}
    judged = rows(finished[0], "second_opinion")[0]["opinions"]
    assert sum(row["cases"] for row in found if row["stage"] == "second opinion") == judged


def test_large_errors_in_the_grid_and_in_fused_cells_are_shown(tmp_path):
    study = read_study(write(tmp_path / "inexact", patients(4, "d", "e"), FUSED + TUNE))
    results = run_study(study, tmp_path / "out")
    for number, went in enumerate(results.answered):
        if went.stage != "setting":
            results.answered[number] = replace(went, largest_error=1.9, over=2)
    page = write_report(results, tmp_path / "out", Provenance("test")).read_text()
    for stage in ("tuning grid", "second opinion"):
        section = page[page.index(f"cells of the {stage} some answers are less exact") :]
        assert "largest stated error is 1.9 of a score" in section[:400]
    assert "answers less exact than asked for (stated errors up to 1.9)" in page


TUNE = "tune: {case_mix: [1], dial: [1, 0.1], folds: 2, repeats: 2}\n"


def test_exact_studies_are_not_called_inexact(finished):
    worst = max(row["over_tolerance"] for row in rows(finished[0], "inference"))
    page = (finished[0] / "report.html").read_text()
    assert ("less exact" in page) == (worst > 0)


def test_the_folder_of_another_study_is_refused_and_left_as_it_is(study, finished, tmp_path, told):
    other = write(tmp_path / "other", patients(3, "d"))
    before = (finished[0] / "report.html").read_bytes()
    code, _, wrong = told(other, finished[0])
    assert code == 3
    assert "another study: A small study & its report" in wrong
    assert (finished[0] / "report.html").read_bytes() == before


def test_tables_and_figures_of_an_earlier_run_do_not_stay(tmp_path):
    out = tmp_path / "out"
    some = patients(6, "d", "e")
    for more in (FUSED + TUNE, ""):
        path = write(tmp_path / "same", some, more)
        write_report(run_study(read_study(path), out), out, Provenance("test"))
    names = {path.stem for path in (out / "results").iterdir()}
    assert "accuracy" in names
    assert not names & {"second_opinion", "position_weights", "tuning"}
    assert not {"second_opinion", "top_k_2"} & {path.stem for path in (out / "figures").iterdir()}


def test_second_opinion_prints_three_positions_and_why():
    arguments = ["second-opinion", "--network", "clinic", "-p", "chest pain", "-d", "stable angina"]
    done = subprocess.run([*HICKAM, *arguments], check=True, capture_output=True, text=True)
    assert "Stable angina" in done.stdout
    done = subprocess.run([*HICKAM, *arguments, "--json"], check=True, capture_output=True)
    assert len(json.loads(done.stdout)["fused"]) == 1
