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
from hickam.beliefs.deadline import Deadline
from hickam.cli.serve import allowed_hosts, check_free
from hickam.web.clients import Clients
from hickam.web.desk import ENDS, AtOnce, Desk, Overloaded
from hickam.web.limits import BodyBudget
from hickam.web.logs import JsonLines
from hickam.web.service import open_service
from hickam.web.settings import Settings

ASK = "/api/v1/networks/smoker/diagnose"
CASE = {"case": {"present": ["nausea"]}}
SENT = (
    "BatchBody",
    "CaseBody",
    "DiagnoseBody",
    "ExplainBody",
    "NetworkFileBody",
    "NextBody",
    "OptionsBody",
    "SecondOpinionBody",
    "TwinBody",
    "WhatIfBody",
)


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


def test_only_a_trusted_proxy_may_speak_for_others(tmp_path: Path) -> None:
    def refused(**changes: object) -> list[int]:
        with client(tmp_path, rate=0.001, burst=2, **changes) as api:
            return [
                api.post(ASK, json=CASE, headers={"X-Forwarded-For": f"198.51.100.{n}"}).status_code
                for n in range(4)
            ]

    assert refused() == [200, 200, 429, 429]
    assert refused(proxies=("198.51.100.0/24",)) == [200, 200, 429, 429]


def test_a_trusted_proxy_names_its_clients() -> None:
    told = [(b"x-forwarded-for", b"203.0.113.1, 198.51.100.7, 10.1.1.1")]
    scope = {"client": ("10.0.0.1", 1), "headers": told}
    assert Clients(("10.0.0.0/8",)).of(scope) == "198.51.100.7"
    assert Clients(("10.0.0.1",)).of(scope) == "10.1.1.1"
    assert Clients().of(scope) == "10.0.0.1"
    assert Clients(("10.0.0.0/8",)).of({**scope, "headers": []}) == "10.0.0.1"


def test_a_host_that_the_service_is_not_is_misdirected(tmp_path: Path) -> None:
    with client(tmp_path, hosts=("testserver", "[::1]")) as api:
        assert api.get("/health").status_code == 200
        assert api.get("/health", headers={"Host": "[::1]:8000"}).status_code == 200
        for host in ("elsewhere.example", "testserver.elsewhere.example", ""):
            assert api.get("/health", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "host",
    [
        "testserver:x",
        "testserver:1:2",
        "test server",
        "a@testserver",
        "[::1]a",
        "[::1",
        "testserver/",
        "\xe9",
    ],
)
def test_a_host_is_one_name_with_a_port_or_without(tmp_path: Path, host: str) -> None:
    for hosts in ((), ("testserver", "[::1]")):
        with client(tmp_path, hosts=hosts) as api:
            assert api.get("/health", headers={"Host": host.encode("latin-1")}).status_code == 400
            twice = [("Host", "testserver"), ("Host", "testserver")]
            assert api.get("/health", headers=twice).status_code == 400


def test_no_redirect_names_a_host(tmp_path: Path) -> None:
    tiny = {"file": ("tiny.yaml", OWN)}
    with client(tmp_path, hosts=()) as api:
        told = {"headers": {"Host": "elsewhere.example"}, "follow_redirects": False}
        answers = [api.post("/network", files=tiny, **told)]
        own = answers[0].headers["location"].partition("=")[2]
        answers.append(api.post("/network/delete", data={"n": own}, **told))
        for path in (
            "/api/v1/networks/",
            "/network/",
            "/learn/",
            "//elsewhere.example/",
            "/static",
        ):
            answers.append(api.get(path, **told))
    targets = [answer.headers["location"] for answer in answers if answer.is_redirect]
    assert len(targets) == 2
    assert all(target.startswith("/") and not target.startswith("//") for target in targets)


def test_hosts_are_checked_on_this_machine_unless_told_otherwise() -> None:
    assert "localhost" in allowed_hosts("127.0.0.1", ())
    assert allowed_hosts("0.0.0.0", ()) == []
    assert allowed_hosts("127.0.0.1", ("*",)) == []
    assert "diagnosis.example" in allowed_hosts("0.0.0.0", ("diagnosis.example",))


def test_head_answers_as_get_without_a_body(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        for path in ("/", "/api/v1/networks", "/health", "/static/hickam.css"):
            head, got = api.head(path), api.get(path)
            assert (head.status_code, head.content) == (200, b"")
            assert head.headers["content-type"] == got.headers["content-type"]


def test_a_long_address_and_a_null_character_are_refused(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        assert api.get("/?p=" + "x" * 9000).status_code == 414
        for path in ("/studies/x/%00", "/%00", "/api/v1/networks/%00"):
            assert api.get(path).status_code == 404


def test_invented_methods_and_addresses_are_one_label_each(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        for n in range(20):
            api.request(f"METHOD{n}", f"/address-{n}")
            api.request(f"METHOD{n}", f"/api/v1/address-{n}")
        text = api.get("/metrics").text
    assert 'method="other"' in text
    assert "METHOD" not in text
    assert "address-" not in text


def test_large_bodies_share_a_budget_and_small_ones_pass(tmp_path: Path) -> None:
    budget = BodyBudget(total=100_000, each=80_000, free=10)
    held = [budget.open("a"), budget.open("b")]
    assert held[0].grow(70_000)
    assert not held[1].grow(70_000)
    assert budget.open("c").grow(10)
    held[0].close()
    assert held[1].grow(70_000)
    assert not budget.open("b").grow(20_000)
    held[1].close()
    assert budget.held == 0


def test_of_many_large_bodies_at_once_some_arrive() -> None:
    budget = BodyBudget(total=100_000, each=100_000, free=10)
    shares = [budget.open(f"client {n}") for n in range(40)]
    admitted = [share for share in shares if share.reserve(40_000)]
    assert len(admitted) == 2
    assert all(share.grow(1_000) for share in admitted for _ in range(40))
    for share in shares:
        share.close()
    assert budget.held == 0


def test_bodies_beyond_the_budget_are_refused_with_a_time_to_come_back(tmp_path: Path) -> None:
    with client(tmp_path, bodies_bytes=100_000, upload_bytes=100_000, body_bytes=900_000) as api:
        answer = api.post(ASK, json={"case": {"present": ["x" * 400_000]}})
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1


def test_a_fault_in_the_library_is_a_problem_with_the_id_of_its_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("the patient's name")

    monkeypatch.setitem(broken.__globals__, "__name__", "hickam.inference.broken")
    monkeypatch.setattr("hickam.web.consult.infer_located", broken)
    logger = logging.getLogger("hickam.web")
    logger.addHandler(caplog.handler)
    caplog.handler.setFormatter(JsonLines())
    try:
        with client(tmp_path) as api:
            answer = api.post(ASK, json=CASE)
            page = api.get("/?n=smoker&p=nausea")
    finally:
        logger.removeHandler(caplog.handler)
    assert answer.status_code == 500
    faults = [json.loads(line) for line in caplog.text.splitlines() if '"fault"' in line]
    assert faults[0]["request"] == answer.headers["x-request-id"]
    assert faults[0]["request"] in answer.json()["detail"]
    assert page.status_code == 500
    assert page.headers["x-request-id"] in page.text
    assert "patient" not in answer.text + page.text + caplog.text


def test_the_deadline_bounds_a_request_not_each_of_its_inferences(tmp_path: Path) -> None:
    settings = Settings(networks=("smoker",), uploads=str(tmp_path), deadline=2.0)
    service = open_service(settings, AtOnce())
    assert service.seconds == 2.0
    token = ENDS.set(Deadline.after(0.5))
    try:
        assert 0.0 < service.seconds <= 0.5
    finally:
        ENDS.reset(token)


def test_a_port_in_use_is_a_clear_mistake() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(hickam.InvalidInput, match="--port"):
            check_free("127.0.0.1", port)


def test_every_list_map_and_text_of_a_body_is_bounded(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        schemas = api.get("/api/v1/openapi.json").json()["components"]["schemas"]
    unbounded = []
    for name, schema in schemas.items():
        if name not in SENT:
            continue
        for field, inner in schema.get("properties", {}).items():
            for kind in inner.get("anyOf", [inner]):
                bound = {"array": "maxItems", "object": "maxProperties", "string": "maxLength"}
                needed = bound.get(kind.get("type", ""))
                if needed and needed not in kind and "enum" not in kind:
                    unbounded.append(f"{name}.{field}")
    assert set(SENT) <= schemas.keys()
    assert unbounded == ["NetworkFileBody.text"]  # bounded by the size of an upload
