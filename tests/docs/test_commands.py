"""Every command, file and piece of Python in the documentation runs."""

import json
import re
import shlex
from pathlib import Path

import pytest
import ryaml
from click.testing import CliRunner

import hickam
from hickam.cli.main import COMMANDS
from hickam.cli.main import hickam as command
from hickam.io.case_file import read_case
from hickam.model.build import build_model

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# What a test cannot run, and why. Everything else must end well.
NOT_RUN = {
    r"^hickam serve": "runs until it is stopped",
    r"--scheduler": "needs a cluster",
    r"--dask": "a test of its own starts a cluster",
    r"^hickam study demo": "takes minutes; a test of its own runs a small one",
    r"NETWORK\.bif|table\.csv": "a name for a file of your own",
    r"STUDY\.yaml|studies/\w+\.yaml": "needs data that is not part of Hickam",
    r"^hickam hpo|hpo\.npz|--network hpo": "needs the Human Phenotype Ontology; see tests/unit/hpo",
}


def blocks(page, *languages):
    """The fenced blocks of a page in some languages; an unnamed one is a shell's."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    return [body for language, body in found if (language or "shell") in languages]


def commands(text):
    """The lines of a shell that call hickam, continued lines joined, comments left out."""
    for line in text.replace("\\\n", " ").splitlines():
        call = re.match(r"\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(hickam .*)", line)
        if call:
            yield shlex.join(shlex.split(call[1], comments=True))


def documented():
    """(page, every command of its blocks and of its running text that says what to type)."""
    for page in PAGES:
        found = [c for body in blocks(page, "shell", "bash") for c in commands(body)]
        inline = re.findall(r"`(hickam [^`]+)`", page.read_text(encoding="utf-8"))
        found += [" ".join(text.split()) for text in inline if _complete(text)]
        if found:
            yield page.name, found


def _complete(text):
    """Whether an inline command is whole: more than its name, and no placeholder in it."""
    return len(text.split()) > 2 and not re.search(r"[A-Z]{2,}|…", text)


DOCUMENTED = dict(documented())


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that the documentation speaks of."""
    (cascade,) = blocks(ROOT / "docs" / "twin.md", "yaml")
    (tmp_path / "cascade.yaml").write_text(cascade, encoding="utf-8")
    bedside = (ROOT / "examples" / "bedside.yaml").read_text(encoding="utf-8")
    (tmp_path / "bedside.yaml").write_text(bedside, encoding="utf-8")
    experts = (ROOT / "examples" / "experts.csv").read_text(encoding="utf-8")
    (tmp_path / "experts.csv").write_text(experts, encoding="utf-8")
    (tmp_path / "note.txt").write_text("67f, headache ?tension. No fever", encoding="utf-8")
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    cases = pa.Table.from_pylist([{"id": "one", "present": ["cough", "fever"]}])
    parquet.write_table(cases, tmp_path / "cases.parquet")
    (tmp_path / "network.yaml").write_text(cascade, encoding="utf-8")
    patient = (ROOT / "examples" / "patient.json").read_text(encoding="utf-8")
    (tmp_path / "patients").mkdir()
    for place in (tmp_path, tmp_path / "patients"):
        (place / "patient.json").write_text(patient, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_commands_to_run():
    assert {"cli.md", "twin.md", "study.md", "batch.md", "formats.md"} <= DOCUMENTED.keys()
    assert sum(map(len, DOCUMENTED.values())) >= 20


@pytest.mark.parametrize("page", DOCUMENTED)
def test_every_command_of_the_page_ends_well(page, desk):
    for text in DOCUMENTED[page]:
        if any(re.search(pattern, text) for pattern in NOT_RUN):
            continue
        done = CliRunner().invoke(command, shlex.split(text)[1:])
        assert done.exit_code == 0, f"{text}\n{done.output}\n{done.exception!r}"
        assert done.output.strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_in_a_help_text_ends_well(name, desk):
    text = CliRunner().invoke(command, [name, "--help"]).output
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        typed = re.match(r"  (hickam .*?)(?:\s{3,}| and back$|$)", line)
        if not typed or any(re.search(pattern, typed[1]) for pattern in (*NOT_RUN, ">")):
            continue
        done = CliRunner().invoke(command, shlex.split(typed[1])[1:])
        assert done.exit_code == 0, f"{typed[1]}\n{done.output}"


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name != "reference.md"],  # which shows signatures
    ids=lambda page: page.name,
)
def test_the_python_of_the_page_runs(page):
    known = {
        "hickam": hickam,
        "network": hickam.load("clinic"),
        "case": hickam.Case(present=["cough", "fever", "breathlessness"]),
    }
    for body in blocks(page, "python"):
        exec(compile(body, page.name, "exec"), dict(known))


def test_the_network_its_parts_and_the_case_of_the_page_on_formats_are_read(tmp_path):
    network, *parts, case = blocks(ROOT / "docs" / "formats.md", "yaml")
    file = tmp_path / "network.yaml"
    file.write_text(network, encoding="utf-8")
    assert hickam.load(file).diseases
    for part in parts:
        whole = ryaml.loads(network)
        for section, listed in ryaml.loads(part).items():
            whole[section] = [*whole.get(section, []), *listed]
        built, issues = build_model(whole)
        assert built is not None, issues
    file = tmp_path / "case.yaml"
    file.write_text(case, encoding="utf-8")
    assert hickam.diagnose(hickam.load("clinic"), read_case(file)).present


def test_the_study_file_and_the_vignette_of_the_page_on_studies_are_read(tmp_path):
    from hickam.io.vignettes import read_vignettes
    from hickam.study.sources import read_study

    page = ROOT / "docs" / "study.md"
    study, vignette = blocks(page, "yaml")[0], blocks(page, "json")[0]
    (tmp_path / "vignettes.jsonl").write_text(json.dumps(json.loads(vignette)) + "\n")
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    assert read_study(tmp_path / "study.yaml").name == ryaml.loads(study)["name"]
    vignettes, issues = read_vignettes(tmp_path / "vignettes.jsonl")
    assert ([v.id for v in vignettes], issues) == (["v1"], [])


def test_the_call_of_the_page_on_the_api_answers_and_the_problem_is_the_one_shown(tmp_path):
    from fastapi.testclient import TestClient

    from hickam.web.app import create_app
    from hickam.web.settings import Settings

    page = ROOT / "docs" / "api.md"
    api = TestClient(create_app(Settings(networks=("smoker",), uploads=str(tmp_path))))
    (call,) = blocks(page, "shell")
    words = shlex.split(call.replace("\\\n", " "))
    address = words[1].removeprefix("http://127.0.0.1:8000")
    answer = api.post(address, json=json.loads(words[words.index("-d") + 1]))
    assert answer.status_code == 200
    assert len(answer.json()["candidates"]) == 3
    (shown,) = blocks(page, "json")
    wrong = api.post(address, json={"case": {"present": ["chest pian"]}})
    assert wrong.json() == json.loads(shown)


def test_every_make_target_and_script_that_is_named_exists():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    for page in (*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"):
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:^|`)make ([a-z]+)", text, flags=re.MULTILINE):
            assert target in targets, f"{page.name} says make {target}"
        for script in re.findall(r"python ((?:benchmarks|examples)/\w+\.py)", text):
            assert (ROOT / script).exists(), f"{page.name} names {script}"


def test_nothing_says_to_install_from_an_index_that_does_not_have_it():
    files = [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*")]
    for file in (*files, ROOT / "CONTRIBUTING.md", *(ROOT / "examples").glob("*.py")):
        if file.is_file():
            text = file.read_text(encoding="utf-8", errors="ignore")
            assert not re.search(r"pip install ['\"]?hickam", text), file.name
