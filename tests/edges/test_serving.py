"""Worker processes around an application that misbehaves: nothing it does reaches anyone else."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hickam
from hickam.evidence.person import people
from hickam.inference.reduce import prepared
from hickam.web.desk import Overloaded
from hickam.web.guard import Guard
from hickam.web.logs import JsonLines
from hickam.web.metrics import DEATHS
from hickam.web.serving.costs import Ask, Costs, read_ask
from hickam.web.serving.front import Front
from hickam.web.serving.lanes import Lane, Turn
from hickam.web.serving.nursery import _meet
from hickam.web.serving.server import _failed
from hickam.web.settings import Settings

HERE = str(Path(__file__).parent)


@dataclass
class Answer:
    status: int
    body: Any


class Client:
    """Asks a front without sockets; `gone` hangs up."""

    def __init__(self, front: Front, settings: Settings) -> None:
        self.front = front
        self.guard = Guard(front, settings, _failed)

    async def get(self, what: str, client: str = "192.0.2.1", gone: Any = None) -> Answer:
        path = what if what.startswith("/") else f"/api/v1/networks/x/nodes/{what}"
        scope = {
            "type": "http",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
            "client": (client, 1),
        }
        told: list[Any] = []
        asked = False

        async def receive() -> Any:
            nonlocal asked
            if not asked:
                asked = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await (gone or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            told.append(message)

        await self.guard(scope, receive, send)
        if not told:
            return Answer(0, None)
        body = b"".join(message.get("body", b"") for message in told[1:])
        return Answer(told[0]["status"], json.loads(body) if path.startswith("/api") else body)


def with_front(scenario: Callable[[Client], Awaitable[None]], **changes: Any) -> None:
    """Run a scenario on a front with one worker in each lane."""
    os.environ["PYTHONPATH"] = HERE

    async def run() -> None:
        settings = Settings(**{"workers": 1, "rate": 0.0, "deadline": 0.25, **changes})
        front = Front(settings, "serving_app:make")
        await front.start()
        try:
            await scenario(Client(front, settings))
        finally:
            await front.stop()

    try:
        asyncio.run(run())
    finally:
        del os.environ["PYTHONPATH"]


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that must come true."""
    for _ in range(1000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


def test_a_request_beyond_its_time_is_stopped_and_its_worker_replaced() -> None:
    async def scenario(client: Client) -> None:
        before = (await client.get("ok")).body["pid"]
        answer = await client.get("sleep")
        assert answer.status == 422
        assert answer.body["type"].endswith("#too-hard")
        after = await client.get("ok")
        assert after.status == 200
        assert after.body["pid"] != before

    with_front(scenario)


def test_a_quick_request_is_answered_while_others_work_for_long() -> None:
    async def scenario(client: Client) -> None:
        long = [asyncio.create_task(client.get("spin", f"192.0.2.{n}")) for n in range(2, 12)]
        await asyncio.sleep(0.3)
        assert (await client.get("/api/v1/networks/y/nodes/ok")).status == 200
        assert not all(task.done() for task in long)
        answers = await asyncio.gather(*long)
        assert {answer.status for answer in answers} <= {422, 503}

    with_front(scenario)


def test_a_client_that_hangs_up_stops_its_work() -> None:
    async def scenario(client: Client) -> None:
        await client.get("ok")
        gone = asyncio.Event()
        asked = asyncio.create_task(client.get("nap30", gone=gone))
        await asyncio.sleep(0.4)
        working = {worker.pid for worker in client.front.crew.workers}
        gone.set()
        assert (await asked).status == 0
        await until(lambda: any(not _runs(pid) for pid in working))
        assert (await client.get("ok")).status == 200

    with_front(scenario, slow_each=2)


def test_a_crash_is_one_fault_answer_with_an_id_that_the_log_holds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logger = logging.getLogger("hickam.web")
    logger.addHandler(caplog.handler)
    caplog.handler.setFormatter(JsonLines())
    logger.setLevel("INFO")

    async def scenario(client: Client) -> None:
        answer = await client.get("crash")
        assert answer.status == 500
        assert (await client.get("ok")).status == 200
        lines = [json.loads(line) for line in caplog.text.splitlines()]
        fault = next(line for line in lines if line["event"] == "fault")
        assert fault["request"] in answer.body["detail"]
        assert any(line["event"] == "worker died" and line["how"] == "SIGSEGV" for line in lines)

    try:
        with_front(scenario)
    finally:
        logger.removeHandler(caplog.handler)


@pytest.mark.parametrize("killed", ["idle", "stopped"])
def test_a_request_whose_idle_worker_was_killed_is_asked_again(killed: str) -> None:
    async def scenario(client: Client) -> None:
        for worker in client.front.lanes["quick"].idle + client.front.lanes["slow"].idle:
            if killed == "stopped":  # it cannot read the question before it is killed
                os.kill(worker.pid, signal.SIGSTOP)
                asyncio.get_running_loop().call_later(0.2, os.kill, worker.pid, signal.SIGKILL)
            else:
                os.kill(worker.pid, signal.SIGKILL)
        answers = await asyncio.gather(*(client.get("ok") for _ in range(4)))
        assert {answer.status for answer in answers} == {200}

    with_front(scenario, workers=2, deadline=5.0)


def test_a_question_that_kills_its_worker_is_asked_once() -> None:
    async def scenario(client: Client) -> None:
        before = DEATHS._value.get()
        assert (await client.get("crash")).status == 500
        await until(lambda: DEATHS._value.get() > before)
        assert (await client.get("ok")).status == 200
        assert DEATHS._value.get() == before + 1

    with_front(scenario)


def test_more_memory_than_a_worker_may_take_is_too_hard_and_ends_nothing() -> None:
    async def scenario(client: Client) -> None:
        answer = await client.get("memory")
        assert (answer.status, answer.body["type"]) == (422, "/api#too-hard")
        assert (await client.get("ok")).status == 200

    with_front(scenario, memory_bytes=200_000_000)


def test_a_worker_that_grew_is_replaced_after_its_answer() -> None:
    async def scenario(client: Client) -> None:
        grown = (await client.get("grow")).body["pid"]
        assert (await client.get("ok")).body["pid"] != grown
        await until(lambda: not _runs(grown))

    with_front(scenario, recycle_bytes=150_000_000, deadline=5.0)  # a busy machine copies slowly


def test_a_fault_of_the_application_tells_the_client_nothing_of_the_case() -> None:
    async def scenario(client: Client) -> None:
        answer = await client.get("fault")
        assert answer.status == 500
        assert "secret" not in json.dumps(answer.body)

    with_front(scenario)


def test_a_nursery_that_is_killed_comes_back_with_its_workers() -> None:
    async def scenario(client: Client) -> None:
        first = (await client.get("ok")).body["pid"]
        nursery = client.front.crew._nursery
        assert nursery is not None
        nursery.kill()
        await until(lambda: not _runs(first))
        await until(lambda: bool(client.front.lanes["quick"].idle))
        assert (await client.get("ok")).body["pid"] != first

    with_front(scenario)


def test_a_worker_is_born_with_what_sex_and_age_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hickam.web.serving.nursery.MEETING", 600.0)  # a busy machine is slow
    network = hickam.load("clinic")
    assert isinstance(network, hickam.Network)
    _meet(network)
    made = prepared.cache_info().misses
    for sex, age in people(network):
        hickam.infer(network, hickam.Case(present=["fever"], sex=sex, age=age))
    assert prepared.cache_info().misses == made


def lane(**changes: Any) -> Lane[str]:
    """A lane for one worker."""
    given = {"size": 1, "longest_wait": 10.0, "waiting": 10, "per_client": 100, **changes}
    return Lane(**given)


def with_loop(scenario: Callable[[], None]) -> None:
    """Run a scenario that needs futures."""

    async def run() -> None:
        scenario()

    asyncio.run(run())


def served_in_order(busy: Lane[str], turns: dict[str, Turn[str]]) -> list[str]:
    """The names of turns in the order in which a worker comes to them."""
    order = []
    for _ in range(len(turns)):
        busy.offer("worker")
        order += [name for name, turn in turns.items() if turn.worker.done() and name not in order]
    return order


def test_clients_take_turns_in_a_lane() -> None:
    def scenario() -> None:
        busy = lane()
        busy.offer("worker")
        assert busy.enter("a", 1.0).worker.result() == "worker"
        turns = {name: busy.enter(name[0], 1.0) for name in ("a2", "a3", "b1")}
        assert served_in_order(busy, turns) == ["a2", "b1", "a3"]

    with_loop(scenario)


def test_a_cheap_request_passes_costly_ones_and_none_waits_for_ever() -> None:
    def scenario() -> None:
        busy = lane(longest_wait=1000.0, waiting=100)
        long, passed = busy.enter("a", 3.0), 0
        while not long.worker.done() and passed < 20:
            short = busy.enter(f"client {passed}", 1.0)
            busy.offer("worker")
            passed += short.worker.done()
        assert 0 < passed < 5

    with_loop(scenario)


def test_a_lane_refuses_by_the_predicted_wait_not_by_number() -> None:
    def scenario() -> None:
        busy = lane(waiting=100)
        for _ in range(5):
            busy.enter("a", 0.1)
        long = busy.enter("b", 30.0)
        busy.enter("c", 0.1)  # does not wait for the long one
        with pytest.raises(Overloaded) as refused:
            busy.enter("d", 31.0)
        assert refused.value.retry_after > 10
        busy.leave(long)
        busy.enter("d", 31.0)

    with_loop(scenario)


def test_a_request_that_is_running_is_waited_for_whatever_it_costs() -> None:
    def scenario() -> None:
        busy = lane()
        busy.offer("worker")
        running = busy.enter("a", 30.0)
        with pytest.raises(Overloaded):
            busy.enter("b", 0.1)
        busy.leave(running)
        busy.enter("b", 0.1)

    with_loop(scenario)


def test_a_full_lane_has_room_for_what_is_due_before_the_last() -> None:
    def scenario() -> None:
        busy = lane(waiting=2)
        waiting = [busy.enter("a", 1.0), busy.enter("b", 2.0)]
        with pytest.raises(Overloaded):
            busy.enter("c", 3.0)
        assert not busy.enter("d", 0.1).worker.done()
        assert isinstance(waiting[1].worker.exception(), Overloaded)
        busy.leave(waiting[1])
        assert busy.full
        assert busy.inside == {"a": 1, "d": 1}

    with_loop(scenario)


def test_waits_are_predicted_by_what_passed_lately() -> None:
    def scenario() -> None:
        now = 0.0
        busy = lane(clock=lambda: now)
        for _ in range(100):
            busy.measure(0.01, 0.1)  # the machine does other things too
        assert 5.0 < busy.pace < 10.0
        busy.enter("a", 2.0)
        with pytest.raises(Overloaded) as refused:
            busy.enter("b", 2.1)
        assert refused.value.retry_after > 5
        now = 600.0
        assert busy.pace == pytest.approx(1.0)
        busy.enter("b", 2.1)

    with_loop(scenario)


@pytest.mark.parametrize("pace", [0.5, 4.0])
def test_a_lane_measures_its_pace_while_requests_wait(pace: float) -> None:
    def scenario() -> None:
        now = 0.0
        busy = lane(size=2, longest_wait=1e9, waiting=1000, clock=lambda: now)
        turns = [busy.enter(f"client {n}", 1.0) for n in range(202)]
        for worker in ("one", "another"):
            busy.offer(worker)
        for turn in turns[:100]:  # two workers: one ends twice as often as each
            now += 0.5 * pace
            busy.offer("one")
            busy.leave(turn)
        assert busy.pace == pytest.approx(pace, rel=0.1)

    with_loop(scenario)


def test_one_client_holds_only_its_share_of_a_lane() -> None:
    def scenario() -> None:
        busy = lane(per_client=2)
        busy.enter("a", 0.1)
        busy.join("a", 0.1)
        with pytest.raises(Overloaded) as refused:
            busy.enter("a", 0.1)
        assert refused.value.status == 429
        busy.enter("b", 0.1)

    with_loop(scenario)


def test_a_lane_that_everyone_has_left_is_as_it_was() -> None:
    def scenario() -> None:
        busy = lane(waiting=1)
        turns = [busy.enter("a", 0.1), busy.join("a", 2.0)]
        busy.offer("worker")
        for turn in turns:
            busy.leave(turn)
        assert busy.running == pytest.approx(0.0)
        assert not busy.inside
        turns = [busy.enter("a", 0.1)]  # and leaves without having had a worker
        busy.leave(turns[0])
        kept = busy.enter("b", 0.1)
        busy.offer("worker")
        assert kept.worker.result() == "worker"

    with_loop(scenario)


def test_costs_grow_with_the_findings_and_follow_what_is_measured() -> None:
    costs = Costs()
    few = read_ask("POST", "/api/v1/networks/clinic/diagnose", b"", _case(4))
    many = read_ask("POST", "/api/v1/networks/clinic/diagnose", b"", _case(20))
    page = read_ask("GET", "/", b"n=clinic&p=a&p=b", b"")
    assert page == Ask("", "clinic", 2, 0)
    assert costs.predict(many) > 100 * costs.predict(few)
    for _ in range(10):
        costs.learn(many, 0.01)
    assert costs.predict(many) == pytest.approx(0.01)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"case": 3}', b'{"case": {"present": 3}}', b"[" * 30_000, b"\xff"]
)
def test_a_body_that_makes_no_sense_has_a_price_too(body: bytes) -> None:
    ask = read_ask("POST", "/api/v1/networks/clinic/diagnose", b"", body)
    assert Costs().predict(ask) > 0.0


def _case(count: int) -> bytes:
    return json.dumps({"case": {"present": [f"f{n}" for n in range(count)]}}).encode()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
