"""Phenopackets where a case is taken, and results as documents: command line, batch and API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient
from web_app import client

import hickam
from hickam.cli.main import hickam as command
from patients import NETWORK, patient

PRESENT = ["HP:0001250", "HP:0001631"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with the network and one patient."""
    (tmp_path / "syndromes.yaml").write_text(NETWORK)
    (tmp_path / "patient.json").write_text(json.dumps(patient(), indent=1))
    return tmp_path


@pytest.fixture
def api(files: Path) -> Iterator[TestClient]:
    networks = (str(files / "syndromes.yaml"),)
    with client(files / "uploads", networks=networks) as made:
        yield made


def run(files: Path, *args: str) -> Any:
    network = ["-n", str(files / "syndromes.yaml")]
    return CliRunner().invoke(command, [*args, *network], catch_exceptions=False)


def expected(files: Path) -> list[str]:
    """The ranking of the same findings, given as a case."""
    network = hickam.load(files / "syndromes.yaml")
    case = hickam.Case(present=PRESENT, absent=["HP:0000252"], sex="female", age=6.25)
    return [c.disease for c in hickam.diagnose(network, case)]


def test_a_packet_is_diagnosed_as_the_case_that_it_says(files):
    answer = run(files, "diagnose", "--case", str(files / "patient.json"), "--json")
    found = json.loads(answer.stdout)
    assert [c["disease"] for c in found["candidates"]] == expected(files)
    assert found["present"] == PRESENT
    assert "HP:9999999" in found["warnings"][0]["where"]
    assert "HP:9999999" in answer.stderr


def test_options_add_to_what_a_packet_says(files):
    args = ["--case", str(files / "patient.json"), "-p", "abnormal heart morphology", "--json"]
    found = json.loads(run(files, "diagnose", *args).stdout)
    assert found["present"] == [*PRESENT, "HP:0001627"]


def test_pairs_are_printed_and_in_the_json(files):
    args = ["diagnose", "--case", str(files / "patient.json"), "--pairs"]
    assert "Heart syndrome + Seizure syndrome" in run(files, *args).stdout
    pairs = json.loads(run(files, *args, "--json").stdout)["pairs"]["pairs"]
    assert set(pairs[0]["diseases"]) == {"OMIM:100001", "OMIM:100002"}


def test_an_export_reads_back_as_the_same_patient_without_new_truths(files):
    out = files / "out.json"
    run(files, "diagnose", "--case", str(files / "patient.json"), "--out", str(out))
    packet = json.loads(out.read_text())
    candidates = [i for i in packet["interpretations"] if i["progressStatus"] == "IN_PROGRESS"]
    assert [c["diagnosis"]["disease"]["id"] for c in candidates] == expected(files)
    assert packet["phenotypicFeatures"] == patient()["phenotypicFeatures"]
    ids = [resource["id"] for resource in packet["metaData"]["resources"]]
    assert ids == ["hp", "hickam", "hickam-network"]
    again = files / "again.json"
    run(files, "diagnose", "--case", str(out), "--out", str(again))
    assert len(json.loads(again.read_text())["interpretations"]) == len(packet["interpretations"])
    from hickam.io.phenopackets import read_packet

    assert read_packet(packet)[0] == read_packet(patient())[0]


def test_a_case_that_was_no_packet_becomes_one(files):
    out = files / "out.json"
    run(files, "diagnose", "-p", "seizure", "-a", "microcephaly", "--age", "2", "--out", str(out))
    packet = json.loads(out.read_text())
    features = packet["phenotypicFeatures"]
    assert features[0]["type"] == {"id": "HP:0001250", "label": "Seizure"}
    assert features[1]["excluded"] is True
    assert packet["subject"]["timeAtLastEncounter"]["age"]["iso8601duration"] == "P2Y"
    assert packet["metaData"]["phenopacketSchemaVersion"] == "2.0"


def test_a_table_has_a_line_for_each_candidate_below_its_versions(files):
    out = files / "out.tsv"
    run(files, "diagnose", "--case", str(files / "patient.json"), "--out", str(out))
    lines = out.read_text().splitlines()
    table = [line.split("\t") for line in lines if not line.startswith("!")]
    assert [row[1] for row in table[1:]] == expected(files)
    assert {len(row) for row in table} == {len(table[0])}
    assert any(line.startswith("! Content: ") for line in lines)


class Page(HTMLParser):
    """What a page loads, and its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if tag in ("script", "img", "link", "iframe", "object") or "src" in given:
            self.loads.append(str(given))


def test_a_report_holds_every_finding_and_candidate_and_loads_nothing(files):
    document = patient()
    document["phenotypicFeatures"][2]["type"]["label"] = "<script>alert(1)</script>"
    document["id"] = "<img src=x onerror=alert(1)>"
    (files / "patient.json").write_text(json.dumps(document))
    out = files / "out.html"
    run(files, "diagnose", "--case", str(files / "patient.json"), "--pairs", "--out", str(out))
    html = out.read_text()
    page = Page()
    page.feed(html)
    assert page.loads == []
    assert "script" not in page.tags
    for words in ("Seizure", "Atrial septal defect", "Microcephaly", "Mixed syndrome", "Versions"):
        assert words in html
    assert "at 6 months" in html
    assert "url(" not in html
    assert "@import" not in html
    assert page.tags.count("article") == 3 + 3  # candidates and pairs


def test_an_unknown_ending_is_refused_before_any_work(files):
    with pytest.raises(hickam.InvalidInput, match="unknown ending"):
        run(files, "diagnose", "-p", "seizure", "--out", str(files / "out.pdf"))


@pytest.mark.parametrize("form", ["folder", "patient.json", "patients.jsonl.gz"])
def test_a_batch_takes_packets_in_every_form_and_says_what_was_left_out(files, form):
    pytest.importorskip("pyarrow")
    from pyarrow.parquet import read_table

    source = files / form
    if form == "folder":
        source.mkdir()
        (source / "a.json").write_text(json.dumps(patient()))
        (source / "b.json").write_text("{broken")
    elif form.endswith(".gz"):
        import gzip

        source.write_bytes(gzip.compress(json.dumps(patient()).encode() + b"\n{broken\n"))
    answer = run(files, "batch", str(source), "--out", str(files / "ranked"), "--workers", "1")
    assert answer.exit_code == 0
    rows = read_table(files / "ranked" / "part-000000.parquet").to_pylist()
    good = [row for row in rows if row["problem"] is None]
    assert [row["disease"] for row in good] == expected(files)
    assert all("HP:9999999" in row["warning"] for row in good)
    broken = [row["problem"] for row in rows if row["problem"]]
    assert len(broken) == (0 if form == "patient.json" else 1)
    assert all("JSON" in problem for problem in broken)
    assert not list((files / "ranked").glob("_cases*"))


def test_the_service_takes_a_packet_where_a_case_is_asked_for(api, files):
    place = "/api/v1/networks/syndromes"
    answer = api.post(f"{place}/diagnose", json={"case": patient()}).json()
    assert [c["disease"] for c in answer["candidates"]] == expected(files)
    assert "HP:9999999" in answer["warnings"][0]["where"]
    for question, more in (
        ("explain", {"disease": "ORPHA:3"}),
        ("what-if", {"cure": ["ORPHA:3"]}),
        ("next", {}),
        ("pairs", {}),
    ):
        found = api.post(f"{place}/{question}", json={"case": patient(), **more})
        assert found.status_code == 200, found.text
    both = api.post(f"{place}/batch", json={"cases": [patient(), {"present": ["seizure"]}]}).json()
    assert [c["disease"] for c in both["results"][0]["differential"]["candidates"]] == expected(
        files
    )


def test_a_wrong_packet_is_a_problem_with_its_place(api):
    body = {"case": patient(phenotypicFeatures=[{"type": {}}])}
    answer = api.post("/api/v1/networks/syndromes/diagnose", json=body)
    assert answer.status_code == 422
    assert answer.json()["issues"][0]["path"][:2] == ["phenotypicFeatures", 0]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("phenopacket", "application/json"),
        ("tsv", "text/tab-separated-values"),
        ("html", "text/html"),
    ],
)
def test_the_service_writes_every_form(api, form, kind):
    body = {"case": patient(), "form": form, "pairs": True, "top": 2}
    answer = api.post("/api/v1/networks/syndromes/export", json=body)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert "Mixed syndrome" in answer.text


def test_a_study_takes_a_folder_of_packets_and_counts_what_was_left_out(files):
    for package in ("pyarrow", "matplotlib"):
        pytest.importorskip(package)
    (files / "patients").mkdir()
    for number in range(3):
        packet = json.dumps(patient(id=f"p{number}"))
        (files / "patients" / f"{number}.json").write_text(packet)
    said = "study: 1\nname: Patients\nnetwork: syndromes.yaml\nvignettes: patients\ntop: 3\n"
    (files / "study.yaml").write_text(said)
    args = ["study", "run", str(files / "study.yaml"), "--workers", "1"]
    answer = CliRunner().invoke(command, args, catch_exceptions=False)
    assert answer.exit_code == 0
    assert "3 vignettes, 0 excluded" in answer.stdout
    assert "3 problems in the input" in answer.stdout
