"""The service and the page on a general causal model."""

import pytest
from test_cli_twin import MODEL
from web_app import client

import hickam

CASE = {"present": ["fever", "both"], "risks": {"smoker": True}}


@pytest.fixture
def uploaded(tmp_path):
    with client(tmp_path) as web:
        answer = web.post("/api/v1/networks", json={"file": "model.yaml", "text": MODEL})
        assert answer.status_code == 201, answer.text
        yield web, answer.json()["id"], tmp_path


def test_the_api_diagnoses_on_a_general_model(uploaded, tmp_path):
    web, network, _ = uploaded
    path = tmp_path / "copy.yaml"
    path.write_text(MODEL, encoding="utf-8")
    expected = hickam.diagnose(hickam.load(path), hickam.Case(**CASE))
    answer = web.post(f"/api/v1/networks/{network}/diagnose", json={"case": CASE}).json()
    assert [c["disease"] for c in answer["candidates"]] == [c.disease for c in expected]
    assert answer["provenance"]["engine"] == "twin"


@pytest.mark.parametrize(
    ("question", "more"),
    [
        ("explain", {"disease": "copd"}),
        ("next", {}),
        ("what-if", {"cure": ["copd"]}),
        ("second-opinion", {"differential": ["copd"]}),
    ],
)
def test_every_question_is_answered(uploaded, question, more):
    web, network, _ = uploaded
    answer = web.post(f"/api/v1/networks/{network}/{question}", json={"case": CASE, **more})
    assert answer.status_code == 200, answer.text


def test_a_node_and_the_network_are_shown(uploaded):
    web, network, _ = uploaded
    assert web.get(f"/api/v1/networks/{network}").json()["diseases"] == 2
    assert web.get(f"/api/v1/networks/{network}/nodes/both").status_code == 200


@pytest.mark.parametrize(
    "page", ["/", "/next", "/network", "/what-if", "/what-if?t=copd", "/twin.svg?t=copd"]
)
def test_the_pages_open_on_a_general_model(uploaded, page):
    web, network, _ = uploaded
    mark = "&" if "?" in page else "?"
    answer = web.get(f"{page}{mark}n={network}&p=fever&p=both")
    assert answer.status_code == 200, answer.text
    assert 'class="issues"' not in answer.text


def test_a_node_of_no_layer_is_shown_with_its_causes_and_effects(tmp_path):
    text = """
hickam: 1
name: hidden
nodes:
  - {id: smoke, role: risk factor, prior: 0.2}
  - {id: harm, leak: 0.05, causes: {smoke: 0.5}}
  - {id: ill, role: disease, leak: 0.01, causes: {harm: 0.4}}
  - {id: cough, role: finding, leak: 0.01, causes: {ill: 0.4}}
"""
    with client(tmp_path) as web:
        network = web.post("/api/v1/networks", json={"file": "m.yaml", "text": text}).json()["id"]
        node = web.get(f"/api/v1/networks/{network}/nodes/harm").json()
        assert node["kind"] == "other"
        assert node["leak"] == 0.05
        assert [(link["id"], link["strength"]) for link in node["causes"]] == [("smoke", 0.5)]
        assert [(link["id"], link["strength"]) for link in node["effects"]] == [("ill", 0.4)]
        assert web.get(f"/network?n={network}&node=harm").status_code == 200
