"""The REST API end to end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from web_app import OWN, client

import hickam

CHEST = {"present": ["chest pain", "nausea", "fatigue"], "risks": {"smoker": True, "elderly": True}}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path) as made:
        yield made


def ask(api: TestClient, question: str, network: str = "smoker", **body: Any) -> Any:
    body.setdefault("case", CHEST)
    return api.post(f"/api/v1/networks/{network}/{question}", json=body)


def test_diagnose_answers_what_the_library_answers(api: TestClient) -> None:
    dx = hickam.diagnose(hickam.load("smoker"), hickam.Case(**CHEST))  # type: ignore[arg-type]
    answer = ask(api, "diagnose", top=3).json()
    assert [c["disease"] for c in answer["candidates"]] == [c.disease for c in dx[:3]]
    assert answer["candidates"][0]["score"] == pytest.approx(dx[0].score, rel=1e-12)


def test_every_answer_says_where_it_comes_from(api: TestClient) -> None:
    network = hickam.load("smoker")
    answers = [
        ask(api, "diagnose", options={"dial": 0.5}),
        ask(api, "explain", disease="angina", options={"dial": 0.5}),
        ask(api, "what-if", cure=["angina"], options={"dial": 0.5}),
        ask(api, "next", options={"dial": 0.5}),
        ask(api, "second-opinion", differential=["angina"], options={"dial": 0.5}),
    ]
    for answer in answers:
        provenance = answer.json()["provenance"]
        assert provenance["network_hash"] == network.hash
        assert provenance["engine"]
        assert provenance["accuracy"]["kind"] == "exact"
        assert any("Occam–Hickam dial" in words for words in provenance["options"])
        assert provenance["milliseconds"] > 0


def test_a_mistake_comes_back_as_a_problem_with_all_issues_of_the_library(api: TestClient) -> None:
    case = {"present": ["chest pian", "nausea"], "absent": ["nausea"], "sex": "unknown"}
    answer = ask(api, "diagnose", case=case)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    with pytest.raises(hickam.InvalidInput) as raised:
        hickam.infer(hickam.load("smoker"), hickam.Case(**case))  # type: ignore[arg-type]
    assert answer.json()["issues"] == [issue.as_dict() for issue in raised.value.issues]
    assert answer.json()["status"] == 422


def test_a_body_that_breaks_the_schema_is_a_problem_that_names_the_place(api: TestClient) -> None:
    answer = ask(api, "diagnose", case={"present": ["nausea"], "hair": "red"})
    assert answer.status_code == 422
    assert answer.json()["issues"][0]["path"] == ["case", "hair"]


def test_impossible_evidence_names_the_conflict(api: TestClient) -> None:
    text = OWN.replace("leak: 0.01, ", "")
    network = api.post("/api/v1/networks", json={"file": "a.yaml", "text": text}).json()["id"]
    case = {"present": ["fever"], "likelihoods": {"flu": 0}}
    answer = ask(api, "diagnose", network=network, case=case)
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("#impossible-evidence")


def test_an_unknown_network_is_not_found_and_the_nearest_is_named(api: TestClient) -> None:
    answer = ask(api, "diagnose", network="smokr")
    assert answer.status_code == 404
    assert "smoker" in answer.json()["issues"][0]["fix"]


def test_search_finds_synonyms_as_you_type(api: TestClient) -> None:
    found = api.get("/api/v1/networks/smoker/search", params={"q": "feeling s"}).json()
    assert found[0] == {
        "kind": "finding",
        "id": "nausea",
        "name": "Nausea",
        "synonym": "feeling sick",
        "how": "start",
        "left_out": [],
        "negated": False,
        "certain": False,
    }


def test_a_node_shows_its_causes_strongest_first(api: TestClient) -> None:
    node = api.get("/api/v1/networks/smoker/nodes/nausea").json()
    assert [link["id"] for link in node["causes"]] == ["gastritis", "angina", "reflux"]
    assert node["causes"][0]["strength"] == 0.5


def test_curing_emphysema_removes_nothing_in_the_smoker(api: TestClient) -> None:
    answer = ask(api, "what-if", cure=["emphysema"]).json()
    assert [f["gone"] for f in answer["findings"]] == [0.0, 0.0, 0.0]


def test_switching_every_other_cause_off_leaves_what_the_disease_sustains(api: TestClient) -> None:
    beliefs = hickam.infer(hickam.load("smoker"), hickam.Case(**CHEST))  # type: ignore[arg-type]
    kept = beliefs.sustained[hickam.load("smoker").index["angina"]]
    answer = ask(api, "what-if", only="angina").json()
    assert [1 - f["gone"] for f in answer["findings"]] == pytest.approx(kept.tolist())


def test_a_what_if_needs_exactly_one_question(api: TestClient) -> None:
    assert ask(api, "what-if").status_code == 422
    assert ask(api, "what-if", cure=["angina"], only="angina").status_code == 422


def test_a_search_beyond_the_deadline_is_refused_before_it_starts(tmp_path: Path) -> None:
    with client(tmp_path, deadline=1e-6) as api:
        answer = ask(api, "what-if", remove=1.0)
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("#too-hard")


def test_a_high_price_of_questions_is_a_signal_to_stop(api: TestClient) -> None:
    case = {"present": ["chest pain"]}
    assert ask(api, "next", case=case, alpha=0.0).json()["stop"] is False
    answer = ask(api, "next", case=case, alpha=100.0).json()
    assert answer["stop"] is True
    assert "cost" in answer["why"]


def test_the_twin_is_drawn_with_its_intervention(api: TestClient) -> None:
    answer = ask(api, "twin", disease="angina")
    assert answer.status_code == 200
    assert answer.json()["svg"].startswith("<svg")
    assert "Angina*" in answer.json()["svg"]
    assert answer.json()["provenance"]["network_hash"] == hickam.load("smoker").hash


def test_a_batch_answers_each_case_and_reports_each_mistake(api: TestClient) -> None:
    cases = [CHEST | {"id": "a"}, {"present": ["nonsense"], "id": "b"}]
    answer = api.post("/api/v1/networks/smoker/batch", json={"cases": cases}).json()
    assert [item["id"] for item in answer["results"]] == ["a", "b"]
    assert answer["results"][0]["differential"]["candidates"][0]["disease"] == "angina"
    assert "nonsense" in answer["results"][1]["issues"][0]["where"]


def test_an_uploaded_network_survives_a_restart_under_the_same_id(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        first = api.post("/api/v1/networks", json={"file": "tiny.yaml", "text": OWN})
        assert first.status_code == 201
    with client(tmp_path) as api:
        shown = api.get(f"/api/v1/networks/{first.json()['id']}")
        assert shown.json()["name"] == "Tiny"


def test_a_bad_network_file_names_the_line(api: TestClient) -> None:
    text = OWN.replace("{flu: 0.9}", "{flue: 0.9}")
    answer = api.post("/api/v1/networks", json={"file": "mine.yaml", "text": text})
    assert answer.status_code == 422
    issue = answer.json()["issues"][0]
    assert issue["file"] == "mine.yaml"
    assert issue["line"] == 7
    assert "flu" in issue["fix"]


def test_no_path_outside_the_store_can_be_read(api: TestClient) -> None:
    for name in ("own-..%2f..%2fetc", "own-../../../etc/passwd", "own-" + "g" * 32):
        assert api.get(f"/api/v1/networks/{name}").status_code == 404


def test_the_openapi_document_is_version_3_1_and_has_one_error_shape(api: TestClient) -> None:
    document = api.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for path, methods in document["paths"].items():
        for method in methods.values():
            refused = method["responses"]["422"]["content"]
            assert list(refused) == ["application/problem+json"], path


def test_an_interview_over_http_goes_as_in_python(api: TestClient) -> None:
    network, case = hickam.load("smoker"), {"present": ["chest pain"]}
    talk = hickam.interview(network, hickam.Case(**case))  # type: ignore[arg-type]
    answer = ask(api, "interview", case=case).json()
    assert talk.question is not None
    assert answer["question"]["id"] == talk.question.id
    assert answer["question"]["value"] == pytest.approx(talk.question.value, rel=1e-9)
    assert answer["question"]["text"] == talk.question.text
    told = talk.answer("?")
    again = ask(api, "interview", case=case, unknown=[talk.question.id], asked=1).json()
    assert again["question"]["id"] == told.question.id  # type: ignore[union-attr]


def test_an_interview_over_http_ends_with_red_flags_and_triage(tmp_path: Path) -> None:
    case = {"present": ["chest pain", "sweating"], "age": 60.0, "sex": "male"}
    with client(tmp_path, networks=("clinic",)) as api:
        answer = ask(api, "interview", network="clinic", case=case, limit=3, asked=3).json()
    assert answer["stop"] is True
    assert answer["question"] is None
    assert "asked" in answer["why"]
    assert "myocardial_infarction" in {flag["disease"] for flag in answer["red_flags"]}
    assert answer["triage"]["level"] == "emergency"


@pytest.mark.parametrize(
    "body",
    [{"unknown": ["fatgiue"]}, {"objective": "harms"}, {"limit": -1}, {"alpha": -1.0}],
)
def test_a_mistake_in_an_interview_is_a_problem_not_a_failure(
    api: TestClient, body: dict[str, Any]
) -> None:
    answer = ask(api, "interview", **body)
    assert answer.status_code == 422
    assert answer.json()["issues"]
