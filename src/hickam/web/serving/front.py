"""The application of the front process: every question goes to a worker that can be ended."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from hickam.issues import TooHard, error
from hickam.web import metrics
from hickam.web.desk import Overloaded
from hickam.web.logs import LOG
from hickam.web.refusals import Fault
from hickam.web.serving.costs import Ask, Costs, read_ask
from hickam.web.serving.crew import APPLICATION, Answer, Crew, StartFailed, Worker, WorkerDied
from hickam.web.serving.lanes import Lane, Turn
from hickam.web.serving.worker import NICE
from hickam.web.settings import Settings
from hickam.web.status import health_response, metrics_response

QUICK = 0.05  # predicted seconds of a request that the quick lane takes
OVERRUN = 0.25  # processor seconds after which a request leaves the quick lane, with its worker
STUCK = (
    1.0  # seconds after which it does so without computing, longer where everything takes longer
)
SOON = 1.0  # seconds that a request may wait for the quick lane
TRIES = 5  # times that a request gets a worker, which may have ended or be that of the wrong lane
UNHEARD = 0.05  # seconds before anyone looks whether the client is still there
PIECE = 1 << 16
STARTING = 30.0  # seconds in which the first workers must be there


class Gone(Exception):
    """The client has hung up."""


class Front:
    """Answers by itself what costs nothing and sends everything else to the workers."""

    def __init__(self, settings: Settings, application: str = APPLICATION) -> None:
        self.settings = settings
        size = settings.workers or os.cpu_count() or 1
        waiting, long = settings.waiting, 2.0 * settings.request_seconds
        self.lanes: dict[str, Lane[Worker]] = {
            "quick": Lane(size, SOON, 8 * waiting, 4 * waiting),
            "slow": Lane(size, long, waiting, settings.slow_each),
        }
        self.overruns = 0
        self.costs = Costs()
        wanted = dict.fromkeys(self.lanes, size)
        self.crew = Crew(settings, wanted, self._ready, self._ended, application)
        self.static = StaticFiles(directory=Path(__file__).parents[1] / "static")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path: str = scope["path"]
        if path in ("/health", "/metrics") and scope["method"] == "GET":
            scope["hickam.route"] = path
            answer = metrics_response() if path == "/metrics" else self._health()
            await answer(scope, receive, send)
        elif path.startswith("/static/"):
            scope["hickam.route"] = "/static"
            inner = {**scope, "root_path": "", "path": path.removeprefix("/static")}
            await self.static(inner, receive, send)
        else:
            await self._forward(scope, receive, send)

    async def start(self) -> None:
        """Start the workers and wait for the first of each lane."""
        await self.crew.start()
        await self.crew.keep()
        ends = time.monotonic() + STARTING
        while not all(lane.idle for lane in self.lanes.values()):
            if time.monotonic() > ends:
                raise StartFailed([error("the service", "could start no worker").as_dict()])
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """End the workers."""
        await self.crew.stop()

    def _health(self) -> Any:
        quick = self.lanes["quick"]
        ready = any(worker.pid for worker in self.crew.workers)
        inside = sum(sum(lane.inside.values()) for lane in self.lanes.values())
        return health_response(quick.full or not ready, inside)

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a worker's answer, or the problem of not having one."""
        body = (await receive()).get("body", b"")
        client = scope["client"][0] if scope.get("client") else ""
        ask = read_ask(scope["method"], scope["path"], scope["query_string"], body)
        leaving = _Leaving(receive)
        try:
            for _ in range(TRIES):
                found = await self._try(ask, client, scope, body, leaving)
                if found is not None:
                    break
            else:
                raise Fault("one worker after the other ended before it had read the question")
        except Gone:
            scope["hickam.status"] = 499
            return
        finally:
            leaving.stop()
        head, content = found
        scope["hickam.route"] = head["route"]
        for engine, took in head["inferences"]:
            metrics.observe_inference(engine, took)
        await _relay(head, content, scope, send)

    async def _try(
        self, ask: Ask, client: str, scope: Scope, body: bytes, leaving: _Leaving
    ) -> Answer | None:
        """The answer of the next free worker; None if another must be asked."""
        seconds = self.costs.predict(ask)
        lane = self.lanes["quick" if seconds <= QUICK else "slow"]
        turn = lane.enter(client, seconds)
        try:
            if not turn.worker.done():
                await leaving.race(turn.worker, None)
            worker = turn.worker.result()
            if worker.lane == "quick" and self.costs.predict(ask) > QUICK:  # learned meanwhile
                lane.offer(worker)
                return None
            return await self._converse(worker, ask, client, scope, body, leaving)
        except WorkerDied as died:
            if died.unread:
                return None
            raise Fault(f"the worker ended: {await self.crew.why(worker)}") from None
        finally:
            lane.leave(turn)

    async def _converse(
        self, worker: Worker, ask: Ask, client: str, scope: Scope, body: bytes, leaving: _Leaving
    ) -> Answer:
        """The worker's answer. One that takes too long, or that nobody waits for, is stopped."""
        limit = self.settings.request_seconds
        begun = time.monotonic()
        ends = begun + limit
        stuck = begun + STUCK * self.lanes["quick"].pace
        answer = worker.ask(_head(scope, client, limit), body)
        overrun: Turn[Worker] | None = None
        try:
            await worker.heard(UNHEARD)
            while worker.lane == "quick" and not answer.done() and time.monotonic() < ends:
                left = min(OVERRUN - worker.spent, stuck - time.monotonic())
                if left <= 0.0:
                    overrun = await self._overrun(worker, ask, client)
                else:
                    await leaving.race(answer, max(left, UNHEARD))
            if not answer.done():
                await leaving.race(answer, ends - time.monotonic())
            if not answer.done():
                self.costs.learn(ask, worker.spent)
                what = f"was stopped after {limit:g} seconds"
                fix = "ask about fewer findings, diseases or cases"
                raise TooHard([error("the question", what, fix)])
            head, content = answer.result()
        finally:
            if overrun is not None:
                self.overruns -= 1
                self.lanes["slow"].leave(overrun)
            self._release(worker, answer)
        self.costs.learn(ask, head["seconds"])
        return head, content

    async def _overrun(self, worker: Worker, ask: Ask, client: str) -> Turn[Worker]:
        """Move a request that was thought to be quick out of the quick lane's way."""
        slow = self.lanes["slow"]
        self.costs.learn(ask, 2 * OVERRUN)
        if self.overruns >= 2 * slow.size or slow.inside[client] >= slow.per_client:
            raise Overloaded("too many long questions are being answered", 2)
        self.overruns += 1
        worker.lane = "overrun"
        try:
            os.setpriority(os.PRIO_PROCESS, worker.pid, NICE["slow"])
        except OSError:  # it has just ended
            LOG.info("overrun", extra={"fields": {"worker": worker.pid}})
        await self.crew.keep()
        return slow.join(client, self.settings.request_seconds)

    def _release(self, worker: Worker, answer: asyncio.Future[Answer]) -> None:
        """Give a worker back, or end it if it is still busy."""
        if not answer.done():
            self.crew.end(worker)
        elif answer.exception() is None and worker.alive:
            if worker.lane == "overrun" or answer.result()[0]["last"]:
                worker.cut()
            else:
                self.lanes[worker.lane].offer(worker)

    def _ready(self, worker: Worker) -> None:
        self.lanes[worker.lane].offer(worker)

    def _ended(self, worker: Worker) -> None:
        if worker.lane in self.lanes:
            self.lanes[worker.lane].forget(worker)


class _Leaving:
    """Notices that a client hangs up while something else is awaited."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._task: asyncio.Task[Message] | None = None

    async def race(self, other: asyncio.Future[Any], seconds: float | None) -> None:
        """Wait for the other, so many seconds at most; raises Gone if the client hangs up first."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._next())
        await asyncio.wait(
            (other, self._task), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if self._task.done() and not other.done():
            raise Gone

    async def _next(self) -> Message:
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return message

    def stop(self) -> None:
        """Look no longer."""
        if self._task is not None:
            self._task.cancel()


def _head(scope: Scope, client: str, limit: float) -> dict[str, Any]:
    return {
        "method": scope["method"],
        "scheme": scope["scheme"],
        "path": scope["path"],
        "query": scope["query_string"].decode("latin-1"),
        "headers": [(k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"]],
        "client": client,
        "request": scope.get("hickam.request", ""),
        "seconds": limit,
    }


async def _relay(head: dict[str, Any], content: bytes, scope: Scope, send: Send) -> None:
    """Send what a worker has answered; a file is read here, so that it holds no worker."""
    headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in head["headers"]]
    await send({"type": "http.response.start", "status": head["status"], "headers": headers})
    if "file" in head and scope["method"] != "HEAD":
        async for piece in _pieces(Path(head["file"])):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": content})


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece
