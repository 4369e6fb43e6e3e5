"""The short way to a diagnosis answers as the long way does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter
from web_app import client

from hickam.web import shortcut
from hickam.web.answers import BatchAnswer, DifferentialBody

PATH = "/api/v1/networks/smoker/diagnose"
CASE = {"present": ["chest pain", "nausea"], "absent": ["fatigue"], "risks": {"smoker": True}}
CHANGING = ("milliseconds", "at")


@pytest.fixture
def api(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path) as made:
        yield made


def answered(api: TestClient, body: bytes, kind: str = "application/json") -> tuple[int, Any]:
    answer = api.post(PATH, content=body, headers={"content-type": kind})
    document = answer.json()
    for name in CHANGING:
        document.get("provenance", {}).pop(name, None)
    return answer.status_code, document


BODIES = {
    "a case": json.dumps({"case": CASE}),
    "every option": json.dumps(
        {
            "case": {**CASE, "sex": "female", "age": 60, "likelihoods": {"angina": 2}},
            "measure": "posterior",
            "engine": "cover",
            "top": 2,
            "cruelty": True,
            "treatment": True,
            "options": {"dial": 0.5, "case_mix": 0.9},
        }
    ),
    "an unknown finding": json.dumps({"case": {"present": ["chest pian"]}}),
    "an unknown key": json.dumps({"case": CASE, "hair": "red"}),
    "a measure that is none": json.dumps({"case": CASE, "measure": "beauty"}),
    "no case": "{}",
    "nothing": "",
    "a list": "[]",
    "half a document": '{"case": {',
    "deep": "[" * 5000,
    "a number that is none": '{"case": {"age": NaN}}',
    "a lone surrogate": '{"case": {"present": ["\\ud800"]}}',
    "twice the same key": '{"case": {"present": ["nausea"], "present": ["chest pain"]}}',
}


@pytest.mark.parametrize("name", BODIES)
def test_both_ways_answer_alike(
    api: TestClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = BODIES[name].encode()
    short = answered(api, body)
    monkeypatch.setattr(shortcut, "START", "no such address")
    assert answered(api, body) == short


@pytest.mark.parametrize("kind", ["text/plain", "application/json; charset=utf-8"])
def test_another_media_type_is_answered_the_long_way(
    api: TestClient, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = BODIES["a case"].encode()
    given = answered(api, body, kind)
    monkeypatch.setattr(shortcut, "START", "no such address")
    assert answered(api, body, kind) == given


def test_the_short_way_is_counted_under_the_address_of_the_long_one(
    api: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted() -> set[str]:
        lines = [line for line in api.get("/metrics").text.splitlines() if "route=" in line]
        return {line.partition('route="')[2].partition('"')[0] for line in lines}

    before = counted()
    answered(api, BODIES["a case"].encode())
    short = counted()
    monkeypatch.setattr(shortcut, "START", "no such address")
    answered(api, BODIES["a case"].encode())
    assert counted() == short
    assert "/api/v1/networks/{network_id}/diagnose" in short
    assert before <= short


def test_answers_have_the_shape_that_the_document_promises(api: TestClient) -> None:
    answer = api.post(PATH, json={"case": CASE}).content
    shape = TypeAdapter(DifferentialBody)
    again = json.loads(shape.dump_json(shape.validate_json(answer)))
    assert again == json.loads(answer)
    cases = {"cases": [CASE, {"present": ["what?"]}]}
    batch = api.post("/api/v1/networks/smoker/batch", json=cases).content
    whole = TypeAdapter(BatchAnswer)
    assert json.loads(whole.dump_json(whole.validate_json(batch))) == json.loads(batch)
