"""The service protects itself, and says so."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
import urllib.request
from pathlib import Path

import pytest
from browser import serving
from web_app import OWN, client

import hickam
from hickam.cli.serve import check_free
from hickam.web.desk import Desk, Overloaded
from hickam.web.logs import JsonLines

ASK = "/api/v1/networks/smoker/diagnose"
CASE = {"case": {"present": ["nausea"]}}


def test_a_large_body_is_refused(tmp_path: Path) -> None:
    with client(tmp_path, body_bytes=1000) as api:
        answer = api.post(ASK, json={"case": {"present": ["x" * 2000]}})
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_large_body_of_unknown_length_is_refused(tmp_path: Path) -> None:
    with client(tmp_path, body_bytes=1000) as api:
        answer = api.post(ASK, content=(b"x" * 600 for _ in range(5)))
    assert answer.status_code == 413


def test_too_many_findings_are_refused_with_the_limit(tmp_path: Path) -> None:
    with client(tmp_path, findings=1) as api:
        answer = api.post(ASK, json={"case": {"present": ["nausea", "fatigue"]}})
    assert answer.status_code == 422
    assert "at most 1" in answer.json()["issues"][0]["fix"]


def test_too_large_a_batch_is_refused(tmp_path: Path) -> None:
    with client(tmp_path, batch=1) as api:
        cases = [{"present": ["nausea"]}] * 2
        answer = api.post("/api/v1/networks/smoker/batch", json={"cases": cases})
    assert answer.status_code == 422


def test_a_client_that_asks_too_fast_is_told_when_to_come_back(tmp_path: Path) -> None:
    with client(tmp_path, rate=0.01, burst=2) as api:
        answers = [api.post(ASK, json=CASE) for _ in range(3)]
        assert [a.status_code for a in answers] == [200, 200, 429]
        assert int(answers[2].headers["retry-after"]) > 1
        assert api.get("/health").status_code == 200


def test_a_full_desk_refuses_at_once_and_recovers() -> None:
    async def scenario() -> None:
        desk = Desk(running=1, waiting=1, patience=10.0)
        gate = threading.Event()
        held = [asyncio.create_task(desk.run(gate.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Overloaded):
            await desk.run(lambda: True)
        gate.set()
        assert await asyncio.gather(*held) == [True, True]
        await asyncio.sleep(0.05)
        assert await desk.run(lambda: "again") == "again"
        desk.close()

    asyncio.run(scenario())


def test_a_job_beyond_its_patience_is_refused_but_keeps_its_place() -> None:
    async def scenario() -> None:
        desk = Desk(running=1, waiting=0, patience=0.05)
        gate = threading.Event()
        with pytest.raises(Overloaded, match="deadline"):
            await desk.run(gate.wait)
        with pytest.raises(Overloaded, match="waiting"):
            await desk.run(lambda: True)
        gate.set()
        await asyncio.sleep(0.1)
        assert await desk.run(lambda: True)
        desk.close()

    asyncio.run(scenario())


def test_every_answer_carries_the_security_headers(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        for path in ("/", "/api/v1/networks", "/static/hickam.css", "/nowhere", "/health"):
            headers = api.get(path).headers
            assert headers["content-security-policy"].startswith("default-src 'self'")
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"


def test_the_log_holds_no_patient_data(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("hickam.web")
    logger.addHandler(caplog.handler)
    caplog.handler.setFormatter(JsonLines())
    logger.setLevel("INFO")
    try:
        with client(tmp_path) as api:
            api.post(ASK, json={"case": {"present": ["nausea"], "id": "Mrs Miller"}})
            api.get("/?n=smoker&p=nausea&age=61")
            api.get("/api/v1/networks/smoker/search?q=chest")
    finally:
        logger.removeHandler(caplog.handler)
    lines = [json.loads(line) for line in caplog.text.splitlines()]
    assert [line["route"] for line in lines][-1].endswith("/search")
    assert {"method", "status", "ms", "at"} <= lines[0].keys()
    for word in ("nausea", "Miller", "61", "chest"):
        assert word not in json.dumps(
            [{k: v for k, v in n.items() if k in ("route", "event")} for n in lines]
        )
    assert all(
        set(line) <= {"at", "level", "event", "request", "method", "route", "status", "ms"}
        for line in lines
    )


def test_metrics_count_requests_and_inferences(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        api.post(ASK, json=CASE)
        text = api.get("/metrics").text
    assert 'hickam_requests_total{method="POST"' in text
    assert "hickam_inference_seconds_count{engine=" in text


def test_several_workers_share_uploads_and_metrics(tmp_path: Path) -> None:
    with serving(tmp_path, workers=2) as server:
        sent = json.dumps({"file": "tiny.yaml", "text": OWN}).encode()
        head = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{server.address}/api/v1/networks", sent, head)
        with urllib.request.urlopen(request) as answer:
            network = json.load(answer)["id"]
        for _ in range(12):
            address = f"{server.address}/api/v1/networks/{network}"
            with urllib.request.urlopen(address) as answer:
                assert json.load(answer)["name"] == "Tiny"
        with urllib.request.urlopen(f"{server.address}/metrics") as answer:
            lines = answer.read().decode().splitlines()
    route = 'route="/api/v1/networks/{network_id}"'
    counted = [line for line in lines if line.startswith("hickam_requests_total") and route in line]
    assert sum(float(line.split()[-1]) for line in counted) == 12


def test_a_port_in_use_is_a_clear_mistake() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(hickam.InvalidInput, match="--port"):
            check_free("127.0.0.1", port)
