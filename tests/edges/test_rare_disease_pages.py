"""The pages for rare diseases: a phenopacket opened, terms around a term, pairs, documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from web_app import client

from patients import NETWORK, patient

TREE = NETWORK.replace(
    '"HP:0001631", name: Atrial', '"HP:0001631", is_a: "HP:0001627", name: Atrial'
)
CASE = "n=syndromes&p=HP:0001250&p=HP:0001631"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[TestClient]:
    path = tmp_path / "syndromes.yaml"
    path.write_text(TREE)
    with client(tmp_path / "uploads", networks=(str(path),)) as made:
        yield made


def bring(web: TestClient, content: bytes, name: str = "patient.json", **more: object) -> object:
    files = {"file": (name, content, "application/json")}
    return web.post("/phenopacket", files=files, follow_redirects=False, **more)  # type: ignore[arg-type]


def test_an_uploaded_packet_becomes_a_case_in_the_address(web):
    answer = bring(web, json.dumps(patient()).encode())
    assert answer.status_code == 303
    place = answer.headers["location"]
    assert re.findall(r"[?&]p=([^&]*)", place) == ["HP%3A0001250", "HP%3A0001631"]
    assert re.findall(r"[?&]a=([^&]*)", place) == ["HP%3A0000252"]
    assert "sex=female" in place
    assert "age=6.25" in place
    page = unescape(web.get(place).text)
    assert "left out: 'HP:9999999' (Term of tomorrow)" in page


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 9000, "nested"),
        (json.dumps(patient(phenotypicFeatures=[{}])).encode(), "without an ontology id"),
        (json.dumps({"members": []}).encode(), "cohort of 0"),
        (b"", "is a NoneType"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained_on_the_page(web, content, said):
    answer = bring(web, content)
    assert answer.status_code == 422
    assert said in unescape(answer.text)


def test_another_site_cannot_send_a_packet(web):
    answer = bring(web, b"{}", headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403


def test_a_term_leads_to_what_is_more_general_and_more_specific(web):
    page = web.get(f"/term?{CASE}&term=HP:0001631").text
    assert "More general" in page
    assert "Abnormal heart morphology" in page
    swapped = re.search(r'href="([^"]*)"[^>]*use instead', page)
    assert swapped
    place = unescape(swapped[1])
    assert re.findall(r"[?&]p=([^&]*)", place) == ["HP%3A0001250", "HP%3A0001627"]
    assert "Atrial septal defect" in web.get(f"/term?{CASE}&term=HP:0001627").text


def test_a_term_that_is_not_there_is_a_problem_and_not_a_fault(web):
    assert web.get(f"/term?{CASE}&term=HP:7").status_code == 422
    assert web.get("/term").status_code == 422


def test_candidates_show_their_catalogues_and_what_they_leave_unexplained(web):
    page = unescape(web.get(f"/?{CASE}").text)
    assert 'href="https://www.orpha.net/en/disease/detail/3"' in page
    assert 'href="https://omim.org/entry/100002"' in page
    assert "Leaves unexplained: seizure" in page


def test_the_page_of_pairs_says_what_is_left_over_without_either(web):
    page = unescape(web.get(f"/pairs?{CASE}").text)
    assert page.count('<article class="pair"') == 3
    assert "With <strong>Heart syndrome</strong> cured, 1.0" in page
    assert "No pair is likely" in page
    assert "Could it be two diseases?" in web.get("/pairs?n=syndromes").text


@pytest.mark.parametrize(
    ("form", "kind", "how"),
    [
        ("html", "text/html", "inline"),
        ("tsv", "text/tab-separated-values", "attachment"),
        ("phenopacket", "application/json", "attachment"),
    ],
)
def test_the_answer_can_be_kept_in_every_form(web, form, kind, how):
    answer = web.get(f"/export?{CASE}&form={form}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"].startswith(how)
    assert "Mixed syndrome" in answer.text
    assert web.get(f"/export?{CASE}&form=pdf").status_code == 422
